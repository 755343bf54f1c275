// GET /health, /settings and /.well-known/jwks.json: what clients and other services read of the auth service.
import { type Answer, json } from '../../http/answer.ts'
import { enabledProvider, KNOWN_PROVIDERS } from '../providers/registry.ts'
import type { AuthService } from '../service.ts'

export const health = (): Answer =>
  json({
    version: 'v2',
    name: 'GoTrue',
    description: 'GoTrue is a user registration and authentication API',
  })

/** RFC 7517. */
export const jwks = ({ keys }: AuthService): Answer =>
  json(keys.jwks, 200, { 'cache-control': 'public, max-age=600' })

export function publicSettings(service: AuthService): Answer {
  const { settings, config } = service
  return json({
    external: {
      anonymous_users: settings.enable_anonymous_sign_ins,
      email: settings.email.enable_signup,
      phone: settings.sms.enable_signup,
      ...Object.fromEntries(KNOWN_PROVIDERS.map((name) => [name, enabledProvider(service, name) !== null])),
    },
    disable_signup: !settings.enable_signup,
    mailer_autoconfirm: !settings.email.enable_confirmations,
    phone_autoconfirm: !settings.sms.enable_confirmations,
    sms_provider: config.carrier?.name ?? '',
    saml_enabled: settings.saml.enabled,
    passkeys_enabled: settings.passkey.enabled,
  })
}
