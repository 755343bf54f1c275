// Continues interrupted work after a stop or crash of PostgreSQL. Work that was certainly not committed runs again,
// committed work returns its own result, and uncertain work fails.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { CommitMark } from './commit-mark.ts'
import { endedSilently, isRestarting } from './errors.ts'

/** How often what its process died of is begun again: what makes PostgreSQL crash must not do so for long. */
export const MAX_REPEATS = 2
/** Between an attempt and the next one: connections that are dead show it meanwhile. */
const PAUSE_MS = 25

export interface Attempt<T> {
  /** One transaction, with the mark by which its end is found out. A repeated one has a connection by `until`, or fails. */
  run(mark: CommitMark, until?: number): Promise<T>
  /** The result of `run` for a committed transaction whose answer was lost. */
  kept(mark: CommitMark): T
}

/**
 * Runs a transaction through restarts of PostgreSQL, until `until`. Rejects as `run` does: with the connection's failure
 * when the time is over, or when nobody knows whether the transaction was kept.
 */
export async function throughRestarts<T>(
  pool: pg.Pool,
  { run, kept }: Attempt<T>,
  until: number,
): Promise<T> {
  let crashes = 0
  for (let repeats = 0; ; repeats++) {
    const mark = new CommitMark()
    try {
      return await (repeats === 0 ? run(mark) : run(mark, until))
    } catch (error) {
      if (await wasKept(pool, mark, error, until)) return kept(mark)
      if (endedSilently(error) && crashes++ === MAX_REPEATS) throw error
    }
    await sleep(PAUSE_MS)
  }
}

/** Whether the transaction was kept though `error` came. Rejects with it when that says nothing of a restart, or nobody knows. */
async function wasKept(pool: pg.Pool, mark: CommitMark, error: unknown, until: number): Promise<boolean> {
  if (performance.now() >= until || !isRestarting(error)) throw error
  const end = await mark.find(pool, error, until)
  if (end === 'committed') return true
  if (end === 'unknown' || performance.now() >= until) throw error
  return false
}
