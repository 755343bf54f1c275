// The account of somebody whom another service vouches for (OAuth, OpenID Connect, SAML, wallets): finds it, joins it by
// a verified address, or creates it. Decides as GoTrue's account linking does, and stricter where GoTrue takes an
// address for proved that nobody has proved (docs/security.md, "Sign-up and identities").
import type { Transaction } from '../../sql/queryable.ts'
import { notifyByEmail } from '../emails/send.ts'
import { type AuthError, forbidden, unprocessable } from '../errors.ts'
import { beforeUserCreated } from '../hooks/user-created.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import {
  findIdentity,
  type Identity,
  insertExternalIdentity,
  noteIdentity,
  syncProviders,
} from '../store/identities.ts'
import {
  findAddressOwner,
  findOwnersOfAddresses,
  findUserById,
  insertUser,
  isBanned,
  type Metadata,
  mergeMetadata,
  reloadUser,
  replaceUserMetadata,
  type User,
} from '../store/users.ts'
import { confirmAddress, rethrowTaken } from './accounts.ts'
import { sendEmailCode } from './codes.ts'
import { attemptMessage } from './refused-messages.ts'
import { discardSignUp, isUnconfirmedSignUp, lockAddress, revokeAccess } from './unconfirmed.ts'

/** An address as the provider tells it; `verified` when the provider says that it is this person's. */
export type ExternalEmail = { address: string; verified: boolean; primary: boolean }

/** A person as a provider describes them, once its word has been checked. */
export type ExternalIdentity = {
  /** `google`, `custom:<name>`, `sso:<uuid>`, `web3`. */
  provider: string
  /** The provider's own, lasting id of the person; unique within the provider. */
  providerId: string
  emails: ExternalEmail[]
  /** Kept as the identity's data and in the user's metadata: GoTrue's claims (`sub`, `email`, `name`, …). */
  data: Metadata
}

/** For a new account, `afterUserCreated` is to be called once it is committed. */
export type ExternalSignIn = { user: User; created: boolean }

type Options = {
  /** Whether somebody without an address may have an account, as a wallet's owner. */
  emailOptional?: boolean
}

/** Identities of single sign-on are joined only with those of the same provider. */
const isSso = (provider: string): boolean => provider.startsWith('sso:')

/** The address that the account is to have: the primary one, else the first. */
const candidateOf = ({ emails }: ExternalIdentity): ExternalEmail | null =>
  emails.find(({ primary }) => primary) ?? emails[0] ?? null

/**
 * The account of the identity, in the caller's transaction, ready for `startSession`. An AuthError is answered, not
 * thrown, where what was done must be committed before the caller throws it: the address awaits its confirmation,
 * whose email is sent (provider_email_needs_verification) or refused. Throws signup_disabled, user_banned, conflict,
 * provider_email_needs_verification, and what the project's triggers refuse.
 */
export async function signInExternally(
  client: Transaction,
  service: AuthService,
  given: ExternalIdentity,
  origin: Origin,
  { emailOptional = false }: Options = {},
): Promise<ExternalSignIn | AuthError> {
  const external = { ...given, emails: given.emails.map(inLowerCase) }
  const { provider } = external
  await lockIdentity(client, external)
  const { user, identity, created } = await accountOf(client, service, external, origin, emailOptional)
  if (isBanned(user)) throw forbidden('user_banned', 'User is banned')
  if (!user.email || user.email_confirmed_at) {
    await audit(client, origin.ip, user, created ? 'user_signedup' : 'login', { provider })
    return { user, created }
  }
  // Whatever else leads into an account that nobody has confirmed may be a stranger's.
  if (!created) await keepOnly(client, user, identity, external.data)
  if (isProved(service, external, user)) {
    await audit(client, origin.ip, user, 'user_signedup', { provider })
    return { user: await confirmAddress(client, await reloadUser(client, user.id), 'email'), created }
  }
  const claimed = await reloadUser(client, user.id)
  const refused = await attemptMessage(client, () =>
    sendEmailCode(client, service, claimed, 'confirmation', origin),
  )
  if (refused) return refused
  return needsVerification(provider, `A confirmation email has been sent to your ${provider} email`)
}

const needsVerification = (provider: string, what: string): AuthError =>
  unprocessable('provider_email_needs_verification', `Unverified email with ${provider}. ${what}`)

const inLowerCase = (email: ExternalEmail): ExternalEmail => ({
  ...email,
  address: email.address.toLowerCase(),
})

/** Whether the provider's word, or the project's settings, confirm the very address that the account has. */
const isProved = ({ settings }: AuthService, { emails }: ExternalIdentity, user: User): boolean =>
  !settings.email.enable_confirmations ||
  emails.some(({ address, verified }) => verified && address === user.email?.toLowerCase())

