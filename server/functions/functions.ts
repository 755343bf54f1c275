// Hosts the application's functions at /functions/v1/<name>: any method, any path below the name, as Supabase's Edge
// Functions do (https://supabase.com/docs/guides/functions). Handlers of ours run in this process, everything else
// under Deno. Errors of the host itself carry `x-relay-error: true`, which functions-js tells apart.
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import type pino from 'pino'
import type { Here } from '../config/local-names.ts'
import { type Bodies, hasBody } from '../http/bodies.ts'
import { BodyRefused } from '../http/body-refused.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Service } from '../http/route.ts'
import { inSpan, traceHeaders } from '../tracing/spans.ts'
import { type AcceptsToken, refuseCaller } from './callers.ts'
import { createDenoHost, type DenoOptions } from './deno/host.ts'
import { BootError, bootError, idleTimeout, markFailure, notFound, relayError, thrown } from './errors.ts'
import { createLoader, type FunctionEnvironment } from './loader.ts'
import { countRunning } from './running.ts'
import { type FunctionSettings, findSource, functionNames, type Source } from './source.ts'
import { counted, keptMoving, webStreamOf, whenRead } from './streams.ts'
import { type Joined, joinUpgrade, refuseUpgrade } from './websocket.ts'

export type FunctionsDeps = {
  /** The project's supabase folder. */
  project: string
  /** Where compiled functions are kept. */
  buildDir: string
  /** `[functions.<name>]` of config.toml; the defaults are enabled and verify_jwt. */
  settings: (name: string) => FunctionSettings | undefined
  /** What functions see as their environment; read when a function starts, as the origin is known after listening. */
  environment: () => FunctionEnvironment
  /** Where the local names lead that functions fetch from. */
  here: () => Here
  acceptsToken: AcceptsToken
  /** The bearer token that an API key stands for when it comes alone; null for a key that is none of ours. */
  bearerOf?: (apiKey: string) => string | null
  /** Look at the sources' modification times before each request. */
  reload: boolean
  deno: DenoOptions
  /** Counts the bodies of requests. */
  bodies: Bodies
  log: pino.Logger
  /** A function must send something within this many milliseconds (150 000 as on Supabase). */
  timeout?: number
  /** Largest request body in bytes (10 MiB). */
  maxBody?: number
}

export type Functions = {
  service: Service
  /** Whether the project has a function of that name. */
  has(name: string): Promise<boolean>
  /**
   * Loads every handler that runs in this process, so that the first call is quick and needs no file any more. Logs those
   * that do not start.
   */
  load(): Promise<void>
  /** Takes over a request for a WebSocket below /functions/v1, or answers why not. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
  /** Says goodbye to every WebSocket, and lets no other in; resolves once they are closed. */
  closeWebSockets(): Promise<void>
  /**
   * Lets what runs, and what it does in the background, come to its end within `timeoutMs` milliseconds, then ends every
   * process. For the first half of them calls are served as long as others run, for the rest they are refused.
   */
  finish(timeoutMs: number): Promise<void>
  /** As `finish`, with five seconds for what runs. */
  stop(): Promise<void>
}

type Runnable = Exclude<Source, { kind: 'missing' }>

const FUNCTION_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,127}$/
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** What functions do in the background may go on for this many milliseconds when the server stops. */
const STOP_TIMEOUT_MS = 5000

