// Work that is done again and again in the background, as the sweeps are.
import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds until the first round, and between the end of one and the next. */
export interface Times {
  first: number
  every: number
}

/** Does `work` in rounds until stopped; what a round fails with goes to `failed`, and the next one comes all the same. */
export function goRounds(
  { first, every }: Times,
  work: (signal: AbortSignal) => Promise<unknown>,
  failed: (error: unknown) => void,
): { stop(): void } {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    for (let wait = first; ; wait = every) {
      await sleep(wait, undefined, { ref: false, signal })
      await work(signal).catch(failed)
    }
  }
  // Ends with the abort only.
  run().catch(() => {})
  return { stop: () => stopping.abort() }
}
