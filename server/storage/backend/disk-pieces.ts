// Objects that arrive piece by piece, on disk: one file each, which grows and at the end takes its place among the
// others. Bytes past the progress that was saved are a broken piece's, and are cut off before the next.
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { etagOf, isVersion, Missing, type Pieces, type Place, TooLarge } from './backend.ts'

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
      const file = await open(growing(place), constants.O_RDWR | constants.O_CREAT, 0o600)
      try {
        await file.truncate(from.offset)
        await write(file, from.offset, body, most, (offset) => save({ offset }))
      } finally {
        await file.close()
      }
    },
    async finish(place, { offset }) {
      const file = await open(growing(place), constants.O_RDWR).catch((error) => {
        if (error.code !== 'ENOENT') throw error
        return null
      })
      if (file) {
        await file.truncate(offset)
        await file.sync()
        await file.close()
        await settle(growing(place), place)
      }
      const { size } = await stat(pathOf(place)).catch((error) => {
        throw error.code === 'ENOENT' ? new Missing(place) : error
      })
      return { size, etag: etagOf(place), lastModified: new Date() }
    },
    async abandon(place) {
      await rm(growing(place), { force: true })
    },
  }
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
    await settle()
  }
}

/** The system may take less than it was given. */
async function writeWhole(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}
