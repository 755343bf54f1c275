// The sign-up of an address by its own person: a new account with a code to confirm it, or with a session at once.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Channel } from '../../sms/text.ts'
import type { Transaction } from '../../sql/queryable.ts'
import type { Address, AddressKind } from '../addresses.ts'
import { type AuthError, badRequest, TooSoon, unprocessable } from '../errors.ts'
import { afterUserCreated, beforeUserCreated } from '../hooks/user-created.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { type Flow, saveFlow } from '../store/flow-state.ts'
import { localClaims } from '../store/identities.ts'
import {
  AUDIENCE,
  findAddressOwner,
  insertUser,
  type Metadata,
  reloadUser,
  type User,
  userJson,
} from '../store/users.ts'
import {
  type AccountRequest,
  confirmAddress,
  createRequestedAccount,
  isAddressTaken,
  proposeAccount,
  replaceSignUp,
} from './accounts.ts'
import { sendEmailCode, sendSmsCode } from './codes.ts'
import { verifyPassword } from './passwords.ts'
import { attemptMessage } from './refused-messages.ts'
import { startSession, type TokenResponse } from './sessions.ts'
import { isUnconfirmedSignUp, lockAddress, revokeAccess } from './unconfirmed.ts'

export type SignUp = AccountRequest & {
  flow: Flow
  /** The password as it was typed, if there is one. */
  password?: string
  /** Why no message may be sent: the sign-up counts, and this is thrown afterwards. */
  refused?: AuthError | null
  /** How a code reaches the phone; by SMS when left out. */
  channel?: Channel
  /** The request only signs in: an unconfirmed account keeps its metadata, but no password that somebody else chose. */
  onlySignIn?: boolean
}

/** Whether an address of this kind has to be confirmed by a code. */
export const needsConfirmation = ({ settings }: AuthService, kind: AddressKind): boolean =>
  settings[kind === 'email' ? 'email' : 'sms'].enable_confirmations

/** Throws email_provider_disabled or phone_provider_disabled where config.toml turns the provider off. */
export function requireProvider({ settings }: AuthService, kind: AddressKind, message: string): void {
  if (settings[kind === 'email' ? 'email' : 'sms'].enable_signup) return
  throw badRequest(`${kind}_provider_disabled`, message)
}

/** Throws signup_disabled where config.toml lets nobody sign up. */
export function requireSignUpEnabled({ settings }: AuthService): void {
  if (!settings.enable_signup) {
    throw unprocessable('signup_disabled', 'Signups not allowed for this instance')
  }
}

/** A sign-up, and the hash of the claim that was made with the same password before, if there is one. */
type Proposed = SignUp & { repeated: string | null }

/**
 * Creates the account and sends its code, or starts a session where addresses need no confirmation. An address that
 * is confirmed already answers user_already_exists then, and otherwise something that looks like a new user. Throws
 * why the code was not sent; the sign-up has replaced an earlier claim by then.
 */
export async function signUpAddress(
  service: AuthService,
  signUp: SignUp,
  origin: Origin,
): Promise<TokenResponse | Record<string, unknown>> {
  const repeated = await repeatedClaim(service, signUp)
  const proposed = { ...(await proposeAccount(service, signUp, origin.ip)), repeated }
  const attempt = async () => {
    const { created, answer, refused } = await service.database.transaction((client) =>
      signUpOnce(client, service, proposed, origin),
    )
    if (created) {
      service.log.info({ user: created, provider: signUp.address.kind }, 'a sign-up')
      await afterUserCreated(service, created, origin.ip)
    }
    if (refused) throw refused
    return answer
  }
  try {
    return await attempt()
  } catch (error) {
    // Another request signed up with the same address at the same moment: now there is an account to be found.
    if (isAddressTaken(error)) return attempt()
    throw error
  }
}

/**
 * The hash of the unconfirmed claim on the address if it has this password, else null. Slow, also where there is no
 * claim: call it outside of transactions.
 */
async function repeatedClaim(
  { database }: AuthService,
  { address, password }: SignUp,
): Promise<string | null> {
  if (password === undefined) return null
  const owner = await findAddressOwner(database.pool, address)
  const stored = owner && isUnconfirmedSignUp(owner) ? owner.encrypted_password : null
  return (await verifyPassword(password, stored)) ? stored : null
}

