// /admin/users: accounts as the service role sees and changes them.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Queryable } from '../../jobs/jobs.ts'
import { checkEmail, checkPhone } from '../addresses.ts'
import { flag, object, text } from '../body.ts'
import { invalid, isDuplicate, notFound, unprocessable } from '../errors.ts'
import {
  confirmEmail,
  confirmPhone,
  createAccount,
  emailTaken,
  isEmailTaken,
  isPhoneTaken,
  phoneTaken,
  setPassword,
} from '../flows/accounts.ts'
import { checkPassword, hashPassword, isBcrypt } from '../flows/passwords.ts'
import { type AuthService, audience, isUuid, type Origin } from '../service.ts'
import { adminActor, audit } from '../store/audit.ts'
import { mergeIdentity } from '../store/identities.ts'
import { clearTokens } from '../store/one-time-tokens.ts'
import { endSessions } from '../store/sessions.ts'
import {
  findUserById,
  findUserByPhone,
  findUserOwningEmail,
  mergeMetadata,
  reloadUser,
  type User,
  updateUser,
} from '../store/users.ts'

/** An administrative act: who, by role, and from where. */
export type AdminOrigin = Origin & { role: string }

const actorOf = ({ role }: AdminOrigin) => adminActor(role)
const traitsOf = ({ id, email, phone }: User) => ({
  user_id: id,
  user_email: email ?? '',
  user_phone: phone ?? '',
})

export const adminUserBody = z.object({
  id: text,
  aud: text,
  role: text,
  email: text,
  phone: text,
  password: text,
  password_hash: text,
  email_confirm: flag(false),
  phone_confirm: flag(false),
  user_metadata: object,
  app_metadata: object,
  ban_duration: text,
})

type AdminUserBody = z.output<typeof adminUserBody>

/** One page of users, newest first or as `sort` says, and how many there are in all. */
export async function listUsers(
  { database }: AuthService,
  { page, perPage, filter, ascending }: { page: number; perPage: number; filter: string; ascending: boolean },
): Promise<{ users: User[]; total: number }> {
  const pattern = filter === '' ? null : `%${filter.replace(/[\\%_]/g, '\\$&')}%`
  const where = `coalesce(u.aud, '') = $1 and ($2::text is null or u.email ilike $2
    or u.raw_user_meta_data ->> 'full_name' ilike $2)`
  const { rows: counted } = await database.pool.query<{ total: number }>(
    `select count(*)::int as total from auth.users u where ${where}`,
    [audience, pattern],
  )
  const direction = ascending ? 'asc' : 'desc'
  const { rows } = await database.pool.query<{ id: string }>(
    `select u.id from auth.users u where ${where}
     order by u.created_at ${direction}, u.id ${direction} limit $3 offset $4`,
    [audience, pattern, perPage, (page - 1) * perPage],
  )
  const users = await Promise.all(rows.map(({ id }) => findUserById(database.pool, id)))
  return { users: users.filter((user) => user !== null), total: counted[0]?.total ?? 0 }
}

/** Throws user_not_found, or validation_failed for an id that is no UUID. */
export async function getUser(
  client: Queryable,
  id: string,
  options: { lock?: boolean } = {},
): Promise<User> {
  if (!isUuid(id)) throw notFound('validation_failed', 'user_id must be an UUID')
  const user = await findUserById(client, id, options)
  if (!user) throw notFound('user_not_found', 'User not found')
  return user
}

/** Makes an account, confirmed where the body says so. Throws email_exists, phone_exists. */
export async function createUser(
  service: AuthService,
  body: AdminUserBody,
  origin: AdminOrigin,
): Promise<User> {
  const { settings, database } = service
  if (body.email === '' && body.phone === '') {
    throw invalid('Cannot create a user without either an email or phone')
  }
  const email = body.email === '' ? undefined : checkEmail(body.email)
  const phone = body.phone === '' ? undefined : checkPhone(body.phone)
  if (body.password !== '' && body.password_hash !== '') {
    throw invalid('Only a password or a password hash should be provided')
  }
  if (body.password_hash !== '' && !isBcrypt(body.password_hash)) {
    throw invalid('password_hash must be a bcrypt hash')
  }
  if (body.id !== '' && (!isUuid(body.id) || /^[0-]+$/.test(body.id))) {
    throw invalid('ID must conform to the uuid v4 format')
  }
  if (body.password !== '') checkPassword(body.password, settings)
  const bannedUntil = readBan(body.ban_duration)
  // Without a password the person signs in by links and codes.
  const encryptedPassword =
    body.password_hash || (body.password && (await hashPassword(body.password))) || null

  const create = database.transaction(async (client) => {
    if (email && (await findUserOwningEmail(client, email, audience))) throw emailTaken()
    if (phone && (await findUserByPhone(client, phone, audience))) throw phoneTaken()
    const created = await createAccount(client, {
      ...{ email, phone, encryptedPassword },
      aud: body.aud || audience,
      id: body.id || undefined,
      role: body.role || undefined,
      data: body.user_metadata ?? {},
    })
    await applyAdminChanges(client, created, body, bannedUntil)
    const user = await reloadUser(client, created.id)
    await audit(client, origin.ip, actorOf(origin), 'user_signedup', traitsOf(user))
    return user
  })
  return create.catch(rethrowTaken)
}

