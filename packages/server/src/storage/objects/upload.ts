// Uploads an object in three steps: check bucket, type and policies; store the bytes under a new version; write the row
// that points to them. A crash between the last two leaves a file that the sweep removes.
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type ObjectVersion, type Stored, TooLarge } from '../backend/backend.ts'
import { ContentMismatch, checkedContent, checkHead, HEAD_BYTES } from '../content-type.ts'
import { noContent, StorageError, tooLarge } from '../errors.ts'
import { type BucketLimits, maxObjectBytes, requireAllowedType } from '../limits.ts'
import { isFolderPlaceholder } from '../names.ts'
import type { ObjectName } from '../request.ts'
import { projectMaxBytes, type StorageService } from '../service.ts'
import type { CallerContext } from '../transaction.ts'
import { deleteFiles, deleteUnrecordedFile } from './delete-files.ts'
import type { Description, IncomingUpload } from './metadata.ts'
import { findBucket } from './rows.ts'
import { type Target, writeRow } from './write-row.ts'

export interface Plan {
  place: ObjectVersion
  maxBytes: number
}

/** The object's id, and its address as "bucket/name". */
export interface Uploaded {
  id: string
  key: string
}

/**
 * Takes an upload from its request to its row. Throws a StorageError when it is rejected; then nothing is kept.
 * `recheck` is called again once the bytes have arrived, which may take long.
 */
export async function upload(
  service: StorageService,
  context: CallerContext,
  target: Target,
  incoming: IncomingUpload,
  recheck: () => Promise<void> = async () => {},
): Promise<Uploaded> {
  const { place, maxBytes } = await planUpload(service, context, target, incoming, incoming.contentLength)
  const stored = await store(service, place, maxBytes, incoming)
  try {
    const final = await incoming.final()
    await recheck()
    // A form may name another type after its file.
    if (final.mimeType !== incoming.mimeType) {
      requireType(target, final, await findBucket(service, target.bucket))
      await requireContent(service, place, stored.size, final.mimeType)
    }
    return await recordUpload(service, context, target, place, final, stored)
  } catch (error) {
    await deleteUnrecordedFile(service, place.version, error)
    throw error
  }
}

/**
 * Chooses the version and the maximum size, once the bucket accepts the type and policies let the caller write the row.
 * `size` is in bytes, null when it is not known yet.
 */
export async function planUpload(
  service: StorageService,
  context: CallerContext,
  target: Target,
  description: Description,
  size: number | null,
): Promise<Plan> {
  const place = { bucket: target.bucket, name: target.name, version: randomUUID() }
  const sizes = size === null ? {} : { size, contentLength: size }
  const allowed = writeRow(service, context, target, place, description, sizes, 'rollback')
  // Both run at the same time; errors of bucket and type come first.
  allowed.catch(() => {})
  const bucket = await findBucket(service, target.bucket)
  const maxBytes = isFolderPlaceholder(target.name) ? 0 : maxObjectBytes(bucket, projectMaxBytes(service))
  requireType(target, description, bucket)
  await allowed
  if (size !== null && size > maxBytes) throw tooLarge()
  return { place, maxBytes }
}

async function store(
  { backend }: StorageService,
  place: ObjectVersion,
  maxBytes: number,
  incoming: IncomingUpload,
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
    // An error of the request, not of the backend: what its form is refused for, or that the client broke off.
    const { errored } = incoming.body
    if (errored) throw errored instanceof StorageError ? errored : noContent(errored.message)
    throw error
  }
}

/** Points the row to bytes that are stored already, and deletes the file it pointed to. Throws when policies deny it. */
export async function recordUpload(
  service: StorageService,
  context: CallerContext,
  target: Target,
  place: ObjectVersion,
  description: Description,
  stored: Stored,
): Promise<Uploaded> {
  const { id, replaced } = await writeRow(
    service,
    context,
    target,
    place,
    description,
    sizesOf(stored),
    'commit',
  )
  await deleteFiles(service, [replaced])
  return { id, key: `${target.bucket}/${target.name}` }
}

function requireType({ name }: ObjectName, { mimeType }: Description, bucket: BucketLimits): void {
  if (!isFolderPlaceholder(name)) requireAllowedType(mimeType, bucket)
}

/** Throws unless the bytes at that place, `size` of them, are of the type. */
export async function requireContent(
  { backend }: StorageService,
  place: ObjectVersion,
  size: number,
  type: string,
): Promise<void> {
  const end = Math.min(size, HEAD_BYTES) - 1
  const head = end < 0 ? Buffer.alloc(0) : await buffer((await backend.get(place, { start: 0, end })).body)
  await checkHead(head, type).catch((error) => {
    throw error instanceof ContentMismatch ? new StorageError(415, 'invalid_mime_type', error.message) : error
  })
}

/** Size and validators of stored bytes, by the names that Supabase uses in `metadata`. */
function sizesOf({ size, etag, lastModified }: Stored) {
  return {
    eTag: etag,
    size,
    lastModified: lastModified.toISOString(),
    contentLength: size,
    httpStatusCode: 200,
  }
}
