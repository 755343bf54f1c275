// POST /admin/generate_link: makes a link of any type without mailing it.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { type Address, checkEmail } from '../addresses.ts'
import { object, text } from '../body.ts'
import { actionLink, type LinkType } from '../emails/send.ts'
import { invalid, notFound } from '../errors.ts'
import { type AccountRequest, addressTaken, proposeAccount, rethrowTaken } from '../flows/accounts.ts'
import { auditInvitation, lockAccount, prepareAccount } from '../flows/invitations.ts'
import { checkPassword, hashPassword } from '../flows/passwords.ts'
import { isAddressHeld } from '../flows/unconfirmed.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { hashCode, makeCode, storeToken, type TokenType } from '../store/one-time-tokens.ts'
import { mergeMetadata, reloadUser, type User, updateUser, userJson } from '../store/users.ts'

export const generateLinkBody = z.object({
  type: text,
  email: text,
  new_email: text,
  password: text,
  data: object,
  redirect_to: text,
})

type Body = z.output<typeof generateLinkBody>
type Request = AuthRequest<Body, 'service'>

const LINK_TYPES = ['signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new']

/** Those for which an address needs no account yet. */
const MAKE_ACCOUNTS = ['signup', 'invite', 'magiclink']

/** Answers the user with the link, its code and its hash. Throws email_exists, user_not_found, weak_password. */
export async function generateLink(service: AuthService, request: Request): Promise<Answer> {
  const { body, origin } = request
  const { database, keys, settings } = service
  const address: Address = { kind: 'email', value: checkEmail(body.email) }
  await checkLink(service, body)
  const redirectTo = service.redirectAllowed(body.redirect_to) ? body.redirect_to : origin.redirectTo
  const encryptedPassword = body.type === 'signup' ? await hashPassword(body.password) : null

  const account = { address, encryptedPassword, data: body.data ?? {} }
  const proposed = MAKE_ACCOUNTS.includes(body.type)
    ? await proposeAccount<AccountRequest>(service, account, origin.ip)
    : account

  const made = database.transaction(async (client) => {
    const existing = await lockAccount(client, address)
    // A magic link for an address without an account creates one.
    const type = body.type === 'magiclink' && !existing ? 'signup' : body.type
    const user = await accountFor(client, type, existing, proposed, origin)
    const code = makeCode(settings.email.otp_length)
    const token = await noteLink(client, type, user, request)
    const hash = hashCode(keys, token.relatesTo, code)
    await storeToken(client, { userId: user.id, hash, ...token })
    const link = type.startsWith('email_change') ? 'email_change' : (type as LinkType)
    return {
      ...userJson(await reloadUser(client, user.id)),
      action_link: actionLink(service, { hash, link, redirectTo }),
      email_otp: code,
      hashed_token: hash,
      verification_type: type,
      redirect_to: redirectTo,
    }
  })
  return json(await made.catch(rethrowTaken))
}

async function checkLink(service: AuthService, { type, password }: Body): Promise<void> {
  if (!LINK_TYPES.includes(type)) throw invalid(`Invalid email action link type requested: ${type}`)
  if (type === 'email_change_current' && !service.settings.email.double_confirm_changes) {
    throw invalid('Enable secure email change to generate link for current email')
  }
  if (type === 'signup') {
    if (password === '') throw invalid('Signup requires a valid password')
    await checkPassword(password, service)
  }
}

async function accountFor(
  client: Queryable,
  type: string,
  existing: User | null,
  account: AccountRequest,
  { ip }: Origin,
): Promise<User> {
  if (type === 'invite') return prepareAccount(client, { ...account, encryptedPassword: null })
  if (type === 'signup') {
    const user = await prepareAccount(client, account)
    if (user.id !== existing?.id) return user
    await updateUser(client, user.id, { encrypted_password: account.encryptedPassword })
    return mergeMetadata(client, user.id, 'raw_user_meta_data', account.data)
  }
  if (!existing) throw notFound('user_not_found', 'User with this email not found')
  if (type === 'magiclink' || type === 'recovery') {
    await audit(client, ip, existing, 'user_recovery_requested')
  }
  return existing
}

/** Notes on the user when and for what the link was made. Answers the kind of its token and the address it is for. */
async function noteLink(
  client: Queryable,
  type: string,
  user: User,
  { body, origin, admin }: Request,
): Promise<{ type: TokenType; relatesTo: string }> {
  const now = new Date()
  const email = user.email ?? ''
  if (type === 'magiclink' || type === 'recovery') {
    await updateUser(client, user.id, { recovery_sent_at: now })
    return { type: 'recovery_token', relatesTo: email }
  }
  if (type === 'signup' || type === 'invite') {
    if (type === 'invite') await auditInvitation(client, user, origin, admin)
    const invited = type === 'invite' ? { invited_at: now } : {}
    await updateUser(client, user.id, { confirmation_sent_at: now, ...invited })
    return { type: 'confirmation_token', relatesTo: email }
  }
  const newEmail = checkEmail(body.new_email)
  if (await isAddressHeld(client, { kind: 'email', value: newEmail }, user.id)) throw addressTaken('email')
  await updateUser(client, user.id, {
    email_change: newEmail,
    email_change_sent_at: now,
    email_change_confirm_status: 0,
  })
  return type === 'email_change_new'
    ? { type: 'email_change_token_new', relatesTo: newEmail }
    : { type: 'email_change_token_current', relatesTo: email }
}
