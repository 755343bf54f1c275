// POST /oauth/token: an application exchanges a code, once, for a session, and renews it. Errors are RFC 6749's.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { parseBody, text } from '../body.ts'
import { AuthError, InvalidGrant, OAuthError } from '../errors.ts'
import { authenticateClient, readCredentials } from '../flows/oauth-clients.ts'
import { identityClaims, scopesOf } from '../flows/oauth-scopes.ts'
import { provesChallenge } from '../flows/pkce.ts'
import { startSession, type TokenResponse } from '../flows/sessions.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { type Authorization, lockByCode, spendAuthorization } from '../store/oauth-authorizations.ts'
import type { OAuthClient } from '../store/oauth-clients.ts'
import { endSessions } from '../store/sessions.ts'
import { findUserById, isBanned, type User } from '../store/users.ts'
import { refreshSession } from './refresh-token.ts'

const tokenBody = z.object({
  grant_type: text,
  code: text,
  refresh_token: text,
  redirect_uri: text,
  client_id: text,
  client_secret: text,
  code_verifier: text,
  resource: text,
})
type Body = z.output<typeof tokenBody>

const refused = (description: string) => new InvalidGrant(description)

/** Throws OAuthError, and invalid_credentials for a client that does not show who it is. */
export async function issueTokens(service: AuthService, { raw, origin }: AuthRequest<null>): Promise<Answer> {
  const body = readBody(raw)
  const credentials = readCredentials(raw.headers.authorization, body)
  const client = credentials && (await authenticateClient(service.database.pool, credentials))
  const { grant_type: grant } = body
  if (grant === '') throw new OAuthError('invalid_request', 'grant_type is required')
  if (!client) throw new OAuthError('invalid_client', 'Client authentication required')
  if (!client.grant_types.includes(grant)) {
    throw new OAuthError('unsupported_grant_type', `Client is not allowed to use grant type: ${grant}`)
  }
  return grant === 'refresh_token'
    ? renew(service, client, body, origin)
    : exchange(service, client, body, origin)
}

/** A form or JSON. Throws invalid_request. */
function readBody({ text: sent, headers }: AuthRequest['raw']): Body {
  const isJson = headers['content-type']?.includes('application/json')
  try {
    const given = isJson ? sent : JSON.stringify(Object.fromEntries(new URLSearchParams(sent)))
    return parseBody(given, tokenBody)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    throw new OAuthError('invalid_request', isJson ? 'Invalid JSON body' : 'Failed to parse form data')
  }
}

async function exchange(
  service: AuthService,
  client: OAuthClient,
  body: Body,
  origin: Origin,
): Promise<Answer> {
  if (body.code === '') {
    throw new OAuthError('invalid_request', 'code is required for authorization_code grant')
  }
  const outcome = await service.database.transaction(async (database) => {
    const asked = await lockByCode(database, body.code)
    if (!asked?.user_id) throw refused('Invalid authorization code')
    if (asked.status === 'expired') {
      // One of two who hold the code stole it: what the first was given ends for both.
      await endSessions(database, asked.user_id, { only: asked.id })
      return refused('Invalid authorization code')
    }
    checkExchange(asked, client, body)
    const user = await findUserById(database, asked.user_id, { lock: true })
    if (!user) throw refused('User not found for authorization code')
    if (isBanned(user)) throw new OAuthError('access_denied', 'User is banned')
    await audit(database, origin.ip, user, 'login', {
      provider_type: 'oauth_provider_authorization_code',
      client_id: client.id,
    })
    const method = 'oauth_provider/authorization_code'
    const oauth = { sessionId: asked.id, id: client.id, scopes: asked.scope }
    const tokens = await startSession(database, service, user.id, method, origin, { oauth })
    await spendAuthorization(database, asked.id)
    return { tokens, idToken: await idTokenFor(service, user, asked) }
  })
  // A code that comes again is refused only after the transaction that ends its session is committed.
  if (outcome instanceof OAuthError) throw outcome
  return json({ ...tokenJson(outcome.tokens), ...(outcome.idToken ? { id_token: outcome.idToken } : {}) })
}

/** That the code is exchanged by whom, for where and with the proof with which it was asked for. */
function checkExchange(asked: Authorization, client: OAuthClient, body: Body): void {
  if (asked.expired) throw refused('Authorization code has expired')
  if (asked.client_id !== client.id) throw refused('Authorization code was not issued for this client')
  if (body.resource !== '' && body.resource !== asked.resource) {
    throw refused('Authorization code resource does not match the resource parameter')
  }
  if (body.redirect_uri !== '' && body.redirect_uri !== asked.redirect_uri) {
    throw refused('Invalid redirect_uri')
  }
  if (body.code_verifier === '') {
    throw refused('PKCE verification failed: code_verifier is required when PKCE challenge is present')
  }
  if (!provesChallenge(asked, body.code_verifier)) {
    throw refused('PKCE verification failed: code challenge does not match previously saved code verifier')
  }
}

/** The person's identity for the client, signed; null where it did not ask for it. Lives an hour, as GoTrue's. */
async function idTokenFor(
  { keys, authUrl }: AuthService,
  user: User,
  { client_id: clientId, scope, nonce }: Authorization,
): Promise<string | null> {
  const scopes = scopesOf(scope)
  if (!scopes.includes('openid')) return null
  const now = Math.floor(Date.now() / 1000)
  return keys.sign({
    iss: authUrl,
    sub: user.id,
    aud: clientId,
    iat: now,
    exp: now + 3600,
    ...(user.last_sign_in_at ? { auth_time: Math.floor(user.last_sign_in_at.getTime() / 1000) } : {}),
    ...(nonce ? { nonce } : {}),
    ...identityClaims(user, scopes),
    client_id: clientId,
  })
}

async function renew(
  service: AuthService,
  client: OAuthClient,
  { refresh_token: token }: Body,
  origin: Origin,
): Promise<Answer> {
  if (token === '') {
    throw new OAuthError('invalid_request', 'refresh_token is required for refresh_token grant')
  }
  try {
    return json(tokenJson(await refreshSession(service, { token, clientId: client.id }, origin)))
  } catch (error) {
    throw asOAuthError(error)
  }
}

/** The words of RFC 6749 for what ended a session or account, by which a client knows to have the person sign in again. */
function asOAuthError(error: unknown): unknown {
  if (!(error instanceof AuthError) || error instanceof OAuthError) return error
  if (error.code === 'user_banned') {
    return new OAuthError('access_denied', 'User is not permitted to access this resource.')
  }
  const ended = /^(refresh_token_(not_found|already_used)|session_(not_found|expired))$/
  return ended.test(error.code) ? refused('Refresh token is invalid or expired.') : error
}

/** The token response for a client. It contains no account data, which the client requests with the token. */
const tokenJson = ({ access_token, token_type, expires_in, refresh_token }: TokenResponse) => ({
  access_token,
  token_type,
  expires_in,
  refresh_token,
})
