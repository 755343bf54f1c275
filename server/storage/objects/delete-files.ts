// Letting bytes go that no row points to any more, or never did. What is left behind here, the sweep takes.
import { StorageError } from '../errors.ts'
import type { StorageService } from '../service.ts'

/** Removes the files of those versions; null stands for a row without one. Never rejects. */
export async function discard({ backend, log }: StorageService, versions: (string | null)[]): Promise<void> {
  const places = versions.flatMap((version) => (version ? [{ version }] : []))
  if (places.length === 0) return
  await backend.remove(places).catch((err) => log.warn({ err }, 'files are left to the sweep'))
}

/**
 * Removes the file of a row that was refused with `error`. Where the connection was lost nobody knows whether the row
 * is there, and a row without its file is a loss: then the file stays.
 */
export async function discardRefused(
  service: StorageService,
  version: string,
  error: unknown,
): Promise<void> {
  if (error instanceof StorageError) await discard(service, [version])
}
