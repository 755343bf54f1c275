// Which providers are switched on, by the names that clients call them: those of config.toml, and those that administrators
// set up.
import { isProvider } from '../../config/providers.ts'
import { invalid } from '../errors.ts'
import type { AuthService } from '../service.ts'
import { definitionOf } from './catalog.ts'
import type { Provider } from './clients.ts'
import { findCustom, isCustom } from './custom.ts'

/** GoTrue's providers; any other name is unknown instead of switched off. */
export const KNOWN_PROVIDERS = (
  'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc notion ' +
  'slack slack_oidc snapchat spotify twitch twitter x vercel_marketplace workos zoom'
).split(' ')

/** A built-in provider that config.toml switches on, or null. */
export function enabledProvider({ settings, authUrl }: AuthService, name: string): Provider | null {
  const chosen = Object.hasOwn(settings.external, name) ? settings.external[name] : undefined
  if (!chosen?.enabled || !isProvider(name)) return null
  const definition = definitionOf(name, chosen)
  const clientIds = chosen.client_id.split(',').map((id) => id.trim())
  return {
    name,
    definition,
    secret: chosen.secret,
    scopes: definition.scopes,
    clientIds: clientIds as Provider['clientIds'],
    redirectUri: chosen.redirect_uri || `${authUrl}/callback`,
    skipNonceCheck: chosen.skip_nonce_check,
    emailOptional: chosen.email_optional,
  }
}

/** Any provider that is switched on, or null. */
export async function findProvider(service: AuthService, name: string): Promise<Provider | null> {
  if (!isCustom(name)) return enabledProvider(service, name)
  const found = await findCustom(service, name)
  return typeof found === 'string' ? null : found
}

/** Throws validation_failed, in the words for a provider that is unknown or switched off. */
export async function requireProvider(service: AuthService, given: string): Promise<Provider> {
  const name = given.toLowerCase()
  if (isCustom(name)) {
    const found = await findCustom(service, name)
    if (typeof found !== 'string') return found
    throw invalid(`Unsupported provider: custom provider ${name} ${found}`)
  }
  const provider = enabledProvider(service, name)
  if (provider) return provider
  const reason = KNOWN_PROVIDERS.includes(name)
    ? 'provider is not enabled'
    : `Provider ${given} could not be found`
  throw invalid(`Unsupported provider: ${reason}`)
}
