// The path of every request: finds its service and route, checks access, rate limit and body as the route's table
// says, calls the handler, and turns errors into answers.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type pino from 'pino'
import { TokenError } from '../keys/keys.ts'
import type { ObservedRequest } from '../observability/metrics/metrics.ts'
import { type ActiveSpan, inSpan } from '../observability/tracing/spans.ts'
import { type Answer, fromResponse, json, noRoute } from './answer.ts'
import { type Authenticator, NO_KEY, needsKey, requireAccess, WRONG_KEY } from './authenticator.ts'
import type { Bans } from './bans.ts'
import { type Bodies, hasBody } from './bodies.ts'
import { BodyRefused } from './body-refused.ts'
import type { ClientAddresses } from './client-address.ts'
import { compressed } from './compress.ts'
import { corsHeaders, GATEWAY_CORS, isPreflight, preflight } from './cors.ts'
import { drain } from './drain-body.ts'
import { errorAnswer, RateLimited, withHeaders } from './errors.ts'
import { RequestContext } from './request-context.ts'
import type { Given, Handler, Service } from './route.ts'
import { createRouter, type Match, type Router } from './router.ts'
import { createSender, type FixedHeaders, type Sender } from './send.ts'

export interface ListenerOptions {
  services: readonly Service[]
  authenticator: Authenticator
  addresses: ClientAddresses
  bodies: Bodies
  /** Put on every answer, and on pages. */
  security: Pick<FixedHeaders, 'always' | 'pages'>
  /** Called with every answer. */
  observe: (request: ObservedRequest) => void
  bans: Pick<Bans, 'count'>
  log: pino.Logger
}

type Mounted = { service: Service; mount: string; router: Router; sender: Sender }

const UNEXPECTED = { message: 'An unexpected failure occurred' }
const NOTHING: Service = { name: 'web', mount: '', routes: [], cors: null }

/** Answers every request from the tables of the services; the one with the longest mount that fits is its service. */
export function createListener(options: ListenerOptions): RequestListener {
  const responder = new Responder(options)
  return (incoming, outgoing) =>
    void inSpan(incoming.method as string, { kind: 'server', from: incoming.headers }, (span) =>
      responder.respond(incoming, outgoing, span),
    )
}

/** Handles one request in this order: respond, handle, withBody; answerTo for an error. */
class Responder {
  private readonly options: ListenerOptions
  private readonly mounted: readonly Mounted[]

  constructor(options: ListenerOptions) {
    this.options = options
    this.mounted = [...options.services, NOTHING]
      .map((service) => mount(service, options.security))
      .sort((a, b) => b.mount.length - a.mount.length)
  }

  async respond(incoming: IncomingMessage, outgoing: ServerResponse, span: ActiveSpan): Promise<void> {
    const began = performance.now()
    incoming.url = originForm(incoming.url as string)
    const at = mountedAt(this.mounted, incoming.url)
    const { service, sender } = at
    const request = new RequestContext(incoming, outgoing, {
      mount: at.mount,
      addresses: this.options.addresses,
    })
    const match = at.router.match(request.method, request.path)
    const streams = match?.route.body === 'stream'
    let answer: Answer
    try {
      const given = await this.handle(service, request, match)
      answer = given instanceof Response ? fromResponse(given) : given
      if (service.compresses) answer = await compressed(answer, request.headers['accept-encoding'])
    } catch (error) {
      answer = this.answerTo(error, at, request)
    }
    try {
      sender.send(request, answer, streams)
    } catch (error) {
      // A function of the database may name headers that HTTP does not know.
      answer = this.answerTo(error, at, request)
      sender.send(request, answer, streams)
    }
    this.options.bans.count(incoming, answer.status)
    this.options.observe({
      service: service.name,
      method: request.method,
      route: match?.route.path ?? 'none',
      status: answer.status,
      seconds: (performance.now() - began) / 1000,
      id: request.id,
    })
    describe(span, request, at, match, answer.status)
  }

