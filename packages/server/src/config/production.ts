// Requirements of production, checked before the start. The setting ALLOW waives them by name.
import { decodeJwt } from 'jose'
import type { EnvironmentVariables } from './environment.ts'
import type { ConfigFile } from './file.ts'
import { shown } from './redact.ts'
import type { Shortcoming, Waiver } from './waivers.ts'

export type Checked = {
  variables: EnvironmentVariables
  /** Without what is wrong in it; null when nothing of config.toml can be read. */
  file: ConfigFile | null
  /** Whether mail and text messages have a way out; true also where that is still to be corrected. */
  mail: boolean
  sms: boolean
  /** Missing requirements of plugins. */
  ofPlugins: Shortcoming[]
}

/** Secrets that Supabase publishes for trials: the CLI's, and the example of self-hosting. */
const PUBLISHED = [
  'super-secret-jwt-token-with-at-least-32-characters-long',
  'your-super-secret-jwt-token-with-at-least-32-characters-long',
]
const PUBLISHED_DATABASE_PASSWORD = 'your-super-secret-and-long-postgres-password'
/** Issuer of the anon and service keys in Supabase's documents. */
const DEMO_ISSUER = 'supabase-demo'
/** A secret that was drawn at random has more different characters, even as hexadecimal digits. */
const FEWEST_CHARACTERS = 10

/** Everything that production lacks, in the order of docs/operations/deploy.md. */
export function shortcomings(checked: Checked): Shortcoming[] {
  return [
    ...ofAddresses(checked.variables),
    ...ofMessages(checked),
    ...checked.ofPlugins,
    ...ofSecrets(checked.variables),
  ]
}

function ofAddresses({ SITE_URL, SUPABASE_PUBLIC_URL }: EnvironmentVariables): Shortcoming[] {
  const found: Shortcoming[] = []
  const say = (waiver: Waiver, line: string) => found.push({ waiver, line })
  if (!SITE_URL) {
    say(
      'missing-site-url',
      'SITE_URL: is not set, so links in mail would lead nowhere; set it to the address of the app',
    )
  }
  for (const [name, value] of Object.entries({ SITE_URL, SUPABASE_PUBLIC_URL })) {
    if (!value) continue
    const url = new URL(value)
    if (url.protocol === 'http:') {
      say(
        'http-site-url',
        `${name}: ${shown([name], value)} is not safe from being read on the way; set an address that begins with https:`,
      )
    }
    if (name === 'SITE_URL' && url.href !== `${url.origin}/`) {
      say(
        'site-url-path',
        `${name}: ${shown([name], value)} has more than a scheme and a host, but the app is served at the root; set ${url.origin}`,
      )
    }
  }
  return found
}

function ofMessages({ file, mail, sms }: Checked): Shortcoming[] {
  const found: Shortcoming[] = []
  if (file?.auth.enabled && !mail) {
    found.push({
      waiver: 'missing-smtp',
      line: 'SMTP_HOST: is not set, so nobody could confirm an account or reset a password; set SMTP_HOST, SMTP_PORT, SMTP_USER, SMTP_PASS and SMTP_ADMIN_EMAIL',
    })
  }
  if (file?.auth.enabled && file.auth.sms.enable_signup && !sms) {
    found.push({
      waiver: 'missing-sms',
      line: 'supabase/config.toml: [auth.sms] enable_signup is true, but no text message could be sent; set a carrier such as [auth.sms.twilio], or turn it off',
    })
  }
  return found
}

function ofSecrets({
  JWT_SECRET,
  ANON_KEY,
  SERVICE_ROLE_KEY,
  DATABASE_URL,
}: EnvironmentVariables): Shortcoming[] {
  const found: Shortcoming[] = []
  const published = (name: string) =>
    `${name}: is one that Supabase publishes for trying it out: anybody could make themselves administrator`
  if (JWT_SECRET && PUBLISHED.includes(JWT_SECRET)) {
    found.push({
      waiver: 'published-secret',
      line: `${published('JWT_SECRET')}; set one of your own, such as openssl rand -base64 48 gives`,
    })
  } else if (JWT_SECRET && new Set(JWT_SECRET).size < FEWEST_CHARACTERS) {
    found.push({
      waiver: 'weak-jwt-secret',
      line: 'JWT_SECRET: can be guessed; set one such as openssl rand -base64 48 gives',
    })
  }
  for (const [name, key] of Object.entries({ ANON_KEY, SERVICE_ROLE_KEY })) {
    if (key && issuerOf(key) === DEMO_ISSUER) {
      found.push({
        waiver: 'published-secret',
        line: `${published(name)}; remove it: one is made from JWT_SECRET`,
      })
    }
  }
  if (DATABASE_URL && decodeURIComponent(new URL(DATABASE_URL).password) === PUBLISHED_DATABASE_PASSWORD) {
    found.push({
      waiver: 'published-secret',
      line: `${published('DATABASE_URL: its password')}; give the role another one`,
    })
  }
  return found
}

function issuerOf(key: string): unknown {
  try {
    return decodeJwt(key).iss
  } catch {
    return null
  }
}
