// The Stripe API over HTTP: keys, form bodies, idempotency, one transaction per request, Stripe's answers and errors.
// Follows https://docs.stripe.com/api (authentication, errors, idempotent requests, request ids).

import { type Answer, empty, json } from '@meadowlark/server/http/answer.ts'
import { BodyRefused } from '@meadowlark/server/http/body-refused.ts'
import type { RequestContext } from '@meadowlark/server/http/request-context.ts'
import type { Guard, Route, Service } from '@meadowlark/server/http/route.ts'
import type { Jobs } from '@meadowlark/server/jobs/jobs.ts'
import type pg from 'pg'
import type pino from 'pino'
import { answerBody } from './answer.ts'
import { invalidRequest, StripeFailure } from './errors.ts'
import { askForFault, type Fault, faultParams, takeFault } from './faults.ts'
import { fingerprintOf, type KeptAnswer, recall, remember } from './idempotency.ts'
import { newId, nowSeconds } from './objects.ts'
import { parseForm, read } from './params.ts'
import { type ApiRoute, disputeOnDemand, type Ids, routes } from './routes.ts'
import type { Session } from './store.ts'
import { deliver, type Endpoint } from './webhooks.ts'

export type StripeKeys = { secretKey: string; publishableKey: string; webhookSecret: string }

export type StripeDeps = {
  database: { pool: pg.Pool; transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> }
  jobs: Jobs
  log: pino.Logger
  keys: StripeKeys
  endpoint: Endpoint
  /** The server's own address, without a slash at the end. */
  origin: () => string
  /** The API version of events, unless a request names another. */
  apiVersion: string
}

const MAX_BODY_BYTES = 256 * 1024
const NOT_KNOWN = "The sandbox knows a part of Stripe's API only."

/** The API where STRIPE_API_URL points, below /v1. */
export function createStripeApi(deps: StripeDeps, mount: string): Service {
  const known = routes.map(
    (apiRoute): Route => ({
      method: apiRoute.method.toUpperCase(),
      path: apiRoute.path,
      access: withKey(deps.keys, apiRoute),
      body: MAX_BODY_BYTES,
      handler: (request) => serve(deps, apiRoute, request, '/v1'),
    }),
  )
  const unknown: Route = {
    method: '*',
    path: '/*',
    access: 'public',
    body: MAX_BODY_BYTES,
    handler: ({ method, path }) =>
      problem(invalidRequest(`Unrecognized request URL (${method}: /v1${path}). ${NOT_KNOWN}`, {}, 404)),
  }
  return {
    name: 'sandbox',
    mount,
    cors: { methods: ['GET', 'HEAD', 'POST', 'DELETE'], exposed: ['Request-Id'] },
    routes: [...known, unknown],
    errorAnswer: stripeError,
  }
}

/** The sandbox's own /faults and /disputes, next to the API. */
export function stripeControlRoutes(deps: StripeDeps): Route[] {
  const access = withKey(deps.keys, { publishable: false })
  const route = { method: 'POST', access, body: MAX_BODY_BYTES } as const
  return [
    { ...route, path: '/faults', handler: (request) => addFault(deps, request) },
    { ...route, path: '/disputes', handler: (request) => serve(deps, disputeOnDemand, request, '') },
  ]
}

/** Lets in who brings the secret key, or the publishable one where that is enough. Throws 401 in Stripe's words. */
function withKey(keys: StripeKeys, { publishable }: Pick<ApiRoute, 'publishable'>): Guard {
  return (request) => {
    if (keyOf(request, keys) === 'secret' || publishable) return null
    throw invalidRequest(
      'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.',
      { code: 'secret_key_required' },
      401,
    )
  }
}

export function stripeError(error: unknown): Answer | null {
  if (error instanceof StripeFailure) return problem(error)
  if (!(error instanceof BodyRefused)) return null
  const message = error.reason === 'large' ? 'The request is too large' : error.message
  return problem(invalidRequest(message, {}, error.status), 'req_none')
}

