// Finished images on disk, by version and key, up to a number of bytes; the least recently used goes first. The cache may
// be lost at any time.
import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'

export interface ImageCache {
  /** The bytes kept under the key of that version; null when there are none. */
  read(version: string, key: string): Promise<Buffer | null>
  write(version: string, key: string, bytes: Buffer): Promise<void>
  /** Removes everything that was made of these versions. */
  forget(versions: string[]): Promise<void>
  /** How much is kept, in bytes. */
  size(): Promise<number>
}

/** A cache in `folder`, which is read at the first use. */
export function openImageCache(folder: string, maxBytes: number): ImageCache {
  /** Sizes in bytes, by file name. */
  const sizes = new LRUCache<string, number>({
    maxSize: maxBytes,
    // Only files that something else has cut off have no size.
    sizeCalculation: (size) => size || 1,
    dispose(_size, name, reason) {
      if (reason !== 'set') rmSync(join(folder, name), { force: true })
    },
  })
  let loaded: Promise<void> | undefined
  const open = () => {
    loaded ??= readFolder(folder).then((files) => {
      for (const { name, size } of files) sizes.set(name, size)
    })
    return loaded
  }
  return {
    async read(version, key) {
      await open()
      const name = nameOf(version, key)
      const size = sizes.get(name)
      if (size === undefined) return null
      const bytes = await readFile(join(folder, name)).catch(() => null)
      if (bytes?.length === size) return bytes
      sizes.delete(name)
      return null
    },
    async write(version, key, bytes) {
      if (bytes.length > maxBytes) return
      await open()
      const name = nameOf(version, key)
      const temporary = join(folder, `${randomUUID()}.new`)
      try {
        await writeFile(temporary, bytes, { flush: true, mode: 0o600 })
        await rename(temporary, join(folder, name))
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
      sizes.set(name, bytes.length)
    },
    async forget(versions) {
      await open()
      const forgotten = new Set(versions)
      for (const name of [...sizes.keys()]) {
        if (forgotten.has(name.slice(0, name.indexOf('.')))) sizes.delete(name)
      }
    },
    async size() {
      await open()
      return sizes.calculatedSize
    },
  }
}

function nameOf(version: string, key: string): string {
  return `${version}.${createHash('sha256').update(key).digest('hex')}`
}

/** Names and sizes of the cached files, the oldest first; temporary files of a killed server are removed. */
async function readFolder(folder: string): Promise<{ name: string; size: number }[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found: { name: string; size: number; time: number }[] = []
  for (const name of await readdir(folder)) {
    if (name.endsWith('.new')) await rm(join(folder, name), { force: true })
    const entry = await stat(join(folder, name)).catch(() => null)
    if (entry) found.push({ name, size: entry.size, time: entry.mtimeMs })
  }
  return found.sort((a, b) => a.time - b.time)
}
