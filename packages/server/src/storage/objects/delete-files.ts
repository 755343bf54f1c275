// Deletes files that no row points to. Files that cannot be deleted now are left to the sweep.
import { StorageError } from '../errors.ts'
import type { StorageService } from '../service.ts'

/** Removes the files of those versions; null stands for a row without one. Never rejects. */
export async function deleteFiles(
  { backend, log }: StorageService,
  versions: (string | null)[],
): Promise<void> {
  const places = versions.flatMap((version) => (version ? [{ version }] : []))
  if (places.length === 0) return
  await backend.remove(places).catch((err) => log.warn({ err }, 'files are left to the sweep'))
}

/**
 * Deletes the file of a row that was not written because of `error`. When the connection was lost the row may have been
 * written, so the file stays.
 */
export async function deleteUnrecordedFile(
  service: StorageService,
  version: string,
  error: unknown,
): Promise<void> {
  if (error instanceof StorageError) await deleteFiles(service, [version])
}
