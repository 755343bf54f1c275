// The rows of resumable uploads: making, finding and forgetting them.
import type { Database } from '../../sql/database.ts'
import type { ObjectVersion, Progress } from '../backend/backend.ts'
import type { Description } from '../objects/metadata.ts'
import { tusError } from './protocol.ts'

export interface Upload {
  id: string
  place: ObjectVersion
  owner: string | null
  upsert: boolean
  /** Authorized by the token of a signed upload URL instead of the caller's. */
  signed: boolean
  description: Description
  /** The header Upload-Metadata as it came. */
  givenMetadata: string
  /** In bytes; null until the client knows. */
  size: number | null
  maxSize: number
  progress: Progress
  expiresAt: Date
  finished: boolean
}

/** As on Supabase: an upload that is not whole after a day is given up. */
const UPLOAD_TTL = '24 hours'

export const noSuchUpload = () => tusError(404, 'The file for this url was not found')
export const expired = () => tusError(410, 'The file for this url no longer exists')
interface Row {
  id: string
  bucket_id: string
  name: string
  owner_id: string | null
  upsert: boolean
  signed: boolean
  mime_type: string
  cache_control: string
  user_metadata: Record<string, unknown> | null
  given_metadata: string
  /** PostgreSQL's bigint comes as text. */
  size: string | null
  max_size: string
  received: string
  progress: unknown
  expires_at: Date
  finished_at: Date | null
}

/** Makes the row; the place's version is its id. Resolves with the upload. */
export async function createUpload(
  database: Database,
  upload: Omit<Upload, 'id' | 'progress' | 'expiresAt' | 'finished'>,
): Promise<Upload> {
  const { place, owner, upsert, signed, description, givenMetadata, size, maxSize } = upload
  const { rows } = await database.pool.query<Row>(
    `insert into storage.resumable_uploads (id, bucket_id, name, owner_id, upsert, signed, mime_type, cache_control,
       user_metadata, given_metadata, size, max_size, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + interval '${UPLOAD_TTL}') returning *`,
    [
      ...[place.version, place.bucket, place.name, owner, upsert, signed, description.mimeType],
      ...[description.cacheControl, description.userMetadata, givenMetadata, size, maxSize],
    ],
  )
  return uploadOf(rows[0] as Row)
}

/** The upload of that address. Throws 404 where there is none, 410 where its time is over. */
export async function findUpload(database: Database, id: string): Promise<Upload> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw noSuchUpload()
  const { rows } = await database.pool.query<Row>('select * from storage.resumable_uploads where id = $1', [
    id,
  ])
  if (!rows[0]) throw noSuchUpload()
  const upload = uploadOf(rows[0])
  if (upload.expiresAt.getTime() < Date.now()) throw expired()
  return upload
}

export async function forgetUpload(database: Database, { id }: Upload): Promise<void> {
  await database.pool.query('delete from storage.resumable_uploads where id = $1', [id])
}

/** Deletes the rows of expired uploads without a lease, and resolves with them. */
export async function takeExpired(database: Database): Promise<Upload[]> {
  const { rows } = await database.pool.query<Row>(
    `delete from storage.resumable_uploads
     where expires_at < now() and coalesce(held_until, '-infinity') < now() returning *`,
  )
  return rows.map(uploadOf)
}

function uploadOf(row: Row): Upload {
  return {
    id: row.id,
    place: { bucket: row.bucket_id, name: row.name, version: row.id },
    owner: row.owner_id,
    upsert: row.upsert,
    signed: row.signed,
    description: {
      mimeType: row.mime_type,
      cacheControl: row.cache_control,
      userMetadata: row.user_metadata,
    },
    givenMetadata: row.given_metadata,
    size: row.size === null ? null : Number(row.size),
    maxSize: Number(row.max_size),
    progress: { offset: Number(row.received), ...(row.progress !== null && { state: row.progress }) },
    expiresAt: row.expires_at,
    finished: row.finished_at !== null,
  }
}
