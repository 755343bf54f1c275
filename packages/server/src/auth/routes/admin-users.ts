// /admin/users: accounts as administrators read, create, change and delete them.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { checkEmail, checkPhone } from '../addresses.ts'
import { flag, object, text } from '../body.ts'
import { invalid, notFound, unprocessable } from '../errors.ts'
import { addressTaken, confirmAddress, createAccount, rethrowTaken, setPassword } from '../flows/accounts.ts'
import { checkPassword, hashPassword, isBcrypt } from '../flows/passwords.ts'
import { softDelete } from '../flows/soft-delete.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService } from '../service.ts'
import { audit } from '../store/audit.ts'
import { mergeIdentity } from '../store/identities.ts'
import { clearTokens } from '../store/one-time-tokens.ts'
import {
  findAddressOwner,
  findUserById,
  mergeMetadata,
  reloadUser,
  type User,
  updateUser,
  userJson,
} from '../store/users.ts'
import { readBan } from './ban-duration.ts'

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

type Body = z.output<typeof adminUserBody>
type Request = AuthRequest<Body, 'service'>

export async function getUser({ database }: AuthService, { params }: AuthRequest): Promise<Answer> {
  return json(userJson(await findUser(database.pool, params.id)))
}

/** Throws user_not_found, or validation_failed for an id that is no UUID. */
export async function findUser(client: Queryable, id = '', options: { lock?: boolean } = {}): Promise<User> {
  if (!isUuid(id)) throw notFound('validation_failed', 'user_id must be an UUID')
  const user = await findUserById(client, id, options)
  if (!user) throw notFound('user_not_found', 'User not found')
  return user
}

/** GoTrue has other words for a phone number here than in `PUT /user`. */
const TAKEN = {
  email: () => addressTaken('email'),
  phone: () => unprocessable('phone_exists', 'Phone number already registered by another user'),
}

/** Creates an account, confirmed where the body says so. Throws email_exists, phone_exists. */
export async function createUser(service: AuthService, { body, origin, admin }: Request): Promise<Answer> {
  if (body.email === '' && body.phone === '') {
    throw invalid('Cannot create a user without either an email or phone')
  }
  const { email, phone } = readAddresses(body)
  if (body.password !== '' && body.password_hash !== '') {
    throw invalid('Only a password or a password hash should be provided')
  }
  if (body.password_hash !== '' && !isBcrypt(body.password_hash)) {
    throw invalid('password_hash must be a bcrypt hash')
  }
  if (body.id !== '' && !isUuid(body.id)) throw invalid('ID must conform to the uuid v4 format')
  if (/^[0-]+$/.test(body.id)) throw invalid('ID cannot be a nil uuid')
  if (body.password !== '') await checkPassword(body.password, service)
  const bannedUntil = readBan(body.ban_duration)
  // Without a password the person signs in by links and codes.
  const encryptedPassword =
    body.password_hash || (body.password && (await hashPassword(body.password))) || null

  const created = service.database.transaction(async (client) => {
    for (const [kind, value] of [['email', email] as const, ['phone', phone] as const]) {
      if (value && (await findAddressOwner(client, { kind, value }))) throw TAKEN[kind]()
    }
    const { id } = await createAccount(client, {
      email,
      phone,
      encryptedPassword,
      aud: body.aud || undefined,
      id: body.id || undefined,
      role: body.role || undefined,
      data: body.user_metadata ?? {},
    })
    const user = await applyChanges(client, id, body, bannedUntil)
    await audit(client, origin.ip, admin, 'user_signedup', traitsOf(user))
    return user
  })
  return json(userJson(await created.catch(rethrowTaken)))
}

/** Changes an account at once, without messages that confirm anything. Throws email_exists, phone_exists. */
export async function changeUser(service: AuthService, request: Request): Promise<Answer> {
  const { body, params, origin, admin } = request
  const addresses = readAddresses(body)
  if (body.password !== '') await checkPassword(body.password, service)
  const bannedUntil = readBan(body.ban_duration)
  const encryptedPassword = body.password === '' ? null : await hashPassword(body.password)

  const changed = service.database.transaction(async (client) => {
    const { id } = await findUser(client, params.id, { lock: true })
    if (encryptedPassword) await setPassword(client, id, encryptedPassword)
    for (const kind of ['email', 'phone'] as const) {
      const value = addresses[kind]
      if (!value) continue
      const confirm = body[`${kind}_confirm`]
      await updateUser(client, id, { [kind]: value, ...(confirm ? { is_anonymous: false } : {}) })
      await mergeIdentity(client, id, kind, { [kind]: value, [`${kind}_verified`]: confirm })
    }
    // Codes sent to the old address must not open an account that has moved.
    if (addresses.email || addresses.phone) await clearTokens(client, id)
    if (body.role !== '') await updateUser(client, id, { role: body.role })
    const user = await applyChanges(client, id, body, bannedUntil)
    await audit(client, origin.ip, admin, 'user_modified', traitsOf(user))
    return user
  })
  return json(userJson(await changed.catch(rethrowTaken)))
}

const readAddresses = ({ email, phone }: Body) => ({
  email: email === '' ? undefined : checkEmail(email),
  phone: phone === '' ? undefined : checkPhone(phone),
})

/** Applies the fields that creating and changing an account share. */
async function applyChanges(
  client: Queryable,
  id: string,
  body: Body,
  bannedUntil: Date | null | undefined,
): Promise<User> {
  const user = await reloadUser(client, id)
  if (body.app_metadata) await mergeMetadata(client, id, 'raw_app_meta_data', body.app_metadata)
  if (body.user_metadata) await mergeMetadata(client, id, 'raw_user_meta_data', body.user_metadata)
  if (body.email_confirm) await confirmAddress(client, user, 'email')
  if (body.phone_confirm) await confirmAddress(client, user, 'phone')
  if (bannedUntil !== undefined) await updateUser(client, id, { banned_until: bannedUntil })
  return reloadUser(client, id)
}

const traitsOf = ({ id, email, phone }: User) => ({
  user_id: id,
  user_email: email ?? '',
  user_phone: phone ?? '',
})

export const deleteUserBody = z.object({ should_soft_delete: flag(false) })

export async function deleteUser(
  { database }: AuthService,
  { body, params, origin, admin }: AuthRequest<z.output<typeof deleteUserBody>, 'service'>,
): Promise<Answer> {
  await database.transaction(async (client) => {
    const user = await findUser(client, params.id, { lock: true })
    await audit(client, origin.ip, admin, 'user_deleted', traitsOf(user))
    if (!body.should_soft_delete) await client.query('delete from auth.users where id = $1', [user.id])
    else if (!user.deleted_at) await softDelete(client, user)
  })
  return json({})
}
