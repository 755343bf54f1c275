// Deletes resumable uploads that were not finished within a day, and the rows of those that were.
import { startIntervalJob } from '../interval-job.ts'
import type { StorageService } from '../service.ts'
import { dropUpload } from './finish.ts'
import { takeExpired } from './uploads.ts'

const INTERVALS = { firstMs: 30_000, everyMs: 3600_000 }

/** Sweeps half a minute after the start and every hour from then on, until stopped. */
export function startUploadSweep(service: StorageService): { stop(): void } {
  return startIntervalJob(
    INTERVALS,
    () => sweepUploads(service),
    (err) => service.log.warn({ err }, 'the sweep of resumable uploads failed; it is tried again later'),
  )
}

/** Resolves with the number of unfinished uploads that were deleted. */
export async function sweepUploads(service: StorageService): Promise<number> {
  const expired = await takeExpired(service.database)
  for (const upload of expired) await dropUpload(service, upload)
  return expired.filter(({ finished }) => !finished).length
}
