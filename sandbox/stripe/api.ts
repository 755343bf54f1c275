// The Stripe API's door: keys, form bodies, idempotency, one transaction per request, Stripe's answers and errors.
// Follows https://docs.stripe.com/api (authentication, errors, idempotent requests, request ids).
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import type pg from 'pg'
import type pino from 'pino'
import type { Bodies } from '../../server/http/bodies.ts'
import { bodyLimit } from '../../server/http/body-limit.ts'
import type { Jobs } from '../../server/jobs/jobs.ts'
import { answerBody } from './answer.ts'
import { invalidRequest, StripeFailure } from './errors.ts'
import { askForFault, type Fault, faultParams, takeFault } from './faults.ts'
import { type Answer, fingerprintOf, recall, remember } from './idempotency.ts'
import { newId, nowSeconds } from './objects.ts'
import { parseForm, read } from './params.ts'
import { disputeOnDemand, type Ids, type Route, routes } from './routes.ts'
import type { Session } from './store.ts'
import { deliver, type Endpoint } from './webhooks.ts'

export type StripeKeys = { secretKey: string; publishableKey: string; webhookSecret: string }

export type StripeDeps = {
  database: { pool: pg.Pool; transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> }
  jobs: Jobs
  bodies: Bodies
  log: pino.Logger
  keys: StripeKeys
  endpoint: Endpoint
  /** The server's own address, without a slash at the end. */
  origin: () => string
  /** The API version of events, unless a request names another. */
  apiVersion: string
}

/** The API, to be mounted where STRIPE_API_URL points: it answers /v1/…, /faults and /disputes. */
export function createStripeApi(deps: StripeDeps): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use('/v1/*', cors({ origin: '*', exposeHeaders: ['Request-Id'] }))
  app.use(
    bodyLimit({
      bodies: deps.bodies,
      maxSize: 256 * 1024,
      refuse: (_c, { reason, message, status, headers }) => {
        const words = reason === 'large' ? 'The request is too large' : message
        const answer = problem(invalidRequest(words, {}, status), 'req_none')
        for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
        return answer
      },
    }),
  )
  for (const route of routes)
    app.on(route.method.toUpperCase(), `/v1${route.path}`, (c) => serve(deps, route, c))
  app.post('/faults', async (c) => {
    try {
      if (keyOf(c, deps.keys) !== 'secret') throw invalidRequest('Faults need the secret key', {}, 401)
      const asked = read(faultParams, await c.req.json().catch(() => null))
      await askForFault(deps.database.pool, asked)
      return c.json(asked)
    } catch (error) {
      if (error instanceof StripeFailure) return problem(error, newId('req', 14))
      throw error
    }
  })
  app.post('/disputes', (c) => serve(deps, disputeOnDemand, c))
  app.all('/v1/*', (c) =>
    problem(
      invalidRequest(
        `Unrecognized request URL (${c.req.method}: ${c.req.path.replace(/^.*?(?=\/v1)/, '')}). The sandbox knows a part of Stripe's API only.`,
        {},
        404,
      ),
      newId('req', 14),
    ),
  )
  return app
}

async function serve(
  deps: StripeDeps,
  route: Route,
  c: Context<{ Bindings: HttpBindings }>,
): Promise<Response> {
  const requestId = newId('req', 14)
  try {
    const key = keyOf(c, deps.keys)
    if (key === 'publishable' && !route.publishable) {
      throw invalidRequest(
        'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.',
        { code: 'secret_key_required' },
        401,
      )
    }
    const { pathname, search } = new URL(c.req.url)
    const form = c.req.method === 'POST' ? await c.req.text() : search.slice(1)
    // PostgreSQL stores every character but this one.
    if (/\0|%00/.test(pathname + form)) throw invalidRequest('Invalid request: it holds a null character')
    const fault = await takeFault(
      deps.database.pool,
      `${c.req.method} ${c.req.path.replace(/^.*?(?=\/v1)/, '')}`,
    )
    if (fault === 'error_before_acting') {
      throw new StripeFailure(500, { type: 'api_error', message: 'An unknown error occurred' })
    }
    const input = parseForm(form)
    const { answer, events } = await perform(deps, route, c, { requestId, key, fault, input })
    if (fault === 'webhook_before_answer') {
      for (const event of events) await deliver(deps.database.pool, deps.endpoint, event)
    }
    if (fault === 'timeout_after_acting') return dropConnection(c)
    return json(answer, requestId, c.req.header('idempotency-key'))
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
}

async function perform(deps: StripeDeps, route: Route, c: Context, prepared: Prepared) {
  const { requestId, key, fault, input } = prepared
  const idempotencyKey = (c.req.method === 'POST' && c.req.header('idempotency-key')) || null
  const account = c.req.header('stripe-account') ?? null
  const ids: Ids = { id: c.req.param('id') ?? '', sub: c.req.param('sub') ?? '' }
  const fingerprint = fingerprintOf(c.req.path, { input, account })
  return deps.database.transaction(async (client) => {
    const session: Session = {
      client,
      jobs: deps.jobs,
      // A browser is sent on under the name by which it knows this server.
      origin: key === 'publishable' ? new URL(c.req.url).origin : deps.origin(),
      now: nowSeconds(),
      key,
      account,
      requestId,
      idempotencyKey,
      apiVersion: c.req.header('stripe-version') ?? deps.apiVersion,
      deliver: { copies: fault === 'webhook_twice' ? 2 : 1, delay: delays[fault ?? ''] ?? 0 },
      events: [],
    }
    const known = idempotencyKey ? await recall(client, idempotencyKey, fingerprint) : undefined
    if (known) return { answer: known, events: [] }
    const answer = await answerOf(session, route, input, ids)
    if (idempotencyKey) await remember(client, idempotencyKey, fingerprint, answer)
    return { answer, events: session.events }
  })
}

/** What the operation answers; a failure that keeps its changes (a declined card) is an answer, too. */
async function answerOf(
  session: Session,
  route: Route,
  input: Record<string, unknown>,
  ids: Ids,
): Promise<Answer> {
  try {
    const schema = session.key === 'publishable' ? (route.browserParams ?? route.params) : route.params
    const params = read(schema, input) as { expand?: string[] }
    const result = await route.run(session, params as never, ids)
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
function keyOf(c: Context, keys: StripeKeys): Session['key'] {
  const header = c.req.header('authorization') ?? ''
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

function json(answer: Answer, requestId: string, idempotencyKey?: string): Response {
  return new Response(JSON.stringify(answer.body, null, 2), {
    status: answer.status,
    headers: {
      'content-type': 'application/json',
      'request-id': requestId,
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      ...(answer.replayed ? { 'idempotent-replayed': 'true', 'original-request': answer.requestId } : {}),
    },
  })
}

function problem(failure: StripeFailure, requestId: string): Response {
  return json({ status: failure.status, body: { error: failure.body }, requestId }, requestId)
}

/** Ends the connection without an answer, as a network that fails does. */
function dropConnection(c: Context<{ Bindings: HttpBindings }>): Response {
  c.env.incoming.socket.destroy()
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
}
