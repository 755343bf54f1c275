// POST /invite and POST /admin/generate_link: accounts and links that an administrator makes for somebody.
import { z } from 'zod'
import type { Queryable } from '../../jobs/jobs.ts'
import { checkEmail } from '../addresses.ts'
import { object, text } from '../body.ts'
import { invalid, notFound } from '../errors.ts'
import { type AdminOrigin, rethrowTaken } from '../routes/admin-users.ts'
import { type AuthService, audience } from '../service.ts'
import { adminActor, audit } from '../store/audit.ts'
import { hashCode, makeCode, storeToken, type TokenType } from '../store/one-time-tokens.ts'
import {
  findUserById,
  findUserOwningEmail,
  type Metadata,
  mergeMetadata,
  reloadUser,
  type User,
  updateUser,
  userJson,
} from '../store/users.ts'
import { createAccount, emailTaken, replaceSignUp } from './accounts.ts'
import { actionLink, type LinkType, sendEmailCode } from './codes.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { isEmailHeld, isUnconfirmedSignUp, lockAddress } from './unconfirmed.ts'

export const inviteBody = z.object({ email: text, data: object })

/** Makes an unconfirmed account, or takes the one there is, and mails an invitation. Throws email_exists. */
export async function invite(
  service: AuthService,
  body: z.output<typeof inviteBody>,
  origin: AdminOrigin,
): Promise<User> {
  const email = checkEmail(body.email)
  const invited = service.database.transaction(async (client) => {
    const user = await preparedUser(client, { email, encryptedPassword: null, data: body.data ?? {} })
    await auditInvitation(client, user, origin)
    await sendEmailCode(client, service, user, 'invite', { redirectTo: origin.redirectTo })
    return updateUser(client, user.id, { invited_at: new Date() })
  })
  return invited.catch(rethrowTaken)
}

type Prepared = { email: string; encryptedPassword: string | null; data: Metadata }

/**
 * The unconfirmed account of that address, as an administrator describes it; one that is there by an administrator
 * already stays as it is. Throws email_exists for a confirmed one.
 */
async function preparedUser(client: Queryable, account: Prepared): Promise<User> {
  const user = await lockByEmail(client, account.email)
  if (user?.email_confirmed_at) throw emailTaken()
  if (!user) return createAccount(client, { ...account, aud: audience })
  if (!isUnconfirmedSignUp(user)) return user
  // Who signed up with this address before must not find themselves in the account of the person it is meant for.
  return replaceSignUp(client, user, { ...account, phone: '' }, 'administrator')
}

const auditInvitation = (client: Queryable, { id, email }: User, { ip, role }: AdminOrigin) =>
  audit(client, ip, adminActor(role), 'user_invited', { user_id: id, user_email: email })

async function lockByEmail(client: Queryable, email: string): Promise<User | null> {
  await lockAddress(client, email)
  const found = await findUserOwningEmail(client, email, audience)
  return found && findUserById(client, found.id, { lock: true })
}

export const generateLinkBody = z.object({
  type: text,
  email: text,
  new_email: text,
  password: text,
  data: object,
  redirect_to: text,
})

type LinkBody = z.output<typeof generateLinkBody>

const linkKinds = ['signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new']

/** Makes a link of the asked kind without mailing it; answers the user with the link, its code and its hash. */
export async function generateLink(service: AuthService, body: LinkBody, origin: AdminOrigin) {
  const { database, settings, redirectAllowed } = service
  const email = checkEmail(body.email)
  if (!linkKinds.includes(body.type)) {
    throw invalid(`Invalid email action link type requested: ${body.type}`)
  }
  if (body.type === 'email_change_current' && !settings.email.double_confirm_changes) {
    throw invalid('Enable secure email change to generate link for current email')
  }
  if (body.type === 'signup') {
    if (body.password === '') throw invalid('Signup requires a valid password')
    checkPassword(body.password, settings)
  }
  const redirectTo = redirectAllowed(body.redirect_to) ? body.redirect_to : origin.redirectTo
  const encryptedPassword = body.type === 'signup' ? await hashPassword(body.password) : null

  const made = database.transaction(async (client) => {
    const known = await lockByEmail(client, email)
    // A magic link for somebody without an account makes one.
    const kind = body.type === 'magiclink' && !known ? 'signup' : body.type
    const account = { email, encryptedPassword, data: body.data ?? {} }
    const user = await userForLink(client, kind, known, account, origin)
    const code = makeCode(settings.email.otp_length)
    const { hash } = await storeLink(client, service, kind, user, { code, body, origin })
    const link: LinkType = kind.startsWith('email_change') ? 'email_change' : (kind as LinkType)
    return {
      ...userJson(await reloadUser(client, user.id)),
      action_link: actionLink(service, { hash, link, redirectTo }),
      email_otp: code,
      hashed_token: hash,
      verification_type: kind,
      redirect_to: redirectTo,
    }
  })
  return made.catch(rethrowTaken)
}

async function userForLink(
  client: Queryable,
  kind: string,
  known: User | null,
  account: Prepared,
  { ip }: AdminOrigin,
): Promise<User> {
  if (kind === 'invite') return preparedUser(client, { ...account, encryptedPassword: null })
  if (kind === 'signup') {
    const user = await preparedUser(client, account)
    if (user.id !== known?.id) return user
    await updateUser(client, user.id, { encrypted_password: account.encryptedPassword })
    return mergeMetadata(client, user.id, 'raw_user_meta_data', account.data)
  }
  if (!known) throw notFound('user_not_found', 'User with this email not found')
  if (kind === 'magiclink' || kind === 'recovery') await audit(client, ip, known, 'user_recovery_requested')
  return known
}

/** Stores the link's token and notes on the user when and for what it was made. */
async function storeLink(
  client: Queryable,
  { keys }: AuthService,
  kind: string,
  user: User,
  { code, body, origin }: { code: string; body: LinkBody; origin: AdminOrigin },
): Promise<{ hash: string }> {
  const now = new Date()
  const store = async (type: TokenType, address: string) => {
    const hash = hashCode(keys, address, code)
    await storeToken(client, { userId: user.id, type, hash, relatesTo: address })
    return { hash }
  }
  const email = user.email ?? ''
  if (kind === 'magiclink' || kind === 'recovery') {
    await updateUser(client, user.id, { recovery_sent_at: now })
    return store('recovery_token', email)
  }
  if (kind === 'signup' || kind === 'invite') {
    if (kind === 'invite') await auditInvitation(client, user, origin)
    await updateUser(client, user.id, {
      confirmation_sent_at: now,
      ...(kind === 'invite' ? { invited_at: now } : {}),
    })
    return store('confirmation_token', email)
  }
  const newEmail = checkEmail(body.new_email)
  if (await isEmailHeld(client, newEmail, user.id)) throw emailTaken()
  await updateUser(client, user.id, {
    email_change: newEmail,
    email_change_sent_at: now,
    email_change_confirm_status: 0,
  })
  return kind === 'email_change_new'
    ? store('email_change_token_new', newEmail)
    : store('email_change_token_current', email)
}
