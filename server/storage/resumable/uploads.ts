// The rows of resumable uploads: making, finding, and having one to oneself while bytes are added to it, also when
// several servers share the database.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../postgres/database.ts'
import type { Place, Progress } from '../backend/backend.ts'
import { StorageError } from '../errors.ts'
import type { Description } from '../objects/incoming.ts'

export interface Upload {
  id: string
  place: Place
  owner: string | null
  upsert: boolean
  /** Gone on with by a signed upload's token instead of a person's. */
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
const LIFETIME = '24 hours'
/** Seconds that a request has an upload to itself without saying that it is still there. */
const LEASE = 20
const PATIENCE = 10_000

export const noSuchUpload = () => new StorageError(404, 'TusError', 'The file for this url was not found')
export const expired = () => new StorageError(410, 'TusError', 'The file for this url no longer exists')
const locked = () =>
  new StorageError(
    423,
    'TusError',
    'The upload is being written to by another request; try again in a moment',
  )

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
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + interval '${LIFETIME}') returning *`,
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

/** Uploads whose time is over and that nobody works on, with their rows deleted. */
export async function takeExpired(database: Database): Promise<Upload[]> {
  const { rows } = await database.pool.query<Row>(
    `delete from storage.resumable_uploads
     where expires_at < now() and coalesce(held_until, '-infinity') < now() returning *`,
  )
  return rows.map(uploadOf)
}

/** An upload that one request has to itself. Each change fails with 423 when another has taken it over meanwhile. */
export interface HeldUpload {
  upload: Upload
  declareSize(size: number): Promise<void>
  save(progress: Progress): Promise<void>
  markFinished(): Promise<void>
}

/** Who works on which upload in this process, and how to make them stop. */
const working = new Map<string, { stop: () => void; done: Promise<unknown> }>()

/**
 * Runs `work` while nobody else can change the upload. `stop` is called when another request wants it: a client that
 * comes back means that its old connection is dead. Throws 423 when the upload is not given up within 10 s.
 */
export async function holding<T>(
  database: Database,
  id: string,
  stop: () => void,
  work: (held: HeldUpload) => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + PATIENCE
  for (let other = working.get(id); other; other = working.get(id)) {
    other.stop()
    await Promise.race([other.done, sleep(PATIENCE, undefined, { ref: false })])
    if (Date.now() > deadline) throw locked()
  }
  const running = hold(database, id, deadline, work)
  // Nothing is awaited between looking and entering, so that two cannot both come in.
  const entry = { stop, done: running.catch(() => {}) }
  working.set(id, entry)
  try {
    return await running
  } finally {
    working.delete(id)
  }
}

async function hold<T>(
  database: Database,
  id: string,
  deadline: number,
  work: (held: HeldUpload) => Promise<T>,
): Promise<T> {
  const holder = randomUUID()
  const change = async (assignments: string, values: unknown[]) => {
    const { rowCount } = await database.pool.query(
      `update storage.resumable_uploads set ${assignments} where id = $1 and holder = $2`,
      [id, holder, ...values],
    )
    if (rowCount === 0) throw locked()
  }
  while (!(await acquire(database, id, holder))) {
    if (Date.now() > deadline) throw locked()
    await sleep(250)
  }
  const renewal = setInterval(
    () => void change(`held_until = now() + interval '${LEASE} seconds'`, []).catch(() => {}),
    (LEASE * 1000) / 4,
  )
  try {
    const upload = await findUpload(database, id)
    return await work({
      upload,
      async declareSize(size) {
        await change('size = $3', [size])
        upload.size = size
      },
      async save(progress) {
        const { offset, state } = progress
        await change('received = $3, progress = $4', [
          offset,
          state === undefined ? null : JSON.stringify(state),
        ])
        upload.progress = progress
      },
      async markFinished() {
        await change('finished_at = now(), progress = null', [])
        upload.finished = true
      },
    })
  } finally {
    clearInterval(renewal)
    // Should this fail, the lease runs out by itself.
    await change('holder = null, held_until = null', []).catch(() => {})
  }
}

/** Whether the upload is this holder's now. Throws 404 when it is gone. */
async function acquire(database: Database, id: string, holder: string): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `update storage.resumable_uploads set holder = $2, held_until = now() + interval '${LEASE} seconds'
     where id = $1 and coalesce(held_until, '-infinity') < now()`,
    [id, holder],
  )
  if (rowCount === 0) await findUpload(database, id)
  return rowCount === 1
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
