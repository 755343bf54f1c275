// The signer of an upload URL. The URL works only while its signer may still write the object.
import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../http/authenticator.ts'
import { accessDenied, invalidSignature, StorageError } from '../errors.ts'
import { isUuid, type Target, writeRow } from '../objects/write-row.ts'
import type { ObjectName } from '../request.ts'
import type { StorageService } from '../service.ts'
import type { CallerContext } from '../transaction.ts'
import type { Signer, UploadToken } from './tokens.ts'

/** How long an upload's address holds, in seconds: two hours, as on Supabase. */
const UPLOAD_TTL_SECONDS = 2 * 3600

/** Claims about the access token itself. */
const TOKEN_CLAIMS = ['iat', 'exp', 'nbf', 'jti']

const accountClosed = () => accessDenied('The account that signed this address may no longer upload')

/** Checks whether policies let the caller write that object, and writes nothing. Throws when they do not. */
export async function requireRightToUpload(
  service: StorageService,
  context: CallerContext,
  target: Target,
): Promise<void> {
  const place = { bucket: target.bucket, name: target.name, version: '00000000-0000-0000-0000-000000000000' }
  const nothing = { mimeType: 'application/octet-stream', cacheControl: 'no-cache', userMetadata: null }
  await writeRow(service, context, target, place, nothing, {}, 'rollback')
}

/**
 * The claims that an address must contain about its signer, and its lifetime in seconds. For an account these are the
 * claims that differ from the account; e-mail and metadata are read again instead. Throws if the account is banned or
 * gone.
 */
export async function describeSigner(
  service: StorageService,
  { claims, role }: Caller,
): Promise<{ signer: Signer; lifetime: number }> {
  const account = await claimsOfAccount(service, claims.sub)
  if (account === 'closed') throw accountClosed()
  const own = Object.entries({ ...claims, role }).filter(
    ([name, value]) => !TOKEN_CLAIMS.includes(name) && !isDeepStrictEqual(account?.[name], value),
  )
  // A claim that differs from the account is older, or comes from a hook: the address lasts no longer than the access
  // token.
  const differs = account !== null && own.some(([name]) => name in account)
  const left = Number(claims.exp) - Math.floor(Date.now() / 1000)
  const lifetime = differs && left > 0 ? Math.min(left, UPLOAD_TTL_SECONDS) : UPLOAD_TTL_SECONDS
  return { signer: { account: account !== null, claims: Object.fromEntries(own) }, lifetime }
}

/**
 * Throws unless whoever signed the address still has an account that is not banned, and could still put the object
 * there. `context` is the upload's; a name that is taken meanwhile is left for the upload to find.
 */
export async function requireSigner(
  service: StorageService,
  context: CallerContext,
  { bucket, name }: ObjectName,
  { owner, upsert, signer }: UploadToken,
): Promise<void> {
  if (typeof signer?.claims !== 'object') throw invalidSignature()
  const account = signer.account ? await claimsOfAccount(service, owner) : {}
  if (account === 'closed' || account === null) throw accountClosed()
  const claims: Record<string, unknown> = { ...account, ...signer.claims }
  const caller: Caller = { role: String(claims.role), claims, token: null }
  const signing = { ...context, caller, operation: 'storage.object.sign_upload_url' }
  try {
    await requireRightToUpload(service, signing, { bucket, name, owner: owner ?? null, upsert })
  } catch (error) {
    if (!(error instanceof StorageError && error.statusCode === 409)) throw error
  }
}

/** The claims of an access token as the account has them now; null where there is none, 'closed' for a banned one. */
async function claimsOfAccount(
  { database }: StorageService,
  id: unknown,
): Promise<Record<string, unknown> | 'closed' | null> {
  if (typeof id !== 'string' || !isUuid(id)) return null
  const { rows } = await database.pool.query<{ closed: boolean; claims: Record<string, unknown> }>(
    `select deleted_at is not null or coalesce(banned_until > now(), false) as closed, jsonb_build_object(
       'sub', id, 'aud', coalesce(aud, 'authenticated'), 'role', coalesce(nullif(role, ''), 'authenticated'),
       'email', coalesce(email, ''), 'phone', coalesce(phone, ''), 'is_anonymous', is_anonymous,
       'app_metadata', coalesce(raw_app_meta_data, '{}'), 'user_metadata', coalesce(raw_user_meta_data, '{}')
     ) as claims
     from auth.users where id = $1`,
    [id],
  )
  if (!rows[0]) return null
  return rows[0].closed ? 'closed' : rows[0].claims
}