/** Makes the service. */
export function createFunctions(deps: FunctionsDeps): Functions {
  const { project, settings, timeout = 150_000, maxBody = 10 * 1024 * 1024 } = deps
  const log = deps.log.child({ service: 'functions' })
  const handlers = createLoader({ ...deps, log })
  const memory = path.join(deps.buildDir, 'deno')
  const deno = createDenoHost({ ...deps, ...deps.deno, memory, log })
  const running = countRunning()
  let ending: Promise<void> | null = null
  let refusing = false

  async function serve(http: RequestContext): Promise<Response> {
    if (refusing) return stopping()
    const { outgoing } = http
    if (Number(http.headers['content-length'] ?? 0) > maxBody)
      return refusedBody(new BodyRefused('large'), maxBody)
    const name = http.params.name as string
    // It runs for as long as its answer is being sent.
    const ended = running.begin()
    outgoing.once('close', ended)
    if (outgoing.destroyed) ended()
    const source = await runnable(name)
    if (source instanceof Response) return source
    const attributes = { 'faas.invoked_name': name, 'meadowlark.runtime': source.kind }
    return inSpan(`function ${name}`, { attributes }, () => run(source, name, http))
  }

  const sources = new Map<string, Runnable>()

  /** Looked up once where sources do not change: a version that replaces this one may lack the function. */
  async function sourceOf(name: string): Promise<Source> {
    const known = sources.get(name)
    if (known) return known
    const found = await findSource(name, { project, settings: settings(name), denoOnly: deps.deno.always })
    if (!deps.reload && found.kind !== 'missing') sources.set(name, found)
    return found
  }

  async function has(name: string): Promise<boolean> {
    return settings(name)?.enabled !== false && (await sourceOf(name)).kind !== 'missing'
  }

  /** Why a function may not be called so, by its settings in config.toml; null where it may. */
  async function guard(name: string, method: string, headers: Headers): Promise<Response | null> {
    const own = settings(name)
    if (!FUNCTION_NAME.test(name) || own?.enabled === false) return notFound()
    if (!METHODS.includes(method)) {
      return relayError(405, 'METHOD_NOT_ALLOWED', `Functions are called with ${METHODS.join(', ')}`)
    }
    // A preflight carries no token: the function answers it, as on Supabase.
    if (own?.verify_jwt === false || method === 'OPTIONS') return null
    return refuseCaller(headers, deps.acceptsToken)
  }

  /** What has to be run, or why it cannot be. */
  async function runnable(name: string): Promise<Runnable | Response> {
    const source = await sourceOf(name)
    if (source.kind === 'missing') return notFound()
    if (source.kind === 'deno' && !(await deno.available())) return denoRequired(name)
    return source
  }

  const joined = new Set<Joined>()
  let closingWebSockets = false

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    stream.on('error', () => stream.destroy())
    const path = (request.url ?? '').replace(/^\/functions\/v1/, '')
    const name = decodeName(path.split(/[/?]/)[1] ?? '')
    try {
      if (closingWebSockets) return refuseUpgrade(stream, stopping())
      const headers = headersOf(request)
      const source = (await guard(name, 'GET', headers)) ?? (await runnable(name))
      if (source instanceof Response) return refuseUpgrade(stream, source)
      if (source.kind !== 'deno') return refuseUpgrade(stream, noWebSocket(name))
      const held = await deno.hold(source)
      const join = joinUpgrade(request, stream, head, { path, held, timeoutMs: timeout })
      joined.add(join)
      stream.once('close', () => joined.delete(join))
      // The server began to stop while the process started.
      if (closingWebSockets) await join.leave()
    } catch (error) {
      logBootError(name, error as Error)
      await refuseUpgrade(stream, bootError())
    }
  }

  async function run(source: Runnable, name: string, http: RequestContext): Promise<Response> {
    const { request, signal, end, refused, release } = functionRequest(http)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, timeout, 'late')
    })
    const complain = () => log.error({ function: name, timeout }, 'the function did not answer in time')
    const work =
      source.kind === 'deno'
        ? deno.fetch(source, request, signal)
        : handlers.fetch(name, source.file, request)
    work.catch(() => {})
    try {
      const answer = await Promise.race([work, late, refused])
      if (answer instanceof BodyRefused) return refusedBody(answer, maxBody)
      if (answer === 'late') {
        complain()
        release()
        end(new Error('the host gave up'))
        return idleTimeout(timeout)
      }
      // A copy, since headers of an answer that a function fetched or redirected with cannot be added to.
      return markFailure(keptMoving(whenRead(new Response(answer.body, answer), release), timeout, complain))
    } catch (error) {
      release()
      if (signal.reason instanceof BodyRefused) return refusedBody(signal.reason, maxBody)
      if (error instanceof BootError) {
        logBootError(name, error)
        return bootError()
      }
      // Nobody hears it: the caller has gone.
      if (signal.aborted) return thrown()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * The request as the function sees it: its path begins with the function's name. `end` aborts it; `refused` resolves
   * when its body is. What came of the body counts as held in memory until `release`.
   */
  function functionRequest(http: RequestContext) {
    const { incoming, method, origin, path, queryText } = http
    const url = origin + path + (queryText && `?${queryText}`)
    const headers = new Headers(withBearer(headersOf(incoming)))
    // As on Supabase, and by this server's own judgement of who called: what a client writes there is not believed.
    if (http.address) headers.set('x-forwarded-for', http.address)
    else headers.delete('x-forwarded-for')
    for (const [name, value] of Object.entries(traceHeaders())) headers.set(name, value)
    const ours = new AbortController()
    const end = (reason: Error) => ours.abort(reason)
    const signal = AbortSignal.any([http.signal, ours.signal])
    let release = () => {}
    let body: ReadableStream<Uint8Array> | null = null
    const refused = new Promise<BodyRefused>((resolve) => {
      if (method === 'GET' || method === 'HEAD' || !hasBody(incoming)) return
      const counting = deps.bodies.count(incoming, maxBody, (why) => {
        end(why)
        counting.release()
        resolve(why)
      })
      release = counting.release
      body = counted(webStreamOf(incoming), counting.part)
    })
    const request = new Request(url, { method, headers, body, signal, duplex: 'half' } as RequestInit)
    return { request, signal, end, refused, release: () => release() }
  }

  /** A function reads who calls from the bearer token; as on Supabase, a key in `apikey` alone becomes one. */
  function withBearer(given: Headers): Headers {
    const apiKey = given.get('apikey')
    const bearer = apiKey && !given.has('authorization') ? deps.bearerOf?.(apiKey) : null
    if (!bearer) return given
    const headers = new Headers(given)
    headers.set('authorization', `Bearer ${bearer}`)
    return headers
  }

  async function finish(timeoutMs: number): Promise<void> {
    const end = performance.now() + timeoutMs
    await running.settled(timeoutMs / 2)
    refusing = true
    await running.settled(end - performance.now())
    const left = Math.max(end - performance.now(), 0)
    await Promise.all([handlers.stop(left), deno.stop(left)])
  }

  async function load(): Promise<void> {
    const names = await functionNames(project)
    await Promise.all(
      names.map(async (name) => {
        const source = settings(name)?.enabled === false ? null : await sourceOf(name)
        if (source?.kind !== 'handler') return
        await handlers.load(name, source.file).catch((error) => logBootError(name, error))
      }),
    )
  }

  const logBootError = (name: string, error: Error) =>
    log.error({ function: name }, `the function does not start: ${error.message}`)

  const access = ({ params, method, incoming }: RequestContext) =>
    guard(params.name as string, method, headersOf(incoming))
  const route = { method: '*', access, body: 'stream', handler: serve } as const
  return {
    service: {
      name: 'functions',
      cors: null,
      routes: [
        { ...route, path: '/:name' },
        { ...route, path: '/:name/*' },
        { ...route, path: '/*', access: 'public', handler: notFound },
      ],
    },
    has,
    load,
    upgrade: (request, stream, head) => void upgrade(request, stream, head),
    async closeWebSockets() {
      closingWebSockets = true
      await Promise.all([...joined].map((join) => join.leave()))
    },
    finish(timeoutMs) {
      ending ??= finish(timeoutMs)
      return ending
    },
    stop() {
      ending ??= finish(STOP_TIMEOUT_MS)
      return ending
    },
  }
}

