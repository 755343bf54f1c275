// Moving, copying and deleting: the row changes under the caller's policies, bytes follow. A move changes no bytes,
// since they lie under the row's version; files are deleted after the row's deletion is committed.
import { randomUUID } from 'node:crypto'
import { Missing } from '../backend/backend.ts'
import { noSuchObject, tooLarge } from '../errors.ts'
import { maxObjectBytes, requireAllowedType } from '../limits.ts'
import type { ObjectName } from '../request.ts'
import { projectMaxBytes, type StorageService } from '../service.ts'
import { type CallerContext, withTransaction } from '../transaction.ts'
import { deleteFiles, deleteUnrecordedFile } from './delete-files.ts'
import type { Description } from './metadata.ts'
import { findBucket, findObject, type StoredRow } from './rows.ts'
import { recordUpload, requireContent, type Uploaded } from './upload.ts'
import { isUuid, type Target, writeRow } from './write-row.ts'

/** Gives an object another name, or another bucket. `owner`, where it is known, becomes its owner. */
export async function move(
  service: StorageService,
  context: CallerContext,
  from: ObjectName,
  to: ObjectName,
  owner: string | null,
): Promise<Uploaded> {
  await findBucket(service, from.bucket)
  return withTransaction(service.database, context, async (transaction) => {
    const found = await findObject(transaction, from)
    if (to.bucket !== from.bucket) await requireFits(service, found, descriptionOf(found), to.bucket)
    const { rowCount } = await transaction.asCaller(
      `update storage.objects set bucket_id = $3, name = $4, owner_id = coalesce($5, owner_id),
         owner = coalesce($6, owner)
       where bucket_id = $1 and name = $2`,
      [from.bucket, from.name, to.bucket, to.name, owner, isUuid(owner) ? owner : null],
    )
    if (rowCount === 0) throw noSuchObject()
    return { id: found.id, key: `${to.bucket}/${to.name}` }
  })
}

export interface CopyOptions {
  /** Metadata that differs from the original. */
  changes: Partial<Description>
  /** Whether the original's own metadata goes along. */
  copyMetadata: boolean
}

/** Copies an object, its bytes too, under the rights of an upload. */
export async function copy(
  service: StorageService,
  context: CallerContext,
  from: ObjectName,
  target: Target,
  { changes, copyMetadata }: CopyOptions,
): Promise<Uploaded> {
  const { database, backend } = service
  await findBucket(service, from.bucket)
  const found = await withTransaction(database, context, (transaction) => findObject(transaction, from))
  const original = descriptionOf(found)
  const description = copyMetadata ? original : { ...original, userMetadata: null, ...changes }
  await requireFits(service, found, description, target.bucket)
  const place = { bucket: target.bucket, name: target.name, version: randomUUID() }
  await writeRow(service, context, target, place, description, {}, 'rollback')
  try {
    const stored = await backend.copy({ ...from, version: found.version ?? '' }, place).catch((error) => {
      // Replaced or deleted since it was looked up.
      throw error instanceof Missing ? noSuchObject() : error
    })
    if (description.mimeType !== original.mimeType) {
      await requireContent(service, place, stored.size, description.mimeType)
    }
    return await recordUpload(service, context, target, place, description, stored)
  } catch (error) {
    await deleteUnrecordedFile(service, place.version, error)
    throw error
  }
}

function descriptionOf({ metadata, user_metadata }: StoredRow): Description {
  return {
    mimeType: String(metadata?.mimetype ?? 'application/octet-stream'),
    cacheControl: String(metadata?.cacheControl ?? 'no-cache'),
    userMetadata: user_metadata,
    robots: typeof metadata?.xRobotsTag === 'string' ? metadata.xRobotsTag : undefined,
  }
}

/** No way around a bucket's limits leads through another bucket. */
async function requireFits(
  service: StorageService,
  { metadata }: StoredRow,
  { mimeType }: Description,
  bucketId: string,
): Promise<void> {
  const bucket = await findBucket(service, bucketId)
  requireAllowedType(mimeType, bucket)
  if (Number(metadata?.size ?? 0) > maxObjectBytes(bucket, projectMaxBytes(service))) throw tooLarge()
}

export type DeletedRow = Record<string, unknown> & { version: string | null }

const RETURNED = `bucket_id, name, owner, owner_id, id, version, updated_at, created_at, last_accessed_at, metadata,
  user_metadata`

/** Deletes the objects that the caller may see and delete, and resolves with their rows. */
export async function remove(
  service: StorageService,
  context: CallerContext,
  bucket: string,
  names: string[],
): Promise<DeletedRow[]> {
  const rows = await withTransaction(service.database, context, async ({ asCaller }) => {
    const deleted = await asCaller<DeletedRow>(
      `delete from storage.objects where bucket_id = $1 and name = any($2) returning ${RETURNED}`,
      [bucket, names],
    )
    return deleted.rows
  })
  await deleteFiles(
    service,
    rows.map(({ version }) => version),
  )
  return rows
}
