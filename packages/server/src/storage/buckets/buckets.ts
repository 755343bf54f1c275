// Buckets: rows of storage.buckets, made, changed, emptied and deleted by the caller's rights.

import { accessDenied, bucketNotEmpty, noSuchBucket } from '../errors.ts'
import { readSizeLimit, requireMimePatterns } from '../limits.ts'
import { deleteFiles } from '../objects/delete-files.ts'
import { projectMaxBytes, type StorageService } from '../service.ts'
import { type CallerContext, withTransaction } from '../transaction.ts'

/** Settings of a bucket; what is undefined stays as it is. Sizes are bytes or a text such as "20MB". */
export interface BucketSettings {
  public?: boolean
  fileSizeLimit?: number | string | null
  allowedMimeTypes?: string[] | null
}

export interface BucketQuery {
  limit?: number
  offset?: number
  search?: string
  sortColumn: 'id' | 'name' | 'created_at' | 'updated_at'
  sortOrder: 'asc' | 'desc'
}

const COLUMNS = `id, name, coalesce(owner::text, '') as owner, public, file_size_limit::float8 as file_size_limit,
  allowed_mime_types, created_at, updated_at`

/** The buckets that the caller may see. */
export function listBuckets({ database }: StorageService, context: CallerContext, query: BucketQuery) {
  const { limit, offset = 0, search, sortColumn, sortOrder } = query
  return withTransaction(database, context, async ({ asCaller }) => {
    const { rows } = await asCaller(
      `select ${COLUMNS}, type from storage.buckets where $1::text is null or strpos(lower(name), lower($1)) > 0
       order by ${sortColumn} ${sortOrder}, id limit $2 offset $3`,
      [search ?? null, limit ?? null, offset],
    )
    return rows
  })
}

/** One bucket, if the caller may see it; without its type, as on Supabase. */
export function getBucket({ database }: StorageService, context: CallerContext, id: string) {
  return withTransaction(database, context, async ({ asCaller }) => {
    const { rows } = await asCaller(`select ${COLUMNS} from storage.buckets where id = $1`, [id])
    if (!rows[0]) throw noSuchBucket()
    return rows[0]
  })
}

/** Makes a bucket. Throws "The resource already exists" for one that is there. */
export async function createBucket(
  service: StorageService,
  context: CallerContext,
  bucket: { id: string; name: string; owner: string | null },
  settings: BucketSettings,
): Promise<void> {
  const { fileSizeLimit, allowedMimeTypes } = readSettings(service, settings)
  await withTransaction(service.database, context, ({ asCaller }) =>
    asCaller(
      `insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
       values ($1, $2, case when $3 ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then $3::uuid end, $3, $4, $5, $6)`,
      [
        bucket.id,
        bucket.name,
        bucket.owner,
        settings.public ?? false,
        fileSizeLimit ?? null,
        allowedMimeTypes ?? null,
      ],
    ),
  )
}

/** Changes a bucket. Objects that it already holds stay, whatever the new limits are. */
export async function updateBucket(
  service: StorageService,
  context: CallerContext,
  id: string,
  settings: BucketSettings,
): Promise<void> {
  const { fileSizeLimit, allowedMimeTypes } = readSettings(service, settings)
  const changes: [column: string, value: unknown][] = [
    ['public', settings.public],
    ['file_size_limit', fileSizeLimit],
    ['allowed_mime_types', allowedMimeTypes],
  ]
  const given = changes.filter(([, value]) => value !== undefined)
  const assignments = given.map(([column], at) => `${column} = $${at + 2}`)
  await withTransaction(service.database, context, async ({ asCaller }) => {
    const { rowCount } = await asCaller(
      `update storage.buckets set ${[...assignments, 'updated_at = now()'].join(', ')} where id = $1`,
      [id, ...given.map(([, value]) => value)],
    )
    if (rowCount === 0) throw noSuchBucket()
  })
}

function readSettings(service: StorageService, { fileSizeLimit, allowedMimeTypes }: BucketSettings) {
  if (allowedMimeTypes) requireMimePatterns(allowedMimeTypes)
  return {
    allowedMimeTypes,
    fileSizeLimit:
      fileSizeLimit === null || fileSizeLimit === undefined
        ? fileSizeLimit
        : readSizeLimit(fileSizeLimit, projectMaxBytes(service)),
  }
}

/** Deletes an empty bucket. */
export async function deleteBucket(
  { database }: StorageService,
  context: CallerContext,
  id: string,
): Promise<void> {
  await withTransaction(database, context, async ({ asCaller, asOwner }) => {
    const { rowCount } = await asOwner('select from storage.buckets where id = $1 for update', [id])
    if (rowCount === 0) throw noSuchBucket()
    const { rows } = await asOwner(
      'select exists (select from storage.objects where bucket_id = $1) as filled',
      [id],
    )
    if (rows[0]?.filled) throw bucketNotEmpty()
    const deleted = await asCaller('delete from storage.buckets where id = $1', [id])
    if (deleted.rowCount === 0) throw noSuchBucket()
  })
}

const BATCH_SIZE = 500

/** Deletes every object of a bucket that the caller may see. Throws when one of them may not be deleted. */
export async function emptyBucket(
  service: StorageService,
  context: CallerContext,
  id: string,
): Promise<void> {
  await getBucket(service, context, id)
  for (let emptied = false; !emptied; ) {
    const deleted = await withTransaction(service.database, context, async ({ asCaller }) => {
      const { rows: found } = await asCaller<{ id: string; name: string }>(
        'select id, name from storage.objects where bucket_id = $1 limit $2',
        [id, BATCH_SIZE],
      )
      const { rows } = await asCaller<{ id: string; version: string | null }>(
        'delete from storage.objects where id = any($1) returning id, version',
        [found.map((object) => object.id)],
      )
      if (rows.length < found.length) {
        const deletedIds = new Set(rows.map((object) => object.id))
        const names = found.filter((object) => !deletedIds.has(object.id)).map(({ name }) => name)
        throw accessDenied(
          `Cannot delete: ${names.join(' ,')}, you may have SELECT but not DELETE permissions`,
        )
      }
      emptied = found.length < BATCH_SIZE
      return rows.map(({ version }) => version)
    })
    await deleteFiles(service, deleted)
  }
}
