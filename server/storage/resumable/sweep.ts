// Gives up uploads that were not finished within their day, and forgets those that were.
import { goRounds } from '../interval-job.ts'
import type { StorageService } from '../service.ts'
import { dropUpload } from './finish.ts'
import { takeExpired } from './uploads.ts'

const TIMES = { first: 30_000, every: 3600_000 }

/** Sweeps half a minute after the start and every hour from then on, until stopped. */
export function startSweepingUploads(service: StorageService): { stop(): void } {
  return goRounds(
    TIMES,
    () => sweepUploads(service),
    (err) => service.log.warn({ err }, 'the sweep of resumable uploads failed; it is tried again later'),
  )
}

/** Resolves with how many were given up. */
export async function sweepUploads(service: StorageService): Promise<number> {
  const expired = await takeExpired(service.database)
  for (const upload of expired) await dropUpload(service, upload)
  return expired.filter(({ finished }) => !finished).length
}
