// The rows of resumable uploads: making, finding and forgetting them.
import type { Database } from '../../sql/database.ts'
import type { Queryable } from '../../sql/queryable.ts'
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

/** The columns, as the fields of an Upload. */
const UPLOAD = `id, owner_id as owner, upsert, signed, given_metadata as "givenMetadata", size::float8 as size,
  max_size::float8 as "maxSize", expires_at as "expiresAt", finished_at is not null as finished,
  json_build_object('bucket', bucket_id, 'name', name, 'version', id) as place,
  json_build_object('offset', received, 'state', progress) as progress,
  json_build_object('mimeType', mime_type, 'cacheControl', cache_control, 'userMetadata', user_metadata) as description`

/**
 * Inserts the row; its id is the place's version. Throws 429 if `openedBy` (null for the service) already has `maxOpen` open
 * uploads. A lock makes concurrent requests of one `openedBy` wait.
 */
export function createUpload(
  database: Database,
  upload: Omit<Upload, 'id' | 'progress' | 'expiresAt' | 'finished'>,
  openedBy: string | null,
  maxOpen: number,
): Promise<Upload> {
  const { place, owner, upsert, signed, description, givenMetadata, size, maxSize } = upload
  return database.transaction(async (client) => {
    if (openedBy !== null) await requireFewOpen(client, openedBy, maxOpen)
    const { rows } = await client.query<Upload>(
      `insert into storage.resumable_uploads (id, bucket_id, name, owner_id, upsert, signed, mime_type, cache_control,
         user_metadata, given_metadata, size, max_size, opened_by, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, now() + interval '${UPLOAD_TTL}')
       returning ${UPLOAD}`,
      [
        ...[place.version, place.bucket, place.name, owner, upsert, signed, description.mimeType],
        ...[description.cacheControl, description.userMetadata, givenMetadata, size, maxSize, openedBy],
      ],
    )
    return rows[0] as Upload
  })
}

async function requireFewOpen(client: Queryable, openedBy: string, maxOpen: number): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`open uploads of ${openedBy}`])
  const { rows } = await client.query<{ open: number; minutes: number | null }>(
    `select count(*)::int as open, ceil(extract(epoch from min(expires_at) - now()) / 60)::int as minutes
     from storage.resumable_uploads where opened_by = $1 and finished_at is null and expires_at > now()`,
    [openedBy],
  )
  const { open = 0, minutes = 0 } = rows[0] ?? {}
  if (open < maxOpen) return
  throw tusError(
    429,
    `You have ${open} uploads open, the most allowed; finish or cancel one, or wait ${minutes} minutes until the oldest expires`,
  )
}

/** The upload of that address. Throws 404 where there is none, 410 where its time is over. */
export async function findUpload(database: Database, id: string): Promise<Upload> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw noSuchUpload()
  const { rows } = await database.pool.query<Upload>(
    `select ${UPLOAD} from storage.resumable_uploads where id = $1`,
    [id],
  )
  const [upload] = rows
  if (!upload) throw noSuchUpload()
  if (upload.expiresAt.getTime() < Date.now()) throw expired()
  return upload
}

export async function forgetUpload(database: Database, { id }: Upload): Promise<void> {
  await database.pool.query('delete from storage.resumable_uploads where id = $1', [id])
}

/** Deletes the rows of expired uploads without a lease, and resolves with them. */
export async function takeExpired(database: Database): Promise<Upload[]> {
  const { rows } = await database.pool.query<Upload>(
    `delete from storage.resumable_uploads
     where expires_at < now() and coalesce(held_until, '-infinity') < now() returning ${UPLOAD}`,
  )
  return rows
}
