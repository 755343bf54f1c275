// [auth.hook.*] of config.toml: what the auth service asks before and while it acts, at a function of the database or
// over HTTP (https://supabase.com/docs/guides/auth/auth-hooks).
import { isOwnName } from './local-names.mjs'
import { flag, table, text } from './values.ts'

/** Plain HTTP is for the machine itself: who reads along elsewhere would see codes and claims. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]', 'host.docker.internal']

const isFunction = (uri: string): boolean => /^pg-functions:\/\/[^/]+\/[^/]+\/[^/]+$/.test(uri)
const isHttp = (uri: string): boolean => /^https?:\/\//.test(uri) && URL.canParse(uri)
function isSafe(uri: string): boolean {
  if (!/^http:/.test(uri)) return true
  const { hostname } = new URL(uri)
  return LOOPBACK.includes(hostname) || isOwnName(hostname)
}

/** Secrets of Standard Webhooks, each with the version of its signature. */
const SECRET = /^v1,whsec_[A-Za-z0-9+/=]{32,88}$/

const hook = table({
  enabled: flag.default(false),
  uri: text
    .refine((uri) => uri === '' || isFunction(uri) || isHttp(uri), {
      error: 'must be an address such as "pg-functions://postgres/public/name_of_function"',
      abort: true,
    })
    .refine(isSafe, { error: 'must begin with https:, except on this machine (localhost, 127.0.0.1, ::1)' })
    .default(''),
  /** Secrets that sign calls over HTTP, separated by `|` during a rotation. */
  secrets: text
    .transform((value) => value.split('|').filter(Boolean))
    .refine((secrets) => secrets.every((secret) => SECRET.test(secret)), {
      error: 'must be secrets such as "v1,whsec_" and 32 to 88 characters of Base64, several by |',
    })
    .prefault(''),
})
  .refine(({ enabled, uri }) => !enabled || uri !== '', {
    path: ['uri'],
    error: 'must be the address of a function, since the hook is enabled',
  })
  .refine(({ enabled, uri, secrets }) => !enabled || !isHttp(uri) || secrets.length > 0, {
    path: ['secrets'],
    error: 'must have a secret such as "v1,whsec_…", since the hook is called over HTTP',
  })

/** The hooks by their names in config.toml. */
export const hooks = table({
  before_user_created: hook,
  after_user_created: hook,
  password_verification_attempt: hook,
  mfa_verification_attempt: hook,
  custom_access_token: hook,
  send_sms: hook,
  send_email: hook,
})
