// How an object comes to be: what the caller may do is asked first, then the bytes are put under a version of their
// own, and then the row points to them, in one transaction. A crash in between leaves a file that the sweep removes.
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type Place, type Stored, TooLarge } from '../backend/backend.ts'
import { ContentMismatch, checkedContent, checkHead, HEAD_SIZE } from '../content-type.ts'
import { noContent, StorageError, tooLarge } from '../errors.ts'
import { type BucketLimits, largestObject, requireAllowedType } from '../limits.ts'
import { isFolderPlaceholder } from '../names.ts'
import type { ObjectName } from '../request.ts'
import { projectLimit, type StorageService } from '../service.ts'
import type { Act } from '../transaction.ts'
import { discard, discardRefused } from './delete-files.ts'
import type { Description } from './metadata.ts'
import { findBucket } from './rows.ts'
import type { Incoming } from './upload-body.ts'
import { type Target, writeRow } from './write-row.ts'

export interface Plan {
  place: Place
  maxBytes: number
}

/** The object's id, and its address as "bucket/name". */
export interface Uploaded {
  id: string
  key: string
}

/**
 * Takes an upload from its request to its row. Throws a StorageError for whatever is refused; then nothing is kept.
 * `mayStill` is asked once the bytes are there, for they can be long on their way.
 */
export async function upload(
  service: StorageService,
  act: Act,
  target: Target,
  incoming: Incoming,
  mayStill: () => Promise<void> = async () => {},
): Promise<Uploaded> {
  const { place, maxBytes } = await planUpload(service, act, target, incoming, incoming.announced)
  const stored = await store(service, place, maxBytes, incoming)
  try {
    const final = await incoming.final()
    await mayStill()
    // A form may name another type after its file.
    if (final.mimeType !== incoming.mimeType) {
      requireType(target, final, await findBucket(service, target.bucket))
      await requireContent(service, place, stored.size, final.mimeType)
    }
    return await recordUpload(service, act, target, place, final, stored)
  } catch (error) {
    await discardRefused(service, place.version, error)
    throw error
  }
}

/**
 * Says where the bytes go and how many there may be, once the bucket takes the type and the caller may write the row.
 * `size` is in bytes, null when it is not known yet.
 */
export async function planUpload(
  service: StorageService,
  act: Act,
  target: Target,
  description: Description,
  size: number | null,
): Promise<Plan> {
  const place = { bucket: target.bucket, name: target.name, version: randomUUID() }
  const sizes = size === null ? {} : { size, contentLength: size }
  const allowed = writeRow(service, act, target, place, description, sizes, 'rollback')
  // Asked at the same time; what is wrong with the bucket or the type is told first.
  allowed.catch(() => {})
  const bucket = await findBucket(service, target.bucket)
  const maxBytes = isFolderPlaceholder(target.name) ? 0 : largestObject(bucket, projectLimit(service))
  requireType(target, description, bucket)
  await allowed
  if (size !== null && size > maxBytes) throw tooLarge()
  return { place, maxBytes }
}

async function store(
  { backend }: StorageService,
  place: Place,
  maxBytes: number,
  incoming: Incoming,
): Promise<Stored> {
  try {
    const body = await checkedContent(incoming.body, incoming.mimeType)
    return await backend.put(place, body, {
      maxBytes,
      contentType: incoming.mimeType,
      cacheControl: incoming.cacheControl,
    })
  } catch (error) {
    if (error instanceof TooLarge) throw tooLarge()
    if (error instanceof ContentMismatch) throw new StorageError(415, 'invalid_mime_type', error.message)
    // The sender broke off: not the backend's fault, and nobody's business to mend.
    if (incoming.body.errored) throw noContent(incoming.body.errored.message)
    throw error
  }
}

/** Points the row to bytes that are safe already, and lets those it pointed to go. Throws what policies refuse. */
export async function recordUpload(
  service: StorageService,
  act: Act,
  target: Target,
  place: Place,
  description: Description,
  stored: Stored,
): Promise<Uploaded> {
  const { id, replaced } = await writeRow(service, act, target, place, description, sizesOf(stored), 'commit')
  await discard(service, [replaced])
  return { id, key: `${target.bucket}/${target.name}` }
}

function requireType({ name }: ObjectName, { mimeType }: Description, bucket: BucketLimits): void {
  if (!isFolderPlaceholder(name)) requireAllowedType(mimeType, bucket)
}

/** Throws unless the bytes at that place, `size` of them, are of the type. */
export async function requireContent(
  { backend }: StorageService,
  place: Place,
  size: number,
  type: string,
): Promise<void> {
  const end = Math.min(size, HEAD_SIZE) - 1
  const head = end < 0 ? Buffer.alloc(0) : await buffer((await backend.get(place, { start: 0, end })).body)
  await checkHead(head, type).catch((error) => {
    throw error instanceof ContentMismatch ? new StorageError(415, 'invalid_mime_type', error.message) : error
  })
}

/** What the backend tells of the bytes, by the names that Supabase gives it. */
export function sizesOf({ size, etag, lastModified }: Stored) {
  return {
    eTag: etag,
    size,
    lastModified: lastModified.toISOString(),
    contentLength: size,
    httpStatusCode: 200,
  }
}
