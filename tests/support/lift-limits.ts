// Lets the cast of a test do things as often as the test needs: limits are still counted, and none is reached.
import pg from 'pg'
import { runningUrl } from '../../server/postgres/cluster/postmaster.ts'

export const LIFT_LIMITS = `update private.activity_limits set per_hour = null, per_day = null, at_once = null,
  new_per_hour = null, new_per_day = null, new_at_once = null`

/** In the database of a server that runs as a process of its own; `cluster` is the folder of its PostgreSQL. */
export async function liftLimits(cluster: string): Promise<void> {
  const client = new pg.Client(runningUrl(cluster) as string)
  await client.connect()
  try {
    await client.query(LIFT_LIMITS)
  } finally {
    await client.end()
  }
}
