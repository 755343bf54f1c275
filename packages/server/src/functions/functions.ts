// Hosts the application's functions at /functions/v1/<name>: any method, any path below the name, as Supabase's Edge
// Functions do (https://supabase.com/docs/guides/functions). Handlers of ours run in this process, everything else
// under Deno. Errors of the host itself carry `x-relay-error: true`, which functions-js tells apart.
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import type pino from 'pino'
import type { Here } from '../config/local-names.mjs'
import type { Bodies } from '../http/bodies.ts'
import { BodyRefused } from '../http/body-refused.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Service } from '../http/route.ts'
import { inSpan } from '../observability/tracing/spans.ts'
import type { AcceptsToken } from './callers.ts'
import { call } from './calls.ts'
import { createDenoHost, type DenoOptions } from './deno/host.ts'
import { FunctionDirectory } from './directory.ts'
import { notFound, refusedBody, stopping } from './errors.ts'
import { headersOf } from './function-request.ts'
import { FunctionSockets } from './function-sockets.ts'
import { createLoader, type FunctionEnvironment } from './loader.ts'
import { countRunning } from './running.ts'
import type { FunctionSettings } from './source.ts'

export type FunctionsDeps = {
  /** The project's supabase folder. */
  project: string
  /** Where compiled functions are kept. */
  buildDir: string
  /** `[functions.<name>]` of config.toml; the defaults are enabled and verify_jwt. */
  settings: (name: string) => FunctionSettings | undefined
  /** The environment of functions. Read when a function starts, because the origin is known only after listening. */
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

/** Milliseconds for which background work of functions may go on when the server stops. */
const STOP_TIMEOUT_MS = 5000

/** Makes the service. */
export function createFunctions(deps: FunctionsDeps): Functions {
  const { bodies, bearerOf, timeout = 150_000, maxBody = 10 * 1024 * 1024 } = deps
  const log = deps.log.child({ service: 'functions' })
  const handlers = createLoader({ ...deps, log })
  const deno = createDenoHost({ ...deps, ...deps.deno, memory: path.join(deps.buildDir, 'deno'), log })
  const directory = new FunctionDirectory({ ...deps, denoOnly: deps.deno.always, deno })
  const onBootError = (name: string, error: Error) =>
    log.error({ function: name }, `the function does not start: ${error.message}`)
  const sockets = new FunctionSockets({ directory, deno, timeoutMs: timeout, onBootError })
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
    const source = await directory.runnable(name)
    if (source instanceof Response) return source
    const attributes = { 'faas.invoked_name': name, 'meadowlark.runtime': source.kind }
    const options = { bodies, maxBody, bearerOf, deno, handlers, timeout, onBootError, log }
    return inSpan(`function ${name}`, { attributes }, () => call(source, name, http, options))
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
    const found = await directory.handlers()
    await Promise.all(
      found.map(({ name, file }) => handlers.load(name, file).catch((error) => onBootError(name, error))),
    )
  }

  return {
    service: functionsService(directory, serve),
    has: (name) => directory.has(name),
    load,
    upgrade: (request, stream, head) => void sockets.upgrade(request, stream, head),
    closeWebSockets: () => sockets.close(),
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

function functionsService(
  directory: FunctionDirectory,
  handler: (http: RequestContext) => Promise<Response>,
): Service {
  const access = ({ params, method, incoming }: RequestContext) =>
    directory.guard(params.name as string, method, headersOf(incoming))
  const route = { method: '*', access, body: 'stream', handler } as const
  return {
    name: 'functions',
    cors: null,
    routes: [
      { ...route, path: '/:name' },
      { ...route, path: '/:name/*' },
      { ...route, path: '/*', access: 'public', handler: notFound },
    ],
  }
}
