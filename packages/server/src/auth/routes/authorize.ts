// GET /authorize, opened by a browser: on to a provider, with a state that the way back is recognised by.
import { type Answer, redirectFound } from '../../http/answer.ts'
import { AuthError } from '../errors.ts'
import { readFlow } from '../flows/pkce.ts'
import { markBrowser } from '../providers/browser.ts'
import { authorizationUrl, type Provider } from '../providers/clients.ts'
import { requireProvider } from '../providers/registry.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService, Origin } from '../service.ts'
import { type LinkTarget, openProviderFlow } from '../store/flow-state.ts'

/** Read here, or set by this server alone; every other parameter is passed on (`prompt`, `login_hint`, `hd`, …). */
const OWN_PARAMETERS = new Set(
  (
    'provider scopes redirect_to skip_http_redirect invite_token apikey client_id client_secret redirect_uri response_type ' +
    'response_mode scope state nonce code_challenge code_challenge_method code_verifier request request_uri'
  ).split(' '),
)
const MAX_PARAMETER_LENGTH = 1000

/** Throws validation_failed for an unknown provider and half a code challenge. */
export async function authorize(service: AuthService, { query, origin }: AuthRequest): Promise<Answer> {
  const { url, headers } = await begin(service, query, origin, null)
  return redirectFound(url, headers)
}

/** Where the provider is, and the headers that mark the browser. `linkTo` is whose account the identity is to join. */
export async function begin(
  service: AuthService,
  query: URLSearchParams,
  origin: Origin,
  linkTo: LinkTarget | null,
): Promise<{ url: string; headers: Record<string, string> }> {
  const provider = await requireProvider(service, query.get('provider') ?? '')
  const flow = readFlow({
    code_challenge: query.get('code_challenge') ?? '',
    code_challenge_method: query.get('code_challenge_method') ?? '',
  })
  const state = await openProviderFlow(service.database.pool, {
    provider: provider.name,
    flow,
    redirectTo: origin.redirectTo,
    linkTo,
  })
  const url = await authorizationUrl(provider, service.keys, state, {
    scopes: (query.get('scopes') ?? '').split(/[\s,]+/).filter(Boolean),
    parameters: passedOn(query),
  }).catch((error) => refuseUnreachable(service, provider, error))
  return { url, headers: markBrowser(service, state) }
}

const passedOn = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...query].filter(
      ([name, value]) => !OWN_PARAMETERS.has(name.toLowerCase()) && value.length <= MAX_PARAMETER_LENGTH,
    ),
  )

/** Logs why a provider could not be asked, and throws what the caller is answered. */
export function refuseUnreachable(service: AuthService, { name }: Provider, error: unknown): never {
  service.log.warn({ provider: name, ...reasonOf(error) }, 'a provider could not be asked')
  throw new AuthError(
    503,
    'unexpected_failure',
    `The provider ${name} cannot be reached just now; try again in a moment`,
  )
}

/** The reason that a library gives for a failed exchange. It omits the answer, which may contain tokens. */
export function reasonOf(error: unknown): { reason: string; code: unknown } {
  const { message, code, error: name } = error as Error & { code?: unknown; error?: unknown }
  return { reason: message, code: name ?? code }
}
