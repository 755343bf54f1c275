// The row of an object as an upload or a copy writes it: under the caller's policies, in one round trip.
import { randomUUID } from 'node:crypto'
import type { CallerStatement } from '../../sql/as-caller.ts'
import type { ObjectVersion } from '../backend/backend.ts'
import type { ObjectName } from '../request.ts'
import type { StorageService } from '../service.ts'
import { type CallerContext, withPipeline } from '../transaction.ts'
import type { Description } from './metadata.ts'

export interface Target extends ObjectName {
  /** Replace an object of that name. */
  upsert: boolean
  /** Subject of the person who will own it; null for none. */
  owner: string | null
}

/**
 * Writes the row under the caller's policies, insert, and update where it may replace; or finds out whether it could
 * be written, and undoes it. Resolves with the row's id and the version that it pointed to before. Uploads of the same
 * name wait for each other here, and the last one stays.
 */
export async function writeRow(
  { database }: StorageService,
  context: CallerContext,
  target: Target,
  place: ObjectVersion,
  { mimeType, cacheControl, userMetadata, robots }: Description,
  sizes: object,
  end: 'commit' | 'rollback',
): Promise<{ id: string; replaced: string | null }> {
  const { bucket, name, owner, upsert } = target
  const fresh = randomUUID()
  const statements: CallerStatement[] = [
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
        JSON.stringify({ ...sizes, mimetype: mimeType, cacheControl, xRobotsTag: robots }),
        userMetadata && JSON.stringify(userMetadata),
      ],
    },
  ]
  const [, prepared] = await withPipeline(database, context, statements, end)
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

/** The column `owner` takes nothing else; subjects of other issuers are stored in owner_id only. */
export function isUuid(text: string | null): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text ?? '')
}
