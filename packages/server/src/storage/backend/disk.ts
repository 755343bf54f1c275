// Objects as files below one folder: <root>/objects/<first two digits>/<version>. A file gets its name when all of it
// is written, and counts as kept once both are synced; what a killed server left half written goes at the next start.
import { randomUUID } from 'node:crypto'
import { constants, copyFile, link, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import {
  type Backend,
  type ByteRange,
  etagOf,
  isVersion,
  Missing,
  type ObjectVersion,
  type StoredFile,
} from './backend.ts'
import { openDiskParts } from './disk-parts.ts'
import { openFileWriter, pipe } from './file-writer.ts'
import { syncFolder } from './sync-folder.ts'

/** How much one read of a file asks for: few enough calls to keep up with a plain copy, little enough to hold. */
const READ_BUFFER_BYTES = 256 * 1024

/**
 * Opens the folder, making it if need be. One process at a time works in it (the lock of DATA_DIR sees to that), so
 * half-written files are left-overs of a killed server and are removed.
 */
export async function openDisk(root: string): Promise<Backend> {
  const incoming = join(root, 'incoming')
  const objects = join(root, 'objects')
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  await makeFolders(objects)

  const pathOf = ({ version }: Pick<ObjectVersion, 'version'>): string =>
    join(objects, version.slice(0, 2), version)
  const temporaryPath = (place: ObjectVersion) => join(incoming, `${place.version}.${randomUUID()}`)

  /** Gives a finished file its name and makes the name last. */
  async function commit(temporary: string, place: ObjectVersion): Promise<void> {
    const path = pathOf(place)
    await rename(temporary, path)
    await syncFolder(dirname(path))
  }

  return {
    async put(place, body, { maxBytes }) {
      requireVersion(place)
      const temporary = temporaryPath(place)
      try {
        const writer = await openFileWriter(temporary, maxBytes, () => commit(temporary, place))
        await pipe(body instanceof Readable ? body : Readable.fromWeb(body as ReadableStream), writer)
        return { size: writer.size, etag: etagOf(place), lastModified: new Date() }
      } catch (error) {
        await rm(temporary, { force: true })
        await rm(pathOf(place), { force: true })
        throw error
      }
    },

    async get(place, range) {
      const { handle, size } = await openFile(pathOf(place), place)
      return { body: handle.createReadStream({ ...clip(range), highWaterMark: READ_BUFFER_BYTES }), size }
    },

    async copy(from, to) {
      requireVersion(to)
      if (!isVersion(from.version)) throw new Missing(from)
      const temporary = temporaryPath(to)
      try {
        await duplicate(pathOf(from), temporary)
        const { size } = await stat(temporary)
        await commit(temporary, to)
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
    parts: await openDiskParts(join(root, 'resumable'), { commit, pathOf }),
  }
}

function requireVersion(place: ObjectVersion): void {
  if (!isVersion(place.version)) throw new TypeError(`${JSON.stringify(place.version)} is not a version`)
}

async function openFile(path: string, place: ObjectVersion) {
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
async function makeFolders(objects: string): Promise<void> {
  await mkdir(objects, { recursive: true, mode: 0o700 })
  const there = new Set(await readdir(objects))
  const names = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'))
  for (const name of names) if (!there.has(name)) await mkdir(join(objects, name), { mode: 0o700 })
  // Also where nothing is missing: a server that was killed may have made them and not synced them.
  await syncFolder(objects)
}

async function* listFolder(objects: string): AsyncGenerator<StoredFile> {
  for (const folder of await readdir(objects)) {
    for await (const entry of await opendir(join(objects, folder))) {
      if (!isVersion(entry.name)) continue
      // Changed when the name was made, also that of a copy whose bytes are older.
      const found = await stat(join(objects, folder, entry.name)).catch(() => null)
      if (found) yield { version: entry.name, lastModified: found.ctime }
    }
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
