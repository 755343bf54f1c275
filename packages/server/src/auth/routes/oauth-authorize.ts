// GET /oauth/authorize and /oauth/authorizations/:id: an application asks, the site's page shows what for, and the person
// who is signed in there decides. Follows OAuth 2.1 (code with PKCE alone) and RFC 9207 (`iss`), with GoTrue's words.
import { z } from 'zod'
import { type Answer, json, redirectFound } from '../../http/answer.ts'
import { text } from '../body.ts'
import { badRequest, invalid, notFound } from '../errors.ts'
import { requireSecondFactor } from '../flows/factors.ts'
import { DEFAULT_SCOPE, SCOPES, scopesOf } from '../flows/oauth-scopes.ts'
import { findSignedIn } from '../flows/sessions.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService } from '../service.ts'
import {
  type Authorization,
  approveAuthorization,
  claimAuthorization,
  denyAuthorization,
  insertAuthorization,
  lockAuthorization,
  sweepAuthorizations,
} from '../store/oauth-authorizations.ts'
import { findClient, type OAuthClient } from '../store/oauth-clients.ts'
import { findConsent, saveConsent } from '../store/oauth-consents.ts'

/** Most characters of what a request carries through, as the columns have them. */
const MOST = { state: 4096, resource: 2048, nonce: 255 }

/**
 * Sends the browser to the site's page of consent. Errors of the client or the address are answered here, since that
 * address cannot be trusted; the client receives all others. Throws validation_failed, oauth_client_not_found.
 */
export async function startAuthorization(service: AuthService, { query }: AuthRequest): Promise<Answer> {
  const { database, settings } = service
  const get = (name: string) => query.get(name) ?? ''
  const redirectUri = get('redirect_uri')
  if (get('client_id') === '') throw invalid('client_id is required')
  if (redirectUri === '') throw invalid('redirect_uri is required')
  if (!isUuid(get('client_id'))) throw badRequest('oauth_client_not_found', 'invalid client_id format')
  const client = await findClient(database.pool, get('client_id'))
  if (!client) throw badRequest('oauth_client_not_found', 'invalid client_id')
  if (!client.redirect_uris.includes(redirectUri)) throw invalid('invalid redirect_uri')

  const wrong = wrongOf(service, query)
  if (wrong) return redirectFound(backTo(service, redirectUri, { ...wrong, state: get('state') }))
  await sweepAuthorizations(database.pool)
  const id = await insertAuthorization(database.pool, {
    clientId: client.id,
    redirectUri,
    scope: scopesOf(get('scope') || DEFAULT_SCOPE).join(' '),
    state: get('state'),
    resource: get('resource'),
    nonce: get('nonce'),
    codeChallenge: get('code_challenge'),
  })
  const page = settings.oauth_server.authorization_url_path.replace(/^\/?/, '/')
  return redirectFound(`${settings.site_url}${page}?authorization_id=${id}`)
}

type Wrong = { error: string; error_description: string }

/** The error that the client receives for its request; null for a valid one. */
function wrongOf({ keys }: AuthService, query: URLSearchParams): Wrong | null {
  const get = (name: string) => query.get(name) ?? ''
  const no = (reason: string, error = 'invalid_request') => ({ error, error_description: reason })
  if (get('response_type') !== '' && get('response_type') !== 'code') {
    return no('only response_type=code is supported')
  }
  const scopes = scopesOf(get('scope') || DEFAULT_SCOPE)
  if (scopes.length === 0) return no('scope parameter cannot be empty')
  const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope))
  if (unknown !== undefined) return no(`unsupported scope: ${unknown}`)
  if (scopes.includes('openid') && !keys.signsPublicly) {
    return no(
      'unsupported scope: openid (tokens are signed with a shared secret, which proves nothing to others)',
    )
  }
  const resource = get('resource')
  if (resource !== '') {
    if (!URL.canParse(resource)) return no('resource must be an absolute URI')
    if (resource.includes('#')) return no('resource must not include a fragment component')
    if (resource.includes('?')) return no('resource must not include a query component')
  }
  for (const [name, most] of Object.entries(MOST)) {
    if (get(name).length > most) return no(`${name} cannot exceed ${most} characters`)
    if (/[\0\p{Surrogate}]/u.test(get(name))) return no(`${name} must be text without NUL characters`)
  }
  const challenge = get('code_challenge')
  const method = get('code_challenge_method')
  if (challenge === '' || method === '') {
    return no('PKCE flow requires both code_challenge and code_challenge_method')
  }
  // `plain` shows the verifier to whoever sees the request, and is left out of OAuth 2.1 for all that can hash.
  if (method.toLowerCase() !== 's256') return no("code_challenge_method must be 'S256'")
  if (!/^[\w.~-]{43,128}$/.test(challenge)) {
    return no('code_challenge must be between 43 and 128 characters')
  }
  return null
}

