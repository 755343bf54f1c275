// Work that must not pile up: only so much of it at once, and none for ever.
import { Unanswered } from '../sql/idle-timeout.ts'

/** Milliseconds: a client gives up its question after ten seconds, and must have been told before. */
const PATIENCE = 9_000

/** Runs at most `limit` at once; the others wait in the order they came, and are refused when their time is over. */
export function inTurn(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: { since: number; begin: () => void; refuse: (error: Error) => void }[] = []
  let running = 0
  return async (work) => {
    const since = Date.now()
    // Where no work ends, nobody else looks at those who wait.
    while (waiting[0] && since - waiting[0].since > PATIENCE) waiting.shift()?.refuse(new Unanswered())
    if (running < limit) running++
    else await new Promise<void>((begin, refuse) => waiting.push({ since, begin, refuse }))
    try {
      return await work()
    } finally {
      // Whoever is next takes this place.
      const next = waiting.shift()
      if (next) next.begin()
      else running--
    }
  }
}

/**
 * The outcome of `work`; rejects where there is none in time, for a connection that froze reports nothing by itself. The
 * work is not ended: who cannot leave its outcome lying about has to look after it.
 */
export function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Unanswered()), PATIENCE)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
