// Rows of storage.buckets and storage.objects, as the service reads them.

import type { CallerTransaction } from '../../sql/as-caller.ts'
import { noSuchBucket, noSuchObject } from '../errors.ts'
import type { BucketLimits } from '../limits.ts'
import type { ObjectName } from '../request.ts'
import type { StorageService } from '../service.ts'
import { type CallerContext, withTransaction } from '../transaction.ts'

export interface BucketRow extends BucketLimits {
  id: string
  public: boolean
}

export interface StoredRow {
  id: string
  bucket_id: string
  name: string
  version: string | null
  owner_id: string | null
  metadata: Record<string, unknown> | null
  user_metadata: Record<string, unknown> | null
  created_at: Date
  updated_at: Date
}

const COLUMNS = 'id, bucket_id, name, version, owner_id, metadata, user_metadata, created_at, updated_at'

/** The bucket, past every policy. Throws "Bucket not found". */
export async function findBucket({ database }: StorageService, id: string): Promise<BucketRow> {
  const { rows } = await database.pool.query(
    `select id, coalesce(public, false) as public, file_size_limit::float8 as file_size_limit, allowed_mime_types
     from storage.buckets where id = $1`,
    [id],
  )
  if (!rows[0]) throw noSuchBucket()
  return rows[0] as BucketRow
}

/** The object as the caller may see it, or past every policy. Throws "Object not found". */
export async function findObject(
  { asCaller, asOwner }: CallerTransaction,
  { bucket, name }: ObjectName,
  as: 'caller' | 'owner' = 'caller',
): Promise<StoredRow> {
  const query = as === 'caller' ? asCaller : asOwner
  const { rows } = await query<StoredRow & Record<string, unknown>>(
    `select ${COLUMNS} from storage.objects where bucket_id = $1 and name = $2`,
    [bucket, name],
  )
  if (!rows[0]) throw noSuchObject()
  return rows[0]
}

/** An object of any bucket, past every policy: for signed URLs. */
export async function findAnyObject(service: StorageService, target: ObjectName): Promise<StoredRow> {
  const { row } = await findBucketAndObject(service, target)
  if (!row) throw noSuchObject()
  return row
}

/** An object of a public bucket; throws "Bucket not found" for a private one. */
export async function findPublic(service: StorageService, target: ObjectName): Promise<StoredRow> {
  const { open, row } = await findBucketAndObject(service, target)
  if (!open) throw noSuchBucket()
  if (!row) throw noSuchObject()
  return row
}

/**
 * The object as the caller may read it: without policies in a public bucket, by policies in a private one. Without a
 * caller a private bucket is "Bucket not found".
 */
export async function findReadable(
  service: StorageService,
  context: CallerContext,
  target: ObjectName,
): Promise<StoredRow> {
  const { open, row } = await findBucketAndObject(service, target)
  if (!open && context.caller)
    return withTransaction(service.database, context, (transaction) => findObject(transaction, target))
  if (!open) throw noSuchBucket()
  if (!row) throw noSuchObject()
  return row
}

/** An object by the caller's rights alone, even where its bucket is public. */
export async function findAsCaller(
  service: StorageService,
  context: CallerContext,
  target: ObjectName,
): Promise<StoredRow> {
  await findBucket(service, target.bucket)
  return withTransaction(service.database, context, (transaction) => findObject(transaction, target))
}

/** Bucket and object in one query, past every policy. Throws "Bucket not found". */
async function findBucketAndObject(
  { database }: StorageService,
  { bucket, name }: ObjectName,
): Promise<{ open: boolean; row: StoredRow | null }> {
  const { rows } = await database.pool.query({
    name: 'storage-find-both',
    text: `select coalesce(b.public, false) as open, o.*
      from storage.buckets b
      left join lateral (
        select ${COLUMNS} from storage.objects where bucket_id = b.id and name = $2
      ) o on true
      where b.id = $1`,
    values: [bucket, name],
  })
  if (!rows[0]) throw noSuchBucket()
  const { open, ...row } = rows[0]
  return { open, row: row.id === null ? null : row }
}
