// Redeems links and codes from e-mails and text messages: confirms or changes an address, or allows a session. Each
// works once.
import type { Transaction } from '../../sql/queryable.ts'
import type { AddressKind } from '../addresses.ts'
import { notifyByEmail } from '../emails/send.ts'
import { forbidden } from '../errors.ts'
import { countCodeAttempt } from '../limits/attempts.ts'
import { resetRecipient } from '../limits/messages.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { syncProviders } from '../store/identities.ts'
import {
  clearTokens,
  findToken,
  hashCode,
  PKCE_PREFIX,
  type StoredToken,
  type TokenType,
  tryCode,
} from '../store/one-time-tokens.ts'
import type { SharedLimit } from '../store/rate-limits.ts'
import { findUserById, isBanned, type User } from '../store/users.ts'
import { confirmAddress } from './accounts.ts'
import { applyAddressChange, awaitsSecondConfirmation } from './address-change.ts'
import { codeLifetime } from './codes.ts'
import { typedCode } from './texts.ts'
import { isUnconfirmedSignUp, revokeAccess } from './unconfirmed.ts'

/** The types of verification and the tokens that each accepts. */
const TOKEN_TYPES: Record<string, TokenType[]> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
  sms: ['confirmation_token'],
  phone_change: ['phone_change_token'],
}

/** By which kind of address a type of verification is made; null for a type that does not exist. */
export function addressKindOf(type: string): AddressKind | null {
  if (!Object.hasOwn(TOKEN_TYPES, type)) return null
  return type === 'sms' || type === 'phone_change' ? 'phone' : 'email'
}

export type CodeProof = { type: string; address: string; code: string }

/** The proof that a client sends: the hash from a link, or an address with its code. `type` is a known type. */
export type Proof = { type: string; hash: string } | CodeProof

const linkExpired = () => forbidden('otp_expired', 'Email link is invalid or has expired')
const codeExpired = () => forbidden('otp_expired', 'Token has expired or is invalid')

/**
 * Counts a typed code, for the account and for the codes that were sent to it, before it is verified. Answers the proof
 * to verify, and what to give back once it was used. Throws over_request_rate_limit, and otp_expired for a wrong code or
 * one that is void.
 */
export async function countTypedCode(
  service: AuthService,
  { type, address, code: typed }: CodeProof,
): Promise<{ proof: CodeProof; counted: SharedLimit[] }> {
  const counted = await countCodeAttempt(service, address)
  const code = addressKindOf(type) === 'phone' ? await typedCode(service, address, typed) : typed
  const hashes = hashesOf(service.keys, address, code)
  if (!(await tryCode(service.database.pool, hashes, TOKEN_TYPES[type] ?? [], address))) throw codeExpired()
  return { proof: { type, address, code }, counted }
}

/**
 * The user and the verified value; null when a change of address awaits the link that was sent to the other address.
 */
export type Verified = { user: User; type: string } | null

/** Uses the link or code in a transaction. Throws otp_expired, user_banned. */
export async function verify(
  client: Transaction,
  service: AuthService,
  proof: Proof,
  origin: Origin,
): Promise<Verified> {
  const { user, token } = await redeem(client, service, proof)
  const kind = addressKindOf(proof.type) as AddressKind
  await resetRecipient(client, service, { kind, value: token.address })
  if (proof.type === 'email_change') {
    if (await awaitsSecondConfirmation(client, service, user, token.type)) return null
    await audit(client, origin.ip, user, 'user_modified')
    const changed = await applyAddressChange(client, user, { kind, value: user.email_change ?? '' })
    if (user.email && user.email !== changed.email) {
      const details = { to: user.email, oldEmail: user.email, ip: origin.ip }
      await notifyByEmail(client, service, changed, 'email_changed', details)
    }
    return { user: changed, type: proof.type }
  }
  if (proof.type === 'phone_change') {
    await audit(client, origin.ip, user, 'user_modified')
    const changed = await applyAddressChange(client, user, { kind, value: user.phone_change ?? '' })
    const details = { oldPhone: user.phone ?? '', ip: origin.ip }
    await notifyByEmail(client, service, changed, 'phone_changed', details)
    return { user: changed, type: proof.type }
  }
  const confirmedAt = kind === 'email' ? user.email_confirmed_at : user.phone_confirmed_at
  await audit(client, origin.ip, user, confirmedAt ? 'login' : 'user_signedup', { provider: kind })
  // Any other code than the sign-up's proves whose the address is, not who chose the password.
  if (token.type !== 'confirmation_token' && isUnconfirmedSignUp(user)) await revokeAccess(client, user)
  if (confirmedAt) await clearTokens(client, user.id, token.type)
  else await confirmAddress(client, user, kind)
  await syncProviders(client, user.id)
  const emailType = token.type === 'recovery_token' ? 'magiclink' : 'signup'
  return { user, type: proof.type === 'email' ? emailType : proof.type }
}

/** Locks the user that the token belongs to and checks that the token is still valid. */
async function redeem(
  client: Transaction,
  service: AuthService,
  proof: Proof,
): Promise<{ user: User; token: StoredToken }> {
  const expired = 'hash' in proof ? linkExpired : codeExpired
  const types = TOKEN_TYPES[proof.type] ?? []
  const find = () =>
    'hash' in proof
      ? findToken(client, [proof.hash], types)
      : findToken(client, hashesOf(service.keys, proof.address, proof.code), types, proof.address)
  const token = await find()
  const user = token && (await findUserById(client, token.userId, { lock: true }))
  // Looked up again under the lock: the same link followed twice at once works once.
  if (!user || (await find())?.userId !== user.id) throw expired()
  if (isBanned(user)) throw forbidden('user_banned', 'User is banned')
  const sentAt = {
    confirmation_token: user.confirmation_sent_at,
    recovery_token: user.recovery_sent_at,
    reauthentication_token: user.reauthentication_sent_at,
    email_change_token_current: user.email_change_sent_at,
    email_change_token_new: user.email_change_sent_at,
    phone_change_token: user.phone_change_sent_at,
  }[token.type]
  const lifetime = codeLifetime(service, addressKindOf(proof.type) as AddressKind)
  if (!sentAt || sentAt.getTime() + lifetime * 1000 < Date.now()) throw expired()
  return { user, token }
}

function hashesOf(keys: { secret: string }, address: string, code: string): string[] {
  const hash = hashCode(keys, address, code.replaceAll('-', ''))
  return [hash, PKCE_PREFIX + hash]
}
