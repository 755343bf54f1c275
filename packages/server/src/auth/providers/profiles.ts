// Maps the profiles of providers to GoTrue's claims: the identity's data and the addresses that it proves.
import { checkEmail } from '../addresses.ts'
import type { ExternalEmail, ExternalIdentity } from '../flows/external-identities.ts'

/** Claims of an ID token, fields of a user endpoint: as they came. */
export type Claims = Record<string, unknown>

export type Profile = Pick<ExternalIdentity, 'providerId' | 'emails' | 'data'>

/** OpenID Connect's standard claims of a person, as far as GoTrue keeps them. */
const KEPT = (
  'iss sub name family_name given_name middle_name nickname preferred_username profile picture website gender ' +
  'birthdate zoneinfo locale'
).split(' ')

/** Everything kept is part of every access token. */
const MAX_LENGTH = 2048

/** A claim as a text PostgreSQL can store; empty where it is none, or far too long. */
function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return ''
  return value.replace(/[\0\p{Surrogate}]/gu, '').trim()
}

/** Whether a claim of any kind can be kept as it is: PostgreSQL stores it, and it is not far too long. */
export function storable(value: unknown): boolean {
  const written = JSON.stringify(value) ?? ''
  return written !== '' && written.length <= MAX_LENGTH && !/\\u(0000|d[89a-f])/i.test(written)
}

/** Some providers write booleans as text. */
const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === '1'

/** The address where it is one, as a list. */
function emailsOf(value: unknown, verified: boolean, primary = true): ExternalEmail[] {
  try {
    return [{ address: checkEmail(textOf(value)), verified, primary }]
  } catch {
    return []
  }
}

/** A profile of standard claims and `more` that only this provider has. */
export function profileOf(claims: Claims, emails: ExternalEmail[], more: Claims = {}): Profile {
  const kept = Object.fromEntries(KEPT.map((name) => [name, textOf(claims[name])]))
  const providerId = kept.sub ?? ''
  const { name, picture } = kept
  const email = emails.find(({ primary }) => primary) ?? emails[0]
  const all = { ...kept, full_name: name, avatar_url: picture, provider_id: providerId, ...more }
  const data = {
    ...Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '' && value !== undefined)),
    ...(email ? { email: email.address } : {}),
    email_verified: email?.verified ?? false,
    phone_verified: false,
  }
  return { providerId, emails, data }
}

/** The profile of an ID token by the standard, which Google and Keycloak follow. */
export const standardProfile = (claims: Claims): Profile =>
  profileOf(
    claims,
    emailsOf(claims.email, isTrue(claims.email_verified)),
    claims.hd ? { custom_claims: { hd: textOf(claims.hd) } } : {},
  )

/** Apple sends the name only once, along with the code; `user` is that field of the form. */
export function appleProfile(claims: Claims, user: string): Profile {
  const custom = 'is_private_email' in claims ? { is_private_email: isTrue(claims.is_private_email) } : null
  return profileOf(
    { ...claims, ...appleName(user) },
    emailsOf(claims.email, isTrue(claims.email_verified)),
    custom ? { custom_claims: custom } : {},
  )
}

function appleName(user: string): Claims {
  try {
    const { firstName, lastName } = JSON.parse(user).name
    return { name: `${textOf(firstName)} ${textOf(lastName)}`.trim() }
  } catch {
    return {}
  }
}

/** Microsoft's own accounts: their addresses are confirmed. */
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'

/**
 * Any tenant's administrator may write any address into `email`. It counts as proved if Microsoft says that the
 * tenant owns its domain (`xms_edov`), for its own accounts, or if the project trusts the one tenant of `issuer`.
 */
export function azureProfile(claims: Claims, issuer: string): Profile {
  const { xms_edov: owned, tid } = claims
  const manyTenants = issuer.includes('{tenantid}')
  const verified = owned === undefined ? tid === CONSUMERS || !manyTenants : isTrue(owned)
  const custom = Object.fromEntries(
    ['tid', 'oid'].flatMap((name) => (textOf(claims[name]) ? [[name, textOf(claims[name])]] : [])),
  )
  return profileOf(claims, emailsOf(claims.email, verified), { custom_claims: custom })
}

/** GET /user and /user/emails of GitHub; `host` is its API. */
export function githubProfile(user: Claims, addresses: unknown, host: string): Profile {
  const emails = (Array.isArray(addresses) ? addresses : []).flatMap((one: Claims) =>
    emailsOf(one?.email, one?.verified === true, one?.primary === true),
  )
  const login = textOf(user.login)
  return profileOf(
    { iss: host, sub: user.id, name: user.name, picture: user.avatar_url, preferred_username: login },
    emails,
    { user_name: login },
  )
}

/** GET /me of Facebook, which tells confirmed addresses only; `host` is its API. */
export function facebookProfile(user: Claims, host: string): Profile {
  const { data } = (user.picture ?? {}) as { data?: { url?: unknown } }
  const picture = data?.url ?? user.picture
  return profileOf({ ...user, iss: host, sub: user.id, picture }, emailsOf(user.email, true))
}

/** The claims of an ID token of Facebook's Limited Login. */
export const limitedLoginProfile = (claims: Claims): Profile =>
  profileOf(claims, emailsOf(claims.email, true))
