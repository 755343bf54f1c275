// Finished pictures on disk, by version and key, up to a number of bytes: the one that was asked for longest ago goes first.
// Nothing in it is missed when it is lost.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface PictureCache {
  /** The bytes kept under the key of that version; null when there are none. */
  read(version: string, key: string): Promise<Buffer | null>
  write(version: string, key: string, bytes: Buffer): Promise<void>
  /** Removes everything that was made of these versions. */
  forget(versions: string[]): Promise<void>
  /** How much is kept, in bytes. */
  size(): Promise<number>
}

/** A cache in `folder`, which is read at the first use; `most` is in bytes. */
export function openPictureCache(folder: string, most: number): PictureCache {
  let index: Promise<Map<string, number>> | undefined
  let total = 0
  const open = () => {
    index ??= readFolder(folder).then((found) => {
      total = [...found.values()].reduce((sum, size) => sum + size, 0)
      return found
    })
    return index
  }
  const forget = (known: Map<string, number>, name: string) => {
    total -= known.get(name) ?? 0
    known.delete(name)
  }
  return {
    async read(version, key) {
      const known = await open()
      const name = nameOf(version, key)
      const size = known.get(name)
      if (size === undefined) return null
      const bytes = await readFile(join(folder, name)).catch(() => null)
      if (bytes?.length !== size) {
        forget(known, name)
        return null
      }
      // The order of a Map is that of insertion: the last is the latest asked for.
      known.delete(name)
      known.set(name, size)
      return bytes
    },
    async write(version, key, bytes) {
      if (bytes.length > most) return
      const known = await open()
      const name = nameOf(version, key)
      const temporary = join(folder, `${randomUUID()}.new`)
      try {
        await writeFile(temporary, bytes, { flush: true, mode: 0o600 })
        await rename(temporary, join(folder, name))
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
      forget(known, name)
      known.set(name, bytes.length)
      total += bytes.length
      for (const oldest of known.keys()) {
        if (total <= most) break
        forget(known, oldest)
        await rm(join(folder, oldest), { force: true })
      }
    },
    async forget(versions) {
      const gone = new Set(versions)
      const known = await open()
      for (const name of [...known.keys()]) {
        if (!gone.has(name.slice(0, name.indexOf('.')))) continue
        forget(known, name)
        await rm(join(folder, name), { force: true })
      }
    },
    async size() {
      await open()
      return total
    },
  }
}

function nameOf(version: string, key: string): string {
  return `${version}.${createHash('sha256').update(key).digest('hex')}`
}

/** Names and sizes of what is there, the oldest first; what was never finished is removed. */
async function readFolder(folder: string): Promise<Map<string, number>> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found: { name: string; size: number; time: number }[] = []
  for (const name of await readdir(folder)) {
    if (name.endsWith('.new')) await rm(join(folder, name), { force: true })
    const entry = await stat(join(folder, name)).catch(() => null)
    if (entry) found.push({ name, size: entry.size, time: entry.mtimeMs })
  }
  found.sort((a, b) => a.time - b.time)
  return new Map(found.map(({ name, size }) => [name, size]))
}
