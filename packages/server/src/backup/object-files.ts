// The bytes of stored objects in a backup: objects/<version>-<SHA-256>, copied once each, since a version never changes.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pino from 'pino'
import { isVersion } from '../storage/backend/backend.ts'
import type { BackupRepository } from './repository.ts'

const FOLDER = 'objects/'

/** The path of a version in a storage folder of the disk. */
const pathOf = (root: string, version: string) => join(root, 'objects', version.slice(0, 2), version)

/** SHA-256 of a version's bytes in the storage folder `root`; null where it has none. */
export async function digestOf(root: string, version: string): Promise<string | null> {
  const path = pathOf(root, version)
  const found = await stat(path).catch(() => null)
  if (!found) return null
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

/** Versions that are backed up, each with its file's name, its SHA-256 and when it was copied. */
export async function listObjectFiles(repository: BackupRepository) {
  const files = await repository.list(FOLDER)
  return new Map(
    files.map(({ name, writtenAt }) => {
      const version = name.slice(FOLDER.length, FOLDER.length + 36)
      return [version, { name, sha256: name.slice(FOLDER.length + 37), writtenAt }]
    }),
  )
}

export interface ObjectMirror {
  /** Copies this version soon. */
  add(version: string): void
  stop(): Promise<void>
}

/** Copies files of the storage folder `root` one after the other, again and again where the backup repository is away. */
export function mirrorObjects({
  root,
  repository,
  log,
  retryMs = 5000,
}: {
  root: string
  repository: BackupRepository
  log: pino.Logger
  retryMs?: number
}): ObjectMirror {
  const waiting = new Set<string>()
  let working: Promise<void> | null = null
  let stopped = false
  let retry: NodeJS.Timeout | undefined

  async function work(): Promise<void> {
    for (const version of waiting) {
      if (stopped) return
      await copy(version)
      waiting.delete(version)
    }
  }

  async function copy(version: string): Promise<void> {
    // Removed before its turn: no moment at which it was there will be restored without it being listed.
    const digest = await digestOf(root, version)
    if (digest === null) return
    await repository.write(`${FOLDER}${version}-${digest}`, createReadStream(pathOf(root, version)))
  }

  function begin(): void {
    working ??= work()
      .catch((error) => {
        log.warn({ err: error }, 'stored objects are not backed up; tried again soon')
        retry = setTimeout(begin, retryMs).unref()
      })
      .finally(() => {
        working = null
      })
  }

  return {
    add(version) {
      if (stopped || !isVersion(version)) return
      waiting.add(version)
      begin()
    },
    async stop() {
      stopped = true
      clearTimeout(retry)
      await working
    },
  }
}

/** Writes a version's bytes into the storage folder `root`. Resolves with false when they are not those that were copied. */
export async function restoreObject(
  repository: BackupRepository,
  { name, sha256 }: { name: string; sha256: string },
  root: string,
  version: string,
): Promise<boolean> {
  const path = pathOf(root, version)
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
  const temporary = `${path}.restoring`
  const hash = createHash('sha256')
  const check = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  const handle = await open(temporary, 'w', 0o600)
  try {
    await pipeline(await repository.read(name), check, handle.createWriteStream({ flush: true }))
    if (hash.digest('hex') !== sha256) return false
    await rename(temporary, path)
    return true
  } finally {
    await rm(temporary, { force: true })
  }
}