  /** Throws what the service or the frame has words for. */
  private async handle(service: Service, request: RequestContext, match: Match | null): Promise<Given> {
    const { incoming, headers, method } = request
    if (service.cors !== null && isPreflight(incoming))
      return preflight(incoming, service.cors ?? GATEWAY_CORS)
    if (!match) return noRoute()
    const { route } = match
    const { access } = route
    request.params = match.params
    const apiKey = headers.apikey ?? keyInQuery(request)
    const keyRole = this.options.authenticator.roleOf(apiKey)
    // As on Supabase, OPTIONS needs no key.
    if (!keyRole && typeof access === 'string' && needsKey(access) && method !== 'OPTIONS')
      return json(apiKey ? WRONG_KEY : NO_KEY, 401)
    const caller = await this.options.authenticator
      .callerOf(headers.authorization, keyRole ?? 'anon')
      .catch(asTokenError)
    request.callerOrError = caller
    if (typeof access === 'function') {
      const refused = await access(request)
      if (refused) return refused
    } else {
      try {
        requireAccess(access, caller, { authorization: headers.authorization, apiKey })
      } catch (error) {
        if (route.body === 'stream') await drain(incoming)
        throw error
      }
    }
    const limit = typeof route.limit === 'function' ? route.limit(request) : route.limit
    if (limit && !limit.take(request.limitKey)) throw new RateLimited()
    if (typeof route.body === 'number' && method !== 'GET' && method !== 'HEAD' && hasBody(incoming))
      return this.withBody(request, route.handler, route.body)
    return route.handler(request)
  }

  private async withBody(request: RequestContext, handler: Handler, limit: number): Promise<Given> {
    const { bytes, release } = await this.options.bodies.read(request.incoming, limit)
    request.body = bytes
    try {
      return await handler(request)
    } finally {
      release()
    }
  }

  private answerTo(error: unknown, { service, mount }: Mounted, request: RequestContext): Answer {
    const answer = service.errorAnswer?.(error, request) ?? errorAnswer(error)
    const { id, method, path, outgoing } = request
    if (answer) {
      const { status } = answer
      if (status >= 500) {
        const { code } = error as { code?: unknown }
        this.options.log.warn(
          { request: id, service: service.name, method, status, code },
          'a request was refused',
        )
      }
      return error instanceof BodyRefused ? withHeaders(answer, error.headers) : answer
    }
    const line = { err: error, request: id, service: service.name, method, path: mount + path }
    // Failures caused by a client that left need no attention.
    if (outgoing.destroyed) this.options.log.debug(line, 'a request whose client went away failed')
    else this.options.log.error(line, 'a request failed')
    return service.failure?.(request) ?? json(UNEXPECTED, 500)
  }
}

/** As OpenTelemetry names things: the route as its table has it, and nothing that was sent but the request's id. */
function describe(
  span: ActiveSpan,
  { method, id }: RequestContext,
  { service, mount }: Mounted,
  match: Match | null,
  status: number,
): void {
  const attributes = { 'http.request.method': method, 'http.response.status_code': status }
  span.add({ ...attributes, 'meadowlark.service': service.name, 'meadowlark.request_id': id })
  if (match) {
    const route = mount + match.route.path
    span.rename(`${method} ${route}`)
    span.add({ 'http.route': route })
  }
  if (status >= 500) span.fail(String(status))
}

function mount(service: Service, { always, pages }: ListenerOptions['security']): Mounted {
  const { name, mount = `/${name}/v1`, routes, cors = GATEWAY_CORS, headers } = service
  const unlessGiven = { ...(cors ? corsHeaders(cors) : {}), ...headers }
  return {
    service,
    mount,
    router: createRouter(routes),
    sender: createSender({ always, unlessGiven, pages }),
  }
}

/** The service whose mount the address begins with; the last one's is empty. */
function mountedAt(mounted: readonly Mounted[], url: string): Mounted {
  for (const at of mounted) {
    if (!url.startsWith(at.mount)) continue
    const next = url.charCodeAt(at.mount.length)
    // A slash, a question mark, or the end.
    if (at.mount === '' || next === 0x2f || next === 0x3f || Number.isNaN(next)) return at
  }
  return mounted.at(-1) as Mounted
}

/** A request for a proxy names the whole address (https://www.rfc-editor.org/rfc/rfc9112#section-3.2). */
function originForm(url: string): string {
  if (url.startsWith('/') || !URL.canParse(url)) return url
  const { pathname, search } = new URL(url)
  return pathname + search
}

function keyInQuery(request: RequestContext): string | undefined {
  return request.queryText.includes('apikey=') ? (request.query.get('apikey') ?? undefined) : undefined
}

function asTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) return error
  throw error
}
