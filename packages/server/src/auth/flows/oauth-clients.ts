// OAuth clients: the rules of what they are registered with, their secrets, and how they show who they are.
// Follows RFC 7591 and RFC 6749, section 2.3, with GoTrue's limits and words.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Queryable } from '../../sql/queryable.ts'
import { AuthError, invalid } from '../errors.ts'
import { isUuid } from '../route.ts'
import { type AuthMethod, type ClientFields, findClient, type OAuthClient } from '../store/oauth-clients.ts'

const AUTH_METHODS: readonly AuthMethod[] = ['none', 'client_secret_basic', 'client_secret_post']
const GRANT_TYPES = ['authorization_code', 'refresh_token']
const MAX_REDIRECT_URIS = 10
const MAX_NAME = 1024
const MAX_URI = 2048

/** Registration data of a client; missing fields have defaults. */
export type Registration = {
  redirect_uris?: string[] | null
  client_type?: string | null
  token_endpoint_auth_method?: string | null
} & Descriptions

type Descriptions = {
  grant_types?: string[] | null
  client_name?: string | null
  client_uri?: string | null
  logo_uri?: string | null
}

/** The fields of a new client, without its secret. Throws validation_failed. */
export function readRegistration(
  given: Registration,
  registrationType: OAuthClient['registration_type'],
): ClientFields {
  const uris = given.redirect_uris ?? []
  if (uris.length === 0) throw invalid('redirect_uris is required')
  checkRedirectUris(uris)
  const grants = given.grant_types?.length ? given.grant_types : GRANT_TYPES
  checkDescriptions({ ...given, grant_types: grants })
  const { client_type: type, method } = readKind(given)
  return {
    registration_type: registrationType,
    client_type: type,
    token_endpoint_auth_method: method,
    client_secret_hash: null,
    redirect_uris: uris,
    grant_types: grants,
    client_name: given.client_name || null,
    client_uri: given.client_uri || null,
    logo_uri: given.logo_uri || null,
  }
}

/** The fields to change of a client. Throws validation_failed, also for none. */
export function readChanges(
  given: Pick<Registration, 'redirect_uris'> & Descriptions,
): Partial<ClientFields> {
  const changes = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<ClientFields>
  if (Object.keys(changes).length === 0) throw invalid('No fields provided for update')
  if (changes.redirect_uris) checkRedirectUris(changes.redirect_uris)
  checkDescriptions(changes)
  return changes
}

/** An explicit type counts, then the method's, then confidential. */
function readKind({ client_type: type, token_endpoint_auth_method: method }: Registration): {
  client_type: OAuthClient['client_type']
  method: AuthMethod
} {
  if (type && type !== 'public' && type !== 'confidential') {
    throw invalid("client_type must be 'public' or 'confidential'")
  }
  if (method && !AUTH_METHODS.includes(method as AuthMethod)) {
    throw invalid(`token_endpoint_auth_method must be one of: [${AUTH_METHODS.join(' ')}]`)
  }
  const expected = method === 'none' ? 'public' : 'confidential'
  if (type && method && type !== expected) {
    throw invalid(
      `client_type '${type}' is inconsistent with token_endpoint_auth_method '${method}' (expected client_type '${expected}')`,
    )
  }
  const kind = (type || (method ? expected : 'confidential')) as OAuthClient['client_type']
  const otherwise = kind === 'public' ? 'none' : 'client_secret_basic'
  return { client_type: kind, method: (method || otherwise) as AuthMethod }
}

function checkRedirectUris(uris: readonly string[]): void {
  if (uris.length === 0) throw invalid('redirect_uris cannot be empty')
  if (uris.length > MAX_REDIRECT_URIS) {
    throw invalid(`redirect_uris cannot exceed ${MAX_REDIRECT_URIS} items`)
  }
  for (const uri of uris) {
    const wrong = wrongOf(uri)
    if (wrong) throw invalid(`invalid redirect_uri '${uri}': ${wrong}`)
  }
}

