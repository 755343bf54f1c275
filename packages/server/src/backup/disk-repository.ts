// Backups in a folder. A file gets its name when all of it is written and synced.
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ConfigError } from '../config/config.ts'
import { fileProblem } from '../process/file-problem.ts'
import { syncFolder } from '../storage/backend/sync-folder.ts'
import { type BackupRepository, CHUNK_BYTES, type KeptFile } from './repository.ts'

/** Opens the folder; with `writes` it is made when it is missing. Throws ConfigError when it cannot be used. */
export async function openDiskRepository(
  root: string,
  { writes }: { writes: boolean },
): Promise<BackupRepository> {
  const incoming = join(root, 'incoming')
  try {
    // Whoever reads a backup reads everything.
    if (writes) await mkdir(incoming, { recursive: true, mode: 0o700 })
    else await readdir(root)
  } catch (error) {
    const problem = fileProblem(error) ?? (error as Error).message
    throw new ConfigError([`BACKUP_DIR: ${root} cannot be ${writes ? 'written' : 'read'} (${problem})`])
  }
  const made = new Set<string>()

  return {
    async write(name, body) {
      const path = join(root, name)
      const temporary = join(incoming, randomUUID())
      try {
        const handle = await open(temporary, 'wx', 0o600)
        await pipeline(Buffer.isBuffer(body) ? Readable.from([body]) : body, async (chunks) => {
          for await (const chunk of chunks) await handle.writeFile(chunk)
          await handle.sync()
        }).finally(() => handle.close())
        const folder = dirname(path)
        if (!made.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 })
        made.add(folder)
        await rename(temporary, path)
        await syncFolder(folder)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },
    async read(name) {
      const path = join(root, name)
      await stat(path)
      return createReadStream(path, { highWaterMark: CHUNK_BYTES })
    },
    async list(prefix) {
      const found: KeptFile[] = []
      await walk(join(root, dirname(`${prefix}.`)), async (path) => {
        const name = relative(root, path)
        if (!name.startsWith(prefix)) return
        // A file may be removed while the folder is read.
        const file = await stat(path).catch(nullIfMissing)
        if (file) found.push({ name, size: file.size, writtenAt: file.mtime })
      })
      return found.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async remove(names) {
      for (const name of names) await rm(join(root, name), { force: true })
    },
    close() {},
  }
}

async function walk(folder: string, onFile: (path: string) => Promise<void>): Promise<void> {
  const entries = await opendir(folder).catch(nullIfMissing)
  for await (const entry of entries ?? []) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await walk(path, onFile)
    else await onFile(path)
  }
}

/** Only ENOENT says that a file is missing; after every other error it may be whole. */
function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
