// Rows of auth.identities: the ways in which a user signs in. For e-mail and phone the provider's id is the user's, for
// others it is the id that their provider gives the person.
import type { Queryable } from '../../sql/queryable.ts'
import type { AddressKind } from '../addresses.ts'

/** An identity as `json_agg` gives it: dates are texts. */
export type Identity = {
  id: string
  provider_id: string
  user_id: string
  identity_data: Record<string, unknown>
  provider: string
  last_sign_in_at: string | null
  created_at: string | null
  updated_at: string | null
  email: string | null
}

/** The claims of a new e-mail or phone identity, before anything is verified. */
export const localClaims = (userId: string, claims: { email?: string; phone?: string }) => ({
  sub: userId,
  ...claims,
  email_verified: false,
  phone_verified: false,
})

/** Adds an identity for a local provider. Throws on a second one of the same provider. */
export async function insertIdentity(
  client: Queryable,
  userId: string,
  provider: AddressKind,
  data: Record<string, unknown>,
): Promise<void> {
  await client.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
     values ($1, $1::text::uuid, $2, $3, now(), now(), now())`,
    [userId, JSON.stringify(data), provider],
  )
}

/** Merges `data` into the user's identity of this provider, or adds the identity when there is none. */
export async function mergeIdentity(
  client: Queryable,
  userId: string,
  provider: AddressKind,
  data: Record<string, unknown>,
): Promise<void> {
  const { rowCount } = await client.query(
    `update auth.identities set identity_data = identity_data || $3::jsonb, updated_at = now()
     where provider_id = $1 and provider = $2`,
    [userId, provider, JSON.stringify(data)],
  )
  if (rowCount === 0) {
    await insertIdentity(client, userId, provider, { ...localClaims(userId, {}), ...data })
  }
}

/** The identity of a provider's person, whoever has it. */
export async function findIdentity(
  client: Queryable,
  provider: string,
  providerId: string,
): Promise<Identity | null> {
  const { rows } = await client.query<{ identity: Identity }>(
    'select to_json(i) as identity from auth.identities i where provider = $1 and provider_id = $2',
    [provider, providerId],
  )
  return rows[0]?.identity ?? null
}

/** Adds an identity that another service vouches for. Throws on one that exists already. */
export async function insertExternalIdentity(
  client: Queryable,
  userId: string,
  { provider, providerId, data }: { provider: string; providerId: string; data: Record<string, unknown> },
): Promise<Identity> {
  const { rows } = await client.query<{ identity: Identity }>(
    `insert into auth.identities as i
       (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
     values ($1, $2, $3, $4, now(), now(), now()) returning to_json(i) as identity`,
    [providerId, userId, JSON.stringify(data), provider],
  )
  return (rows[0] as { identity: Identity }).identity
}

/** Notes a sign-in by an identity, and the person's current data from its provider. */
export async function noteIdentity(
  client: Queryable,
  id: string,
  data: Record<string, unknown>,
): Promise<Identity> {
  const { rows } = await client.query<{ identity: Identity }>(
    `update auth.identities i set identity_data = $2, last_sign_in_at = now(), updated_at = now()
     where id = $1 returning to_json(i) as identity`,
    [id, JSON.stringify(data)],
  )
  return (rows[0] as { identity: Identity }).identity
}

/**
 * Deletes all of the user's identities but `kept`; without it, those that other services vouch for, and an account that
 * has an e-mail address has that as its identity.
 */
export async function deleteOtherIdentities(
  client: Queryable,
  user: { id: string; email: string | null },
  kept?: string,
): Promise<void> {
  const { rowCount } = await client.query(
    `delete from auth.identities
     where user_id = $1 and case when $2::uuid is null then provider not in ('email', 'phone') else id <> $2 end`,
    [user.id, kept ?? null],
  )
  if (!kept && rowCount && user.email) await mergeIdentity(client, user.id, 'email', { email: user.email })
}

export async function deleteIdentity(client: Queryable, id: string): Promise<void> {
  await client.query('delete from auth.identities where id = $1', [id])
}

/** Sets app_metadata's `provider` and `providers` to what the user's identities are. */
export async function syncProviders(client: Queryable, userId: string): Promise<void> {
  await client.query(
    `update auth.users set raw_app_meta_data = coalesce(raw_app_meta_data, '{}') || (
       select case when count(*) = 0 then '{"providers": []}'::jsonb
         else jsonb_build_object('provider', (array_agg(provider order by created_at, provider))[1],
                                 'providers', jsonb_agg(distinct provider)) end
       from auth.identities where user_id = $1)
     where id = $1`,
    [userId],
  )
}

/** GoTrue's JSON of an identity, where `id` is the provider's id and `identity_id` the row's. */
export function identityJson(identity: Identity) {
  const { id, provider_id, identity_data, user_id, provider, email, ...times } = identity
  const dates = Object.entries(times).filter(([, value]) => value !== null)
  return {
    identity_id: id,
    id: provider_id,
    user_id,
    identity_data,
    provider,
    ...Object.fromEntries(dates.map(([name, value]) => [name, new Date(value as string).toISOString()])),
    ...(email ? { email } : {}),
  }
}
