// Parts of resumable uploads on disk: one partialPath file each, which is renamed to the object's file at the end. Bytes past
// the saved progress belong to an interrupted request and are truncated before the next.
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { etagOf, isVersion, Missing, type ObjectVersion, type Parts, TooLarge } from './backend.ts'
import { syncFolder } from './sync-folder.ts'

/** So many bytes are written before they are synced and count. */
const SAVE_EVERY_BYTES = 16 * 1024 * 1024

/** `commit` gives a finished file its name; `pathOf` is where it is found then. */
export async function openDiskParts(
  folder: string,
  {
    commit,
    pathOf,
  }: { commit(path: string, place: ObjectVersion): Promise<void>; pathOf(place: ObjectVersion): string },
): Promise<Parts> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const partialPath = (place: ObjectVersion) => {
    if (!isVersion(place.version)) throw new Missing(place)
    return join(folder, place.version)
  }
  return {
    async append(place, from, body, maxBytes, save) {
      const file = await openPartial(partialPath(place), place, from.offset)
      try {
        // A new file's name is synced before any of its bytes count.
        if (from.offset === 0) await syncFolder(folder)
        await file.truncate(from.offset)
        await write(file, from.offset, body, maxBytes, (offset) => save({ offset }))
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
        const file = await openPartial(partialPath(place), place, offset)
        try {
          await file.truncate(offset)
          await file.sync()
        } finally {
          await file.close()
        }
        await commit(partialPath(place), place)
      }
      return { size: offset, etag: etagOf(place), lastModified: new Date() }
    },
    async abandon(place) {
      await rm(partialPath(place), { force: true })
    },
  }
}

/** The file with at least `length` bytes in it, new where that is none. Throws Missing where they are not there. */
async function openPartial(path: string, place: ObjectVersion, length: number): Promise<FileHandle> {
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
  maxBytes: number,
  save: (offset: number) => Promise<void>,
): Promise<void> {
  let written = start
  let saved = start
  const sync = async () => {
    if (written === saved) return
    await file.datasync()
    saved = written
    await save(written)
  }
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      if (written + chunk.length - start > maxBytes) throw new TooLarge()
      await writeWhole(file, chunk, written)
      written += chunk.length
      if (written - saved >= SAVE_EVERY_BYTES) await sync()
    }
  } finally {
    try {
      await sync()
    } finally {
      // Truncating frees the space of an incomplete write, above all on a full disk.
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
