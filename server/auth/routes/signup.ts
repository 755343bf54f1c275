// POST /signup: new accounts by e-mail or phone and password, and anonymous ones.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Queryable } from '../../jobs/jobs.ts'
import type { Channel } from '../../sms/text.ts'
import { checkChannel, checkEmail, checkPhone } from '../addresses.ts'
import { challenge, object, text } from '../body.ts'
import { badRequest, invalid, unprocessable } from '../errors.ts'
import {
  type AskedAccount,
  confirmEmail,
  confirmPhone,
  createOwnAccount,
  isEmailTaken,
  isPhoneTaken,
  replaceSignUp,
} from '../flows/accounts.ts'
import { sendEmailCode, sendTextCode } from '../flows/codes.ts'
import { checkPassword, hashPassword } from '../flows/passwords.ts'
import { isUnconfirmedSignUp, lockAddress, lockOut } from '../flows/unconfirmed.ts'
import { countMessageRequest } from '../limits/messages.ts'
import { type AuthService, audience, countRequest, type Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { type Flow, readFlow, saveFlow } from '../store/flow-state.ts'
import { startSession, type TokenResponse } from '../store/sessions.ts'
import {
  findUserById,
  findUserByPhone,
  findUserOwningEmail,
  insertUser,
  type Metadata,
  reloadUser,
  type User,
  userJson,
} from '../store/users.ts'

export const signUpBody = z.object({
  email: text,
  phone: text,
  password: text,
  data: object,
  channel: text,
  ...challenge,
})

type Body = z.output<typeof signUpBody>

/** Signs up, or signs in anonymously when the body names no address. Answers a session, or a user yet to be confirmed. */
export async function signUp(
  service: AuthService,
  body: Body,
  origin: Origin,
): Promise<TokenResponse | Record<string, unknown>> {
  const { settings, limits } = service
  if (body.email === '' && body.phone === '') {
    if (!settings.enable_anonymous_sign_ins) {
      throw unprocessable('anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
    }
    countRequest(limits.anonymousUsers, origin)
    return signUpAnonymously(service, body.data ?? {}, origin)
  }
  countRequest(limits.signInSignUps, origin)
  refuseWhenClosed(service)
  const account = readAccount(service, body)
  if (account.email && settings.email.enable_confirmations) countMessageRequest(service, 'email', origin)
  if (account.phone && settings.sms.enable_confirmations) countMessageRequest(service, 'sms', origin)
  // Hashed before anything is looked up, so that the time taken does not tell whether the account exists.
  const encryptedPassword = await hashPassword(body.password)
  return register(service, { ...account, encryptedPassword }, origin)
}

export type Account = AskedAccount & {
  flow: Flow
  /** How a code reaches the phone; by SMS when left out. */
  channel?: Channel
  /** Nothing was said of the account: an unconfirmed one keeps its metadata, though no way in that somebody else chose. */
  onlySignIn?: boolean
}

/** Throws signup_disabled where config.toml lets nobody sign up. */
export function refuseWhenClosed({ settings }: AuthService): void {
  if (!settings.enable_signup) {
    throw unprocessable('signup_disabled', 'Signups not allowed for this instance')
  }
}

function readAccount({ settings, sms }: AuthService, body: Body): Omit<Account, 'encryptedPassword'> {
  if (body.password === '') throw invalid('Signup requires a valid password')
  checkPassword(body.password, settings)
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided on signup.')
  }
  const flow = readFlow(body)
  if (body.phone !== '' && flow) throw invalid('PKCE not supported for phone signups')
  const channel = body.phone === '' ? undefined : checkChannel(body.channel, sms)
  if (body.email !== '' && !settings.email.enable_signup) {
    throw badRequest('email_provider_disabled', 'Email signups are disabled')
  }
  if (body.phone !== '' && !settings.sms.enable_signup) {
    throw badRequest('phone_provider_disabled', 'Phone signups are disabled')
  }
  return {
    email: body.email === '' ? '' : checkEmail(body.email),
    phone: body.phone === '' ? '' : checkPhone(body.phone),
    data: body.data ?? {},
    flow,
    channel,
  }
}

/**
 * Creates the account and sends its code, or starts a session where addresses need no confirmation. An address that
 * is confirmed already answers user_already_exists then, and otherwise something that looks like a new user.
 */
export async function register(service: AuthService, account: Account, origin: Origin) {
  const attempt = async () => {
    const { made, answer } = await service.database.transaction((client) =>
      registerOnce(client, service, account, origin),
    )
    if (made) service.log.info({ user: made, provider: account.email ? 'email' : 'phone' }, 'a sign-up')
    return answer
  }
  try {
    return await attempt()
  } catch (error) {
    // Somebody signed up with the same address at the same moment: now there is an account to be found.
    if (isEmailTaken(error) || isPhoneTaken(error)) return attempt()
    throw error
  }
}

/** `made` is the id of the account that came to be, if one did. */
async function registerOnce(client: Queryable, service: AuthService, account: Account, origin: Origin) {
  const { settings } = service
  const provider = account.email ? 'email' : 'phone'
  const traits = { provider }
  const autoconfirm = account.email
    ? !settings.email.enable_confirmations
    : !settings.sms.enable_confirmations
  await lockAddress(client, account.email || account.phone)
  const existing = await findExisting(client, account)
  const claim = existing !== null && isUnconfirmedSignUp(existing)
  if (existing && !claim && (autoconfirm || isRegistered(existing, account))) {
    await audit(client, origin.ip, existing, 'user_repeated_signup', traits)
    if (!settings.email.enable_confirmations || (account.phone && !settings.sms.enable_confirmations)) {
      throw unprocessable('user_already_exists', 'User already registered')
    }
    return { made: null, answer: lookalike(account) }
  }
  const user = await userFor(client, account, existing, claim)
  const made = user.id === existing?.id ? null : user.id
  if (autoconfirm) {
    await audit(client, origin.ip, user, 'user_signedup', traits)
    await (account.email ? confirmEmail(client, user) : confirmPhone(client, user))
    await audit(client, origin.ip, user, 'login', traits)
    return { made, answer: await startSession(client, service, user.id, 'password', origin) }
  }
  await audit(client, origin.ip, user, 'user_confirmation_requested', traits)
  if (account.phone) {
    await sendTextCode(client, service, user, account.phone, 'confirmation', account.channel)
  } else {
    if (account.flow) await saveFlow(client, account.flow, user.id, 'email/signup')
    await sendEmailCode(client, service, user, 'confirmation', {
      flow: account.flow,
      redirectTo: origin.redirectTo,
    })
  }
  // What was there before is shown to nobody who has not confirmed that it is theirs.
  return { made, answer: made ? userJson(await reloadUser(client, user.id)) : lookalike(account) }
}

async function findExisting(client: Queryable, { email, phone }: Account): Promise<User | null> {
  const found = email
    ? await findUserOwningEmail(client, email, audience)
    : await findUserByPhone(client, phone, audience)
  return found && findUserById(client, found.id, { lock: true })
}

/** Whether the account has the address for good: it is confirmed, or only one of its identities names it. */
function isRegistered(user: User, { email }: Account): boolean {
  if (!email) return user.phone_confirmed_at !== null
  return user.email_confirmed_at !== null || user.email?.toLowerCase() !== email
}

/**
 * The account that is to be confirmed. A newer sign-up takes the place of an older one; what an administrator made
 * ready for the address stays as it is, since who signs up is not known to be the person it is meant for.
 */
async function userFor(
  client: Queryable,
  account: Account,
  existing: User | null,
  claim: boolean,
): Promise<User> {
  if (!existing) return createOwnAccount(client, account)
  if (!claim) return existing
  if (!account.onlySignIn) return replaceSignUp(client, existing, account, 'person')
  await lockOut(client, existing)
  return reloadUser(client, existing.id)
}

/** What GoTrue answers for an address that is registered already: a user that does not exist, without identities. */
function lookalike({ email, phone, data }: Account): Record<string, unknown> {
  const provider = email ? 'email' : 'phone'
  const now = new Date()
  return {
    id: randomUUID(),
    aud: audience,
    role: '',
    email,
    phone,
    confirmation_sent_at: now,
    app_metadata: { provider, providers: [provider] },
    user_metadata: data,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  }
}

async function signUpAnonymously(
  service: AuthService,
  data: Metadata,
  origin: Origin,
): Promise<TokenResponse> {
  refuseWhenClosed(service)
  const answer = await service.database.transaction(async (client) => {
    const user = await insertUser(client, {
      aud: audience,
      anonymous: true,
      appMetadata: {},
      userMetadata: data,
    })
    return startSession(client, service, user.id, 'anonymous', origin)
  })
  service.log.info({ user: answer.user.id, provider: 'anonymous' }, 'a sign-up')
  return answer
}
