// Waits for a condition that no event announces.
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once `condition` holds, checked every `pause` milliseconds. Rejects after `timeoutMs` milliseconds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
  pause = 30,
): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; ; ) {
    if (await condition()) return
    if (Date.now() > deadline) throw new Error(`it did not come about within ${timeoutMs} ms: ${condition}`)
    await sleep(pause)
  }
}
