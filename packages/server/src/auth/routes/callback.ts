// GET and POST /callback: the way back from a provider. Whatever happens, the browser goes on to the application, with a
// session, with the code of a PKCE flow, or with an error.
import { type Answer, redirectFound } from '../../http/answer.ts'
import { databaseFailure } from '../database-failures.ts'
import { AuthError, authErrorOf, badRequest, forbidden, OAuthError, unprocessable } from '../errors.ts'
import { type ExternalIdentity, signInExternally } from '../flows/external-identities.ts'
import { linkToUser } from '../flows/linked-identities.ts'
import { startSession, type TokenResponse } from '../flows/sessions.ts'
import { afterUserCreated } from '../hooks/user-created.ts'
import { beganHere } from '../providers/browser.ts'
import { type Grant, type Provider, redeemCallback } from '../providers/clients.ts'
import { findProvider } from '../providers/registry.ts'
import { errorParameters } from '../redirect-errors.ts'
import { withFragment, withQuery } from '../redirects.ts'
import { type AuthRequest, isUuid } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import {
  completeProviderFlow,
  deleteFlow,
  isStillAsked,
  type ProviderFlow,
  takeProviderFlow,
} from '../store/flow-state.ts'
import { findUserById, isBanned } from '../store/users.ts'
import { reasonOf } from './authorize.ts'

export const callback = (service: AuthService, request: AuthRequest): Promise<Answer> =>
  settle(service, request, request.query)

/** For providers that have the browser send a form (`response_mode=form_post`). */
export const callbackForm = (service: AuthService, request: AuthRequest): Promise<Answer> =>
  settle(service, request, new URLSearchParams(request.raw.text))

async function settle(
  service: AuthService,
  { raw, origin }: AuthRequest,
  parameters: URLSearchParams,
): Promise<Answer> {
  let target = service.settings.site_url
  try {
    const flow = await takeFlow(service, parameters.get('state') ?? '', raw.headers)
    target = flow.referrer
    const provider = await findProvider(service, flow.provider_type)
    if (!provider) {
      throw badRequest('oauth_provider_not_supported', `Unsupported provider: ${flow.provider_type}`)
    }
    const grant = await redeem(service, provider, flow, parameters)
    return redirectFound(await end(service, { provider, flow, grant }, { ...origin, redirectTo: target }))
  } catch (thrown) {
    const known =
      authErrorOf(thrown) ?? databaseFailure(service.log, thrown, { method: 'GET', path: '/callback' })
    if (!known) throw thrown
    // Clients of a PKCE flow read the query, others the fragment.
    const error = errorParameters(known, 'server_error')
    return redirectFound(withFragment(withQuery(target, error), error))
  }
}

/** The flow that comes to its end. Throws bad_oauth_callback, bad_oauth_state, flow_state_already_used. */
async function takeFlow(
  service: AuthService,
  state: string,
  headers: Record<string, string | undefined>,
): Promise<ProviderFlow> {
  if (state === '') throw badRequest('bad_oauth_callback', 'OAuth state parameter missing')
  if (!isUuid(state)) throw badRequest('bad_oauth_state', 'OAuth state parameter is invalid')
  const flow = await takeProviderFlow(service.database.pool, state)
  if (!beganHere(service, flow, headers)) {
    throw badRequest('bad_oauth_state', 'OAuth state belongs to a sign-in that another browser began')
  }
  return flow
}

/** Of what a provider says about an error, so much is passed on. */
const MAX_DESCRIPTION_LENGTH = 500

/** Throws what the provider answered, bad_oauth_callback, and unexpected_failure for a code that it does not honour. */
async function redeem(
  service: AuthService,
  provider: Provider,
  flow: ProviderFlow,
  parameters: URLSearchParams,
): Promise<Grant> {
  const refused = parameters.get('error')
  if (refused) {
    const description = parameters.get('error_description') ?? ''
    throw new OAuthError(
      refused.slice(0, MAX_DESCRIPTION_LENGTH),
      description.slice(0, MAX_DESCRIPTION_LENGTH),
    )
  }
  if (!parameters.get('code')) {
    throw badRequest('bad_oauth_callback', 'OAuth callback with missing authorization code missing')
  }
  const grant = await redeemCallback(provider, service.keys, flow.id, parameters).catch((error) => {
    service.log.warn({ provider: provider.name, ...reasonOf(error) }, 'a provider’s code was refused')
    throw failed('Unable to exchange external code')
  })
  if (grant.profile.providerId === '') throw failed('Error getting user profile from external provider')
  if (grant.profile.emails.length === 0 && !provider.emailOptional) {
    throw failed('Error getting user email from external provider')
  }
  return grant
}

/** A fault of the provider or of how it is set up, which the browser takes to the application. */
const failed = (message: string) => new AuthError(500, 'unexpected_failure', message)

type Ending = { provider: Provider; flow: ProviderFlow; grant: Grant }

/** Signs in, or adds the identity to the account that asked for it; answers where the browser goes on to. */
async function end(service: AuthService, { provider, flow, grant }: Ending, origin: Origin): Promise<string> {
  const external = { provider: provider.name, ...grant.profile }
  const outcome = await service.database.transaction(async (client) => {
    const entered = flow.linking_target_id
      ? await addToAccount(client, service, flow, external, origin)
      : await signInExternally(client, service, external, origin, provider)
    if (entered instanceof AuthError) return entered
    const { id } = entered.user
    if (flow.auth_code) {
      await completeProviderFlow(client, flow.id, id, grant)
      return { ...entered, session: null }
    }
    await deleteFlow(client, flow.id)
    return { ...entered, session: await startSession(client, service, id, 'oauth', origin) }
  })
  if (outcome instanceof AuthError) throw outcome
  const { user, created, session } = outcome
  if (created) {
    service.log.info({ user: user.id, provider: provider.name }, 'a sign-up')
    await afterUserCreated(service, user.id, origin.ip)
  }
  if (flow.auth_code) return withQuery(flow.referrer, { code: flow.auth_code })
  return withFragment(flow.referrer, fragmentOf(session as TokenResponse, grant))
}

async function addToAccount(
  client: Parameters<typeof linkToUser>[0],
  service: AuthService,
  { id, linking_target_id: userId }: ProviderFlow,
  external: ExternalIdentity,
  origin: Origin,
) {
  const user = await findUserById(client, userId ?? '', { lock: true })
  if (!user) throw unprocessable('user_not_found', 'Linking target user not found')
  if (isBanned(user)) throw forbidden('user_banned', 'User is banned')
  // A session that was ended meanwhile, by a sign-out, another password or a second factor, leaves no way back in.
  if (!(await isStillAsked(client, id))) {
    throw forbidden('session_not_found', 'Session from session_id claim in JWT does not exist')
  }
  return linkToUser(client, service, user, external, origin)
}

const fragmentOf = (
  session: TokenResponse,
  { accessToken, refreshToken }: Grant,
): Record<string, string> => ({
  access_token: session.access_token,
  expires_at: String(session.expires_at),
  expires_in: String(session.expires_in),
  provider_token: accessToken,
  ...(refreshToken ? { provider_refresh_token: refreshToken } : {}),
  refresh_token: session.refresh_token,
  token_type: session.token_type,
})
