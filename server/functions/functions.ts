// Hosts the application's functions at /functions/v1/<name>, in process: any method, any path below the name, as
// Supabase's Edge Functions do (https://supabase.com/docs/guides/functions). Errors of the host itself carry
// `x-relay-error: true`, which functions-js tells apart from errors that a function answered.
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type pino from 'pino'
import { createLoader, type FunctionEnvironment, type Handler } from './loader.ts'

export type FunctionsDeps = {
  /** The project's supabase/functions folder. */
  directory: string
  /** Where compiled functions are kept. */
  buildDir: string
  /** `[functions.<name>]` of config.toml; the defaults are enabled and verifyJwt. */
  settings: (name: string) => { enabled?: boolean; verifyJwt?: boolean } | undefined
  /** What functions see as their environment; read at each request, as the origin is known only after listening. */
  environment: () => FunctionEnvironment
  /** Whether a bearer token is one this server would accept: a valid JWT or an API key. */
  acceptsToken: (token: string) => Promise<boolean>
  /** Look at the sources' modification times before each request. */
  reload: boolean
  log: pino.Logger
  /** A function must answer within this many milliseconds (150 000 as on Supabase). */
  timeout?: number
  /** Largest request body in bytes (10 MiB). */
  maxBody?: number
}

const functionName = /^[a-zA-Z][a-zA-Z0-9_-]{0,127}$/

/** Makes the service; mount `app` at /functions/v1. */
export function createFunctions(deps: FunctionsDeps): { app: Hono } {
  const { timeout = 150_000, maxBody = 10 * 1024 * 1024 } = deps
  const log = deps.log.child({ service: 'functions' })
  const load = createLoader(deps)
  const app = new Hono()

  async function serve(c: Context): Promise<Response> {
    const name = c.req.param('name') ?? ''
    const settings = deps.settings(name) ?? {}
    if (!functionName.test(name) || settings.enabled === false) return notFound()
    // A preflight carries no token: the function answers it, as on Supabase.
    if (settings.verifyJwt !== false && c.req.method !== 'OPTIONS') {
      const refusal = await refuseCaller(c, deps.acceptsToken)
      if (refusal) return refusal
    }
    let found: Awaited<ReturnType<typeof load>>
    try {
      found = await load(name)
    } catch (error) {
      log.error({ err: error, function: name }, 'the function does not start')
      return relayError(503, 'BOOT_ERROR', 'Function failed to start (please check logs)')
    }
    if (found.kind === 'missing') return notFound()
    if (found.kind === 'deno-only') {
      return relayError(
        501,
        'DENO_REQUIRED',
        `'${name}' has only index.ts, which needs Deno; add a handler.ts to run it here`,
      )
    }
    return run(found.handler, name, functionRequest(c))
  }

  async function run(handler: Handler, name: string, request: Request): Promise<Response> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), timeout)
    })
    const work = (async () => {
      const response = await handler(request, deps.environment())
      if (!(response instanceof Response)) throw new TypeError('the function returned no Response')
      return response
    })()
    // Here and not below: after a timeout nobody waits for the handler, and its failure is still worth a line.
    work.catch((error) => log.error({ err: error, function: name }, 'the function threw'))
    try {
      const answer = await Promise.race([work, late])
      // A copy, since headers of an answer that a function fetched or redirected with cannot be added to.
      if (answer !== 'late') return new Response(answer.body, answer)
      log.error({ function: name, timeout }, 'the function did not answer in time')
      return relayError(504, 'IDLE_TIMEOUT', `Function did not respond within ${timeout / 1000} seconds`)
    } catch {
      return answerError(500, 'WORKER_ERROR', 'Function exited due to an error (please check logs)')
    } finally {
      clearTimeout(timer)
    }
  }

  app.use(
    bodyLimit({
      maxSize: maxBody,
      onError: () => relayError(413, 'PAYLOAD_TOO_LARGE', `The request body is larger than ${maxBody} bytes`),
    }),
  )
  app.all('/:name', serve)
  app.all('/:name/*', serve)
  return { app }
}

/** 401 unless the request carries a token this server accepts. */
async function refuseCaller(
  c: Context,
  accepts: FunctionsDeps['acceptsToken'],
): Promise<Response | undefined> {
  const header = c.req.header('authorization')
  if (!header) return relayError(401, 'UNAUTHORIZED_NO_AUTH_HEADER', 'Missing authorization header')
  const token = /^bearer\s+(\S+)$/i.exec(header)?.[1]
  if (!token)
    return relayError(401, 'UNAUTHORIZED_INVALID_AUTH_HEADER', "Auth header is not 'Bearer {token}'")
  if (!(await accepts(token))) return relayError(401, 'UNAUTHORIZED_INVALID_JWT', 'Invalid JWT')
  return undefined
}

/** The request as the function sees it: its path begins with the function's name. */
function functionRequest(c: Context): Request {
  const url = new URL(c.req.url)
  url.pathname = url.pathname.replace(/^\/functions\/v1/, '')
  const { method, headers, signal } = c.req.raw
  const body = method === 'GET' || method === 'HEAD' ? null : c.req.raw.body
  return new Request(url, { method, headers, body, signal, duplex: 'half' } as RequestInit)
}

function notFound(): Response {
  return relayError(404, 'NOT_FOUND', 'Requested function was not found')
}

function relayError(status: number, code: string, message: string): Response {
  const response = answerError(status, code, message)
  response.headers.set('x-relay-error', 'true')
  return response
}

function answerError(status: number, code: string, message: string): Response {
  return Response.json(
    { code, message },
    {
      status,
      headers: {
        'sb-error-code': code,
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'sb-error-code, x-relay-error',
      },
    },
  )
}
