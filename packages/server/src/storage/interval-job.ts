// Background work at intervals, such as the sweeps.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Intervals {
  /** Until the first run. */
  firstMs: number
  /** Between the end of one run and the next. */
  everyMs: number
}

/** Runs `work` at intervals until stopped; a run's error goes to `onError`, and the next run comes all the same. */
export function startIntervalJob(
  { firstMs, everyMs }: Intervals,
  work: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): { stop(): void } {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    for (let waitMs = firstMs; ; waitMs = everyMs) {
      await sleep(waitMs, undefined, { ref: false, signal })
      await work(signal).catch(onError)
    }
  }
  // Ends with the abort only.
  run().catch(() => {})
  return { stop: () => stopping.abort() }
}
