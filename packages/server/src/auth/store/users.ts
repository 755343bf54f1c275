// Rows of auth.users: finding, making and changing them, and the JSON by which clients know a user.
import { randomUUID } from 'node:crypto'
import type { Statement } from '../../sql/pipeline.ts'
import { prepared, type Queryable } from '../../sql/queryable.ts'
import type { Address } from '../addresses.ts'
import { type Factor, factorJson } from './factors.ts'
import { type Identity, identityJson } from './identities.ts'
import type { Session } from './sessions.ts'

export type Metadata = Record<string, unknown>

/** A user with its identities and factors, as read from the database; dates are `Date`s, empty texts may be null. */
export type User = {
  id: string
  aud: string | null
  role: string | null
  email: string | null
  encrypted_password: string | null
  email_confirmed_at: Date | null
  invited_at: Date | null
  confirmation_sent_at: Date | null
  recovery_sent_at: Date | null
  email_change: string | null
  email_change_sent_at: Date | null
  email_change_confirm_status: number | null
  last_sign_in_at: Date | null
  raw_app_meta_data: Metadata | null
  raw_user_meta_data: Metadata | null
  created_at: Date | null
  updated_at: Date | null
  phone: string | null
  phone_confirmed_at: Date | null
  phone_change: string | null
  phone_change_sent_at: Date | null
  confirmed_at: Date | null
  banned_until: Date | null
  reauthentication_sent_at: Date | null
  is_sso_user: boolean
  deleted_at: Date | null
  is_anonymous: boolean
  identities: Identity[]
  factors: Factor[]
}

/** Columns that the service itself sets. */
type Changes = Partial<
  Omit<User, 'id' | 'identities' | 'factors' | 'confirmed_at' | 'raw_app_meta_data' | 'raw_user_meta_data'>
>

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** The `aud` of every account and token: GoTrue's default, and the only one here. */
export const AUDIENCE = 'authenticated'

const COLUMNS =
  `id, aud, role, email, encrypted_password, email_confirmed_at, invited_at, confirmation_sent_at,
  recovery_sent_at, email_change, email_change_sent_at, email_change_confirm_status, last_sign_in_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at, phone, phone_confirmed_at, phone_change, phone_change_sent_at, confirmed_at,
  banned_until, reauthentication_sent_at, is_sso_user, deleted_at, is_anonymous`
    .split(/,\s+/)
    .map((name) => `u.${name}`)
    .join(', ')

/** A whole user, as the row `u`. */
export const WHOLE_USER = `${COLUMNS}, (
    select coalesce(json_agg(i order by i.created_at, i.id), '[]') from auth.identities i where i.user_id = u.id
  ) as identities, (
    select coalesce(json_agg(f order by f.created_at, f.id), '[]') from (
      select m.*, p.until as provisional_until from auth.mfa_factors m
      left join auth.provisional_factors p on p.factor_id = m.id where m.user_id = u.id
    ) f
  ) as factors`
const SELECT_USER = `select ${WHOLE_USER} from auth.users u`

/** `lock` holds the row until the transaction ends, so that changes of one user happen one after the other. */
type Options = { lock?: boolean }

async function findUser(
  client: Queryable,
  condition: string,
  values: unknown[],
  { lock = false }: Options,
): Promise<User | null> {
  const { rows } = await client.query<User>(
    prepared(`${SELECT_USER} where ${condition} limit 1${lock ? ' for update of u' : ''}`, values),
  )
  return rows[0] ?? null
}

/** The statement that reads a user; `lock` as above. */
export const selectUser = (id: string, { lock = false }: Options = {}): Statement => ({
  text: `${SELECT_USER} where u.id = $1${lock ? ' for update of u' : ''}`,
  values: [id],
})

export const findUserById = (client: Queryable, id: string, options: Options = {}): Promise<User | null> =>
  findUser(client, 'u.id = $1', [id], options)

/** A user and one of its sessions, which is null when it is not there; in one statement, as each request asks. */
export async function findUserAndSession(
  client: Queryable,
  { userId, sessionId }: { userId: string; sessionId: string | null },
  { lock = false }: Options = {},
): Promise<{ user: User; session: Session | null } | null> {
  const { rows } = await client.query<User & { session: (Session & { created_at: string }) | null }>(
    prepared(
      `select ${WHOLE_USER}, (
         select json_build_object('id', s.id, 'user_id', s.user_id, 'created_at', s.created_at, 'aal', s.aal,
           'oauth_client_id', s.oauth_client_id, 'scopes', s.scopes)
         from auth.sessions s where s.id = $2 and s.user_id = u.id
       ) as session from auth.users u where u.id = $1${lock ? ' for update of u' : ''}`,
      [userId, sessionId],
    ),
  )
  const [row] = rows
  if (!row) return null
  const { session, ...user } = row
  return { user, session: session && { ...session, created_at: new Date(session.created_at) } }
}

/** The account that signs in with this address; accounts of single sign-on may share addresses and are left out. */
export const findUserByAddress = (
  client: Queryable,
  { kind, value }: Address,
  options: Options = {},
): Promise<User | null> =>
  findUser(
    client,
    `${kind === 'email' ? 'lower(u.email)' : 'u.phone'} = $1 and coalesce(u.aud, '') = $2 and not u.is_sso_user`,
    [value, AUDIENCE],
    options,
  )

/**
 * The account that has this address; an e-mail address may occur in one of its identities only. `except` is the id of
 * a user who does not count.
 */
