// The shape of supabase/config.toml, as the Supabase CLI documents it
// (https://supabase.com/docs/guides/local-development/cli/config): the settings this server reads, with the
// CLI's defaults. Settings it does not read are accepted, so that any project's file works.
import { z } from 'zod'
import { captcha, passwordHibp } from './attack-protection.ts'
import { sms } from './carriers.ts'
import { hooks } from './hooks.ts'
import { external } from './providers.ts'
import { saml } from './saml.ts'
import { storage } from './storage.ts'
import {
  appAddress,
  characterSets,
  duration,
  flag,
  integer,
  named,
  optionalText,
  table,
  text,
  texts,
} from './values.ts'

const api = table({
  enabled: flag.default(true),
  port: integer(1, 65_535).default(54_321),
  schemas: texts.default(['public', 'graphql_public']),
  extra_search_path: texts.default(['public', 'extensions']),
  max_rows: integer(1, 1_000_000).default(1000),
})

const db = table({
  port: integer(1, 65_535).default(54_322),
  migrations: table({ enabled: flag.default(true) }),
  vault: named(text),
  seed: table({ enabled: flag.default(true), sql_paths: texts.default(['./seed.sql']) }),
})

const rateLimit = table({
  email_sent: integer(0, 1_000_000).default(2),
  sms_sent: integer(0, 1_000_000).default(30),
  anonymous_users: integer(0, 1_000_000).default(30),
  token_refresh: integer(0, 1_000_000).default(150),
  sign_in_sign_ups: integer(0, 1_000_000).default(30),
  token_verifications: integer(0, 1_000_000).default(30),
  web3: integer(0, 1_000_000).default(30),
})

const smtp = table({
  enabled: flag.default(true),
  host: text.optional(),
  port: integer(1, 65_535).default(587),
  user: text.optional(),
  pass: text.optional(),
  admin_email: text.optional(),
  sender_name: text.optional(),
})

const email = table({
  /** The CLI's newer name of `enable_signup`. */
  enabled: flag.optional(),
  enable_signup: flag.default(true),
  double_confirm_changes: flag.default(true),
  enable_confirmations: flag.default(false),
  secure_password_change: flag.default(false),
  require_current_password: flag.default(false),
  max_frequency: duration.prefault('1s'),
  otp_length: integer(6, 10).default(6),
  otp_expiry: integer(1, 86_400).default(3600),
  smtp: smtp,
  template: named(table({ subject: text.optional(), content_path: text.optional() })),
  notification: named(
    table({ enabled: flag.default(false), subject: text.optional(), content_path: text.optional() }),
  ),
}).transform(({ enabled, ...settings }) => ({
  ...settings,
  enable_signup: enabled ?? settings.enable_signup,
}))

const factor = { enroll_enabled: flag.default(false), verify_enabled: flag.default(false) }

const mfa = table({
  max_enrolled_factors: integer(1, 100).default(10),
  totp: table(factor),
  phone: table({
    ...factor,
    otp_length: integer(6, 10).default(6),
    template: text.default('Your code is {{ .Code }}'),
    max_frequency: duration.prefault('5s'),
  }),
  web_authn: table(factor),
})

/** Left out, the relying party is the site. */
const webauthn = table({
  rp_id: optionalText,
  rp_display_name: optionalText,
  rp_origins: z.array(appAddress, 'must be a list of addresses').default([]),
})

const auth = table({
  enabled: flag.default(true),
  site_url: appAddress.default('http://127.0.0.1:3000'),
  additional_redirect_urls: texts.default([]),
  jwt_expiry: integer(30, 604_800).default(3600),
  signing_keys_path: optionalText,
  enable_refresh_token_rotation: flag.default(true),
  refresh_token_reuse_interval: integer(0, 3600).default(10),
  enable_manual_linking: flag.default(false),
  enable_signup: flag.default(true),
  enable_anonymous_sign_ins: flag.default(false),
  minimum_password_length: integer(6, 72).default(6),
  password_requirements: z
    .enum(['', 'letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols'], {
      error:
        'must be "", "letters_digits", "lower_upper_letters_digits" or "lower_upper_letters_digits_symbols"',
    })
    .default(''),
  /** The auth service's own setting, for rules that password_requirements has no value for; stronger than it. */
  password_required_characters: characterSets.optional(),
  /**
   * This server's own setting: how old somebody's sign-in may be when they change how their account is signed in to.
   * Left out, any age will do, as on hosted Supabase.
   */
  credential_change_max_age: duration.optional(),
  /**
   * This server's own setting: how long after its first proof a second factor may be removed by a reset by e-mail. Counts
   * where credential_change_max_age is set.
   */
  provisional_factor_period: duration.prefault('168h'),
  rate_limit: rateLimit,
  email,
  external,
  sms,
  mfa,
  passkey: table({
    enabled: flag.default(false),
    max_passkeys_per_user: integer(1, 100).default(10),
  }),
  webauthn,
  hook: hooks,
  captcha,
  password_hibp: passwordHibp,
  web3: table({
    solana: table({ enabled: flag.default(false) }),
    ethereum: table({ enabled: flag.default(false) }),
  }),
  /** Whether applications of others may have people sign in here: https://supabase.com/docs/guides/auth/oauth-server. */
  oauth_server: table({
    enabled: flag.default(false),
    /** Where site_url has the page on which people give their leave. */
    authorization_url_path: text
      .regex(/^\/?[^/\s?#\\][^\s?#\\]*$/, { error: 'must be a path such as "/oauth/consent"' })
      .default('/oauth/consent'),
    allow_dynamic_registration: flag.default(false),
  }),
  saml,
  sessions: table({ timebox: duration.optional(), inactivity_timeout: duration.optional() }),
})

/** Named as a hosted project's Realtime settings: users and presence events are of the whole server, the rest of one socket. */
const realtime = table({
  enabled: flag.default(true),
  private_only: flag.default(false),
  max_concurrent_users: integer(1, 1_000_000).default(20_000),
  max_channels_per_client: integer(1, 10_000).default(100),
  max_joins_per_second: integer(1, 100_000).default(100),
  max_events_per_second: integer(1, 1_000_000).default(100),
  max_presence_events_per_second: integer(1, 1_000_000).default(1000),
  max_client_presence_events_per_window: integer(1, 100_000).default(50),
  client_presence_window_ms: integer(100, 3_600_000).default(30_000),
  max_payload_size_in_kb: integer(1, 100_000).default(3000),
})

const functionSettings = table({
  enabled: flag.default(true),
  verify_jwt: flag.default(true),
  entrypoint: optionalText,
  import_map: optionalText,
  static_files: texts.default([]),
})

export const configFile = z.object({
  api,
  db,
  auth,
  realtime,
  storage,
  functions: named(functionSettings),
  edge_runtime: table({ enabled: flag.default(true), secrets: named(text) }),
})

/** config.toml after substitution and validation; names are those of the file, durations are seconds. */
export type ConfigFile = z.output<typeof configFile>
