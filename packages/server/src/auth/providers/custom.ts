// Providers that administrators set up by the API, made into what sign-ins work with: any issuer of OpenID Connect, or any
// service of OAuth 2 whose API says who somebody is.
import { unexpected } from '../errors.ts'
import type { AuthService } from '../service.ts'
import { type CustomProvider, findCustomProvider } from '../store/custom-providers.ts'
import type { Definition } from './catalog.ts'
import type { Provider } from './clients.ts'
import { getJson } from './outgoing.ts'
import { type Claims, type Profile, standardProfile, storable } from './profiles.ts'
import { isLocal, publicFetch } from './public-addresses.ts'
import { unseal } from './sealed-secrets.ts'

const PREFIX = 'custom:'
export const isCustom = (name: string): boolean => name.startsWith(PREFIX)

/**
 * The provider, or why nobody signs in by it. Throws unexpected_failure where its secret cannot be read, since the server
 * has other keys than when it was set.
 */
export async function findCustom(
  service: AuthService,
  identifier: string,
): Promise<Provider | 'not found' | 'is disabled'> {
  // PostgreSQL takes no NUL in a text.
  const row = identifier.includes('\0') ? null : await findCustomProvider(service.database.pool, identifier)
  if (!row) return 'not found'
  if (!row.enabled) return 'is disabled'
  const secret = await unseal(service.keys, row.client_secret)
  if (secret === null) {
    service.log.error({ provider: identifier }, 'client_secret was sealed with another key; set it anew')
    throw unexpected(`The client_secret of ${identifier} cannot be read; an administrator has to set it anew`)
  }
  return {
    name: identifier,
    definition: definitionOf(service, row),
    secret,
    scopes: row.scopes,
    clientIds: [row.client_id, ...row.acceptable_client_ids],
    redirectUri: `${service.authUrl}/callback`,
    skipNonceCheck: row.skip_nonce_check,
    emailOptional: row.email_optional,
  }
}

function definitionOf(service: AuthService, row: CustomProvider): Definition {
  const fetch = publicFetch(isLocal(service))
  const common = { scopes: row.scopes, parameters: row.authorization_params, pkce: row.pkce_enabled, fetch }
  if (row.provider_type === 'oidc') {
    return {
      ...common,
      kind: 'oidc',
      issuer: row.issuer as string,
      discoveryUrl: row.discovery_url,
      profile: (claims) => customProfile(claims, row),
    }
  }
  const userinfo = row.userinfo_url as string
  return {
    ...common,
    kind: 'oauth2',
    issuer: new URL(userinfo).origin,
    authorization: row.authorization_url as string,
    token: row.token_url as string,
    authentication: 'either',
    profile: async (token) => customProfile((await getJson(userinfo, token, fetch)) as Claims, row),
    idTokens: null,
  }
}

type Mapping = Pick<CustomProvider, 'attribute_mapping' | 'custom_claims_allowlist'>

/**
 * The profile of a provider's claims. A text of the mapping names the claim to take, anything else is the value itself;
 * claims on the list are kept as they came, as far as PostgreSQL can store them.
 */
function customProfile(given: Claims, { attribute_mapping: mapping, ...row }: Mapping): Profile {
  const claims = Object.fromEntries(Object.entries(given ?? {}))
  for (const [target, source] of Object.entries(mapping)) {
    const value = typeof source === 'string' ? given?.[source] : source
    if (value !== undefined) claims[target] = value
  }
  const kept = row.custom_claims_allowlist.flatMap((name) =>
    Object.hasOwn(given ?? {}, name) && storable(given[name]) ? [[name, given[name]] as const] : [],
  )
  const { data, ...profile } = standardProfile(claims)
  if (kept.length === 0) return { ...profile, data }
  const custom = { ...(data.custom_claims as Claims | undefined), ...Object.fromEntries(kept) }
  return { ...profile, data: { ...data, custom_claims: custom } }
}
