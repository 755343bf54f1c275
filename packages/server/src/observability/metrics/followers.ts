// Those who follow the database's log, and how far behind they are: standbys, and the read replica
// (DATABASE_REPLICA_URL). Delays are reported in seconds, by the position of the log when the metrics were read:
// PostgreSQL's own figures stop when a standby does, and a disconnected standby believes that it is complete.
import { requestUrl } from '../../sql/database.ts'
import { openPool } from '../../sql/pool.ts'
import { inTime } from './in-time.ts'

/**
 * Standbys and backups, by the name that they give themselves. Values that need pg_read_all_stats are null without
 * that role.
 */
export interface Follower {
  name: string
  count: number
  /** Where the own copy has come to, in bytes of the log; null for what makes none, such as a backup. */
  replayed: number | null
  /** Seconds since one last said anything, which standbys do every ten (wal_receiver_status_interval). */
  silent: number | null
}

export const FOLLOWERS = `
  select coalesce(application_name, '') as name, count(*)::int as count, min(pg_wal_lsn_diff(replay_lsn, '0/0'))::float8 as replayed,
    greatest(max(extract(epoch from now() - reply_time)), 0)::float8 as silent
  from pg_stat_replication
  where state is distinct from 'backup' and pid not in (select active_pid from pg_replication_slots where slot_type = 'logical' and active)
  group by 1`

const REPLAYED = `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as replayed`

/** How long positions of the log are remembered, in milliseconds: no larger delay is reported. */
const REMEMBERED_MS = 3_600_000

/** Where the database's log ended when somebody looked. */
export class LogEnds {
  private seen: { end: number; at: number }[] = []

  /** It ends at `end` (bytes) now, `at` (milliseconds). */
  see(end: number, at: number): void {
    const newest = this.seen.at(-1)
    // Another primary, which had not come as far.
    if (newest && end < newest.end) this.seen = []
    if (end !== this.seen.at(-1)?.end) this.seen.push({ end, at })
    while (this.seen[0] && this.seen[0].at < at - REMEMBERED_MS) this.seen.shift()
  }

  /** For how many seconds it has been known to be further than `position`. */
  behind(position: number, at: number): number {
    const further = this.seen.find(({ end }) => end > position)
    return further ? (at - further.at) / 1000 : 0
  }
}

export interface ReadReplica {
  /** Where its copy has come to, in bytes of the log; null where it does not answer in time, or is no standby. */
  replayed(): Promise<number | null>
  close(): Promise<void>
}

/** Opens no connection yet, and one at most. */
export function watchReplica(url: string, login: string): ReadReplica {
  const pool = openPool(requestUrl(url, login), { max: 1, name: 'meadowlark-metrics' })
  /** One question at a time: where it hangs, the next would wait behind it. */
  let asking: Promise<number | null> | null = null
  return {
    replayed() {
      asking ??= pool
        .query<{ replayed: number | null }>(REPLAYED)
        .then(({ rows }) => rows[0]?.replayed ?? null)
        .finally(() => {
          asking = null
        })
      return inTime(asking).catch(() => null)
    },
    close: () => pool.end(),
  }
}
