// Where the bytes of objects are kept: the one interface over a disk and S3. A file is written once under its
// version and never changed, so a row that names a version always finds that version's bytes, whole.
import type { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

/** One version of one object. `version` is a UUID; bucket and name are as in storage.objects. */
export type ObjectVersion = { bucket: string; name: string; version: string }

/** A stored file. `etag` is in double quotes, as in the header; `size` is in bytes. */
export type Stored = { size: number; etag: string; lastModified: Date }

/** A file as list() returns it. */
export type StoredFile = { version: string; lastModified: Date }

/** Bytes from `start` to `end`, both included, counted from 0. */
export type ByteRange = { start: number; end: number }

interface PutOptions {
  /** Maximum size; one byte more fails with TooLarge. */
  maxBytes: number
  contentType: string
  cacheControl: string
}

export interface Backend {
  /**
   * Streams `body` to durable storage, resolving once it is safe there. Throws TooLarge past `maxBytes`, and whatever
   * the body fails with; nothing is left behind in either case. Like everything here, throws NoSpace and Unreachable.
   */
  put(
    object: ObjectVersion,
    body: ReadableStream<Uint8Array> | Readable,
    options: PutOptions,
  ): Promise<Stored>
  /** Throws Missing when there is no such file. `size` is that of the whole file. */
  get(object: ObjectVersion, range?: ByteRange): Promise<{ body: Readable; size: number }>
  /** Copies without reading the bytes into memory. Throws Missing when there is no such file. */
  copy(from: ObjectVersion, to: ObjectVersion): Promise<Stored>
  /** Files that are not there count as removed. */
  remove(objects: Pick<ObjectVersion, 'version'>[]): Promise<void>
  /**
   * Every file that is kept, for the sweep of those that no row points to; with when it was written. Files are named
   * by their version alone, so that no name a person gives can be unsafe, clash or be too long.
   */
  list?(): AsyncIterable<StoredFile>
  /** Objects that arrive in several requests. */
  parts: Parts
  close?(): void
}

/** How far an object has come: its first `offset` bytes are safe. `state` is JSON, and the backend's own. */
export type Progress = { offset: number; state?: unknown }

/** Keeps objects that arrive in several requests, until they are whole. */
export interface Parts {
  /**
   * Adds what `body` brings after the bytes of `from`, at most `maxBytes` of them. Calls `save` with each
   * progress that is safe, the last time also when the body breaks off; nothing counts that was not saved. Throws
   * TooLarge, and whatever the body fails with. The body is not destroyed.
   */
  append(
    object: ObjectVersion,
    from: Progress,
    body: Readable,
    maxBytes: number,
    save: (progress: Progress) => Promise<void>,
  ): Promise<void>
  /** Makes the parts the object's content, as put() would have. Doing it again after a crash does no harm. */
  finish(object: ObjectVersion, progress: Progress, options: Omit<PutOptions, 'maxBytes'>): Promise<Stored>
  /** Forgets the parts. */
  abandon(object: ObjectVersion, progress: Progress): Promise<void>
}

/** The body had more bytes than were allowed. */
export class TooLarge extends Error {
  constructor() {
    super('The object exceeded the maximum allowed size')
    this.name = 'TooLarge'
  }
}

/** There is no room for more bytes, or no more may be kept. */
export class NoSpace extends Error {
  constructor(cause: unknown) {
    super((cause as Error).message, { cause })
    this.name = 'NoSpace'
  }
}

/** Where the bytes are kept cannot be reached just now, or has too much to do. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super((cause as Error).message, { cause })
    this.name = 'Unreachable'
  }
}

/** There is no file at that path. */
export class Missing extends Error {
  constructor(place: ObjectVersion) {
    super(`no file for ${place.bucket}/${place.name} at version ${place.version}`)
    this.name = 'Missing'
  }
}

/** Whether a text is a version. No other text names a file, so no path outside of the backend can be reached. */
export function isVersion(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** A version's bytes never change, so the version alone is a strong validator, of the shape S3's have. */
export function etagOf({ version }: ObjectVersion): string {
  return `"${version.replaceAll('-', '')}"`
}
