// /admin/custom-providers: providers of OAuth 2 and OpenID Connect as administrators set them up, named `custom:<name>`.
import { z } from 'zod'
import { type Answer, empty, json } from '../../http/answer.ts'
import { object, text } from '../body.ts'
import { badRequest, invalid, isDuplicate, notFound } from '../errors.ts'
import { discoverIssuer } from '../providers/clients.ts'
import { isCustom } from '../providers/custom.ts'
import { isLocal, publicFetch, requirePublicAddress } from '../providers/public-addresses.ts'
import { seal } from '../providers/sealed-secrets.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'
import {
  type CustomProvider,
  type CustomProviderFields,
  customProviderJson,
  deleteCustomProvider,
  findCustomProvider,
  insertCustomProvider,
  type KeptDiscovery,
  listCustomProviders,
  updateCustomProvider,
} from '../store/custom-providers.ts'

const names = z.array(z.string()).nullish()
const given = z.boolean().nullish()

export const customProviderBody = z.object({
  provider_type: text,
  identifier: text,
  name: text,
  client_id: text,
  client_secret: text,
  acceptable_client_ids: names,
  scopes: names,
  custom_claims_allowlist: names,
  pkce_enabled: given,
  enabled: given,
  email_optional: given,
  skip_nonce_check: given,
  attribute_mapping: object,
  authorization_params: object,
  issuer: text,
  discovery_url: text,
  authorization_url: text,
  token_url: text,
  userinfo_url: text,
  jwks_uri: text,
})

type Body = z.output<typeof customProviderBody>

/** Parameters of a sign-in that this server alone sets. */
const RESERVED =
  'client_id client_secret redirect_uri response_type state code_challenge code_challenge_method code_verifier nonce'.split(
    ' ',
  )

/** Claims that a custom provider may not set. */
const PROTECTED = (
  'id aud role app_metadata created_at updated_at confirmed_at email_confirmed_at phone_confirmed_at email_verified ' +
  'phone_verified banned_until is_super_admin'
).split(' ')

const LENGTHS = { name: 100, client_id: 512, client_secret: 2048 } as const
const ADDRESSES = {
  oidc: ['issuer', 'discovery_url'],
  oauth2: ['authorization_url', 'token_url', 'userinfo_url', 'jwks_uri'],
} as const
const MAX_ADDRESS = 2048

export async function listProviders(service: AuthService, { query }: AuthRequest): Promise<Answer> {
  const type = query.get('type') || null
  if (type !== null && type !== 'oauth2' && type !== 'oidc') {
    throw invalid("type must be either 'oauth2' or 'oidc'")
  }
  const providers = await listCustomProviders(service.database.pool, type)
  return json({ providers: providers.map(customProviderJson) })
}

export async function getProvider(service: AuthService, { params }: AuthRequest): Promise<Answer> {
  return json(customProviderJson(await findProvider(service, params.identifier)))
}

/** Throws validation_failed, and conflict where the identifier is taken. */
export async function createProvider(service: AuthService, { body }: AuthRequest<Body>): Promise<Answer> {
  const { provider_type: type, identifier } = body
  if (type !== 'oauth2' && type !== 'oidc') throw invalid("provider_type must be either 'oauth2' or 'oidc'")
  requireIdentifier(identifier)
  if (!/^[a-z0-9:-]{0,49}[a-z0-9]$/.test(identifier)) {
    throw invalid(
      'identifier must have 50 lower-case letters, digits, colons and hyphens at most, a letter or digit the last',
    )
  }
  requireAll(body, ['name', 'client_id', 'client_secret'], '')
  if (type === 'oidc') requireAll(body, ['issuer'], ' for OIDC providers')
  else requireAll(body, ['authorization_url', 'token_url', 'userinfo_url'], ' for OAuth2 providers')
  const { client_secret: secret, ...set } = await settingsOf(service, body, type)
  const known = await findCustomProvider(service.database.pool, identifier)
  if (known) throw taken()
  const fields: CustomProviderFields = {
    ...DEFAULTS,
    provider_type: type,
    identifier,
    name: body.name,
    client_id: body.client_id,
    ...(type === 'oidc' ? { scopes: ['openid'] } : {}),
    ...set,
    ...(type === 'oidc' ? { cached_discovery: await readDiscovery(service, body) } : {}),
    client_secret: secret as string,
  }
  try {
    return json(customProviderJson(await insertCustomProvider(service.database.pool, fields)), 201)
  } catch (error) {
    throw isDuplicate(error, 'custom_oauth_providers_identifier_key') ? taken() : error
  }
}

const DEFAULTS: Omit<
  CustomProviderFields,
  'provider_type' | 'identifier' | 'name' | 'client_id' | 'client_secret'
> = {
  acceptable_client_ids: [],
  scopes: [],
  custom_claims_allowlist: [],
  pkce_enabled: true,
  enabled: true,
  email_optional: false,
  skip_nonce_check: false,
  attribute_mapping: {},
  authorization_params: {},
  cached_discovery: null,
  issuer: null,
  discovery_url: null,
  authorization_url: null,
  token_url: null,
  userinfo_url: null,
  jwks_uri: null,
}

/** Changes what the body names, and keeps the rest; type and identifier stay. Throws validation_failed. */
export async function changeProvider(
  service: AuthService,
  { body, params }: AuthRequest<Body>,
): Promise<Answer> {
  const known = await findProvider(service, params.identifier)
  const changes = await settingsOf(service, body, known.provider_type)
  if (known.provider_type === 'oidc' && (body.issuer !== '' || body.discovery_url !== '')) {
    changes.cached_discovery = await readDiscovery(service, {
      issuer: body.issuer || (known.issuer as string),
      discovery_url: body.discovery_url || (known.discovery_url ?? ''),
    })
  }
  const changed = await updateCustomProvider(service.database.pool, known.identifier, changes)
  if (!changed) throw unknown()
  return json(customProviderJson(changed))
}

