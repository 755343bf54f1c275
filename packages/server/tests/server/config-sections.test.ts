// Every section that the Supabase CLI writes into config.toml loads without a warning. An unknown setting, or one
// without effect here though it is switched on, causes a warning and nothing else.
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function load(toml: string, files: Record<string, string> = {}) {
  const workdir = mkdtempSync(join(tmpdir(), 'meadowlark-config-'))
  folders.push(workdir)
  mkdirSync(join(workdir, 'supabase/functions'), { recursive: true })
  writeFileSync(join(workdir, 'supabase/config.toml'), toml)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(workdir, 'supabase', file), text)
  return loadConfig({ workdir, env: {} })
}

const everything = `
project_id = "everything"
[api]
enabled = true
port = 54321
schemas = ["public", "graphql_public"]
extra_search_path = ["public", "extensions"]
max_rows = 1000
[api.tls]
enabled = false
[db]
port = 54322
shadow_port = 54320
health_timeout = "2m"
major_version = 17
[db.pooler]
enabled = false
port = 54329
pool_mode = "transaction"
default_pool_size = 20
max_client_conn = 100
[db.vault]
secret_key = "env(SECRET_VALUE)"
[db.migrations]
enabled = true
schema_paths = []
[db.seed]
enabled = true
sql_paths = ["./seed.sql"]
[db.network_restrictions]
enabled = false
allowed_cidrs = ["0.0.0.0/0"]
allowed_cidrs_v6 = ["::/0"]
[realtime]
enabled = true
[studio]
enabled = true
port = 54323
api_url = "http://127.0.0.1"
openai_api_key = "env(OPENAI_API_KEY)"
[inbucket]
enabled = true
port = 54324
[storage]
enabled = true
file_size_limit = "50MiB"
[storage.s3_protocol]
enabled = true
[storage.analytics]
enabled = false
[storage.vector]
enabled = false
[storage.buckets.images]
public = false
file_size_limit = "50MiB"
allowed_mime_types = ["image/png", "image/jpeg"]
objects_path = "./images"
[auth]
enabled = true
site_url = "http://127.0.0.1:3000"
additional_redirect_urls = ["https://127.0.0.1:3000"]
jwt_expiry = 3600
enable_refresh_token_rotation = true
refresh_token_reuse_interval = 10
enable_signup = true
enable_anonymous_sign_ins = false
enable_manual_linking = false
minimum_password_length = 6
password_requirements = ""
[auth.rate_limit]
email_sent = 2
sms_sent = 30
anonymous_users = 30
token_refresh = 150
sign_in_sign_ups = 30
token_verifications = 30
web3 = 30
[auth.captcha]
enabled = false
provider = "hcaptcha"
secret = ""
[auth.email]
enable_signup = true
double_confirm_changes = true
enable_confirmations = false
secure_password_change = false
max_frequency = "1s"
otp_length = 6
otp_expiry = 3600
[auth.email.smtp]
enabled = false
host = "smtp.example.com"
pass = "env(SENDGRID_API_KEY)"
[auth.email.template.invite]
subject = "You have been invited"
content_path = "./supabase/templates/invite.html"
[auth.email.notification.password_changed]
enabled = false
subject = "Your password has been changed"
[auth.sms]
enable_signup = false
enable_confirmations = false
template = "Your code is {{ .Code }}"
max_frequency = "5s"
[auth.sms.test_otp]
4152127777 = "123456"
[auth.sms.twilio]
enabled = false
account_sid = ""
message_service_sid = ""
auth_token = "env(SUPABASE_AUTH_SMS_TWILIO_AUTH_TOKEN)"
[auth.sessions]
timebox = "24h"
inactivity_timeout = "8h"
[auth.hook.custom_access_token]
enabled = false
uri = "pg-functions://postgres/auth/custom-access-token-hook"
[auth.mfa]
max_enrolled_factors = 10
[auth.mfa.totp]
enroll_enabled = false
verify_enabled = false
[auth.mfa.phone]
enroll_enabled = false
verify_enabled = false
otp_length = 6
template = "Your code is {{ .Code }}"
max_frequency = "5s"
[auth.external.apple]
enabled = false
client_id = ""
secret = "env(SUPABASE_AUTH_EXTERNAL_APPLE_SECRET)"
redirect_uri = ""
url = ""
skip_nonce_check = false
email_optional = false
[auth.web3.solana]
enabled = true
[auth.web3.ethereum]
enabled = false
[auth.third_party.firebase]
enabled = false
[auth.oauth_server]
enabled = false
authorization_url_path = "/oauth/consent"
allow_dynamic_registration = false
[edge_runtime]
enabled = true
policy = "per_worker"
inspector_port = 8083
deno_version = 2
[edge_runtime.secrets]
secret_key = "env(SECRET_VALUE)"
[functions.hello]
enabled = true
verify_jwt = true
import_map = "./functions/hello/deno.json"
entrypoint = "./functions/hello/index.ts"
static_files = ["./functions/hello/*.html"]
[functions.plain]
import_map = ""
[analytics]
enabled = true
port = 54327
backend = "postgres"
[experimental]
orioledb_version = ""
s3_host = "env(S3_HOST)"
[remotes.staging]
project_id = "abcdefghijklmnopqrst"
`

