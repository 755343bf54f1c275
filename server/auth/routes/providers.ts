// Sign-ins by somebody else's word: OAuth providers, ID tokens, SAML and wallets. None is built in yet: each is answered
// as GoTrue answers where a project has not switched it on.
import { z } from 'zod'
import { text } from '../body.ts'
import { badRequest, invalid, notFound } from '../errors.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'

/** GoTrue's providers; any other name is unknown instead of switched off. */
const PROVIDERS = new Set(
  (
    'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc notion ' +
    'snapchat spotify slack slack_oidc twitch twitter x vercel_marketplace workos zoom'
  ).split(' '),
)
const ISSUERS: Record<string, string> = {
  apple: 'https://appleid.apple.com',
  google: 'https://accounts.google.com',
  facebook: 'https://www.facebook.com',
  kakao: 'https://kauth.kakao.com',
}

/** Throws validation_failed, in the words for a provider that is unknown or switched off. */
export function refuseProvider(name: string): never {
  const reason = PROVIDERS.has(name) ? 'provider is not enabled' : `Provider ${name} could not be found`
  throw invalid(`Unsupported provider: ${reason}`)
}

/** GET /authorize, opened by a browser. */
export function authorize(_service: AuthService, { query }: AuthRequest): never {
  return refuseProvider(query.get('provider') ?? '')
}

export const idTokenBody = z.object({ id_token: text, provider: text, client_id: text, issuer: text })

/** POST /token?grant_type=id_token */
export function signInWithIdToken(
  _service: AuthService,
  { body }: AuthRequest<z.output<typeof idTokenBody>>,
): never {
  const { id_token: token, provider, client_id: clientId, issuer } = body
  if (token === '') throw invalid('id_token required')
  if (provider === '' && (clientId === '' || issuer === ''))
    throw invalid('provider or client_id and issuer required')
  const known = ISSUERS[provider]
  if (!known) throw invalid(`Custom OIDC provider ${JSON.stringify(provider)} not allowed`)
  throw badRequest('provider_disabled', `Provider (issuer ${JSON.stringify(known)}) is not enabled`)
}

/** POST /sso and the endpoints of SAML */
export function signInWithSso(): never {
  throw notFound('saml_provider_disabled', 'SAML 2.0 is disabled')
}
