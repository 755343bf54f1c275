// GET /health, /settings and /.well-known/jwks.json: what clients and other services read of the auth service.
import { type Answer, json } from '../../http/answer.ts'
import type { AuthService } from '../service.ts'

/** Providers that clients look for in the settings; signing in through one is not offered. */
const OAUTH_PROVIDERS = [
  ...['apple', 'azure', 'bitbucket', 'discord', 'facebook', 'figma', 'fly', 'github', 'gitlab', 'google'],
  ...['kakao', 'keycloak', 'linkedin', 'linkedin_oidc', 'notion', 'slack', 'slack_oidc', 'snapchat'],
  ...['spotify', 'twitch', 'twitter', 'workos', 'zoom'],
]

export const health = (): Answer =>
  json({
    version: 'v2',
    name: 'GoTrue',
    description: 'GoTrue is a user registration and authentication API',
  })

/** RFC 7517. */
export const jwks = ({ keys }: AuthService): Answer =>
  json(keys.jwks, 200, { 'cache-control': 'public, max-age=600' })

export const publicSettings = ({ settings }: AuthService): Answer =>
  json({
    external: {
      anonymous_users: settings.enable_anonymous_sign_ins,
      email: settings.email.enable_signup,
      phone: settings.sms.enable_signup,
      ...Object.fromEntries(OAUTH_PROVIDERS.map((provider) => [provider, false])),
    },
    disable_signup: !settings.enable_signup,
    mailer_autoconfirm: !settings.email.enable_confirmations,
    phone_autoconfirm: !settings.sms.enable_confirmations,
    sms_provider: settings.sms.twilio.enabled ? 'twilio' : '',
    saml_enabled: false,
  })