it('loads the file that the CLI writes, without a word', () => {
  const config = load(everything)
  expect(config.warnings).toEqual([])
  expect(config.functions).toMatchObject({
    hello: { entrypoint: './functions/hello/index.ts', static_files: ['./functions/hello/*.html'] },
    plain: { verify_jwt: true, import_map: undefined },
  })
})

it('tells a slip and what it does not act upon', () => {
  const { warnings } = load(`
    projekt = "x"
    [api]
    max_row = 10
    [auth.external.discord]
    enabled = true
    [functions.hello]
    verifyjwt = false
  `)
  expect(warnings.map((line) => line.replace(/^.*config\.toml: /, ''))).toEqual([
    'projekt is no setting of the Supabase CLI; it has no effect',
    'api.max_row is no setting of the Supabase CLI; it has no effect',
    'functions.hello.verifyjwt is no setting of the Supabase CLI; it has no effect',
    '[auth.external.discord] is enabled, but this server does not act upon it',
  ])
})

it('listens where config.toml says that the API is, and takes env(NAME) from the .env files that the CLI reads', () => {
  const config = load(
    '[api]\nport = 54321\n[auth]\nsite_url = "env(APP_URL)"\n[auth.sms]\ntemplate = "env(TEXT)"',
    {
      '../.env': 'APP_URL=http://outer.example\nTEXT=outer {{ .Code }}\nPORT=1\n',
      '.env': 'APP_URL=http://inner.example\n',
      '.env.local': 'APP_URL=http://local.example\n',
    },
  )
  expect(config.port).toBe(54321)
  expect(config.auth).toMatchObject({
    site_url: 'http://local.example',
    sms: { template: 'outer {{ .Code }}' },
  })
  expect(load('').port).toBe(3000)
})

it('reads functions/.env over [edge_runtime.secrets], without names of the platform', () => {
  const { functionSecrets } = load('[edge_runtime.secrets]\na = "1"\nB = "2"', {
    'functions/.env': 'B=3\nSUPABASE_URL=http://example.com\n# a comment\nC="with spaces"\n',
  })
  expect(functionSecrets).toEqual({ A: '1', B: '3', C: 'with spaces' })
})

it('switches SAML on with a key that identity providers can trust', () => {
  const saml = (line: string) => () => load(`[auth.saml]\nenabled = true\n${line}`)
  const key = (modulusLength: number) => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength })
    return `private_key = "${privateKey.export({ format: 'der', type: 'pkcs1' }).toString('base64')}"`
  }
  expect(saml('')).toThrow('[auth.saml] private_key must be set where SAML is enabled')
  const rule = '[auth.saml] private_key must be an RSA key of 2048 bits or more in PKCS #1, as Base64'
  expect(saml('private_key = "abc"')).toThrow(rule)
  expect(saml(key(1024))).toThrow(rule)
  expect(saml(key(2048))()).toMatchObject({ warnings: [], auth: { saml: { enabled: true } } })
})
