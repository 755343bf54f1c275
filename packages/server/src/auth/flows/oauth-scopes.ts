// The scopes of OpenID Connect and the account data that each gives an application. Follows
// https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims, with GoTrue's names.
import { type User, userJson } from '../store/users.ts'

/** Without any of them an application still learns who it is (`sub`). */
export const SCOPES = ['openid', 'profile', 'email', 'phone'] as const

/** The scope of a request that names none. */
export const DEFAULT_SCOPE = 'email'

export const scopesOf = (text: string): string[] => [...new Set(text.split(/\s+/).filter(Boolean))]

const textIn = (user: User, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = user.raw_user_meta_data?.[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** The claims that /oauth/userinfo returns. */
export function userInfo(user: User, scopes: readonly string[]): Record<string, unknown> {
  const { email, phone } = user
  return withoutGaps({
    sub: user.id,
    ...(scopes.includes('email')
      ? { email: email || undefined, email_verified: user.email_confirmed_at ? true : undefined }
      : {}),
    ...(scopes.includes('profile')
      ? { ...profileClaims(user), user_metadata: metadataFor(user, scopes) }
      : {}),
    ...(scopes.includes('phone')
      ? { phone: phone || undefined, phone_verified: user.phone_confirmed_at ? true : undefined }
      : {}),
  })
}

/** The user that GET /user returns to an application: GoTrue's JSON without the data that the scopes exclude. */
export function userForClient(user: User, scopes: readonly string[]): Record<string, unknown> {
  const { id, aud, role, created_at, updated_at, is_anonymous, app_metadata, ...rest } = userJson(user)
  const pick = (...names: string[]) =>
    Object.fromEntries(names.flatMap((name) => (name in rest ? [[name, rest[name]]] : [])))
  return {
    id,
    aud,
    role,
    created_at,
    updated_at,
    is_anonymous,
    app_metadata,
    ...(scopes.includes('email') ? pick('email', 'email_confirmed_at') : {}),
    ...(scopes.includes('phone') ? pick('phone', 'phone_confirmed_at') : {}),
    user_metadata: metadataFor(user, scopes),
  }
}

/** The person's own metadata, without addresses that other scopes cover. */
export function metadataFor(
  { raw_user_meta_data: metadata }: Pick<User, 'raw_user_meta_data'>,
  scopes: readonly string[],
): Record<string, unknown> {
  const kept = Object.entries(scopes.includes('profile') ? (metadata ?? {}) : {})
  const hidden = (['email', 'phone'] as const).filter((scope) => !scopes.includes(scope))
  return Object.fromEntries(kept.filter(([name]) => !hidden.some((scope) => name.startsWith(scope))))
}

/** The claims of an ID token. */
export function identityClaims(user: User, scopes: readonly string[]): Record<string, unknown> {
  return withoutGaps({
    ...(scopes.includes('email')
      ? { email: user.email || undefined, email_verified: Boolean(user.email_confirmed_at) }
      : {}),
    ...(scopes.includes('profile') ? profileClaims(user) : {}),
    ...(scopes.includes('phone')
      ? { phone_number: user.phone || undefined, phone_number_verified: Boolean(user.phone_confirmed_at) }
      : {}),
  })
}

/** Times are in Unix seconds. */
const profileClaims = (user: User) => ({
  name: textIn(user, 'name', 'full_name'),
  picture: textIn(user, 'picture', 'avatar_url'),
  preferred_username: textIn(user, 'preferred_username', 'username'),
  updated_at: user.updated_at ? Math.floor(user.updated_at.getTime() / 1000) : undefined,
})

const withoutGaps = (claims: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
