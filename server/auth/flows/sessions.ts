// Sign-ins: starts a session, and makes the access token (a JWT with GoTrue's claims) that goes with a refresh token.
import type { Queryable } from '../../sql/queryable.ts'
import { badRequest, forbidden } from '../errors.ts'
import { claimsByHook } from '../hooks/access-token.ts'
import type { UserClaims } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { deviceOf, rememberDevice } from '../store/known-devices.ts'
import { makeRefreshToken } from '../store/refresh-tokens.ts'
import {
  type AuthenticationMethod,
  type ClientSession,
  findMethods,
  insertClientSession,
  insertSession,
  limitSession,
  type Method,
  type Session,
} from '../store/sessions.ts'
import { AUDIENCE, findUserAndSession, isBanned, reloadUser, type User, userJson } from '../store/users.ts'
import { metadataFor, scopesOf } from './oauth-scopes.ts'

/** The answer to a sign-in or a refresh. Times are in seconds. */
export type TokenResponse = {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  expires_at: number
  refresh_token: string
  user: Record<string, unknown>
}

/** Starts a session for a user who has just proved who they are; `notAfter` is when it ends, whatever is refreshed. */
export async function startSession(
  client: Queryable,
  service: AuthService,
  userId: string,
  method: AuthenticationMethod,
  origin: Origin,
  notAfter: Date | null = null,
): Promise<TokenResponse> {
  const refreshToken = makeRefreshToken()
  const sessionId = await insertSession(client, userId, method, refreshToken, origin)
  if (notAfter) await limitSession(client, sessionId, notAfter)
  await rememberDevice(client, userId, deviceOf(service.keys, origin))
  const user = await reloadUser(client, userId)
  return tokenResponse(client, service, { user, sessionId, refreshToken, method, ip: origin.ip })
}

/** Starts a session of an OAuth client, to which a person has given leave. */
export async function startClientSession(
  client: Queryable,
  service: AuthService,
  user: User,
  session: ClientSession,
  origin: Origin,
): Promise<TokenResponse> {
  const refreshToken = makeRefreshToken()
  await insertClientSession(client, user.id, session, refreshToken, origin)
  const method = 'oauth_provider/authorization_code'
  return tokenResponse(client, service, { user, sessionId: session.id, refreshToken, method })
}

/** What a token is made for. */
type Grant = {
  user: User
  sessionId: string
  refreshToken: string
  method: AuthenticationMethod | 'token_refresh'
  /** Whose request it is, for the project's hook. */
  ip?: string | null
}

/** An access token for the session, beside the refresh token that renews it. Throws what the project's hook throws. */
export async function tokenResponse(
  client: Queryable,
  service: AuthService,
  { user, sessionId, refreshToken, method, ip = null }: Grant,
): Promise<TokenResponse> {
  const methods = await findMethods(client, sessionId)
  const issuedAt = Math.floor(Date.now() / 1000)
  const expiresAt = issuedAt + service.settings.jwt_expiry
  const claims = {
    iss: service.authUrl,
    sub: user.id,
    aud: user.aud ?? AUDIENCE,
    exp: expiresAt,
    iat: issuedAt,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role || 'authenticated',
    aal: methods[0]?.aal ?? 'aal1',
    amr: methods.map(({ method, timestamp }) => ({
      ...{ method, timestamp },
      ...(method === 'sso/saml' ? ssoProviderOf(user) : {}),
    })),
    session_id: sessionId,
    is_anonymous: user.is_anonymous,
    ...claimsOfClient(methods[0], user),
  }
  const changed = await claimsByHook(client, service, claims, { method, ip })
  return {
    // What a token of an OAuth client may do hangs on this claim: a hook does not take it away.
    access_token: await service.keys.sign({ ...changed, ...claimsOfClient(methods[0], user) }),
    token_type: 'bearer',
    expires_in: service.settings.jwt_expiry,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: userJson(user),
  }
}

/** What a token of an OAuth client says besides, and no longer says: of the person only what they let it see. */
function claimsOfClient({ clientId, scopes }: Partial<Method> = {}, user: User) {
  if (!clientId) return {}
  const seen = scopesOf(scopes ?? '')
  return {
    client_id: clientId,
    scope: scopes ?? '',
    ...(seen.includes('email') ? {} : { email: '' }),
    ...(seen.includes('phone') ? {} : { phone: '' }),
    user_metadata: metadataFor(user, seen),
  }
}

/** The provider of single sign-on that an account belongs to, as GoTrue names it in a token. */
function ssoProviderOf({ identities }: User): { provider: string } | undefined {
  const name = identities.map(({ provider }) => provider).find((provider) => provider.startsWith('sso:'))
  return name === undefined ? undefined : { provider: name.slice('sso:'.length) }
}

/**
 * The account and session of an access token. Throws user_not_found, session_not_found or user_banned when they have
 * ended since the token was issued. `lock` holds the account for the rest of the transaction.
 */
export async function findSignedIn(
  client: Queryable,
  claims: UserClaims,
  options: { lock?: boolean } = {},
): Promise<{ user: User; session: Session | null }> {
  const found = await findUserAndSession(client, { userId: claims.sub, sessionId: claims.sessionId }, options)
  if (!found) throw forbidden('user_not_found', 'User from sub claim in JWT does not exist')
  const { user, session } = found
  if (claims.sessionId && !session) {
    throw forbidden('session_not_found', 'Session from session_id claim in JWT does not exist')
  }
  if (isBanned(user)) throw forbidden('user_banned', 'User is banned')
  return { user, session }
}

/** Throws user_banned for a sign-in with a password or a code of PKCE. */
export function refuseBanned(user: User): void {
  if (isBanned(user)) throw badRequest('user_banned', 'User is banned')
}
