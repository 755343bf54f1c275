// Removes the limits on how often a person does something. Actions are still counted.

import { runningUrl } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import pg from 'pg'

export const LIFT_LIMITS = `update private.activity_limits set per_hour = null, per_day = null, at_once = null,
  new_per_hour = null, new_per_day = null, new_at_once = null`

/** The same for a running server process; `cluster` is the folder of its PostgreSQL. */
export async function liftLimits(cluster: string): Promise<void> {
  const client = new pg.Client(runningUrl(cluster) as string)
  await client.connect()
  try {
    await client.query(LIFT_LIMITS)
  } finally {
    await client.end()
  }
}
