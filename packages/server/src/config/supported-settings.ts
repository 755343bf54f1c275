// The settings of the Supabase CLI's config.toml (its newest version), so that an unknown name, most often a typo, is
// reported instead of ignored. Also the settings that have no effect on this server even if they are switched on.
import { isProvider } from './providers.ts'

type Supported = true | { [name: string]: Supported }

const names = (list: string): { [name: string]: true } =>
  Object.fromEntries(list.split(' ').map((name) => [name, true] as const))

/** `*` stands for any name; `true` for anything below. */
const SUPPORTED: Supported = {
  project_id: true,
  api: {
    ...names(
      'enabled port schemas extra_search_path max_rows tls external_url kong_image auto_expose_new_tables',
    ),
  },
  db: {
    ...names(
      'port shadow_port health_timeout major_version root_key pooler vault network_restrictions settings ssl_enforcement',
    ),
    migrations: names('enabled schema_paths'),
    seed: names('enabled sql_paths'),
  },
  realtime: true,
  studio: true,
  inbucket: true,
  local_smtp: true,
  storage: true,
  analytics: true,
  experimental: true,
  remotes: true,
  edge_runtime: { ...names('enabled policy inspector_port deno_version'), secrets: true },
  functions: { '*': names('enabled verify_jwt import_map entrypoint static_files') },
  auth: {
    ...names(
      'enabled site_url additional_redirect_urls jwt_expiry jwt_issuer signing_keys_path signing_keys',
    ),
    ...names(
      'enable_refresh_token_rotation refresh_token_reuse_interval enable_manual_linking enable_signup',
    ),
    ...names(
      'enable_anonymous_sign_ins minimum_password_length password_requirements publishable_key secret_key',
    ),
    // No names of the CLI's, but of the auth service that runs behind it, and of this server alone.
    ...names(
      'password_required_characters password_hibp credential_change_max_age provisional_factor_period',
    ),
    saml: names(
      'enabled private_key allow_encrypted_assertions relay_state_validity_period rate_limit_assertion',
    ),
    ...names(
      'jwt_secret anon_key service_role_key captcha hook mfa external web3 third_party oauth_server passkey',
    ),
    ...names('webauthn sessions external_url'),
    rate_limit: names(
      'email_sent sms_sent anonymous_users token_refresh sign_in_sign_ups token_verifications web3',
    ),
    email: {
      ...names(
        'enabled enable_signup double_confirm_changes enable_confirmations secure_password_change max_frequency',
      ),
      ...names('require_current_password otp_length otp_expiry smtp template notification'),
    },
    sms: {
      ...names(
        'enabled enable_signup enable_confirmations template max_frequency otp_length otp_expiry test_otp',
      ),
      ...names('twilio twilio_verify messagebird textlocal vonage'),
    },
  },
}

/** Tables of [auth] whose parts this server does not act upon when they say `enabled = true`. */
const UNREAD = ['external', 'third_party']

/** One line for each setting of `tree` that has no effect here, beginning with the file's name. */
export function withoutEffect(file: string, tree: unknown): string[] {
  return [
    ...unknownNames(tree, SUPPORTED, '').map(
      (name) => `${file}: ${name} is no setting of the Supabase CLI; it has no effect`,
    ),
    ...enabledIn(tree).map((name) => `${file}: [${name}] is enabled, but this server does not act upon it`),
  ]
}

function unknownNames(node: unknown, allowed: Supported, path: string): string[] {
  if (allowed === true || !isTable(node)) return []
  return Object.entries(node).flatMap(([name, value]) => {
    const below = allowed[name] ?? allowed['*']
    const full = path ? `${path}.${name}` : name
    return below === undefined ? [full] : unknownNames(value, below, full)
  })
}

function enabledIn(tree: unknown): string[] {
  const auth = isTable(tree) && isTable(tree.auth) ? tree.auth : {}
  return UNREAD.flatMap((section) => {
    const table = auth[section]
    if (!isTable(table)) return []
    if (table.enabled === true) return [`auth.${section}`]
    return Object.entries(table)
      .filter(
        ([name, one]) =>
          isTable(one) && one.enabled === true && !(section === 'external' && isProvider(name)),
      )
      .map(([name]) => `auth.${section}.${name}`)
  })
}

function isTable(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null && !Array.isArray(node) && !(node instanceof Date)
}
