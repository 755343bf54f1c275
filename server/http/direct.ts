// A service that is asked so often that the router's own work would show: answered on Node's request and response,
// behind the same door and with the same headers as everything else. Preflights are left to the router.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pino from 'pino'
import { type Caller, type Door, NO_KEY, WRONG_KEY } from '../gateway.ts'
import { TokenError } from '../keys.ts'
import { DATABASE_UNAVAILABLE, isUnavailable } from '../sql/errors.ts'
import type { Metrics } from './metrics.ts'
import { shareHeaders } from './same-headers.ts'

export type DirectAnswer = {
  status: number
  /** What stands beside the status; HTTP's own words where it is left out. */
  statusText?: string
  /** A header that comes several times is a list. */
  headers: Record<string, string | string[]>
  /** The bytes; in a string one character each. */
  body: Buffer | string | null
}

export interface DirectService {
  /** The first segment of its path: it is mounted at /<name>/v1. */
  name: string
  /** `caller` is why the token is bad where it is; what to say then is the service's to choose. */
  answer(incoming: IncomingMessage, caller: Caller | TokenError): Promise<DirectAnswer>
}

export interface DirectOptions {
  service: DirectService
  door: Door
  metrics: Metrics
  /** Put on every answer. */
  headers: [string, string][]
  log: pino.Logger
}

/** Answers a request and returns true, or returns false when it is not the service's. */
export type DirectListener = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean

/** Smaller bodies go out in one piece with the headers, larger ones without being copied. */
const ONE_PIECE = 8 * 1024
/** How long a body that nobody wants may go on. */
const DRAIN_PATIENCE = 5000

export function directListener({ service, door, metrics, headers, log }: DirectOptions): DirectListener {
  const mount = `/${service.name}/v1`
  const fixed = headers.flat()

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const began = performance.now()
    let answer: DirectAnswer
    try {
      answer = await answered(incoming)
    } catch (error) {
      answer = isUnavailable(error) ? UNAVAILABLE : failed(incoming, error)
    }
    try {
      send(incoming, outgoing, answer, fixed)
    } catch (error) {
      // A function of the database may name headers that HTTP does not know.
      answer = failed(incoming, error)
      send(incoming, outgoing, answer, fixed)
    }
    metrics.observe(service.name, incoming.method ?? '', answer.status, (performance.now() - began) / 1000)
  }

  /** No promise of its own where the caller is known: each that stands between costs a turn of the queue. */
  function answered(incoming: IncomingMessage): DirectAnswer | Promise<DirectAnswer> {
    const { apikey, authorization } = incoming.headers as Record<string, string | undefined>
    const apiKey = apikey ?? keyInQuery(incoming.url ?? '')
    const keyRole = incoming.method === 'OPTIONS' ? 'anon' : door.roleOf(apiKey)
    if (!keyRole) return json(401, apiKey ? WRONG_KEY : NO_KEY)
    const caller = door.callerOf(authorization, keyRole)
    if (!(caller instanceof Promise)) return service.answer(incoming, caller)
    return caller.catch(asTokenError).then((found) => service.answer(incoming, found))
  }

  function failed({ method, url = '' }: IncomingMessage, error: unknown): DirectAnswer {
    log.error({ err: error, method, path: url.split('?', 1)[0] }, 'a request failed')
    return json(500, { message: 'An unexpected failure occurred' })
  }

  return (incoming, outgoing) => {
    const { url = '', method } = incoming
    if (!url.startsWith(mount)) return false
    const next = url.charCodeAt(mount.length)
    // '/', '?' or the end
    if (next !== 0x2f && next !== 0x3f && !Number.isNaN(next)) return false
    if (method === 'OPTIONS' && incoming.headers['access-control-request-method']) return false
    shareHeaders(incoming)
    void respond(incoming, outgoing)
    return true
  }
}

function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, statusText, headers, body }: DirectAnswer,
  fixed: readonly string[],
): void {
  const lines: (string | string[])[] = [...fixed]
  for (const name in headers) lines.push(name, headers[name] as string | string[])
  if (statusText !== undefined) outgoing.statusMessage = statusText
  if (!incoming.complete && incoming.method !== 'GET' && incoming.method !== 'HEAD') {
    refuseRest(incoming)
    lines.push('connection', 'close')
  }
  const bodiless = status === 204 || status === 304 || incoming.method === 'HEAD'
  if (bodiless || body === null) {
    if (!bodiless) lines.push('content-length', '0')
    outgoing.writeHead(status, lines)
    outgoing.end()
    return
  }
  lines.push('content-length', String(body.length))
  outgoing.writeHead(status, lines)
  if (typeof body === 'string') outgoing.end(body, 'latin1')
  // One string with the headers is one write.
  else if (body.length < ONE_PIECE) outgoing.end(body.toString('latin1'), 'latin1')
  else outgoing.end(body)
}

/** The answer came before the body ended: what still comes is dropped, for as long as a client may need to notice. */
function refuseRest(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.destroy(), DRAIN_PATIENCE)
  incoming.once('close', () => clearTimeout(timer))
  incoming.resume()
}

function keyInQuery(url: string): string | undefined {
  const question = url.indexOf('?')
  if (question < 0 || !url.includes('apikey=', question)) return undefined
  return new URLSearchParams(url.slice(question)).get('apikey') ?? undefined
}

function asTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) return error
  throw error
}

function json(status: number, body: object, headers: Record<string, string> = {}): DirectAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  }
}

const UNAVAILABLE = json(503, { message: DATABASE_UNAVAILABLE }, { 'retry-after': '1' })
