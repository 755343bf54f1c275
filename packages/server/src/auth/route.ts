// A line of the auth service's table of routes, and how it becomes a route of the server. The body is parsed by its
// schema, the claims of the token are checked, and limits are counted by name.
import type { z } from 'zod'
import type { Answer } from '../http/answer.ts'
import type { Caller } from '../http/authenticator.ts'
import { RateLimited } from '../http/errors.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Access, Route } from '../http/route.ts'
import { inRequest } from '../sql/request-name.ts'
import { parseBody } from './body.ts'
import { requireCaptcha } from './captcha.ts'
import { forbidden } from './errors.ts'
import type { RequestLimit } from './limits/limiters.ts'
import type { AuthService, Origin } from './service.ts'
import { type Actor, adminActor } from './store/audit.ts'
import { keyedHash } from './store/rate-limits.ts'

/**
 * The user and session of an access token; tokens made elsewhere have no session. `clientId` is the OAuth client that
 * the token was given to, null for the person's own.
 */
export type UserClaims = { sub: string; sessionId: string | null; clientId: string | null }

/** A request as a handler sees it, after everything that its route names was checked. */
export type AuthRequest<Body = unknown, A extends Access = Access> = {
  body: Body
  origin: Origin
  query: URLSearchParams
  params: Record<string, string>
  /** The request as it came, for bodies other than JSON. */
  raw: Pick<RequestContext, 'text' | 'headers' | 'caller'>
  /** The claims of the token, on routes for users. */
  claims: A extends 'user' | 'bearer' ? UserClaims : unknown
  /** The administrator, for the audit log, on routes for administrators. */
  admin: A extends 'service' ? Actor : unknown
}

type Options<Shape> = {
  /** The key and quota of the rate limit; a function if they depend on the body. */
  limit?: RequestLimit | ((service: AuthService, body: z.output<Shape>) => RequestLimit | null)
  /** A limit for all servers together, counted in the database once this server's own allows it; `true` for the same one. */
  shared?: true | RequestLimit
  /** Whether a person has to prove that they are none of a bot's, where config.toml demands it. */
  captcha?: boolean
  /** The JSON object that the body has to be; an empty body counts as an empty object in DELETE. */
  body?: Shape
  /** On routes for users: whether the tokens that OAuth clients were given open them, too. */
  forClients?: boolean
}

type Handler<Body, A extends Access> = (
  service: AuthService,
  request: AuthRequest<Body, A>,
) => Answer | Promise<Answer>

export type AuthRoute = Options<z.ZodType> & {
  method: string
  path: string
  /** The value of the parameter `grant_type`; all that no other line names where it is null. */
  grant: string | null
  access: Access
  handler: Handler<never, never>
}

/**
 * A line of the table: `POST /token?grant_type=password`, `* /callback`. Access and schema must be those that the
 * handler is written for.
 */
export function route<A extends Access, Shape extends z.ZodType = z.ZodNull>(
  endpoint: string,
  access: A,
  options: Options<Shape>,
  handler: Handler<z.output<Shape>, A>,
): AuthRoute {
  const [method = '', address = ''] = endpoint.split(' ')
  const [path = '', grant = null] = address.split('?grant_type=')
  return { method, path, grant, access, ...options, handler } as unknown as AuthRoute
}

export const MAX_BODY_BYTES = 1024 * 1024

/** The table as the server's; lines that differ only in their grant become one route. */
export function mountRoutes(service: AuthService, table: readonly AuthRoute[]): Route[] {
  const endpoints = new Set(table.map(({ method, path }) => `${method} ${path}`))
  return [...endpoints].map((endpoint) => {
    const lines = table.filter(({ method, path }) => `${method} ${path}` === endpoint) as [AuthRoute]
    const find = ({ query }: RequestContext) =>
      lines.find(({ grant }) => grant === null || grant === query.get('grant_type')) as AuthRoute
    const [{ method, path, access }] = lines
    return {
      method,
      path,
      access,
      body: MAX_BODY_BYTES,
      limit: (context) => {
        const { limit } = find(context)
        return typeof limit === 'string' ? service.limiters[limit] : null
      },
      handler: (context) =>
        run({ ...service, database: inRequest(service.database, context.id) }, find(context), context),
    }
  })
}

async function run(service: AuthService, line: AuthRoute, context: RequestContext): Promise<Answer> {
  const claims = line.access === 'user' || line.access === 'bearer' ? readClaims(context.caller) : null
  if (claims?.clientId && !line.forClients) throw notForClients()
  const admin = line.access === 'service' ? adminActor(context.caller.role) : null
  const text = line.method === 'DELETE' ? context.text || '{}' : context.text
  const body = line.body ? parseBody(text, line.body) : null
  const limit = typeof line.limit === 'function' ? line.limit(service, body) : null
  if (limit && !service.limiters[limit].take(context.limitKey)) throw new RateLimited()
  if (line.shared) await takeShared(service, line, context)
  if (line.captcha) await requireCaptcha(service, context)
  const { query, params } = context
  const request = { body, origin: originOf(service, context), query, params, raw: context, claims, admin }
  return line.handler(service, request as never)
}

/** Counts by address for all servers together. Throws RateLimited. */
async function takeShared({ keys, limiters, shared }: AuthService, line: AuthRoute, context: RequestContext) {
  const name = (line.shared === true ? line.limit : line.shared) as RequestLimit
  const key = keyedHash(keys, 'requests', name, context.limitKey)
  if ((await shared.take({ key, ...limiters[name].quota })) > 0) throw new RateLimited()
}

function originOf(service: AuthService, { address: ip, headers, query }: RequestContext): Origin {
  return { ip, userAgent: headers['user-agent'] ?? null, redirectTo: redirectTarget(service, headers, query) }
}

/** The first of header, query and Referer that the allow-list holds, else the site. */
function redirectTarget(
  { redirectAllowed: allowed, settings }: AuthService,
  headers: RequestContext['headers'],
  query: URLSearchParams,
): string {
  const named = headers.redirect_to ?? query.get('redirect_to') ?? ''
  if (allowed(named)) return named
  const referer = headers.referer ?? ''
  return allowed(referer) ? referer : settings.site_url
}

/** Reads the claims of a user's token. Throws bad_jwt for any other token. */
export function readClaims({ claims: { sub, session_id: session, client_id: client } }: Caller): UserClaims {
  if (typeof sub !== 'string' || sub === '') throw forbidden('bad_jwt', 'invalid claim: missing sub claim')
  if (!isUuid(sub)) throw forbidden('bad_jwt', 'invalid claim: sub claim must be a UUID')
  const clientId = client === undefined ? null : String(client)
  if (session === undefined || session === '') return { sub, sessionId: null, clientId }
  if (typeof session !== 'string' || !isUuid(session)) {
    throw forbidden('bad_jwt', 'invalid claim: session_id claim must be a UUID')
  }
  return { sub, sessionId: session, clientId }
}

/** An application must not do in a person's name what changes the account, or give itself or others more. */
export const notForClients = () =>
  forbidden(
    'oauth_client_not_allowed',
    'An OAuth client may not do this for a person; they have to themselves',
  )

export const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value)
