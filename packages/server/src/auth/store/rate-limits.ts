// Token buckets that all servers share and that outlive a restart: rows of auth.rate_limits, each the moment at which
// a key's bucket is full again (the generic cell rate algorithm). A request is counted by one statement, before what
// it asks for is done; one that turns out not to count is given back.

import { createHmac } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type pg from 'pg'
import { isRestarting } from '../../sql/errors.ts'
import { prepared, type Queryable } from '../../sql/queryable.ts'

/** At most `amount` requests by `key` in `window` seconds, all of them at once if need be. */
export type SharedLimit = { key: string; amount: number; window: number }

export type SharedLimits = {
  /**
   * Counts a request. Answers 0 when it is within the limit, else the seconds until one will be. With a transaction's
   * client the request counts if and when that commits.
   */
  take(limit: SharedLimit, client?: Queryable): Promise<number>
  /** Takes back one request of each. */
  giveBack(limits: SharedLimit[]): Promise<void>
  /** Takes back all requests by these keys. */
  reset(keys: string[], client: Queryable): Promise<void>
}

/** A key that does not reveal what it stands for: addresses are not kept for people without an account. */
export const keyedHash = ({ secret }: { secret: string }, kind: string, ...parts: string[]): string =>
  `${kind}:${createHmac('sha256', secret).update(parts.join('\0')).digest('base64url')}`

/**
 * A count by itself does not wait for the disk: it holds for everybody at once, and only a machine that fails forgets the
 * last moments. https://www.postgresql.org/docs/18/wal-async-commit.html
 */
const UNSYNCED = `set_config('synchronous_commit', 'off', true)`

const take = (source: string) => `
  insert into auth.rate_limits as l (key, full_at)
  select $1, clock_timestamp() + $2::float8 * interval '1 second' ${source}
  on conflict (key) do update set full_at = $2::float8 * interval '1 second' + case
      when l.full_at between clock_timestamp() and clock_timestamp() + ($3::float8 + 1) * interval '1 second'
      then l.full_at else clock_timestamp() end
    where not l.full_at between clock_timestamp() + ($3::float8 - $2::float8 + 0.001) * interval '1 second'
      and clock_timestamp() + ($3::float8 + 1) * interval '1 second'
  returning 1`
const TAKE = take('')
const TAKE_UNSYNCED = take(`from ${UNSYNCED}`)

const SWEEP_INTERVAL_MS = 60_000
/** Connections that end one after the other, where PostgreSQL restarts, a count goes on through. */
const MAX_RECOUNTS = 5

export function sharedLimits(pool: pg.Pool): SharedLimits {
  let sweptAt = performance.now()

  /** Deletes rows of buckets that are full again. */
  async function sweep(): Promise<void> {
    if (performance.now() - sweptAt < SWEEP_INTERVAL_MS) return
    sweptAt = performance.now()
    await pool
      .query(
        `delete from auth.rate_limits where key in (
         select key from auth.rate_limits where full_at < clock_timestamp() - interval '1 minute'
         limit 10000 for update skip locked)`,
      )
      // The next sweep takes them along, where PostgreSQL restarts.
      .catch((error) => {
        if (!isRestarting(error)) throw error
      })
  }

  return {
    async take({ key, amount, window }, client = pool) {
      if (amount <= 0) return window
      if (client === pool) await sweep()
      // A moment further away than the window comes from a clock that has been set back since.
      const count = async (recounts = 0): Promise<pg.QueryResult> => {
        try {
          return await client.query(
            prepared(client === pool ? TAKE_UNSYNCED : TAKE, [key, window / amount, window]),
          )
        } catch (error) {
          // Counted more than once at worst, where PostgreSQL restarts.
          if (client !== pool || !isRestarting(error) || recounts === MAX_RECOUNTS) throw error
          return count(recounts + 1)
        }
      }
      const { rows } = await count()
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
        const back = prepared(
          `update auth.rate_limits set full_at = full_at - $2::float8 * interval '1 second'
           from ${UNSYNCED} where key = $1`,
          [key, window / amount],
        )
        // Not given back at worst, where PostgreSQL restarts: what it was taken for is done.
        await pool.query(back).catch((error) => {
          if (!isRestarting(error)) throw error
        })
      }
    },
    async reset(keys, client) {
      await client.query('delete from auth.rate_limits where key = any ($1)', [keys])
    },
  }
}
