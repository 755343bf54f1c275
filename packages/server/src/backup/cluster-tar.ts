// The files of a running cluster as entries of a tar, without those that only the running server needs.
import { open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Pack } from 'tar-stream'
import { CHUNK_BYTES } from './repository.ts'

/** Folders that are empty in a backup: they belong to the running server, or are the log, which is backed up separately. */
const WITHOUT_CONTENT = new Set([
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp'],
  'pg_subtrans',
])
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'backup_label.old', 'pg_internal.init'])
const ZEROS_BYTES = 65_536

/** Adds the cluster's files and returns their number and bytes. `signal` ends it between two files. */
export async function addCluster(
  tar: Pack,
  root: string,
  signal?: AbortSignal,
): Promise<{ files: number; bytes: number }> {
  const added = { files: 0, bytes: 0 }
  async function addFolder(folder: string): Promise<void> {
    for await (const entry of await opendir(join(root, folder))) {
      signal?.throwIfAborted()
      const name = folder ? `${folder}/${entry.name}` : entry.name
      if (LEFT_OUT.has(entry.name) || entry.name.startsWith('pgsql_tmp')) continue
      if (entry.isDirectory()) {
        tar.entry({ name, type: 'directory', mode: 0o700 })
        if (!WITHOUT_CONTENT.has(name)) await addFolder(name)
      } else if (entry.isFile()) {
        const size = await addFile(tar, root, name)
        if (size === null) continue
        added.files += 1
        added.bytes += size
      }
    }
  }
  await addFolder('')
  return added
}

/**
 * Adds a file and returns its bytes, or null if it was deleted meanwhile. It keeps the length that it had when it was
 * opened: later changes are repaired from the log.
 */
async function addFile(tar: Pack, root: string, name: string): Promise<number | null> {
  const handle = await open(join(root, name)).catch((error) => {
    // Dropped since the folder was read.
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!handle) return null
  try {
    const { size } = await handle.stat()
    const into = tar.entry({ name, size, mode: 0o600 })
    await pipeline(async function* () {
      let left = size
      if (size > 0)
        for await (const chunk of handle.createReadStream({
          end: size - 1,
          autoClose: false,
          highWaterMark: CHUNK_BYTES,
        })) {
          left -= chunk.length
          yield chunk
        }
      for (; left > 0; left -= ZEROS_BYTES) yield Buffer.alloc(Math.min(left, ZEROS_BYTES))
    }, into)
    return size
  } finally {
    await handle.close()
  }
}

/** Adds a file with this content. */
export function addEntry(tar: Pack, name: string, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) =>
    tar.entry({ name, mode: 0o600 }, content, (error) => (error ? reject(error) : resolve())),
  )
}