/** Changes an account at once, without emails to confirm anything. */
export async function changeUser(
  service: AuthService,
  id: string,
  body: AdminUserBody,
  origin: AdminOrigin,
): Promise<User> {
  const { settings, database } = service
  const email = body.email === '' ? undefined : checkEmail(body.email)
  const phone = body.phone === '' ? undefined : checkPhone(body.phone)
  if (body.password !== '') checkPassword(body.password, settings)
  const bannedUntil = readBan(body.ban_duration)
  const encryptedPassword = body.password === '' ? null : await hashPassword(body.password)

  const change = database.transaction(async (client) => {
    const user = await getUser(client, id, { lock: true })
    if (encryptedPassword) await setPassword(client, user.id, encryptedPassword)
    if (email) {
      await updateUser(client, user.id, { email, ...(body.email_confirm ? { is_anonymous: false } : {}) })
      await mergeIdentity(client, user.id, 'email', { email, email_verified: body.email_confirm })
    }
    if (phone) {
      await updateUser(client, user.id, { phone, ...(body.phone_confirm ? { is_anonymous: false } : {}) })
      await mergeIdentity(client, user.id, 'phone', { phone, phone_verified: body.phone_confirm })
    }
    // Codes sent to the old address must not open an account that has moved.
    if (email || phone) await clearTokens(client, user.id)
    if (body.role !== '') await updateUser(client, user.id, { role: body.role })
    await applyAdminChanges(client, await reloadUser(client, user.id), body, bannedUntil)
    const changed = await reloadUser(client, user.id)
    await audit(client, origin.ip, actorOf(origin), 'user_modified', traitsOf(changed))
    return changed
  })
  return change.catch(rethrowTaken)
}

async function applyAdminChanges(
  client: Queryable,
  user: User,
  body: AdminUserBody,
  bannedUntil: Date | null | undefined,
): Promise<void> {
  if (body.app_metadata) await mergeMetadata(client, user.id, 'raw_app_meta_data', body.app_metadata)
  if (body.user_metadata) await mergeMetadata(client, user.id, 'raw_user_meta_data', body.user_metadata)
  if (body.email_confirm) await confirmEmail(client, user)
  if (body.phone_confirm) await confirmPhone(client, user)
  if (bannedUntil !== undefined) await updateUser(client, user.id, { banned_until: bannedUntil })
}

/** Throws email_exists, phone_exists or conflict for the row that somebody else has inserted meanwhile. */
export function rethrowTaken(error: unknown): never {
  if (isEmailTaken(error)) throw emailTaken()
  if (isPhoneTaken(error)) throw phoneTaken()
  if (isDuplicate(error, 'users_pkey')) throw unprocessable('conflict', 'A user with this id exists already')
  throw error
}

export const deleteUserBody = z.object({ should_soft_delete: flag(false) })

/** Deletes the account, or, softly, leaves a row without anything that tells whose it was. */
export async function deleteUser(
  { database }: AuthService,
  id: string,
  { should_soft_delete: softly }: z.output<typeof deleteUserBody>,
  origin: AdminOrigin,
): Promise<void> {
  await database.transaction(async (client) => {
    const user = await getUser(client, id, { lock: true })
    await audit(client, origin.ip, actorOf(origin), 'user_deleted', traitsOf(user))
    if (!softly) await client.query('delete from auth.users where id = $1', [user.id])
    else if (!user.deleted_at) await forgetUser(client, user)
  })
}

/** What is left of a value: enough to find the row by somebody who knows both id and value. */
const obscure = (id: string, value: string): string =>
  createHash('sha256')
    .update(id + value)
    .digest('base64url')

async function forgetUser(client: Queryable, user: User): Promise<void> {
  await updateUser(client, user.id, {
    email: obscure(user.id, user.email ?? ''),
    phone: obscure(user.id, user.phone ?? '').slice(0, 15),
    email_change: obscure(user.id, user.email_change ?? ''),
    phone_change: obscure(user.id, user.phone_change ?? '').slice(0, 15),
    encrypted_password: null,
    deleted_at: new Date(),
  })
  await client.query(
    `update auth.users set raw_user_meta_data = '{}', raw_app_meta_data = '{}' where id = $1`,
    [user.id],
  )
  for (const identity of user.identities) {
    await client.query(`update auth.identities set identity_data = '{}', provider_id = $2 where id = $1`, [
      identity.id,
      obscure(user.id, `${identity.provider}:${identity.provider_id}`),
    ])
  }
  await client.query('delete from auth.mfa_factors where user_id = $1', [user.id])
  await clearTokens(client, user.id)
  await endSessions(client, user.id)
}

const units: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
/** A thousand years: longer bans would leave what dates can hold. */
const longestBan = 1000 * 365 * 24 * 3_600_000

/** Until when a ban of this duration ("24h", "1h30m") lasts; null lifts it, undefined leaves it. */
function readBan(duration: string): Date | null | undefined {
  if (duration === '') return undefined
  if (duration === 'none') return null
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== duration) {
    throw invalid(`invalid format for ban duration: time: invalid duration ${JSON.stringify(duration)}`)
  }
  const length = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? 's'] ?? 0), 0)
  return length === 0 ? null : new Date(Date.now() + Math.min(length, longestBan))
}
