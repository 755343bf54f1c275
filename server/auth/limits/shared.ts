// Rate limits that all replicas share and that outlive a restart: rows of auth.rate_limits, each the moment at which a
// key's limit is untouched again (the generic cell rate algorithm). An act is taken by one statement, before what it
// is for; what turns out not to count is given back.
import { createHmac } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type pg from 'pg'
import type { Queryable } from '../../jobs/jobs.ts'

/** At most `amount` acts by `key` in `window` seconds, all of them at once if need be. */
export type SharedLimit = { key: string; amount: number; window: number }

export type SharedLimits = {
  /**
   * Counts an act. Answers 0 when it is within the limit, else the seconds until one will be. With a transaction's
   * client the act counts if and when that commits.
   */
  take(limit: SharedLimit, client?: Queryable): Promise<number>
  /** Takes back one act of each. */
  giveBack(limits: SharedLimit[]): Promise<void>
  /** Takes back all acts by `key`. */
  forget(key: string, client: Queryable): Promise<void>
}

/** A key that tells nobody what it stands for: addresses are not kept for people without an account. */
export const limitKeyOf = ({ secret }: { secret: string }, kind: string, ...parts: string[]): string =>
  `${kind}:${createHmac('sha256', secret).update(parts.join('\0')).digest('base64url')}`

/** Milliseconds between two times that rows without meaning are deleted. */
const SWEEP_EVERY = 60_000

export function sharedLimits(pool: pg.Pool): SharedLimits {
  let swept = performance.now()

  async function sweep(): Promise<void> {
    if (performance.now() - swept < SWEEP_EVERY) return
    swept = performance.now()
    await pool.query(
      `delete from auth.rate_limits where key in (
         select key from auth.rate_limits where full_at < clock_timestamp() - interval '1 minute'
         limit 10000 for update skip locked)`,
    )
  }

  return {
    async take({ key, amount, window }, client = pool) {
      if (amount <= 0) return window
      if (client === pool) await sweep()
      // A moment further away than the window comes from a clock that has been set back since.
      const { rows } = await client.query(
        `insert into auth.rate_limits as l (key, full_at) values ($1, clock_timestamp() + $2::float8 * interval '1 second')
         on conflict (key) do update set full_at = $2::float8 * interval '1 second' + case
             when l.full_at between clock_timestamp() and clock_timestamp() + ($3::float8 + 1) * interval '1 second'
             then l.full_at else clock_timestamp() end
           where not l.full_at between clock_timestamp() + ($3::float8 - $2::float8 + 0.001) * interval '1 second'
             and clock_timestamp() + ($3::float8 + 1) * interval '1 second'
         returning 1`,
        [key, window / amount, window],
      )
      if (rows.length > 0) return 0
      const left = await client.query<{ seconds: number }>(
        `select extract(epoch from full_at - clock_timestamp())::float8 - $2::float8 as seconds
         from auth.rate_limits where key = $1`,
        [key, window - window / amount],
      )
      return Math.max(left.rows[0]?.seconds ?? 0, 0.001)
    },
    async giveBack(limits) {
      for (const { key, amount, window } of limits) {
        await pool.query(
          `update auth.rate_limits set full_at = full_at - $2::float8 * interval '1 second' where key = $1`,
          [key, window / amount],
        )
      }
    },
    async forget(key, client) {
      await client.query('delete from auth.rate_limits where key = $1', [key])
    },
  }
}
