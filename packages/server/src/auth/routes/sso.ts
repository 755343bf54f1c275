// POST /sso: the address of the identity provider that signs a domain's people in, with a signed request.
import { z } from 'zod'
import { type Answer, json, redirect } from '../../http/answer.ts'
import { challenge, flag, text } from '../body.ts'
import { badRequest, invalid, notFound } from '../errors.ts'
import { readFlow } from '../flows/pkce.ts'
import { makeRequestId, requireSaml, signOnUrl } from '../flows/saml-service-provider.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService } from '../service.ts'
import { openRelayState } from '../store/saml-relay-states.ts'
import { findSsoProvider, findSsoProviderByDomain, type SsoProvider } from '../store/sso-providers.ts'

export const ssoBody = z.object({
  provider_id: text,
  domain: text,
  redirect_to: text,
  skip_http_redirect: flag(false),
  ...challenge,
})

/** Begins a sign-in at an identity provider. Throws saml_provider_disabled, sso_provider_not_found, sso_provider_disabled. */
export async function signInWithSso(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof ssoBody>>,
): Promise<Answer> {
  requireSaml(service)
  const { provider_id: providerId, domain } = body
  if (providerId !== '' && domain !== '') throw invalid('Only one of provider_id or domain supported')
  if (providerId === '' && domain === '') throw invalid('A provider_id or domain needs to be provided')
  if (providerId !== '' && !isUuid(providerId)) {
    throw badRequest('bad_json', 'Could not parse request body as JSON: provider_id must be a UUID')
  }
  const flow = readFlow(body)
  const provider = await findEnabled(service, providerId, domain)
  const requestId = makeRequestId()
  const relayState = await openRelayState(service.database.pool, {
    providerId: provider.id,
    redirectTo: service.redirectAllowed(body.redirect_to) ? body.redirect_to : origin.redirectTo,
    requestId,
    flow,
  })
  const url = await signOnUrl(service, provider, { id: requestId, relayState })
  return body.skip_http_redirect ? json({ url }) : redirect(url)
}

async function findEnabled(
  { database: { pool } }: AuthService,
  providerId: string,
  domain: string,
): Promise<SsoProvider> {
  const provider =
    providerId === '' ? await findSsoProviderByDomain(pool, domain) : await findSsoProvider(pool, providerId)
  if (!provider) {
    throw notFound(
      'sso_provider_not_found',
      providerId === '' ? 'No SSO provider assigned for this domain' : 'No such SSO provider',
    )
  }
  return requireEnabled(provider)
}

/** Throws sso_provider_disabled. */
export function requireEnabled(provider: SsoProvider): SsoProvider {
  if (!provider.disabled) return provider
  throw notFound('sso_provider_disabled', 'SSO Provider assigned for this domain is currently disabled')
}
