// Writes a stream to a new file: few large writes, a size limit, and the file is synced before the stream finishes.
import { type FileHandle, open } from 'node:fs/promises'
import { finished, type Readable, Writable } from 'node:stream'
import { TooLarge } from './backend.ts'

/**
 * How much is gathered while a write is under way: more means fewer writes, but memory that the processor has let go
 * of before it is read again, which costs twice what it saves.
 */
const BUFFER_BYTES = 128 * 1024

/** A sync is started after this many bytes, so that little is left to sync at the end. */
const SYNC_EVERY_BYTES = 2 * 1024 * 1024

/** Writes to a new file. Its `size` counts the bytes taken so far. */
class FileWriter extends Writable {
  size = 0
  readonly #file: FileHandle
  readonly #maxBytes: number
  readonly #whole: () => Promise<void>
  #unsynced = 0
  /** Resolves, and never rejects, when the sync under way is over; a sync that fails destroys the writer. */
  #syncing: Promise<void> | null = null

  constructor(file: FileHandle, maxBytes: number, whole: () => Promise<void>) {
    super({ highWaterMark: BUFFER_BYTES })
    this.#file = file
    this.#maxBytes = maxBytes
    this.#whole = whole
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#append([chunk], done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#append(
      chunks.map(({ chunk }) => chunk),
      done,
    )
  }

  override _final(done: (error?: Error) => void): void {
    this.#end().then(() => done(), done)
  }

  async #end(): Promise<void> {
    // The running one does not cover later writes.
    await this.#syncing
    const both = await Promise.allSettled([this.#file.datasync(), this.#whole()])
    for (const part of both) if (part.status === 'rejected') throw part.reason
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    Promise.resolve(this.#syncing)
      .then(() => this.#file.close())
      .then(
        () => done(error),
        (failure) => done(error ?? failure),
      )
  }

  #beginSync(): void {
    this.#unsynced = 0
    const over = () => {
      this.#syncing = null
    }
    this.#syncing = this.#file.datasync().then(over, (error) => {
      over()
      this.destroy(error)
    })
  }

  #append(chunks: Buffer[], done: (error?: Error) => void): void {
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    if (this.size + bytes > this.#maxBytes) {
      done(new TooLarge())
      return
    }
    writeAll(this.#file, chunks, bytes, this.size).then(() => {
      this.size += bytes
      this.#unsynced += bytes
      if (this.#unsynced >= SYNC_EVERY_BYTES && !this.#syncing) this.#beginSync()
      done()
    }, done)
  }
}

/**
 * Opens a writer on a file that must not exist yet. `whole` is called when all of it is written, and runs while it is
 * synced; the writer has closed without an error once both are done.
 */
export async function openFileWriter(
  path: string,
  maxBytes: number,
  whole: () => Promise<void>,
): Promise<FileWriter> {
  return new FileWriter(await open(path, 'wx', 0o600), maxBytes, whole)
}

/** Rare, but allowed: the system may take less than it was given. */
async function writeAll(file: FileHandle, chunks: Buffer[], bytes: number, position: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, position)
  if (bytesWritten === bytes) return
  const rest = Buffer.concat(chunks).subarray(bytesWritten)
  await writeAll(file, [rest], rest.length, position + bytesWritten)
}

/**
 * Moves everything from `source` to `writer`; resolves once the writer has closed. Rejects with what either of them fails
 * with, with the writer closed. The source is never destroyed: it may be a request that is still to be answered.
 */
export function pipe(source: Readable, writer: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null
    const stopWatching = finished(source, { writable: false }, (error) => {
      if (error) writer.destroy(error)
    })
    writer.once('error', (error) => {
      failure = error
      source.unpipe(writer)
    })
    writer.once('close', () => {
      stopWatching()
      if (failure) reject(failure)
      else resolve()
    })
    source.pipe(writer)
  })
}
