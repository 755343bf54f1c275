// What every endpoint of the auth service works with: settings, keys, database, emails, limits, and who asks.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import { type Caller, callerOf } from '../gateway.ts'
import { limitKey } from '../http/client-address.ts'
import { TokenError } from '../keys.ts'
import type { Services } from '../services.ts'
import { type EmailTemplates, loadEmailTemplates } from './emails/templates.ts'
import { forbidden, tooMany, unauthorized } from './errors.ts'
import { type SharedLimits, sharedLimits } from './limits/shared.ts'
import { type RateLimit, type RateLimits, rateLimits } from './limits/token-bucket.ts'
import { redirectAllowed } from './redirects.ts'

/** The `[auth]` table of config.toml. */
export type AuthSettings = Config['auth']

/** Everyone's audience: GoTrue's default, and the only one here. */
export const audience = 'authenticated'

export type AuthService = Services & {
  settings: AuthSettings
  /** Where clients and links reach this service, without a slash at the end; also the tokens' issuer. */
  authUrl: string
  templates: EmailTemplates
  limits: RateLimits
  shared: SharedLimits
  /** Whether who receives what is sent was counted when it was asked for (see message-limits.ts). */
  recipientsCounted: boolean
  redirectAllowed: (url: string) => boolean
}

/** Completes the server's services with the auth service's own. Throws when an email's template is wrong. */
export function openAuthService(services: Services): AuthService {
  const { config } = services
  const settings = config.auth
  return {
    ...services,
    settings,
    authUrl: `${config.publicUrl}/auth/v1`,
    templates: loadEmailTemplates(config),
    limits: rateLimits(settings.rate_limit),
    shared: sharedLimits(services.database.pool),
    recipientsCounted: false,
    redirectAllowed: redirectAllowed({
      siteUrl: settings.site_url,
      additional: settings.additional_redirect_urls,
    }),
  }
}

/** Where a request comes from and where its emails' links shall lead. */
export type Origin = { ip: string | null; userAgent: string | null; redirectTo: string }

export function originOf(c: Context, service: AuthService): Origin {
  return {
    ip: service.addresses.of((c.env as HttpBindings).incoming),
    userAgent: c.req.header('user-agent') ?? null,
    redirectTo: redirectTarget(c, service),
  }
}

/** The first of header, query and Referer that the allow-list holds, else the site. */
function redirectTarget(c: Context, { redirectAllowed: allowed, settings }: AuthService): string {
  const asked = c.req.header('redirect_to') ?? c.req.query('redirect_to') ?? ''
  if (allowed(asked)) return asked
  const referer = c.req.header('referer') ?? ''
  return allowed(referer) ? referer : settings.site_url
}

/** Counts a request against a limit per client address. Throws over_request_rate_limit. */
export function countRequest(limit: RateLimit, { ip }: Origin): void {
  if (!limit.take(limitKey(ip))) throw tooMany('over_request_rate_limit', 'Request rate limit reached')
}

/** Who calls; a bad token is refused in GoTrue's words. */
function callerOrRefuse(c: Context): Caller {
  try {
    return callerOf(c)
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    const reason = error.reason === 'expired' ? 'token has invalid claims: token is expired' : error.message
    throw forbidden('bad_jwt', `invalid JWT: unable to parse or verify signature, ${reason}`)
  }
}

/** The claims of the bearer token. Throws no_authorization without one and bad_jwt for one that is not a user's. */
export function userClaims(c: Context): { sub: string; sessionId: string | null } {
  if (!/^bearer +\S+$/i.test(c.req.header('authorization') ?? '')) {
    throw unauthorized('no_authorization', 'This endpoint requires a valid Bearer token')
  }
  const { sub, session_id: session } = callerOrRefuse(c).claims
  if (typeof sub !== 'string' || sub === '') throw forbidden('bad_jwt', 'invalid claim: missing sub claim')
  if (!isUuid(sub)) throw forbidden('bad_jwt', 'invalid claim: sub claim must be a UUID')
  if (session === undefined || session === '') return { sub, sessionId: null }
  if (typeof session !== 'string' || !isUuid(session)) {
    throw forbidden('bad_jwt', 'invalid claim: session_id claim must be a UUID')
  }
  return { sub, sessionId: session }
}

/** The role of an administrative caller: of the bearer token or, where there is none, of the API key. Throws not_admin. */
export function adminRole(c: Context): string {
  const { role } = callerOrRefuse(c)
  if (role === 'service_role' || role === 'supabase_admin') return role
  if (!c.req.header('authorization')) {
    throw unauthorized('no_authorization', 'This endpoint requires a valid Bearer token')
  }
  throw forbidden('not_admin', 'User not allowed')
}

export const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value)