async function addFault(deps: StripeDeps, request: RequestContext): Promise<Answer> {
  const fault = read(faultParams, parseJson(request.text))
  await askForFault(deps.database.pool, fault)
  return json(fault)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** `prefix` comes before the path: the sandbox's additions are next to /v1. */
async function serve(
  deps: StripeDeps,
  apiRoute: ApiRoute,
  request: RequestContext,
  prefix: '/v1' | '',
): Promise<Answer> {
  const requestId = newId('req', 14)
  const { method, headers, queryText } = request
  const path = prefix + request.path
  try {
    const key = keyOf(request, deps.keys)
    const form = method === 'POST' ? request.text : queryText
    // PostgreSQL stores every character but this one.
    if (/\0|%00/.test(path + form)) throw invalidRequest('Invalid request: it holds a null character')
    const fault = await takeFault(deps.database.pool, `${method} ${path}`)
    if (fault === 'error_before_acting') {
      throw new StripeFailure(500, { type: 'api_error', message: 'An unknown error occurred' })
    }
    if (fault === 'no_answer') return await staySilent(request)
    const input = parseForm(form)
    const { answer, events } = await run(deps, apiRoute, request, { requestId, key, fault, input, path })
    if (fault === 'webhook_before_answer') {
      for (const event of events) await deliver(deps.database.pool, deps.endpoint, event)
    }
    if (fault === 'timeout_after_acting') return dropConnection(request)
    return stripeJson(answer, requestId, headers['idempotency-key'])
  } catch (error) {
    if (error instanceof StripeFailure) return problem(error, requestId)
    // Two requests that wait for each other: PostgreSQL ended one of them.
    if ((error as { code?: string }).code === '40P01') {
      return problem(
        new StripeFailure(429, {
          type: 'invalid_request_error',
          code: 'lock_timeout',
          message:
            'This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request.',
        }),
        requestId,
      )
    }
    deps.log.error({ err: error, requestId }, 'the Stripe sandbox failed')
    return problem(
      new StripeFailure(500, { type: 'api_error', message: 'An unknown error occurred' }),
      requestId,
    )
  }
}

/**
 * By how many milliseconds events are held back: after a lost answer, so that the caller must find out by itself;
 * the ones sent before the answer only in case that failed.
 */
const delays: Record<string, number> = {
  webhook_late: 2000,
  webhook_before_answer: 5000,
  timeout_after_acting: 5000,
}

type Prepared = {
  requestId: string
  key: Session['key']
  fault: Fault | undefined
  input: Record<string, unknown>
  path: string
}

async function run(deps: StripeDeps, apiRoute: ApiRoute, request: RequestContext, prepared: Prepared) {
  const { requestId, key, fault, input, path } = prepared
  const { method, headers, params, origin } = request
  const idempotencyKey = (method === 'POST' && headers['idempotency-key']) || null
  const account = headers['stripe-account'] ?? null
  const ids: Ids = { id: params.id ?? '', sub: params.sub ?? '' }
  const fingerprint = fingerprintOf(path, { input, account })
  return deps.database.transaction(async (client) => {
    const session: Session = {
      client,
      jobs: deps.jobs,
      // A browser is sent on under the name by which it knows this server.
      origin: key === 'publishable' ? origin : deps.origin(),
      now: nowSeconds(),
      key,
      account,
      requestId,
      idempotencyKey,
      apiVersion: headers['stripe-version'] ?? deps.apiVersion,
      deliver: { copies: fault === 'webhook_twice' ? 2 : 1, delay: delays[fault ?? ''] ?? 0 },
      events: [],
    }
    const known = idempotencyKey ? await recall(client, idempotencyKey, fingerprint) : undefined
    if (known) return { answer: known, events: [] }
    const answer = await answerOf(session, apiRoute, input, ids)
    if (idempotencyKey) await remember(client, idempotencyKey, fingerprint, answer)
    return { answer, events: session.events }
  })
}

/** The route's answer. A failure that keeps its changes (a declined card) is an answer, too. */
async function answerOf(
  session: Session,
  apiRoute: ApiRoute,
  input: Record<string, unknown>,
  ids: Ids,
): Promise<KeptAnswer> {
  try {
    const schema =
      session.key === 'publishable' ? (apiRoute.browserParams ?? apiRoute.params) : apiRoute.params
    const params = read(schema, input) as { expand?: string[] }
    const result = await apiRoute.run(session, params as never, ids)
    return {
      status: 200,
      body: await answerBody(session, result, params.expand),
      requestId: session.requestId,
    }
  } catch (error) {
    if (!(error instanceof StripeFailure && error.keepsChanges)) throw error
    return { status: error.status, body: { error: error.body }, requestId: session.requestId }
  }
}

/** Which of our keys the request carries, as bearer or as the user name of basic authentication. Throws 401. */
function keyOf({ headers }: RequestContext, keys: StripeKeys): Session['key'] {
  const header = headers.authorization ?? ''
  const [, scheme = '', credentials = ''] = /^(bearer|basic)\s+(\S+)$/i.exec(header) ?? []
  const given =
    scheme.toLowerCase() === 'basic'
      ? (Buffer.from(credentials, 'base64').toString('utf8').split(':')[0] ?? '')
      : credentials
  if (given === keys.secretKey) return 'secret'
  if (given === keys.publishableKey) return 'publishable'
  throw invalidRequest(
    given
      ? `Invalid API Key provided: ${given.slice(0, 8)}****${given.slice(-4)}`
      : "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.",
    {},
    401,
  )
}

function stripeJson(answer: KeptAnswer, requestId: string, idempotencyKey?: string): Answer {
  return {
    status: answer.status,
    headers: {
      'content-type': 'application/json',
      'request-id': requestId,
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      ...(answer.replayed ? { 'idempotent-replayed': 'true', 'original-request': answer.requestId } : {}),
    },
    body: JSON.stringify(answer.body, null, 2),
  }
}

function problem(failure: StripeFailure, requestId = newId('req', 14)): Answer {
  return stripeJson({ status: failure.status, body: { error: failure.body }, requestId }, requestId)
}

/** Ends the connection without an answer, as a network that fails does. */
function dropConnection({ incoming }: RequestContext): Answer {
  incoming.socket.destroy()
  return empty(500)
}

/** Until the caller gives up. */
async function staySilent({ incoming }: RequestContext): Promise<Answer> {
  await new Promise((resolve) => incoming.socket.once('close', resolve))
  return empty(500)
}