/** Accounts stay, and nobody comes into them by this provider any more. */
export async function deleteProvider(service: AuthService, { params }: AuthRequest): Promise<Answer> {
  const { identifier } = await findProvider(service, params.identifier)
  if (!(await deleteCustomProvider(service.database.pool, identifier))) throw unknown()
  return empty()
}

const unknown = () => notFound('custom_provider_not_found', 'Custom OAuth provider not found')
const taken = () => badRequest('conflict', 'A custom OAuth provider with this identifier already exists')

/** Throws custom_provider_not_found, and validation_failed for a name that none can have. */
async function findProvider(service: AuthService, identifier = ''): Promise<CustomProvider> {
  requireIdentifier(identifier)
  const found = identifier.includes('\0') ? null : await findCustomProvider(service.database.pool, identifier)
  if (!found) throw unknown()
  return found
}

function requireIdentifier(identifier: string): void {
  if (identifier === '') throw invalid('identifier is required')
  if (!isCustom(identifier)) {
    throw invalid(`identifier must start with 'custom:' prefix, e.g. 'custom:${identifier}'`)
  }
}

function requireAll(body: Body, fields: (keyof Body)[], why: string): void {
  for (const field of fields) if (body[field] === '') throw invalid(`${field} is required${why}`)
}

/** The settings in the body, checked and in stored form; without fields of the other provider type. */
async function settingsOf(
  service: AuthService,
  body: Body,
  type: CustomProvider['provider_type'],
): Promise<Partial<CustomProviderFields>> {
  for (const [field, most] of Object.entries(LENGTHS)) {
    if (body[field as 'name'].length > most) throw invalid(`${field} must be ${most} characters at most`)
  }
  for (const [name, value] of Object.entries(body.authorization_params ?? {})) {
    if (RESERVED.includes(name)) throw invalid(`Cannot override reserved OAuth parameter: ${name}`)
    if (typeof value !== 'string') throw invalid(`Authorization parameter "${name}" must be a string`)
  }
  for (const target of Object.keys(body.attribute_mapping ?? {})) {
    if (PROTECTED.includes(target)) throw invalid(`Cannot map to protected system field: ${target}`)
  }
  if (body.custom_claims_allowlist?.some((name) => name.trim() === '')) {
    throw invalid('custom_claims_allowlist entries must be non-empty strings')
  }
  const addresses = await addressesOf(service, body, type)
  const { name, client_id, client_secret: secret, scopes } = body
  const openId = type === 'oidc' && scopes && !scopes.includes('openid') ? ['openid'] : []
  const set: Partial<Record<keyof CustomProviderFields, unknown>> = {
    name: name || null,
    client_id: client_id || null,
    client_secret: secret === '' ? null : await seal(service.keys, secret),
    scopes: scopes && [...openId, ...scopes],
    acceptable_client_ids: body.acceptable_client_ids,
    custom_claims_allowlist: body.custom_claims_allowlist,
    attribute_mapping: body.attribute_mapping,
    authorization_params: body.authorization_params,
    pkce_enabled: body.pkce_enabled,
    enabled: body.enabled,
    email_optional: body.email_optional,
    skip_nonce_check: type === 'oidc' ? body.skip_nonce_check : null,
    ...addresses,
  }
  return Object.fromEntries(
    Object.entries(set).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<CustomProviderFields>
}

/** The addresses of the type that the body names. Throws validation_failed for one that may not be asked. */
async function addressesOf(
  service: AuthService,
  body: Body,
  type: CustomProvider['provider_type'],
): Promise<Partial<Record<string, string>>> {
  const named = ADDRESSES[type].flatMap((field) =>
    body[field] === '' ? [] : [[field, body[field]] as const],
  )
  for (const [field, address] of named) {
    if (address.length > MAX_ADDRESS) throw invalid(`${field} must be ${MAX_ADDRESS} characters at most`)
    await requirePublicAddress(address, isLocal(service))
  }
  return Object.fromEntries(named)
}

const NEEDED = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const KEPT = (
  'userinfo_endpoint revocation_endpoint scopes_supported response_types_supported grant_types_supported ' +
  'subject_types_supported id_token_signing_alg_values_supported'
).split(' ')

/** Asks the issuer at once, so that a wrong address is shown to the administrator and not to people who sign in. */
async function readDiscovery(
  service: AuthService,
  { issuer, discovery_url: url }: Pick<Body, 'issuer' | 'discovery_url'>,
): Promise<KeptDiscovery> {
  const fetch = publicFetch(isLocal(service))
  const found = await discoverIssuer({ issuer, discoveryUrl: url || null, fetch }, 'discovery').catch(
    (error) => {
      const address = url || `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
      throw invalid(`OIDC discovery from ${JSON.stringify(address)} failed: ${(error as Error).message}`)
    },
  )
  const document = { ...found.serverMetadata() } as Record<string, unknown>
  const missing = NEEDED.filter((field) => !document[field])
  if (missing.length > 0) {
    throw invalid(`OIDC discovery document is missing required fields: ${missing.join(', ')}`)
  }
  return Object.fromEntries(
    [...NEEDED, ...KEPT].flatMap((field) => (document[field] ? [[field, document[field]]] : [])),
  ) as KeptDiscovery
}
