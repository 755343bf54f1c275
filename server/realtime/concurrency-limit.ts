// Limits for work in the database: how much of it runs at once, and how long any of it may take.
import { Unanswered } from '../sql/errors.ts'

/** Clients give up a join after ten seconds, and must have their reply before. */
const TIMEOUT_MS = 9_000

/**
 * Runs at most `limit` tasks at once. The others wait in the order they came and are rejected when they have waited for
 * TIMEOUT_MS.
 */
export function concurrencyLimit(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const queue: { since: number; start: () => void; reject: (error: Error) => void }[] = []
  let running = 0
  return async (task) => {
    const since = performance.now()
    // While no running task ends, nothing else looks for waiting ones whose time is over.
    while (queue[0] && since - queue[0].since > TIMEOUT_MS) queue.shift()?.reject(new Unanswered())
    if (running < limit) running++
    else await new Promise<void>((start, reject) => queue.push({ since, start, reject }))
    try {
      return await task()
    } finally {
      // The next one takes this task's place.
      const next = queue.shift()
      if (next) next.start()
      else running--
    }
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
