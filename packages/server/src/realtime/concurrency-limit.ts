// Limits for work in the database: how much of it runs at once, and how long any of it may take.
import pLimit from 'p-limit'
import { Unanswered } from '../sql/errors.ts'

/** Clients give up a join after ten seconds, and must have their reply before. */
const TIMEOUT_MS = 9_000

/**
 * Runs at most `limit` tasks at once, in the order they came. One whose turn comes after TIMEOUT_MS is rejected, since
 * nobody waits for it any more. Tasks end in time themselves.
 */
export function concurrencyLimit(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const run = pLimit(limit)
  return (task) => {
    const since = performance.now()
    return run(() => {
      if (performance.now() - since > TIMEOUT_MS) throw new Unanswered()
      return task()
    })
  }
}

/**
 * The outcome of `work`, or a rejection after TIMEOUT_MS: a connection that froze reports nothing by itself. The work is
 * not cancelled: a caller that cannot ignore a late outcome has to clean it up.
 */
export function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Unanswered()), TIMEOUT_MS)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
