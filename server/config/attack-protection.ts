// What config.toml says of the auth service's protection against bots and known passwords.
import { z } from 'zod'
import { flag, optionalText, table, text } from './values.ts'

const webAddress = (example: string) =>
  text.refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), {
    error: `must be an address such as "${example}"`,
  })

/**
 * [auth.captcha] (https://supabase.com/docs/guides/auth/auth-captcha). `verify_url` is no name of the CLI's: where tokens are
 * verified, the provider's own address by default.
 */
export const captcha = table({
  enabled: flag.default(false),
  provider: z
    .enum(['hcaptcha', 'turnstile'], { error: 'must be "hcaptcha" or "turnstile"' })
    .default('hcaptcha'),
  secret: optionalText,
  verify_url: webAddress('https://hcaptcha.com/siteverify').optional(),
}).refine(({ enabled, secret }) => !enabled || secret, {
  path: ['secret'],
  error: 'must be what the provider gives, since CAPTCHA is enabled',
})

/**
 * [auth.password_hibp], the auth service's own setting behind a hosted project's "leaked password protection". `url` is
 * where the list is; `fail_closed` refuses passwords while it cannot be reached.
 */
export const passwordHibp = table({
  enabled: flag.default(false),
  fail_closed: flag.default(false),
  url: webAddress('https://api.pwnedpasswords.com').default('https://api.pwnedpasswords.com'),
})