/** Why no code may be sent to this address; null if it may. */
function wrongOf(uri: string): string | null {
  if (uri === '') return 'redirect URI cannot be empty'
  if (uri.length > MAX_URI) return `cannot exceed ${MAX_URI} characters`
  // Browsers pass over such characters, so that an address would lead elsewhere than it reads; lists are kept with commas.
  if (/[\s\p{Cc}\\,]/u.test(uri)) return 'must have no blanks, control characters, backslashes or commas'
  if (!URL.canParse(uri)) return 'must have scheme and host'
  const { protocol, hostname, hash, username, password } = new URL(uri)
  if (hash !== '' || uri.includes('#')) return 'fragment not allowed in redirect URI'
  if (username || password) return 'user and password not allowed in redirect URI'
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    return 'HTTP scheme only allowed for localhost'
  }
  if (protocol !== 'http:' && protocol !== 'https:') return 'scheme must be HTTPS or HTTP (localhost only)'
  return null
}

function checkDescriptions({ grant_types, client_name, client_uri, logo_uri }: Descriptions): void {
  if (grant_types?.length === 0) throw invalid('grant_types cannot be empty')
  if (grant_types?.some((type) => !GRANT_TYPES.includes(type))) {
    throw invalid("grant_types must only contain 'authorization_code' and/or 'refresh_token'")
  }
  if (client_name && client_name.length > MAX_NAME) {
    throw invalid(`client_name cannot exceed ${MAX_NAME} characters`)
  }
  // Line breaks and marks of direction let a name say something else on the page of consent.
  if (client_name && /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(client_name)) {
    throw invalid('client_name must not contain control or formatting characters')
  }
  for (const [name, uri] of Object.entries({ client_uri, logo_uri })) {
    if (!uri) continue
    if (uri.length > MAX_URI) throw invalid(`${name} cannot exceed ${MAX_URI} characters`)
    if (!URL.canParse(uri) || !/^https?:\/\//i.test(uri)) throw invalid(`${name} must be a valid URL`)
  }
}

/** A secret to be shown once, and its stored hash. */
export function makeSecret(): { secret: string; hash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, hash: digestOf(secret).toString('base64url') }
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** The client's credentials and the method by which they were sent. */
export type Credentials = { clientId: string; secret: string; method: AuthMethod }

/**
 * A client's credentials: the header's, whose parts RFC 6749 has form-encoded and many send plain, else the body's.
 * Null where there are none. Throws invalid_credentials.
 */
export function readCredentials(
  authorization: string | undefined,
  body: { client_id: string; client_secret: string },
): Credentials | null {
  const encoded = /^basic +(.*)$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) {
    const { client_id: clientId, client_secret: secret } = body
    if (clientId === '' && secret === '') return null
    if (clientId === '') throw wrongCredentials('Invalid client credentials: client_id is required')
    return { clientId, secret, method: secret === '' ? 'none' : 'client_secret_post' }
  }
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) {
    throw wrongCredentials('Invalid client credentials: invalid basic auth encoding')
  }
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 0) throw wrongCredentials('Invalid client credentials: invalid basic auth format')
  return {
    clientId: formDecoded(decoded.slice(0, colon)),
    secret: formDecoded(decoded.slice(colon + 1)),
    method: 'client_secret_basic',
  }
}

/** Ids and secrets of ours have no character that means something else encoded, so that both ways are understood. */
const formDecoded = (part: string): string =>
  new URLSearchParams(`part=${part.replaceAll('&', '%26')}`).get('part') ?? ''

/** The client that these credentials are of. Throws invalid_credentials. */
export async function authenticateClient(
  client: Queryable,
  { clientId, secret, method }: Credentials,
): Promise<OAuthClient> {
  if (!isUuid(clientId)) throw wrongCredentials('Invalid client_id format')
  const found = await findClient(client, clientId)
  if (!found) throw wrongCredentials('Invalid client credentials')
  if (method !== found.token_endpoint_auth_method) {
    throw wrongCredentials(
      `invalid authentication method: client is registered for '${found.token_endpoint_auth_method}' but '${method}' was used`,
    )
  }
  if (found.client_type === 'public') return found
  const kept = Buffer.from(found.client_secret_hash ?? '', 'base64url')
  const given = digestOf(secret)
  if (kept.length !== given.length || !timingSafeEqual(kept, given)) {
    throw wrongCredentials('invalid client credentials')
  }
  return found
}

/** GoTrue answers these in its own shape; libraries of OAuth read the additional members of RFC 6749. */
const wrongCredentials = (message: string) =>
  new AuthError(400, 'invalid_credentials', message, undefined, {
    error: 'invalid_client',
    error_description: message,
  })
