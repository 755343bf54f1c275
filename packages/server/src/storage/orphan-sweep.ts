// Removes files that no row points to: what a crash left between bytes and row, and what a deleted row left behind.
import { startIntervalJob } from './interval-job.ts'
import type { StorageService } from './service.ts'

const HOUR_MS = 3600_000
const INTERVALS = { firstMs: 60_000, everyMs: 6 * HOUR_MS }
/** Younger files may belong to an upload whose row is still to come; a resumable one may take a day. */
const MIN_AGE_MS = 25 * HOUR_MS
const BATCH_SIZE = 500

/** Sweeps a minute after the start and every six hours from then on, until stopped. */
export function startOrphanSweep(service: StorageService): { stop(): void } {
  return startIntervalJob(
    INTERVALS,
    (signal) => sweep(service, MIN_AGE_MS, signal),
    (err) => service.log.warn({ err }, 'the sweep of stored files failed; it is tried again later'),
  )
}

/** Removes every file older than `minAgeMs` milliseconds that no row points to; resolves with how many there were. */
export async function sweep(
  { backend, database, log }: StorageService,
  minAgeMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const { rows } = await database.pool.query('select exists (select from storage.objects) as filled')
  // Without a single object in this database, the files probably belong to another one.
  if (!backend.list || !rows[0]?.filled) return 0
  let removed = 0
  let batch: string[] = []
  const removeOrphans = async () => {
    const known = await database.pool.query<{ version: string }>(
      'select version from storage.objects where version = any($1)',
      [batch],
    )
    const kept = new Set(known.rows.map(({ version }) => version))
    const orphans = batch.filter((version) => !kept.has(version)).map((version) => ({ version }))
    await backend.remove(orphans)
    removed += orphans.length
    batch = []
  }
  for await (const { version, lastModified } of backend.list()) {
    if (signal?.aborted) return removed
    if (Date.now() - lastModified.getTime() < minAgeMs) continue
    batch.push(version)
    if (batch.length === BATCH_SIZE) await removeOrphans()
  }
  if (batch.length > 0) await removeOrphans()
  if (removed > 0) log.info({ removed }, 'removed stored files that no object points to')
  return removed
}
