// Realtime at /realtime/v1: sockets at /websocket (Phoenix channels), broadcasts by HTTP at /api/broadcast.
// https://supabase.com/docs/guides/realtime/protocol
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Hono } from 'hono'
import { type WebSocket, WebSocketServer } from 'ws'
import { NO_KEY, WRONG_KEY } from '../gateway.ts'
import type { Services } from '../services.ts'
import { createBroadcastApi } from './broadcast-api.ts'
import type { Changes } from './changes/contract.ts'
import { Exchange, type Figures } from './hub.ts'
import { maxPayload } from './limits.ts'
import { type Arrival, Connection } from './socket/connection.ts'
import { negotiate } from './socket/frames.ts'

export interface Realtime {
  app: Hono
  /** Takes over a request for an upgrade, or answers why not. For the HTTP server's event of that name. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  figures(): Figures & { connections: number; channels: number; presences: number }
  /** Says goodbye to every socket; clients connect again by themselves. Done once, however often it is asked for. */
  stop(): Promise<void>
}

const PATH = '/realtime/v1/websocket'
const SWEEP = 1000
/** What a message has besides its payload. */
const ENVELOPE = 64 * 1024
/** Parts in which one message may come from the network. */
const MAX_CHUNKS = 16 * 1024
const SERVICE_RESTART = 1012
/** Milliseconds that sockets have to close by themselves. */
const FAREWELL = 500

type Socket = WebSocket & { connection?: Connection }
/** An answer in the place of an upgrade. */
type Answer = { status: 400 | 401 | 404 | 503; body: object }

/** Starts listening for the other servers at once. `changes` is stopped with it. */
export function createRealtime(services: Services, changes: Changes): Realtime {
  const exchange = new Exchange(services, changes)
  const { limits, keys, log } = exchange
  const connections = new Set<Socket>()
  let stopped: Promise<void> | null = null
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs every socket more memory than all the rest of it.
    perMessageDeflate: false,
    maxPayload: maxPayload(limits) + ENVELOPE,
    // A message that comes byte by byte costs a hundred times its length.
    maxBufferedChunks: MAX_CHUNKS,
  })

  // One function for all sockets, each of which brings its own connection.
  function onMessage(this: Socket, data: Buffer, binary: boolean): void {
    // After its last word nothing of a client counts, though it may go on for a while.
    if (this.readyState !== this.OPEN) return
    try {
      this.connection?.receive(data, binary)
    } catch (error) {
      // What can be read as JSON may still be nested too deeply to be written again.
      if (error instanceof RangeError) {
        this.close(1007, 'payload: must not be nested so deeply')
        return
      }
      log.error({ err: error }, 'a message could not be handled')
      this.close(1011, 'An unexpected failure occurred')
    }
  }
  function onClose(this: Socket): void {
    connections.delete(this)
    this.connection?.gone()
  }

  /** What a socket may come in with, or why it may not come in. */
  function admit({ url = '', headers }: IncomingMessage): Omit<Arrival, 'headers'> | Answer {
    const [path, query] = url.split('?')
    const parameters = new URLSearchParams(query)
    const token = parameters.get('apikey') ?? String(headers['x-api-key'] ?? headers.apikey ?? '')
    const version = negotiate(parameters.get('vsn'))
    if (path !== PATH) return { status: 404, body: { message: 'no Route matched with those values' } }
    if (!keys.roleOf(token)) return { status: 401, body: token ? WRONG_KEY : NO_KEY }
    if (!version) return { status: 400, body: { message: 'vsn: must be 1.0.0 or 2.0.0' } }
    // A little over the limit a socket is let in to be told why it may not join; far over it, that costs too much.
    const { max_concurrent_users: most } = limits
    if (stopped || connections.size >= most + most / 10 + 10) {
      return { status: 503, body: { message: 'Too many connected users' } }
    }
    return { version, token, surplus: connections.size >= most }
  }

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const admitted = admit(request)
    if ('status' in admitted) {
      answer(stream, admitted)
      return
    }
    server.handleUpgrade(request, stream, head, (socket: Socket) => {
      socket.connection = new Connection(socket, { ...admitted, headers: ownHeaders(request) }, exchange)
      connections.add(socket)
      socket.on('message', onMessage)
      socket.on('close', onClose)
      socket.on('error', ignore)
    })
  }

  const timer = setInterval(() => {
    const now = Date.now()
    for (const { connection } of connections) connection?.sweep(now)
  }, SWEEP)

  async function stop(): Promise<void> {
    clearInterval(timer)
    for (const socket of connections) socket.close(SERVICE_RESTART, 'Service restart')
    const patience = setTimeout(() => {
      for (const socket of connections) socket.terminate()
    }, FAREWELL)
    while (connections.size > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    clearTimeout(patience)
    server.close()
    await exchange.stop()
  }

  return {
    app: createBroadcastApi(exchange),
    upgrade,
    figures() {
      let channels = 0
      for (const { connection } of connections) channels += connection?.channels.size ?? 0
      const { size: presences } = exchange.presences
      return { ...exchange.figures, connections: connections.size, channels, presences }
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

function ignore(): void {}

/** JSON of the headers that a client made up itself, for policies that read them. */
function ownHeaders({ headers }: IncomingMessage): string {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-') && name !== 'x-api-key')
  return own.length === 0 ? '{}' : JSON.stringify(Object.fromEntries(own))
}

function answer(stream: Duplex, { status, body }: Answer): void {
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  stream.on('error', ignore)
  stream.end(`${head.join('\r\n')}\r\n\r\n${text}`)
}
