// Settings in config.toml that protect the auth service against bots and known passwords.
import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import type { Environment } from './substitute.ts'
import { flag, optionalText, table, text } from './values.ts'

const webAddress = (example: string) =>
  text.refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), {
    error: `must be an address such as "${example}"`,
  })

/**
 * [auth.captcha] (https://supabase.com/docs/guides/auth/auth-captcha). No names of the CLI's: `site_key`, the public half of
 * what the provider gives, for Meadowlark's own forms; `verify_url` and `script_url`, where tokens are verified and where the
 * widget comes from, the provider's own addresses by default.
 */
export const captcha = table({
  enabled: flag.default(false),
  provider: z
    .enum(['hcaptcha', 'turnstile'], { error: 'must be "hcaptcha" or "turnstile"' })
    .default('hcaptcha'),
  secret: optionalText,
  site_key: optionalText,
  verify_url: webAddress('https://hcaptcha.com/siteverify').optional(),
  script_url: webAddress('https://js.hcaptcha.com/1/api.js').optional(),
}).refine(({ enabled, secret }) => !enabled || secret, {
  path: ['secret'],
  error: 'must be what the provider gives, since CAPTCHA is enabled',
})

const CAPTCHA_SETTINGS = ['enabled', 'provider', 'secret', 'site_key', 'verify_url', 'script_url']

/**
 * config.toml with the environment's settings of the CAPTCHA, by names as the Supabase CLI has them:
 * SUPABASE_AUTH_CAPTCHA_ENABLED, …_PROVIDER, …_SECRET, …_SITE_KEY.
 */
export function withCaptchaOf(environment: Environment, tree: unknown): unknown {
  const given = CAPTCHA_SETTINGS.flatMap((setting) => {
    const value = environment[`SUPABASE_AUTH_CAPTCHA_${setting}`.toUpperCase()]
    return value === undefined ? [] : [[setting, value] as const]
  })
  if (given.length === 0) return tree
  const file = tree as { auth?: { captcha?: object } } | null
  return {
    ...file,
    auth: { ...file?.auth, captcha: { ...file?.auth?.captcha, ...Object.fromEntries(given) } },
  }
}

/** Throws a ConfigError where forms would ask for tokens that no page of the web app could get. */
export function checkCaptcha({ enabled, site_key }: z.output<typeof captcha>): void {
  if (enabled && !site_key)
    throw new ConfigError([
      '[auth.captcha] site_key is missing, and without it nobody could sign up or in on the pages of the web app; set it or say enabled = false',
    ])
}

/**
 * [auth.password_hibp], the auth service's own setting behind a hosted project's "leaked password protection". `url` is
 * where the list is; `fail_closed` refuses passwords while it cannot be reached.
 */
export const passwordHibp = table({
  enabled: flag.default(false),
  fail_closed: flag.default(false),
  url: webAddress('https://api.pwnedpasswords.com').default('https://api.pwnedpasswords.com'),
})
