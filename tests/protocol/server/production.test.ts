// Requirements of production: all are reported at once, each is waived by its name, and no message contains a secret.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@meadowlark/server/config/config.ts'
import { WAIVERS } from '@meadowlark/server/config/waivers.ts'
import { SignJWT } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { loadConfig } from '../../../plugins/index.ts'
import { stripeSettings } from '../../../plugins/payments.ts'
import { repositoryFile, repositoryRoot } from '../../../plugins/repository.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function project(toml = '', functionsEnv = ''): string {
  const workdir = mkdtempSync(join(tmpdir(), 'meadowlark-production-'))
  folders.push(workdir)
  mkdirSync(join(workdir, 'supabase', 'functions'), { recursive: true })
  writeFileSync(join(workdir, 'supabase', 'config.toml'), toml)
  writeFileSync(join(workdir, 'supabase', 'functions', '.env'), functionsEnv)
  return workdir
}

type Given = { env?: Record<string, string>; toml?: string; functionsEnv?: string; production?: boolean }

function problems({ env = {}, toml, functionsEnv, production = true }: Given): string[] {
  try {
    loadConfig({ workdir: project(toml, functionsEnv), production, env })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

const live = {
  SITE_URL: 'https://meadowlark.ca',
  SMTP_HOST: 'mail.meadowlark.ca',
  SMTP_ADMIN_EMAIL: 'ada@example.com',
  JWT_SECRET: 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o',
  STRIPE_SECRET_KEY: 'sk_live_51abcdef',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_51abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_51abcdef',
}

test('a complete configuration starts, without a warning', () => {
  const config = loadConfig({ workdir: project(), production: true, env: live })
  expect(config.warnings).toEqual([])
})

test('everything missing is reported at once, and outside of production nothing of it', () => {
  const env = {
    SITE_URL: 'http://meadowlark.ca/app',
    JWT_SECRET: 'super-secret-jwt-token-with-at-least-32-characters-long',
    STRIPE_SECRET_KEY: 'sk_test_51abcdef',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_51abcdef',
    STRIPE_WEBHOOK_SECRET: 'whsec_51abcdef',
    PORT: 'http',
  }
  const found = problems({ env, toml: '[auth]\njwt_expiry = "soon"' })
  expect(found.map((line) => line.replace(/ .*/, ''))).toEqual([
    'PORT:',
    expect.stringMatching(/config\.toml:$/),
    'SITE_URL:',
    'SITE_URL:',
    'SMTP_HOST:',
    'STRIPE_SECRET_KEY:',
    'STRIPE_SECRET_KEY:',
    'JWT_SECRET:',
  ])
  expect(found.join('\n')).not.toMatch(/51abcdef|super-secret/)
  const { PORT: _, ...rest } = env
  expect(
    problems({ env: { ...rest, STRIPE_PUBLISHABLE_KEY: 'pk_test_51abcdef' }, production: false }),
  ).toEqual([])
})

test('a fault in config.toml hides nothing else of it, and no fault is reported twice', () => {
  const toml = `
    [auth]
    jwt_expiry = "soon"
    site_url = 5
    additional_redirect_urls = [5]
    [auth.sms]
    enable_signup = true
    [auth.external.google]
    enabled = true
  `
  const started = (found: string[]) =>
    found.map((line) => line.replace(/^.*config\.toml: /, '').replace(/ (is|needs|takes|must|could) .*/, ''))
  const { SMTP_HOST: _, ...noMail } = live
  expect(started(problems({ env: noMail, toml }))).toEqual([
    '[auth] site_url',
    '[auth.additional_redirect_urls] 0',
    '[auth] jwt_expiry',
    '[auth.external.google] client_id',
    '[auth.external.google] secret',
    'SMTP_HOST:',
    '[auth.sms] enable_signup',
  ])
  const inMail = '[auth.email.smtp]\nhost = "mail.meadowlark.ca"\nadmin_email = 5'
  expect(started(problems({ env: noMail, toml: inMail }))).toEqual(['[auth.email.smtp] admin_email'])
})

const demoKey = (role: string) =>
  new SignJWT({ iss: 'supabase-demo', role, exp: 1983812996 })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(live.JWT_SECRET))

test.each<[string, Given, RegExp]>([
  ['missing-site-url', { env: { SITE_URL: '' } }, /^SITE_URL: is not set/],
  [
    'http-site-url',
    { env: { SITE_URL: 'http://meadowlark.ca' } },
    /^SITE_URL: "http:\/\/meadowlark.ca" .* https:/,
  ],
  [
    'http-site-url',
    { env: { SUPABASE_PUBLIC_URL: 'http://api.meadowlark.ca' } },
    /^SUPABASE_PUBLIC_URL: "http:/,
  ],
  [
    'site-url-path',
    { env: { SITE_URL: 'https://meadowlark.ca/app' } },
    /^SITE_URL: .*set https:\/\/meadowlark\.ca/,
  ],
  [
    'site-url-path',
    { env: { SITE_URL: 'https://ada:hunter2hunter2@meadowlark.ca' } },
    /^SITE_URL: "https:\/\/ada:\[secret\]@/,
  ],
  ['missing-smtp', { env: { SMTP_HOST: '' } }, /^SMTP_HOST: is not set/],
  ['missing-sms', { toml: '[auth.sms]\nenable_signup = true' }, /\[auth\.sms\] enable_signup is true/],
  [
    'test-stripe-keys',
    { functionsEnv: 'STRIPE_SECRET_KEY=sk_test_51abcdef\n' },
    /^supabase\/functions\/\.env or \[edge_runtime\.secrets\]: STRIPE_SECRET_KEY: is a test key/,
  ],
  [
    'mixed-stripe-keys',
    { env: { STRIPE_PUBLISHABLE_KEY: 'pk_test_51abcdef', ALLOW: 'test-stripe-keys' } },
    /^STRIPE_SECRET_KEY: is a live key, but STRIPE_PUBLISHABLE_KEY is a test key/,
  ],
  [
    'published-secret',
    { env: { JWT_SECRET: 'your-super-secret-jwt-token-with-at-least-32-characters-long' } },
    /^JWT_SECRET: is one that Supabase publishes/,
  ],
  [
    'published-secret',
    { env: { ANON_KEY: await demoKey('anon') } },
    /^ANON_KEY: is one that Supabase publishes/,
  ],
  [
    'published-secret',
    { env: { SERVICE_ROLE_KEY: await demoKey('service_role') } },
    /^SERVICE_ROLE_KEY: is one/,
  ],
  [
    'published-secret',
    {
      env: { DATABASE_URL: 'postgresql://postgres:your-super-secret-and-long-postgres-password@db/postgres' },
    },
    /^DATABASE_URL: its password: is one/,
  ],
  [
    'weak-jwt-secret',
    { env: { JWT_SECRET: 'abcabcabcabcabcabcabcabcabcabcabcabc' } },
    /^JWT_SECRET: can be guessed/,
  ],
])('%s %o', (waiver, { env, ...given }, message) => {
  const whole = { ...live, ...env }
  const found = problems({ env: whole, ...given })
  expect(found).toEqual([expect.stringMatching(message)])
  expect(found[0]).toContain(`(ALLOW=${waiver} starts without)`)
  const allow = [env?.ALLOW, waiver].filter(Boolean).join(', ')
  expect(problems({ env: { ...whole, ALLOW: allow }, ...given })).toEqual([])
})

test('a name that waives nothing is reported, with those that do; each of them is documented', () => {
  const waivers = [...WAIVERS, ...(stripeSettings.waivers ?? [])]
  expect(problems({ env: { ...live, ALLOW: 'missing-smtp, everything' } })).toEqual([
    `ALLOW: "missing-smtp, everything" must name, by commas, what production may lack: ${waivers.join(', ')}; ` +
      'correct the environment variable or remove it',
  ])
  const operations = readFileSync(repositoryFile('docs/operations/deploy.md'), 'utf8')
  for (const waiver of waivers) expect(operations).toContain(`| \`${waiver}\` |`)
})

test('the marketplace asks for Stripe, and another project does not', () => {
  const { STRIPE_SECRET_KEY: _, STRIPE_PUBLISHABLE_KEY: __, STRIPE_WEBHOOK_SECRET: ___, ...env } = live
  const marketplace = (ALLOW: string) =>
    loadConfig({ workdir: repositoryRoot, production: true, env: { ...env, ALLOW } }).warnings
  expect(() => marketplace('')).toThrow(/^STRIPE_SECRET_KEY: is not set.*ALLOW=missing-stripe/)
  expect(marketplace('missing-stripe')).toContain('ALLOW lets production start without missing-stripe')
  expect(problems({ env })).toEqual([])
})

test('waived checks are reported at the start', () => {
  const env = { ...live, SMTP_HOST: '', ALLOW: 'missing-smtp,demo-people' }
  expect(loadConfig({ workdir: project(), production: true, env }).warnings).toEqual([
    'ALLOW lets production start without missing-smtp',
  ])
})

test.each<[Given, RegExp]>([
  [{ env: { METRICS_TOKEN: 'hunter2' } }, /^METRICS_TOKEN: its value must have/],
  [
    { env: { S3_ENDPOINT: 'ftp://ada:hunter2@store.example' } },
    /^S3_ENDPOINT: "ftp:\/\/ada:\[secret\]@store/,
  ],
  [{ env: { DATABASE_URL: 'postgresql://ada:hunter2%@db/postgres' } }, /^DATABASE_URL: its value must be/],
  [
    { env: { STRIPE_PUBLISHABLE_KEY: 'sk_live_hunter2' } },
    /^STRIPE_PUBLISHABLE_KEY: its value must begin with pk_/,
  ],
  [{ env: { HOST: 'localhost', SITE_URL: 'sk_live_hunter2' } }, /^SITE_URL: "sk_live_\[secret\]" must be/],
  [{ toml: '[auth.email.smtp]\npass = "hunter2' }, /is not valid TOML at line 2/],
  [{ toml: '[db.vault]\nanything = ["hunter2"]' }, /\[db\.vault\] anything must be a text/],
  [
    { toml: '[edge_runtime.secrets]\nanything = { a = "hunter2" }' },
    /\[edge_runtime\.secrets\] anything must be/,
  ],
  [{ toml: '[auth.sms.twilio]\nauth_token = ["hunter2"]' }, /\[auth\.sms\.twilio\] auth_token must be/],
  [{ toml: '[auth.sms.test_otp]\n4152127777 = ["hunter2"]' }, /\[auth\.sms\.test_otp\] 4152127777 must be/],
  [{ toml: '[auth]\nemail = [{ pass = "hunter2" }]' }, /\[auth\] email is a list, but must be a table/],
  [
    { toml: '[api]\nmax_rows = "env(HUNTER)"', env: { HUNTER: 'hunter2' } },
    /max_rows is what HUNTER says, but must be/,
  ],
])('%o holds no secret', (given, message) => {
  const found = problems({ ...given, production: false })
  expect(found).toContainEqual(expect.stringMatching(message))
  expect(found.join('\n')).not.toContain('hunter2')
})
