// The auth service (GoTrue's protocol, https://github.com/supabase/auth/blob/master/openapi.yaml): its table of
// routes with GoTrue's words for thrown errors.
import { AccessError } from '../http/authenticator.ts'
import { BodyRefused } from '../http/body-refused.ts'
import { RateLimited, withHeaders } from '../http/errors.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Service } from '../http/route.ts'
import { TokenError } from '../keys/keys.ts'
import type { Services } from '../service-dependencies.ts'
import { DATABASE_UNAVAILABLE, isUnavailable } from '../sql/errors.ts'
import { databaseFailure } from './database-failures.ts'
import { AuthError, answerTo, authErrorOf, forbidden, UNEXPECTED, unauthorized } from './errors.ts'
import { registerRequestedMessages } from './flows/requested-messages.ts'
import { rateLimited } from './limits/attempts.ts'
import { MAX_BODY_BYTES, mountRoutes } from './route.ts'
import { AUTH_ROUTES, DISCOVERY_ROUTES } from './routes.ts'
import { type AuthService, openAuthService } from './service.ts'

/** Makes the auth service. Throws ConfigError when an email's template is wrong. */
export function createAuth(services: Services): { services: Service[] } {
  const service = openAuthService(services)
  registerRequestedMessages(service)
  const shared: Omit<Service, 'routes'> = {
    name: 'auth',
    // Answers hold tokens and personal data.
    headers: { 'cache-control': 'no-store' },
    errorAnswer(error, request) {
      if (isUnavailable(error)) {
        return withHeaders(answerTo(UNAVAILABLE, request.headers), { 'retry-after': '1' })
      }
      const known = authErrorFor(service, error, request)
      return known && answerTo(known, request.headers)
    },
    failure: (request) => answerTo(UNEXPECTED, request.headers),
  }
  return {
    services: [
      { ...shared, routes: mountRoutes(service, AUTH_ROUTES) },
      ...DISCOVERY_MOUNTS.map((mount) => ({
        ...shared,
        mount,
        routes: mountRoutes(service, DISCOVERY_ROUTES),
      })),
    ],
  }
}

/** RFC 8414 puts the path of an issuer behind that of the document, at the root of the host. */
const DISCOVERY_MOUNTS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

const UNAVAILABLE = new AuthError(503, 'unexpected_failure', DATABASE_UNAVAILABLE)

/** GoTrue's words for a thrown error; null for a fault of the server. */
function authErrorFor(service: AuthService, error: unknown, request: RequestContext): AuthError | null {
  if (error instanceof TokenError) return badToken(error)
  if (error instanceof AccessError) return accessRefused(error, request)
  if (error instanceof RateLimited) return rateLimited()
  if (error instanceof BodyRefused) return bodyRefused(error)
  return authErrorOf(error) ?? databaseFailure(service.log, error, request)
}

function badToken({ reason, message }: TokenError): AuthError {
  const why = reason === 'expired' ? 'token has invalid claims: token is expired' : message
  return forbidden('bad_jwt', `invalid JWT: unable to parse or verify signature, ${why}`)
}

function accessRefused({ access, hasToken }: AccessError, { headers }: RequestContext): AuthError {
  if (access === 'service' && headers.authorization) return forbidden('not_admin', 'User not allowed')
  if (hasToken) return forbidden('bad_jwt', 'invalid claim: missing sub claim')
  return unauthorized('no_authorization', 'This endpoint requires a valid Bearer token')
}

function bodyRefused({ reason, status, message }: BodyRefused): AuthError {
  if (reason === 'large') {
    return new AuthError(
      status,
      'request_entity_too_large',
      `Request body too large (max ${MAX_BODY_BYTES} bytes)`,
    )
  }
  const codes: Record<number, string> = {
    408: 'request_timeout',
    413: 'request_entity_too_large',
    429: 'over_request_rate_limit',
  }
  return new AuthError(status, codes[status] ?? 'unexpected_failure', message)
}