/** `created` is the id of the account that was created, if one was; `refused` is thrown after the commit. */
async function signUpOnce(client: Transaction, service: AuthService, signUp: Proposed, origin: Origin) {
  const { address } = signUp
  const traits = { provider: address.kind }
  const autoconfirm = !needsConfirmation(service, address.kind)
  await lockAddress(client, address)
  const existing = await findAddressOwner(client, address, { lock: true })
  const replaceable = existing !== null && isUnconfirmedSignUp(existing)
  if (existing && !replaceable && (autoconfirm || isRegistered(existing, address))) {
    await audit(client, origin.ip, existing, 'user_repeated_signup', traits)
    if (autoconfirm || !needsConfirmation(service, 'email')) {
      throw unprocessable('user_already_exists', 'User already registered')
    }
    return { created: null, answer: lookalike(signUp), refused: signUp.refused }
  }
  const user = await accountFor(client, signUp, existing, replaceable)
  const created = user.id === existing?.id ? null : user.id
  if (autoconfirm) {
    await audit(client, origin.ip, user, 'user_signedup', traits)
    await confirmAddress(client, user, address.kind)
    await audit(client, origin.ip, user, 'login', traits)
    return {
      created,
      answer: await startSession(client, service, user.id, 'password', origin),
      refused: null,
    }
  }
  await audit(client, origin.ip, user, 'user_confirmation_requested', traits)
  const refused =
    signUp.refused ?? (await attemptMessage(client, () => sendCode(client, service, user, signUp, origin)))
  // A new address has no earlier claim to replace: nothing is kept of it, unless its message is only early.
  if (refused && !existing && !(refused instanceof TooSoon)) throw refused
  // Only a person who has confirmed the address may see the account that was there before.
  const answer = created ? userJson(await reloadUser(client, user.id)) : lookalike(signUp)
  return { created, answer, refused }
}

async function sendCode(
  client: Transaction,
  service: AuthService,
  user: User,
  { address, channel, flow }: SignUp,
  origin: Origin,
): Promise<void> {
  if (address.kind === 'phone') {
    const details = { channel, ip: origin.ip }
    await sendSmsCode(client, service, user, address.value, 'confirmation', details)
    return
  }
  if (flow) await saveFlow(client, flow, user.id, 'email/signup')
  await sendEmailCode(client, service, user, 'confirmation', { flow, ...origin })
}

/** Whether the account owns the address: it is confirmed, or is the address of one of its identities only. */
function isRegistered(user: User, { kind, value }: Address): boolean {
  if (kind === 'phone') return user.phone_confirmed_at !== null
  return user.email_confirmed_at !== null || user.email?.toLowerCase() !== value
}

/**
 * Whether the sign-up says what the account says already, as one that is sent again after a lost answer does. The code
 * that was sent stays valid then.
 */
function isRepeated({ address: { kind, value }, data, flow, repeated }: Proposed, existing: User): boolean {
  if (repeated === null || flow || existing.encrypted_password !== repeated) return false
  const claims = Object.entries({ ...data, ...localClaims(existing.id, { [kind]: value }) })
  // Metadata keeps no key that is null.
  const stored = Object.fromEntries(claims.filter(([, claim]) => claim !== null))
  return isDeepStrictEqual(stored, existing.raw_user_meta_data)
}

/**
 * The account that is to be confirmed. A newer sign-up takes the place of an older one; an account that an
 * administrator made for the address stays as it is, since it may be meant for another person than who signs up.
 */
async function accountFor(
  client: Transaction,
  signUp: Proposed,
  existing: User | null,
  replaceable: boolean,
): Promise<User> {
  if (!existing) return createRequestedAccount(client, signUp, 'person')
  if (!replaceable || isRepeated(signUp, existing)) return existing
  if (!signUp.onlySignIn) return replaceSignUp(client, existing, signUp, 'person')
  await revokeAccess(client, existing)
  return reloadUser(client, existing.id)
}

/** GoTrue's answer for an address that is registered already: a user that does not exist, without identities. */
function lookalike({ address: { kind, value }, data }: SignUp): Record<string, unknown> {
  const now = new Date()
  return {
    id: randomUUID(),
    aud: AUDIENCE,
    role: '',
    email: '',
    phone: '',
    [kind]: value,
    confirmation_sent_at: now,
    app_metadata: { provider: kind, providers: [kind] },
    user_metadata: data,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  }
}

/** Creates an account without an address, and starts its session. */
export async function signUpAnonymously(
  service: AuthService,
  data: Metadata,
  origin: Origin,
): Promise<TokenResponse> {
  requireSignUpEnabled(service)
  const id = await beforeUserCreated(service, { provider: null, data }, origin)
  const answer = await service.database.transaction(async (client) => {
    const user = await insertUser(client, { id, anonymous: true, appMetadata: {}, userMetadata: data })
    return startSession(client, service, user.id, 'anonymous', origin)
  })
  service.log.info({ user: answer.user.id, provider: 'anonymous' }, 'a sign-up')
  await afterUserCreated(service, answer.user.id as string, origin.ip)
  return answer
}