/** Lets sign-ins of one identity, and whatever claims its addresses, happen one after the other. */
export async function lockIdentity(
  client: Transaction,
  { provider, providerId, emails }: ExternalIdentity,
): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `auth.identities ${provider} ${providerId}`,
  ])
  const addresses = [...new Set(emails.map(({ address }) => address))].sort()
  for (const value of addresses) await lockAddress(client, { kind: 'email', value })
}

type Found = { user: User; identity: Identity; created: boolean }

async function accountOf(
  client: Transaction,
  service: AuthService,
  external: ExternalIdentity,
  origin: Origin,
  emailOptional: boolean,
): Promise<Found> {
  const { provider, providerId, data } = external
  const known = await findIdentity(client, provider, providerId)
  if (known) {
    const identity = await noteIdentity(client, known.id, data)
    await findUserById(client, known.user_id, { lock: true })
    await syncProviders(client, known.user_id)
    const user = await mergeMetadata(client, known.user_id, 'raw_user_meta_data', data)
    return { user, identity, created: false }
  }
  const owner = await ownerOf(client, external)
  if (owner && !(isUnconfirmedSignUp(owner) && (await discardSignUp(client, owner)))) {
    return { ...(await link(client, service, owner, external, origin)), created: false }
  }
  return createFor(client, service, external, origin, emailOptional)
}

/** The account that has one of the identity's verified addresses. Throws conflict when several have. */
async function ownerOf(client: Transaction, { provider, emails }: ExternalIdentity): Promise<User | null> {
  const proved = emails.filter(({ verified }) => verified).map(({ address }) => address)
  if (proved.length === 0) return null
  const [owner, ...others] = await findOwnersOfAddresses(client, proved, isSso(provider) ? provider : null)
  if (others.length > 0) {
    const domain = isSso(provider) ? provider : 'default'
    throw unprocessable(
      'conflict',
      `Multiple accounts with the same email address in the same linking domain detected: ${domain}`,
    )
  }
  return owner ? findUserById(client, owner, { lock: true }) : null
}

/** Adds the identity to an account, in the audit log, too, and tells the account's owner. */
export async function link(
  client: Transaction,
  service: AuthService,
  owner: User,
  { provider, providerId, data }: ExternalIdentity,
  origin: Origin,
): Promise<{ user: User; identity: Identity }> {
  const identity = await insertExternalIdentity(client, owner.id, { provider, providerId, data })
  await syncProviders(client, owner.id)
  const user = await mergeMetadata(client, owner.id, 'raw_user_meta_data', data)
  await audit(client, origin.ip, user, 'identity_linked', {
    identity_id: identity.id,
    provider,
    provider_id: providerId,
  })
  await notifyByEmail(client, service, user, 'identity_linked', { provider, ip: origin.ip })
  return { user, identity }
}

/** A new account with this identity alone. Throws what the project's hook throws, signup_disabled, email_exists, provider_email_needs_verification. */
async function createFor(
  client: Transaction,
  service: AuthService,
  external: ExternalIdentity,
  { ip }: Origin,
  emailOptional: boolean,
): Promise<Found> {
  if (!service.settings.enable_signup) {
    throw unprocessable('signup_disabled', 'Signups not allowed for this instance')
  }
  const { provider, providerId, data } = external
  const email = await freeCandidate(client, external)
  if (email === null && !emailOptional) {
    throw needsVerification(provider, `Verify the email with ${provider} in order to sign in`)
  }
  const id = await beforeUserCreated(service, { email, provider, data }, { ip, client })
  const inserted = await insertUser(client, {
    id,
    ...(email ? { email } : {}),
    appMetadata: { provider, providers: [provider] },
    userMetadata: data,
    sso: isSso(provider),
  }).catch(rethrowTaken)
  const identity = await insertExternalIdentity(client, inserted.id, { provider, providerId, data })
  return { user: await reloadUser(client, inserted.id), identity, created: true }
}

/** The address for a new account; null where there is none, or where an account has it that this identity did not prove. */
async function freeCandidate(client: Transaction, external: ExternalIdentity): Promise<string | null> {
  const candidate = candidateOf(external)
  if (!candidate) return null
  const address = { kind: 'email', value: candidate.address } as const
  if (candidate.verified || isSso(external.provider)) return address.value
  const owner = await findAddressOwner(client, address, { lock: true })
  if (owner && !(isUnconfirmedSignUp(owner) && (await discardSignUp(client, owner)))) return null
  return address.value
}

/** Leaves an unconfirmed account this identity and its data, and takes away every other way in. */
async function keepOnly(client: Transaction, user: User, identity: Identity, data: Metadata): Promise<void> {
  await revokeAccess(client, user, identity.id)
  await syncProviders(client, user.id)
  await replaceUserMetadata(client, user.id, data)
}