/** The address at the client with these parameters, and who sends them. */
function backTo({ authUrl }: AuthService, redirectUri: string, parameters: Record<string, string>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...parameters, iss: authUrl })) {
    if (value !== '') url.searchParams.set(name, value)
  }
  return url.toString()
}

const unknownRequest = () => notFound('oauth_authorization_not_found', 'authorization not found')

/** Pages of other origins neither read nor decide, though no cookie would help them. */
function checkOrigin({ redirectAllowed }: AuthService, { raw }: AuthRequest): void {
  const { origin } = raw.headers
  if (origin && !redirectAllowed(origin)) throw invalid('unauthorized request origin')
}

/**
 * The data for the consent page: the client, the person and the scopes. If the person gave the same consent before,
 * it returns the address to go to. The request then belongs to that person until another account opens it.
 */
export async function showAuthorization(
  service: AuthService,
  request: AuthRequest<null, 'user'>,
): Promise<Answer> {
  checkOrigin(service, request)
  const { params, claims } = request
  return service.database.transaction(async (client) => {
    const { user, session } = await findSignedIn(client, claims)
    const { asked, from } = await findPending(client, params.id)
    if (asked.user_id !== user.id) await claimAuthorization(client, asked.id, user.id)
    const given = await findConsent(client, user.id, from.id)
    const covered = given && scopesOf(asked.scope).every((scope) => given.includes(scope))
    if (covered && isKnownToBe(from, asked)) {
      requireSecondFactor(user, session)
      return json({ redirect_url: await approve(client, service, asked) })
    }
    return json({
      authorization_id: asked.authorization_id,
      redirect_uri: asked.redirect_uri,
      client: clientDetails(from),
      user: { id: user.id, email: user.email ?? '' },
      scope: asked.scope,
    })
  })
}

/**
 * Whether the answer can only reach the client itself. On a loopback address any local program may listen and claim
 * to be a client without a secret (RFC 8252, section 8.6), so the person is asked each time.
 */
const isKnownToBe = (client: OAuthClient, { redirect_uri: uri }: Authorization): boolean =>
  client.client_type === 'confidential' || uri.startsWith('https:')

/** An application as people are shown it. */
export const clientDetails = ({
  id,
  client_name: name,
  client_uri: uri,
  logo_uri,
}: Pick<OAuthClient, 'id' | 'client_name' | 'client_uri' | 'logo_uri'>) => ({
  id,
  ...(name ? { name } : {}),
  ...(uri ? { uri } : {}),
  ...(logo_uri ? { logo_uri } : {}),
})

export const consentBody = z.object({ action: text })

/** Approves or denies. Answers where the browser goes on to. */
export async function decideAuthorization(
  service: AuthService,
  request: AuthRequest<z.output<typeof consentBody>, 'user'>,
): Promise<Answer> {
  checkOrigin(service, request)
  const { params, claims, body } = request
  if (body.action !== 'approve' && body.action !== 'deny') {
    throw invalid("action must be 'approve' or 'deny'")
  }
  return service.database.transaction(async (client) => {
    const { user, session } = await findSignedIn(client, claims)
    const { asked } = await findPending(client, params.id)
    // Consent counts only from the person who was shown the request.
    if (asked.user_id !== user.id) throw unknownRequest()
    if (body.action === 'deny') {
      await denyAuthorization(client, asked.id)
      const denied = { error: 'access_denied', error_description: 'User denied the request' }
      return json({
        redirect_url: backTo(service, asked.redirect_uri, { ...denied, state: asked.state ?? '' }),
      })
    }
    requireSecondFactor(user, session)
    await saveConsent(client, user.id, asked.client_id, scopesOf(asked.scope))
    return json({ redirect_url: await approve(client, service, asked) })
  })
}

type Client = Parameters<typeof findClient>[0]

/** The request, locked, that nobody has decided on. Throws oauth_authorization_not_found, validation_failed. */
async function findPending(client: Client, id = ''): Promise<{ asked: Authorization; from: OAuthClient }> {
  const asked = await lockAuthorization(client, id)
  const from = asked && (await findClient(client, asked.client_id))
  if (!asked || !from || (asked.expired && asked.status === 'pending')) throw unknownRequest()
  if (asked.status !== 'pending') throw invalid('authorization request cannot be processed')
  return { asked, from }
}

async function approve(client: Client, service: AuthService, asked: Authorization): Promise<string> {
  const code = await approveAuthorization(client, asked.id)
  return backTo(service, asked.redirect_uri, { code, state: asked.state ?? '' })
}
