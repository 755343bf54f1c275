// How an object comes to be: what the caller may do is asked first, then the bytes are put under a version of their
// own, and then the row points to them, in one transaction. A crash in between leaves a file that the sweep removes.
import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type Act, type ActStatement, performAtOnce } from '../act.ts'
import { type Place, type Stored, TooLarge } from '../backend/backend.ts'
import { ContentMismatch, checkedContent, checkHead, headSize } from '../content/content.ts'
import { noContent, StorageError, tooLarge } from '../errors.ts'
import { type BucketLimits, largestObject, requireAllowedType } from '../limits.ts'
import { isFolderPlaceholder } from '../names.ts'
import type { ObjectName } from '../request.ts'
import { projectLimit, type StorageService } from '../service.ts'
import { discard, discardRefused } from './discard.ts'
import type { Description, Incoming } from './incoming.ts'
import { findBucket } from './rows.ts'

export interface Target extends ObjectName {
  /** Replace an object of that name. */
  upsert: boolean
  /** Subject of the person who will own it; null for none. */
  owner: string | null
}

export interface Plan {
  place: Place
  maxBytes: number
}

/** The object's id, and its address as "bucket/name". */
export interface Uploaded {
  id: string
  key: string
}

/** Takes an upload from its request to its row. Throws a StorageError for whatever is refused; then nothing is kept. */
export async function upload(
  service: StorageService,
  act: Act,
  target: Target,
  incoming: Incoming,
): Promise<Uploaded> {
  const { place, maxBytes } = await planUpload(service, act, target, incoming, incoming.announced)
  const stored = await store(service, place, maxBytes, incoming)
  try {
    const final = incoming.final()
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
  const end = Math.min(size, headSize) - 1
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

/**
 * Writes the row under the caller's policies, insert, and update where it may replace; or finds out whether it could
 * be written, and undoes it. Resolves with the row's id and the version that it pointed to before. Uploads of the same
 * name wait for each other here, and the last one stays.
 */
export async function writeRow(
  { database }: StorageService,
  act: Act,
  target: Target,
  place: Place,
  { mimeType, cacheControl, userMetadata }: Description,
  sizes: object,
  end: 'commit' | 'rollback',
): Promise<{ id: string; replaced: string | null }> {
  const { bucket, name, owner, upsert } = target
  const fresh = randomUUID()
  const statements: ActStatement[] = [
    { as: 'owner', text: LOCK, values: [`${bucket}/${name}`] },
    {
      as: 'owner',
      text: upsert ? PREPARE_TO_REPLACE : PREPARE,
      values: [bucket, name, fresh].slice(upsert ? 0 : 2),
    },
    {
      as: 'caller',
      text: upsert ? `${INSERT} ${OR_UPDATE}` : INSERT,
      values: [
        ...[bucket, name, isUuid(owner) ? owner : null, owner, place.version],
        JSON.stringify({ ...sizes, mimetype: mimeType, cacheControl }),
        userMetadata && JSON.stringify(userMetadata),
      ],
    },
  ]
  const [, prepared] = await performAtOnce(database, act, statements, end)
  const [id, replaced] = prepared?.rows[0] ?? []
  return { id: id ?? fresh, replaced: replaced ?? null }
}

const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'
// The row's id reaches the insert by way of a setting: the caller may not be allowed to see the row it replaces.
const PREPARE = `select set_config('storage.object_id', $1, true), null`
const PREPARE_TO_REPLACE = `with before as (
    select id, version from storage.objects where bucket_id = $1 and name = $2 for update
  )
  select set_config('storage.object_id', coalesce((select id::text from before), $3), true), (select version from before)`
const INSERT = `insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
  values (current_setting('storage.object_id')::uuid, $1, $2, $3, $4, $5, $6, $7)`
// Nothing is returned: that would take a policy for reading, which an upload does not need.
const OR_UPDATE = `on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
  version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata`

/** The column `owner` takes nothing else; subjects of other issuers stand in owner_id only. */
export function isUuid(text: string | null): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text ?? '')
}
