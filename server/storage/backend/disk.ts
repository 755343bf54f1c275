// Objects as files below one folder: <root>/objects/<first two digits>/<version>. A file gets its name when all of it
// is written, and counts as kept once both are synced; what a killed server left half written goes at the next start.
import { randomUUID } from 'node:crypto'
import { constants, copyFile, link, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { type Backend, type ByteRange, etagOf, isVersion, type Kept, Missing, type Place } from './backend.ts'
import { openDiskPieces } from './disk-parts.ts'
import { openSink, pour } from './file-writer.ts'
import { syncFolder } from './sync-folder.ts'

/** How much one read of a file asks for: few enough calls to keep up with a plain copy, little enough to hold. */
const READ_SIZE = 256 * 1024

/**
 * Opens the folder, making it if need be. One process at a time works in it (the lock of DATA_DIR sees to that), so
 * whatever is half written now belongs to nobody and is removed.
 */
export async function openDisk(root: string): Promise<Backend> {
  const incoming = join(root, 'incoming')
  const objects = join(root, 'objects')
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  await makeShelves(objects)

  const pathOf = ({ version }: Pick<Place, 'version'>): string => join(objects, version.slice(0, 2), version)
  const scratch = (place: Place) => join(incoming, `${place.version}.${randomUUID()}`)

  /** Gives a finished file its name and makes the name last. */
  async function settle(temporary: string, place: Place): Promise<void> {
    const path = pathOf(place)
    await rename(temporary, path)
    await syncFolder(dirname(path))
  }

  return {
    async put(place, body, { maxBytes }) {
      requireVersion(place)
      const temporary = scratch(place)
      try {
        const sink = await openSink(temporary, maxBytes, () => settle(temporary, place))
        await pour(body instanceof Readable ? body : Readable.fromWeb(body as ReadableStream), sink)
        return { size: sink.size, etag: etagOf(place), lastModified: new Date() }
      } catch (error) {
        await rm(temporary, { force: true })
        await rm(pathOf(place), { force: true })
        throw error
      }
    },

    async get(place, range) {
      const { handle, size } = await openFile(pathOf(place), place)
      return { body: handle.createReadStream({ ...clip(range), highWaterMark: READ_SIZE }), size }
    },

    async copy(from, to) {
      requireVersion(to)
      if (!isVersion(from.version)) throw new Missing(from)
      const temporary = scratch(to)
      try {
        await duplicate(pathOf(from), temporary)
        const { size } = await stat(temporary)
        await settle(temporary, to)
        return { size, etag: etagOf(to), lastModified: new Date() }
      } catch (error) {
        await rm(temporary, { force: true })
        throw isAbsent(error) ? new Missing(from) : error
      }
    },

    async remove(places) {
      for (const place of places) if (isVersion(place.version)) await rm(pathOf(place), { force: true })
    },

    list: () => listFolder(objects),
    pieces: await openDiskPieces(join(root, 'resumable'), { settle, pathOf }),
  }
}

function requireVersion(place: Place): void {
  if (!isVersion(place.version)) throw new TypeError(`${JSON.stringify(place.version)} is not a version`)
}

async function openFile(path: string, place: Place) {
  if (!isVersion(place.version)) throw new Missing(place)
  const handle = await open(path, 'r').catch((error) => {
    throw isAbsent(error) ? new Missing(place) : error
  })
  const { size } = await handle.stat()
  return { handle, size }
}

function clip(range: ByteRange | undefined): Partial<ByteRange> {
  return range ? { start: range.start, end: range.end } : {}
}

/** A second name for the same bytes, which never change; a real copy where the file system has no links. */
async function duplicate(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (isAbsent(error)) throw error
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    await syncFolder(to)
  }
}

/** One folder for each beginning of a version, made once: to make and sync one costs an upload more than its row. */
async function makeShelves(objects: string): Promise<void> {
  await mkdir(objects, { recursive: true, mode: 0o700 })
  const there = new Set(await readdir(objects))
  const names = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'))
  for (const name of names) if (!there.has(name)) await mkdir(join(objects, name), { mode: 0o700 })
  // Also where nothing is missing: a server that was killed may have made them and not synced them.
  await syncFolder(objects)
}

async function* listFolder(objects: string): AsyncGenerator<Kept> {
  for (const shelf of await readdir(objects)) {
    for await (const entry of await opendir(join(objects, shelf))) {
      if (!isVersion(entry.name)) continue
      // Changed when the name was made, also that of a copy whose bytes are older.
      const found = await stat(join(objects, shelf, entry.name)).catch(() => null)
      if (found) yield { version: entry.name, lastModified: found.ctime }
    }
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
