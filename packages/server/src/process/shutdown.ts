// Stops what was started, in reverse order. A part that waits for what will never come (a connection whose other end is
// gone, say) is named in the log and left behind, so that everything else still ends as it should.
import type pino from 'pino'

/** Notes how a part is stopped, and how many milliseconds that may take. */
export type OnStop = (name: string, stop: () => unknown, timeoutMs?: number) => void

/** Milliseconds that a part may take where nothing else is noted. */
export const STOP_TIMEOUT_MS = 15_000

export function createShutdown(log: pino.Logger): { onStop: OnStop; stop(): Promise<void> } {
  const parts: { name: string; stop: () => unknown; timeoutMs: number }[] = []
  return {
    onStop: (name, stop, timeoutMs = STOP_TIMEOUT_MS) => parts.push({ name, stop, timeoutMs }),
    async stop() {
      for (const { name, stop, timeoutMs } of parts.splice(0).reverse()) {
        try {
          await within(timeoutMs, stop)
        } catch (error) {
          log.error({ err: error, part: name }, 'a part of the server did not stop cleanly')
        }
      }
    },
  }
}

async function within(timeoutMs: number, stop: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    if (timeoutMs === Number.POSITIVE_INFINITY) return
    timer = setTimeout(() => reject(new Error(`not stopped within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    await Promise.race([stop(), late])
  } finally {
    clearTimeout(timer)
  }
}
