// GET /sso/saml/metadata, for administrators of identity providers, and POST /sso/saml/acs, to which their pages send
// people back with an answer.
import { type Answer, redirect } from '../../http/answer.ts'
import { databaseFailure } from '../database-failures.ts'
import { type AuthError, authErrorOf, badRequest, invalid, notFound, unprocessable } from '../errors.ts'
import { fetchMetadata, isStale, readMetadata } from '../flows/saml-metadata.ts'
import { decodeResponse, issuerOf, ResponseRefused, readAssertion } from '../flows/saml-responses.ts'
import { ownMetadata, requireSaml } from '../flows/saml-service-provider.ts'
import { signInByAssertion } from '../flows/saml-sign-in.ts'
import { errorParameters } from '../redirect-errors.ts'
import { sessionParameters, withFragment, withQuery } from '../redirects.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { takeRelayState } from '../store/saml-relay-states.ts'
import {
  findSsoProvider,
  findSsoProviderByEntity,
  type SsoProvider,
  storeMetadata,
} from '../store/sso-providers.ts'
import { requireEnabled } from './sso.ts'

const COPY_VALID_YEARS = 5

/** Our metadata; with `download=true` as a file to keep. Throws saml_provider_disabled. */
export async function samlMetadata(service: AuthService, { query }: AuthRequest): Promise<Answer> {
  requireSaml(service)
  const download = query.get('download') === 'true'
  const validUntil = new Date()
  validUntil.setUTCFullYear(validUntil.getUTCFullYear() + COPY_VALID_YEARS)
  return {
    status: 200,
    headers: {
      'content-type': 'application/xml',
      'cache-control': 'public, max-age=600',
      ...(download ? { 'content-disposition': 'attachment; filename="metadata.xml"' } : {}),
    },
    body: await ownMetadata(service, download ? validUntil : null),
  }
}

/** Signs in whom an identity provider sends back, and leads on; what is refused leads to the site with the error. */
export async function consumeAssertion(service: AuthService, { raw, origin }: AuthRequest): Promise<Answer> {
  requireSaml(service)
  try {
    return redirect(await targetOf(service, new URLSearchParams(raw.text), origin))
  } catch (error) {
    const known = refused(service, error)
    if (!known) throw error
    return redirect(withQuery(service.settings.site_url, errorParameters(known)))
  }
}

function refused({ log }: AuthService, error: unknown): AuthError | null {
  if (error instanceof ResponseRefused) {
    log.info({ why: error.message }, 'a SAML response was refused')
    return invalid(`SAML Assertion is not valid: ${error.message}`)
  }
  return authErrorOf(error) ?? databaseFailure(log, error, { method: 'POST', path: '/sso/saml/acs' })
}

/** Where the answer is from, and what it has to answer. `requestId` is null where the provider began. */
type Return = {
  provider: SsoProvider
  requestId: string | null
  redirectTo: string
  /** The PKCE flow that ends here, if one began it. */
  flowId: string | null
}

async function targetOf(service: AuthService, form: URLSearchParams, origin: Origin): Promise<string> {
  const relayState = form.get('RelayState') ?? ''
  const response = form.get('SAMLResponse') ?? ''
  const began = isUuid(relayState)
    ? await returnOf(service, relayState)
    : await unsolicited(service, relayState, form)
  if (response === '') throw invalid('SAMLResponse is missing')
  const provider = await refreshed(service, began.provider)
  const assertion = await readAssertion(service, provider, response, began.requestId)
  const { redirectTo, flowId } = began
  const outcome = await signInByAssertion(service, provider, assertion, flowId, origin)
  return 'code' in outcome
    ? withQuery(redirectTo, outcome)
    : withFragment(redirectTo, sessionParameters(outcome))
}

/** Somebody whom we have sent to their provider. Throws saml_relay_state_not_found, saml_relay_state_expired. */
async function returnOf({ database, settings }: AuthService, relayState: string): Promise<Return> {
  const { pool } = database
  const state = await takeRelayState(pool, relayState, settings.saml.relay_state_validity_period)
  if (!state) {
    throw notFound('saml_relay_state_not_found', 'SAML RelayState does not exist, try logging in again?')
  }
  if (state.expired) {
    throw unprocessable('saml_relay_state_expired', 'SAML RelayState has expired. Try logging in again?')
  }
  const provider = await findSsoProvider(pool, state.sso_provider_id)
  if (!provider) throw notFound('saml_idp_not_found', NO_CONNECTION)
  return {
    provider: requireEnabled(provider),
    requestId: state.request_id,
    redirectTo: state.redirect_to,
    flowId: state.flow_state_id,
  }
}

const NO_CONNECTION = 'A SAML connection has not been established with this Identity Provider'

/** Somebody who comes from a page of their provider, with the address of ours that they are to see. */
async function unsolicited(service: AuthService, relayState: string, form: URLSearchParams): Promise<Return> {
  if (relayState !== '' && !relayState.startsWith('/') && !URL.canParse(relayState)) {
    throw badRequest('validation_failed', 'SAML RelayState is not a valid UUID or URL')
  }
  if (form.get('SAMLart')) {
    throw invalid('SAML Artifact response can only be used with SP initiated flow')
  }
  const response = form.get('SAMLResponse') ?? ''
  if (response === '') throw invalid('SAMLResponse is missing')
  const provider = await findSsoProviderByEntity(service.database.pool, issuerOf(decodeResponse(response)))
  if (!provider) throw notFound('saml_idp_not_found', NO_CONNECTION)
  const redirectTo = service.redirectAllowed(relayState) ? relayState : service.settings.site_url
  return { provider: requireEnabled(provider), requestId: null, redirectTo, flowId: null }
}

/** Anybody may bring an answer, so that one fetch is all that answers bring about in this time. */
const FETCH_INTERVAL_S = 60

/** The provider with metadata that is not stale, where it has an address to fetch it from. */
async function refreshed(
  { database, log, shared }: AuthService,
  provider: SsoProvider,
): Promise<SsoProvider> {
  const {
    metadata_url: address,
    metadata_xml: known,
    updated_at: updatedAt,
    entity_id: entityId,
  } = provider.saml
  if (address === null || !isStale(readMetadata(known), new Date(updatedAt))) return provider
  const fetches = { key: `saml-metadata:${provider.id}`, amount: 1, window: FETCH_INTERVAL_S }
  if ((await shared.take(fetches)) > 0) return provider
  try {
    const xml = await fetchMetadata(address)
    if (readMetadata(xml).entityId !== entityId) throw invalid('SAML Metadata is of another EntityID')
    await storeMetadata(database.pool, provider.id, xml)
    return { ...provider, saml: { ...provider.saml, metadata_xml: xml } }
  } catch (error) {
    const known = authErrorOf(error)
    if (!known) throw error
    log.warn(
      { sso_provider_id: provider.id, why: known.message },
      'SAML metadata could not be retrieved, the existing one is used',
    )
    return provider
  }
}
