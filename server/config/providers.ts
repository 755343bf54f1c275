// [auth.external.<name>] of config.toml: the services by whose word people sign in, as the Supabase CLI has them.
import type { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { flag, named, table, text } from './values.ts'

/** The providers that this server speaks with; `keycloak` is any issuer of OpenID Connect that `url` names. */
export const PROVIDERS = ['apple', 'azure', 'facebook', 'github', 'google', 'keycloak'] as const
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
