// Discovery for OAuth clients: one document for RFC 8414 and OpenID Connect Discovery, as in GoTrue.
import { type Answer, json } from '../../http/answer.ts'
import { SCOPES } from '../flows/oauth-scopes.ts'
import type { AuthService } from '../service.ts'

const CACHED = { 'cache-control': 'public, max-age=600' }

const CLAIMS = (
  'sub aud iss exp iat auth_time nonce email email_verified phone_number phone_number_verified name picture ' +
  'preferred_username updated_at'
).split(' ')

/** Where the OAuth server is switched off, the issuer and its keys alone: they verify the tokens of this project. */
export function discover({ settings, authUrl: issuer, keys }: AuthService): Answer {
  const { enabled, allow_dynamic_registration: open } = settings.oauth_server
  const known = { issuer, jwks_uri: `${issuer}/.well-known/jwks.json` }
  if (!enabled) return json(known, 200, CACHED)
  return json(
    {
      ...known,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      ...(open ? { registration_endpoint: `${issuer}/oauth/clients/register` } : {}),
      scopes_supported: SCOPES.filter((scope) => scope !== 'openid' || keys.signsPublicly),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: keys.algorithms,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      claims_supported: CLAIMS,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    },
    200,
    CACHED,
  )
}
