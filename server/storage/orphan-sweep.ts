// Removes files that no row points to: what a crash left between bytes and row, and what a deleted row left behind.
import { goRounds } from './interval-job.ts'
import type { StorageService } from './service.ts'

const HOUR = 3600_000
const TIMES = { first: 60_000, every: 6 * HOUR }
/** Younger files may belong to an upload whose row is still to come; a resumable one may take a day. */
const YOUNGEST = 25 * HOUR
const BATCH = 500

/** Sweeps a minute after the start and every six hours from then on, until stopped. */
export function startSweeping(service: StorageService): { stop(): void } {
  return goRounds(
    TIMES,
    (signal) => sweep(service, YOUNGEST, signal),
    (err) => service.log.warn({ err }, 'the sweep of stored files failed; it is tried again later'),
  )
}

/** Removes every file older than `youngest` milliseconds that no row points to; resolves with how many there were. */
export async function sweep(
  { backend, database, log }: StorageService,
  youngest: number,
  signal?: AbortSignal,
): Promise<number> {
  const { rows } = await database.pool.query('select exists (select from storage.objects) as filled')
  // Files beside a database without a single object are rather another database's than nobody's.
  if (!backend.list || !rows[0]?.filled) return 0
  let removed = 0
  let batch: string[] = []
  const settle = async () => {
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
    if (Date.now() - lastModified.getTime() < youngest) continue
    batch.push(version)
    if (batch.length === BATCH) await settle()
  }
  if (batch.length > 0) await settle()
  if (removed > 0) log.info({ removed }, 'removed stored files that no object points to')
  return removed
}
