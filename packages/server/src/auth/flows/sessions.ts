// Sign-ins: starts a session, and makes the access token (a JWT with GoTrue's claims) that goes with a refresh token.
import { randomUUID } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { queryTogether, type Statement } from '../../sql/pipeline.ts'
import type { Queryable, Transaction } from '../../sql/queryable.ts'
import { badRequest, forbidden } from '../errors.ts'
import { claimsByHook } from '../hooks/access-token.ts'
import type { UserClaims } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { deviceOf, rememberDevice } from '../store/known-devices.ts'
import { makeRefreshToken } from '../store/refresh-tokens.ts'
import {
  type AuthenticationMethod,
  beginSession,
  type Method,
  type Session,
  selectMethods,
} from '../store/sessions.ts'
import { AUDIENCE, findUserAndSession, isBanned, selectUser, type User, userJson } from '../store/users.ts'
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

/** Options of a new session. */
type SessionOptions = {
  /** When it ends, whatever is refreshed. */
  notAfter?: Date | null
  /** Statements to run in the same transaction. */
  entries?: readonly Statement[]
  /** Further writes about the new session, in its transaction. */
  notes?: (sessionId: string) => readonly Statement[]
  /** The OAuth client to which the person has given leave, what it may see, and the session's id. */
  oauth?: { sessionId: string; id: string; scopes: string }
}

/** Starts a session for a user who has just proved who they are, or of a client in their name. */
export async function startSession(
  client: Transaction,
  service: AuthService,
  userId: string,
  method: AuthenticationMethod,
  origin: Origin,
  { notAfter = null, entries = [], notes, oauth }: SessionOptions = {},
): Promise<TokenResponse> {
  const refreshToken = makeRefreshToken()
  const sessionId = oauth?.sessionId ?? randomUUID()
  const session = { id: sessionId, userId, method, refreshToken, client: oauth ?? null, notAfter }
  const statements = [...entries, ...beginSession(session, origin), ...(notes?.(sessionId) ?? [])]
  if (!oauth) statements.push(...rememberDevice(userId, deviceOf(service.keys, origin)))
  const whose = await readWhose(client, { userId, sessionId }, statements)
  return tokenResponse(client, service, { ...whose, refreshToken, method, ip: oauth ? null : origin.ip })
}

/** The user and session that a token is made for. */
type Whose = { user: User; sessionId: string; methods: Method[] }

/** Reads whose token is to be made, after `before`, in one round trip. */
export async function readWhose(
  client: Transaction,
  { userId, sessionId }: { userId: string; sessionId: string },
  before: readonly Statement[] = [],
): Promise<Whose> {
  const results = await queryTogether(client, [...before, selectUser(userId), selectMethods(sessionId)])
  const [[user], [read]] = results.slice(-2) as [[User], [{ methods: Method[] }]]
  return { user, sessionId, methods: read.methods }
}

/** The subject and purpose of a token. */
export type Grant = Whose & {
  refreshToken: string
  method: AuthenticationMethod | 'token_refresh'
  /** The client's address, for the project's hook. */
  ip?: string | null
}

/** An access token for the session, with the refresh token that renews it. Throws what the project's hook throws. */
export async function tokenResponse(
  client: Transaction,
  service: AuthService,
  grant: Grant,
): Promise<TokenResponse> {
  return signedResponse(service, grant, await claimsFor(client, service, grant))
}

/** Claims of an access token and its expiry in Unix seconds. */
type Access = { claims: JWTPayload; expiresAt: number }

/** The claims of the session's access token. Throws what the project's hook throws. */
export async function claimsFor(
  client: Transaction,
  service: AuthService,
  { user, sessionId, methods, method, ip = null }: Grant,
): Promise<Access> {
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
      method,
      timestamp,
      ...(method === 'sso/saml' ? ssoProviderOf(user) : {}),
    })),
    session_id: sessionId,
    is_anonymous: user.is_anonymous,
    ...claimsOfClient(methods[0], user),
  }
  const changed = await claimsByHook(client, service, claims, { method, ip })
  // The rights of an OAuth client's token depend on this claim, so a hook cannot remove it.
  return { claims: { ...changed, ...claimsOfClient(methods[0], user) }, expiresAt }
}

/** The answer with these claims, signed, which needs no transaction. */
export async function signedResponse(
  { keys, settings }: AuthService,
  { user, refreshToken }: Grant,
  { claims, expiresAt }: Access,
): Promise<TokenResponse> {
  return {
    access_token: await keys.sign(claims),
    token_type: 'bearer',
    expires_in: settings.jwt_expiry,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: userJson(user),
  }
}

/** Claims added to and removed from the token of an OAuth client. It shows only the data that the person allowed. */
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