export function findAddressOwner(
  client: Queryable,
  { kind, value }: Address,
  { except = NIL_UUID, ...options }: Options & { except?: string } = {},
): Promise<User | null> {
  const condition =
    kind === 'phone'
      ? 'u.phone = $1'
      : `u.id in (
           select id from auth.users where lower(email) = $1
           union all
           select user_id from auth.identities where email = $1 and provider not like 'sso:%')`
  const first = kind === 'phone' ? '' : ' order by lower(u.email) = $1 desc'
  return findUser(
    client,
    `u.id <> $3 and not u.is_sso_user and coalesce(u.aud, '') = $2 and ${condition}${first}`,
    [value, AUDIENCE, except],
    options,
  )
}

/**
 * The ids of the accounts, two at most, that have one of these e-mail addresses, in lower case: as their own, or in an
 * identity whose provider has verified it. `sso` is the one single sign-on to look at; without it, none is.
 */
export async function findOwnersOfAddresses(
  client: Queryable,
  addresses: string[],
  sso: string | null,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select u.id from auth.users u where coalesce(u.aud, '') = $2 and u.deleted_at is null and u.id in (
       select id from auth.users where $3::text is null and not is_sso_user and lower(email) = any ($1)
       union
       select user_id from auth.identities where email = any ($1) and identity_data ->> 'email_verified' = 'true'
         and (provider = $3 or $3 is null and provider not like 'sso:%')
     ) limit 2`,
    [addresses, AUDIENCE, sso],
  )
  return rows.map(({ id }) => id)
}

export type NewUser = {
  id?: string
  aud?: string
  role?: string
  email?: string
  phone?: string
  encryptedPassword?: string | null
  appMetadata: Metadata
  userMetadata: Metadata
  anonymous?: boolean
  /** Whether the account is of single sign-on, and may share its address. */
  sso?: boolean
}

/** Inserts a user and reads it back, since triggers may have changed it. Throws PostgreSQL's own errors. */
export async function insertUser(client: Queryable, user: NewUser): Promise<User> {
  const id = user.id ?? randomUUID()
  await client.query(
    `insert into auth.users (instance_id, id, aud, role, email, phone, encrypted_password, raw_app_meta_data,
       raw_user_meta_data, is_anonymous, is_sso_user, created_at, updated_at, confirmation_token, recovery_token,
       email_change_token_new, email_change)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now(), now(), '', '', '', '')`,
    [
      NIL_UUID,
      id,
      user.aud ?? AUDIENCE,
      user.role ?? 'authenticated',
      user.email || null,
      user.phone || null,
      user.encryptedPassword ?? null,
      JSON.stringify(user.appMetadata),
      JSON.stringify(user.userMetadata),
      user.anonymous ?? false,
      user.sso ?? false,
    ],
  )
  return reloadUser(client, id)
}

/** Sets columns of a user and returns the user as it now is. */
export async function updateUser(client: Queryable, id: string, changes: Changes): Promise<User> {
  const names = Object.keys(changes)
  const list = names.map((name, index) => `${name} = $${index + 2}`)
  await client.query(`update auth.users set ${[...list, 'updated_at = now()'].join(', ')} where id = $1`, [
    id,
    ...Object.values(changes),
  ])
  return reloadUser(client, id)
}

/** Merges into app or user metadata, key by key; keys set to null are removed. */
export async function mergeMetadata(
  client: Queryable,
  id: string,
  column: 'raw_app_meta_data' | 'raw_user_meta_data',
  changes: Metadata,
): Promise<User> {
  const removed = Object.keys(changes).filter((key) => changes[key] === null)
  await client.query(
    `update auth.users set ${column} = (coalesce(${column}, '{}') || $2::jsonb) - $3::text[], updated_at = now()
     where id = $1`,
    [id, JSON.stringify(changes), removed],
  )
  return reloadUser(client, id)
}

/** Puts other user metadata in the place of what there is. */
export async function replaceUserMetadata(client: Queryable, id: string, data: Metadata): Promise<void> {
  await client.query('update auth.users set raw_user_meta_data = $2, updated_at = now() where id = $1', [
    id,
    JSON.stringify(data),
  ])
}

/** The user as it is now. Throws when the row does not exist, which the caller's lock rules out. */
export async function reloadUser(client: Queryable, id: string): Promise<User> {
  const user = await findUserById(client, id)
  if (!user) throw new Error(`user ${id} no longer exists`)
  return user
}

export const isBanned = (user: User): boolean => user.banned_until !== null && user.banned_until > new Date()

/** GoTrue's JSON of a user: what the account's own person and admins may see. */
export function userJson(user: User): Record<string, unknown> {
  return dropEmpty({
    id: user.id,
    aud: user.aud ?? '',
    role: user.role ?? '',
    email: user.email ?? '',
    email_confirmed_at: user.email_confirmed_at,
    invited_at: user.invited_at,
    phone: user.phone ?? '',
    phone_confirmed_at: user.phone_confirmed_at,
    confirmation_sent_at: user.confirmation_sent_at,
    confirmed_at: user.confirmed_at,
    recovery_sent_at: user.recovery_sent_at,
    new_email: user.email_change || null,
    email_change_sent_at: user.email_change_sent_at,
    new_phone: user.phone_change || null,
    phone_change_sent_at: user.phone_change_sent_at,
    reauthentication_sent_at: user.reauthentication_sent_at,
    last_sign_in_at: user.last_sign_in_at,
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    identities: user.identities.map(identityJson),
    factors: user.factors.length > 0 ? user.factors.map(factorJson) : null,
    created_at: user.created_at,
    updated_at: user.updated_at,
    banned_until: user.banned_until,
    deleted_at: user.deleted_at,
    is_anonymous: user.is_anonymous,
  })
}

const dropEmpty = (json: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null && value !== undefined))
