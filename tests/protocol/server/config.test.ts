// Configuration: settings from config.toml and the environment, and reports of wrong ones.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@meadowlark/server/config/config.ts'
import { captchaConfiguration, captchaSources } from '@meadowlark/server/http/captcha-widget.ts'
import { afterEach, expect, test } from 'vitest'
import { loadConfig, sandboxOf } from '../../../plugins/index.ts'
import { repositoryRoot } from '../../../plugins/repository.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function project(toml: string): string {
  const workdir = mkdtempSync(join(tmpdir(), 'meadowlark config '))
  folders.push(workdir)
  mkdirSync(join(workdir, 'supabase'))
  writeFileSync(join(workdir, 'supabase', 'config.toml'), toml)
  return workdir
}

function problems(toml: string, env: Record<string, string> = {}): string[] {
  try {
    loadConfig({ workdir: project(toml), env })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('an empty file gives the defaults of the Supabase CLI', () => {
  const config = loadConfig({ workdir: project(''), env: {} })
  expect(config).toMatchObject({
    port: 3000,
    production: false,
    databaseUrl: null,
    publicUrl: 'http://localhost:3000',
    originIsFixed: false,
    api: { schemas: ['public', 'graphql_public'], max_rows: 1000 },
  })
  expect(sandboxOf(config)).toEqual({ stripe: false, mail: true, sms: true })
  expect(config.auth).toMatchObject({
    jwt_expiry: 3600,
    minimum_password_length: 6,
    site_url: 'http://127.0.0.1:3000',
  })
  expect(config.auth.email).toMatchObject({ max_frequency: 1, otp_length: 6, enable_confirmations: false })
})

test('config.local.toml changes single settings of config.toml, and its faults bear its name', () => {
  const workdir = project(
    '[auth]\njwt_expiry = 600\nadditional_redirect_urls = ["https://a.example"]\n[auth.rate_limit]\nweb3 = 7',
  )
  const local = join(workdir, 'supabase', 'config.local.toml')
  writeFileSync(local, '[auth]\nadditional_redirect_urls = []\n[auth.rate_limit]\nemail_sent = 500')
  expect(loadConfig({ workdir, env: {} }).auth).toMatchObject({
    jwt_expiry: 600,
    additional_redirect_urls: [],
    rate_limit: { web3: 7, email_sent: 500 },
  })
  writeFileSync(local, '[auth')
  expect(() => loadConfig({ workdir, env: {} })).toThrow(/config\.local\.toml: is not valid TOML at line 1/)
})

test('the product waits a minute between two emails to one person', () => {
  expect(loadConfig({ workdir: repositoryRoot, env: {} }).auth.email.max_frequency).toBe(60)
})

test('DATABASE_MAX_CONNECTIONS are shared out, except the four outside of pools', () => {
  const total = (env: Record<string, string>) =>
    Object.values(loadConfig({ workdir: project(''), env }).connections).reduce(
      (sum, share) => sum + share,
      4,
    )
  expect([total({}), total({ DATABASE_MAX_CONNECTIONS: '11' })]).toEqual([20, 11])
  expect(problems('', { DATABASE_MAX_CONNECTIONS: '10' })).toEqual([
    expect.stringMatching(/^DATABASE_MAX_CONNECTIONS: "10" must be/),
  ])
})

test('a CAPTCHA can be switched on by the environment, and takes a site key where pages of the app show it', () => {
  const env = {
    SUPABASE_AUTH_CAPTCHA_ENABLED: 'true',
    SUPABASE_AUTH_CAPTCHA_PROVIDER: 'turnstile',
    SUPABASE_AUTH_CAPTCHA_SECRET: 'private',
  }
  expect(() => loadConfig({ workdir: repositoryRoot, env })).toThrow(/\[auth\.captcha\] site_key is missing/)
  expect(loadConfig({ workdir: project(''), env }).auth.captcha.enabled).toBe(true)

  const own = { ...env, SUPABASE_AUTH_CAPTCHA_SITE_KEY: 'public' }
  const { captcha } = loadConfig({ workdir: repositoryRoot, env: own }).auth
  const scriptUrl = 'https://challenges.cloudflare.com/turnstile/v0/api.js'
  expect(captchaConfiguration(captcha)).toEqual({
    captcha: { provider: 'turnstile', siteKey: 'public', scriptUrl },
  })
  const cloudflare = ['https://challenges.cloudflare.com']
  expect(captchaSources(captcha)).toEqual({ 'script-src': cloudflare, 'frame-src': cloudflare })
  const elsewhere = { ...captcha, provider: 'hcaptcha', script_url: 'https://example.com/api.js' } as const
  expect(captchaSources(elsewhere)['connect-src']).toEqual(['https://example.com'])
  const off = { ...captcha, enabled: false }
  expect([captchaConfiguration(off), captchaSources(off)]).toEqual([{}, {}])
})

test('custom providers get a button by their name', () => {
  const read = (CUSTOM_PROVIDERS: string) =>
    loadConfig({ workdir: repositoryRoot, env: { CUSTOM_PROVIDERS } })
  expect(read('custom:guild=The Guild, custom:works = Works & Co.').customProviders).toEqual([
    { id: 'custom:guild', name: 'The Guild' },
    { id: 'custom:works', name: 'Works & Co.' },
  ])
  expect(read('').customProviders).toEqual([])
  for (const wrong of [
    'guild=The Guild',
    'custom:guild',
    'custom:guild=',
    'custom:a=A,custom:a=B',
    `custom:a=${'x'.repeat(41)}`,
  ])
    expect(() => read(wrong)).toThrow(/CUSTOM_PROVIDERS: .* must name custom providers/)
})

test("this repository's own file is valid, with and without production", () => {
  expect(loadConfig({ workdir: repositoryRoot, env: { PORT: '4321' } }).auth.site_url).toBe(
    'http://localhost:4321',
  )
  const config = loadConfig({
    workdir: repositoryRoot,
    production: true,
    env: { SITE_URL: 'https://meadowlark.ca/', ALLOW: 'missing-smtp,missing-stripe' },
  })
  expect(config.publicUrl).toBe('https://meadowlark.ca')
  expect(sandboxOf(config)).toEqual({ stripe: false, mail: false, sms: false })
})

test('NODE_ENV=production is production', () => {
  const env = { NODE_ENV: 'production', ALLOW: 'missing-smtp,missing-site-url,missing-stripe' }
  expect(loadConfig({ workdir: repositoryRoot, env }).production).toBe(true)
})

test('env(NAME) is replaced, and numbers and booleans are read out of it', () => {
  const toml =
    '[auth]\njwt_expiry = "env(EXPIRY)"\nenable_signup = "env(SIGNUP)"\n[auth.email]\nmax_frequency = "1m30s"'
  const { auth } = loadConfig({ workdir: project(toml), env: { EXPIRY: '600', SIGNUP: 'false' } })
  expect(auth).toMatchObject({ jwt_expiry: 600, enable_signup: false, email: { max_frequency: 90 } })
})

test('a variable that is missing matters only where it is used', () => {
  const unused =
    '[auth.sms.twilio]\nenabled = false\nauth_token = "env(TWILIO)"\n[edge_runtime.secrets]\nOTHER = "env(OTHER)"'
  expect(problems(unused)).toEqual([])
  const used =
    '[auth.email.smtp]\nhost = "mail.example.com"\nadmin_email = "ada@example.com"\npass = "env(MAIL_PASS)"'
  expect(problems(used)).toEqual([
    expect.stringMatching(
      /\[auth\.email\.smtp\] pass takes its value from MAIL_PASS, which is not set; set the/,
    ),
  ])
})

test('settings for other tools are accepted', () => {
  expect(
    problems(
      '[studio]\nport = 54323\n[auth.external.apple]\nenabled = false\nsecret = "env(APPLE)"\n[local_smtp]\nport = 1',
    ),
  ).toEqual([])
})

test.each([
  [
    '[auth]\njwt_expiry = "soon"',
    /\[auth\] jwt_expiry is "soon", but must be a whole number from 30 to 604800/,
  ],
  ['[auth]\nsite_url = "meadowlark"', /\[auth\] site_url is "meadowlark", but must be an address such as/],
  [
    '[auth.hook.custom_access_token]\nenabled = true\nuri = "pg-functions://postgres/hook"',
    /\[auth\.hook\.custom_access_token\] uri is .*, but must be an address such as "pg-functions:/,
  ],
  [
    '[auth.hook.send_email]\nenabled = true\nuri = "http://example.com/hook"\nsecrets = "v1,whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="',
    /\[auth\.hook\.send_email\] uri is "http:\/\/example\.com\/hook", but must begin with https:, except on this machine/,
  ],
  [
    '[auth.hook.send_email]\nenabled = true\nuri = "https://example.com/hook"',
    /\[auth\.hook\.send_email\] secrets must have a secret such as "v1,whsec_…"/,
  ],
  [
    '[auth.hook.send_email]\nsecrets = "whsec_0123456789abcdef0123456789abcdef"',
    /\[auth\.hook\.send_email\] secrets must be secrets such as/,
  ],
  [
    '[auth.hook.send_sms]\nenabled = true',
    /\[auth\.hook\.send_sms\] uri is nothing, but must be the address of a function, since the hook is enabled/,
  ],
  [
    '[auth.captcha]\nenabled = true',
    /\[auth\.captcha\] secret must be what the provider gives, since CAPTCHA is enabled/,
  ],
  [
    '[auth.captcha]\nscript_url = "js.hcaptcha.com"',
    /\[auth\.captcha\] script_url is "js\.hcaptcha\.com", but must be an address such as/,
  ],
  [
    '[auth.sms.messagebird]\nenabled = true\noriginator = "Meadowlark"',
    /\[auth\.sms\.messagebird\] is enabled, but access_key is not set; set it/,
  ],
  ['[auth.email]\notp_length = 99', /\[auth\.email\] otp_length is 99, but must be at most 10/],
  ['[auth.email]\nmax_frequency = "often"', /max_frequency is "often", but must be a duration such as "60s"/],
  [
    '[auth]\npassword_requirements = "long"',
    /password_requirements is "long", but must be "", "letters_digits"/,
  ],
  ['[api]\nschemas = "public"', /\[api\] schemas is "public", but must be a list of texts/],
  [
    '[functions.hello]\nverify_jwt = "maybe"',
    /\[functions\.hello\] verify_jwt is "maybe", but must be true or false/,
  ],
  ['auth = 3', /config\.toml: auth is 3, but must be a table/],
  ['[auth\n', /config\.toml: is not valid TOML/],
])('%s', (toml, message) => {
  expect(problems(toml)).toEqual([expect.stringMatching(message)])
})

test.each([
  [
    { TRUSTED_PROXIES: '10.0.0.0/40' },
    'TRUSTED_PROXIES: "10.0.0.0/40" must be the addresses or networks of proxies, such as "127.0.0.1, 10.0.0.0/8"; correct the environment variable or remove it',
  ],
  [
    { PORT: 'http' },
    'PORT: "http" must be a whole number from 0 to 65535; correct the environment variable or remove it',
  ],
  [
    { DATABASE_URL: 'mysql://x' },
    'DATABASE_URL: its value must be an address such as postgresql://user:password@host:5432/postgres, with several hosts ("one:5432,two:5432") where it fails over; target_session_attrs is read-write or primary; correct the environment variable or remove it',
  ],
  [
    { SITE_URL: 'meadowlark.ca' },
    'SITE_URL: "meadowlark.ca" must be an address such as https://example.com; correct the environment variable or remove it',
  ],
  [
    { JWT_SECRET: 'short' },
    'JWT_SECRET: its value must have at least 32 characters; correct the environment variable or remove it',
  ],
  [
    { LOG_LEVEL: 'loud' },
    'LOG_LEVEL: "loud" must be fatal, error, warn, info, debug, trace or silent; correct the environment variable or remove it',
  ],
  [
    { SMTP_HOST: 'mail.example.com' },
    'SMTP_ADMIN_EMAIL: is not set, but SMTP_HOST is; set it to the address that mail comes from',
  ],
])('%o', (env, message) => {
  expect(problems('', env)).toEqual([message])
})

test('Stripe is set whole or not at all', () => {
  expect(problems('', { STRIPE_SECRET_KEY: 'sk_test_1' })).toEqual([
    'STRIPE_PUBLISHABLE_KEY: is not set, but another STRIPE_ variable is; set all three or none',
    'STRIPE_WEBHOOK_SECRET: is not set, but another STRIPE_ variable is; set all three or none',
  ])
  const env = {
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
  }
  expect(sandboxOf(loadConfig({ workdir: repositoryRoot, env }))).toEqual({
    stripe: false,
    mail: true,
    sms: true,
  })
})

test('several problems are reported at once, and an empty variable counts as not set', () => {
  expect(problems('', { PORT: '99999', LOG_LEVEL: 'x', JWT_SECRET: '' })).toHaveLength(2)
})

test('a folder without supabase is named', () => {
  expect(() => loadConfig({ workdir: '/nowhere', env: {} })).toThrow(
    '--workdir: /nowhere has no supabase folder; name the folder that holds one',
  )
})
