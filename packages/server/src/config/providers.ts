// [auth.external.<name>] of config.toml: the services by whose word people sign in, as the Supabase CLI has them.
import type { z } from 'zod'
import { ConfigError } from './config-error.ts'
import type { Environment } from './substitute.ts'
import { flag, named, table, text } from './values.ts'

/** The providers that this server speaks with; `keycloak` is any issuer of OpenID Connect that `url` names. */
const PROVIDERS = ['apple', 'azure', 'facebook', 'github', 'google', 'keycloak'] as const
export type ProviderName = (typeof PROVIDERS)[number]

export const isProvider = (name: string): name is ProviderName =>
  (PROVIDERS as readonly string[]).includes(name)

const address = text
  .refine((value) => value === '' || (/^https?:\/\//i.test(value) && URL.canParse(value)), {
    error: 'must be an address such as "https://accounts.example.com"',
  })
  .default('')

export const external = named(
  table({
    enabled: flag.default(false),
    /** Several, separated by commas, where apps of a phone have their own; the first is the web's. */
    client_id: text.default(''),
    secret: text.default(''),
    /** Where the provider is, in the place of its usual address. */
    url: address,
    /** Where the provider sends people back to, in the place of /auth/v1/callback. */
    redirect_uri: address,
    skip_nonce_check: flag.default(false),
    email_optional: flag.default(false),
  }),
)

export type ProviderSettings = z.output<typeof external>[string]

const SETTINGS = [
  'enabled',
  'client_id',
  'secret',
  'url',
  'redirect_uri',
  'skip_nonce_check',
  'email_optional',
]

/**
 * config.toml with the environment's settings of providers, by the names that the Supabase CLI has for such
 * variables: SUPABASE_AUTH_EXTERNAL_GOOGLE_ENABLED, …_CLIENT_ID, …_SECRET, …_URL.
 */
export function withProvidersOf(environment: Environment, tree: unknown): unknown {
  const file = tree as { auth?: { external?: Record<string, object> } } | null
  const given = PROVIDERS.flatMap((name) => {
    const settings = SETTINGS.flatMap((setting) => {
      const value = environment[`SUPABASE_AUTH_EXTERNAL_${name}_${setting}`.toUpperCase()]
      return value === undefined ? [] : [[setting, value] as const]
    })
    return settings.length > 0
      ? [[name, { ...file?.auth?.external?.[name], ...Object.fromEntries(settings) }] as const]
      : []
  })
  if (given.length === 0) return tree
  const external = { ...file?.auth?.external, ...Object.fromEntries(given) }
  return { ...file, auth: { ...file?.auth, external } }
}

/** Throws a ConfigError that names what the enabled providers lack. */
export function checkProviders(providers: Record<string, ProviderSettings>): void {
  const problems = Object.entries(providers).flatMap(([name, settings]) => {
    if (!settings.enabled || !isProvider(name)) return []
    const needed = ['client_id', 'secret', ...(name === 'keycloak' ? ['url'] : [])] as const
    return needed
      .filter((setting) => settings[setting as 'client_id'] === '')
      .map((setting) => `[auth.external.${name}] ${setting} is missing; set it or say enabled = false`)
  })
  if (problems.length > 0) throw new ConfigError(problems)
}