/** The server is about to end, or to be replaced. */
function stopping(): Response {
  const response = relayError(503, 'SERVICE_UNAVAILABLE', 'The server is stopping; try again in a moment')
  response.headers.set('retry-after', '1')
  return response
}

/** The rest of the body is not read. */
function refusedBody({ reason, status, message, headers }: BodyRefused, limit: number): Response {
  const [code, words] = {
    large: ['PAYLOAD_TOO_LARGE', `The request body is larger than ${limit} bytes`],
    chunks: ['PAYLOAD_TOO_LARGE', message],
    slow: ['REQUEST_TIMEOUT', message],
    address: ['TOO_MANY_REQUESTS', message],
    all: ['SERVICE_UNAVAILABLE', message],
  }[reason] as [string, string]
  const response = relayError(status, code, words)
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

function noWebSocket(name: string): Response {
  return relayError(501, 'NO_WEBSOCKET', `'${name}' runs without Deno and takes no WebSocket`)
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  return headers
}

function decodeName(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

function denoRequired(name: string): Response {
  const how = 'run "npm install deno" in the project or the server, put deno on PATH, or set DENO_PATH to it'
  const why = 'which was neither found nor could be loaded from npm'
  return relayError(501, 'DENO_REQUIRED', `'${name}' is written for Deno, ${why}; ${how}`)
}
