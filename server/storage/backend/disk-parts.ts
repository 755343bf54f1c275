// Objects that arrive piece by piece, on disk: one file each, which grows and at the end takes its place among the
// others. Bytes past the progress that was saved are a broken piece's, and are cut off before the next.
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { etagOf, isVersion, Missing, type Pieces, type Place, TooLarge } from './backend.ts'
import { syncFolder } from './sync-folder.ts'

/** So many bytes are written before they are synced and count. */
const SAVED_AT_ONCE = 16 * 1024 * 1024

/** `settle` gives a finished file its name; `pathOf` is where it is found then. */
export async function openDiskPieces(
  folder: string,
  { settle, pathOf }: { settle(path: string, place: Place): Promise<void>; pathOf(place: Place): string },
): Promise<Pieces> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const growing = (place: Place) => {
    if (!isVersion(place.version)) throw new Missing(place)
    return join(folder, place.version)
  }
  return {
    async append(place, from, body, most, save) {
      const file = await openGrowing(growing(place), place, from.offset)
      try {
        // Before anything is said to be safe in it, a new file's name is.
        if (from.offset === 0) await syncFolder(folder)
        await file.truncate(from.offset)
        await write(file, from.offset, body, most, (offset) => save({ offset }))
      } finally {
        await file.close()
      }
    },
    async finish(place, { offset }) {
      const finished = await stat(pathOf(place)).catch(absent)
      if (finished?.size === offset) {
        // It has its name already, but a kill may have come before that was safe.
        await syncFolder(dirname(pathOf(place)))
      } else {
        const file = await openGrowing(growing(place), place, offset)
        try {
          await file.truncate(offset)
          await file.sync()
        } finally {
          await file.close()
        }
        await settle(growing(place), place)
      }
      return { size: offset, etag: etagOf(place), lastModified: new Date() }
    },
    async abandon(place) {
      await rm(growing(place), { force: true })
    },
  }
}

/** The file with at least `length` bytes in it, new where that is none. Throws Missing where they are not there. */
async function openGrowing(path: string, place: Place, length: number): Promise<FileHandle> {
  const flags = constants.O_RDWR | (length === 0 ? constants.O_CREAT : 0)
  const file = await open(path, flags, 0o600).catch(absent)
  if (!file) throw new Missing(place)
  const { size } = await file.stat()
  if (size >= length) return file
  await file.close()
  throw new Missing(place)
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error
  return null
}

async function write(
  file: FileHandle,
  start: number,
  body: Readable,
  most: number,
  save: (offset: number) => Promise<void>,
): Promise<void> {
  let written = start
  let saved = start
  const settle = async () => {
    if (written === saved) return
    await file.datasync()
    saved = written
    await save(written)
  }
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      if (written + chunk.length - start > most) throw new TooLarge()
      await writeWhole(file, chunk, written)
      written += chunk.length
      if (written - saved >= SAVED_AT_ONCE) await settle()
    }
  } finally {
    try {
      await settle()
    } finally {
      // What does not count takes no room, above all where there is none.
      await file.truncate(saved)
    }
  }
}

/** The system may take less than it was given. */
async function writeWhole(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}
