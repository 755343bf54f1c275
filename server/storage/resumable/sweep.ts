// Gives up uploads that were not finished within their day, and forgets those that were.
import { setTimeout as sleep } from 'node:timers/promises'
import type { StorageService } from '../service.ts'
import { dropUpload } from './finish.ts'
import { takeExpired } from './uploads.ts'

const FIRST = 30_000
const EVERY = 3600_000

/** Sweeps half a minute after the start and every hour from then on, until stopped. */
export function startSweepingUploads(service: StorageService): { stop(): void } {
  const stopping = new AbortController()
  const run = async () => {
    for (let wait = FIRST; ; wait = EVERY) {
      await sleep(wait, undefined, { ref: false, signal: stopping.signal })
      await sweepUploads(service).catch((err) =>
        service.log.warn({ err }, 'the sweep of resumable uploads failed; it is tried again later'),
      )
    }
  }
  run().catch(() => {})
  return { stop: () => stopping.abort() }
}

/** Resolves with how many were given up. */
export async function sweepUploads(service: StorageService): Promise<number> {
  const expired = await takeExpired(service.database)
  for (const upload of expired) await dropUpload(service, upload)
  return expired.filter(({ finished }) => !finished).length
}
