// Realtime at /realtime/v1: sockets at /websocket (Phoenix channels), broadcasts by HTTP at /api/broadcast.
// https://supabase.com/docs/guides/realtime/protocol
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { NO_KEY, WRONG_KEY } from '../http/authenticator.ts'
import { limitKey } from '../http/client-address.ts'
import type { Service } from '../http/route.ts'
import type { Services } from '../service-dependencies.ts'
import { createBroadcastApi } from './broadcast-api.ts'
import type { Changes } from './changes/contract.ts'
import { Hub } from './hub.ts'
import { maxPayloadBytes } from './limits.ts'
import type { Handshake } from './socket/channel-socket.ts'
import { Connection } from './socket/connection.ts'
import { negotiateVersion } from './socket/frames.ts'

/** Currently open connections, and counters since the start. */
type RealtimeFigures = Hub['figures'] & {
  connections: number
  channels: number
  presences: number
  /** Of this database that hear each other, this one among them. */
  servers: number
  receivesChanges: boolean
}

export interface Realtime {
  service: Service
  /** Takes over a request for an upgrade, or answers why not. For the HTTP server's event of that name. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  figures(): RealtimeFigures
  /** Closes every socket; clients connect again by themselves. Idempotent. */
  stop(): Promise<void>
}

const PATH = '/realtime/v1/websocket'
const SWEEP_INTERVAL_MS = 1000
/** Bytes of a message, in addition to its payload. */
const MAX_ENVELOPE_BYTES = 64 * 1024
/** Network chunks of one message: one that comes byte by byte costs a hundred times its length. */
const MAX_CHUNKS = 16 * 1024
/** Time that sockets have to close by themselves. */
const CLOSE_TIMEOUT_MS = 500
const CLOSE_POLL_MS = 10

/** Close codes (https://www.iana.org/assignments/websocket/websocket.xhtml#close-code-number). */
const INTERNAL_ERROR = 1011
const SERVICE_RESTART = 1012

type Socket = WebSocket & { connection?: Connection }
type Stream = Duplex & { connection?: Connection }
/** An answer instead of an upgrade. */
type UpgradeError = { status: 400 | 401 | 404 | 503; body: object }

/** Starts listening for the other servers at once. `changes` is stopped with it. */
export function createRealtime(services: Services, changes: Changes): Realtime {
  const hub = new Hub(services, changes)
  const { limits, log } = hub
  const sockets = new Set<Socket>()
  let stopping: Promise<void> | null = null
  const server = createSocketServer(limits)

  // One listener for all sockets, each of which carries its own connection.
  function onMessage(this: Socket, data: Buffer, binary: boolean): void {
    // Once it is being closed nothing of a client counts, though it may go on sending for a while.
    if (this.readyState !== this.OPEN) return
    try {
      this.connection?.receive(data, binary)
    } catch (error) {
      log.error({ err: error }, 'a message could not be handled')
      this.close(INTERNAL_ERROR, 'An unexpected failure occurred')
    }
  }
  // ws has read it before: what it made whole has been received.
  function onData(this: Stream, part: Buffer): void {
    this.connection?.onPart(part.length)
  }
  function onClose(this: Socket): void {
    sockets.delete(this)
    this.connection?.onClose()
  }

  function upgrade(request: IncomingMessage, stream: Stream, head: Buffer): void {
    const checked = checkUpgrade(request, hub, { open: sockets.size, stopping: stopping !== null })
    if ('status' in checked) {
      respond(stream, checked)
      return
    }
    server.handleUpgrade(request, stream, head, (socket: Socket) => {
      const address = limitKey(services.addresses.of(request))
      const connection = new Connection(socket, { ...checked, address, headers: customHeaders(request) }, hub)
      socket.connection = connection
      stream.connection = connection
      stream.on('data', onData)
      sockets.add(socket)
      socket.on('message', onMessage)
      socket.on('close', onClose)
      socket.on('error', ignore)
    })
  }

  const sweeper = setInterval(() => {
    for (const { connection } of sockets) connection?.sweep()
  }, SWEEP_INTERVAL_MS)

  async function stop(): Promise<void> {
    clearInterval(sweeper)
    await closeAll(sockets)
    server.close()
    await hub.stop()
  }

  return {
    service: createBroadcastApi(hub),
    upgrade,
    figures() {
      let channels = 0
      for (const { connection } of sockets) channels += connection?.channels.size ?? 0
      const { size: presences } = hub.presence
      return {
        ...hub.figures,
        connections: sockets.size,
        channels,
        presences,
        servers: hub.servers,
        receivesChanges: changes.attached,
      }
    },
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}

/** Checks path, API key, version and the number of sockets. */
function checkUpgrade(
  { url = '', headers }: IncomingMessage,
  { limits, keys }: Pick<Hub, 'limits' | 'keys'>,
  { open, stopping }: { open: number; stopping: boolean },
): Omit<Handshake, 'address' | 'headers'> | UpgradeError {
  const [path, query] = url.split('?')
  const parameters = new URLSearchParams(query)
  const token = parameters.get('apikey') ?? String(headers['x-api-key'] ?? headers.apikey ?? '')
  const version = negotiateVersion(parameters.get('vsn'))
  if (path !== PATH) return { status: 404, body: { message: 'no Route matched with those values' } }
  if (!keys.roleOf(token)) return { status: 401, body: token ? WRONG_KEY : NO_KEY }
  if (!version) return { status: 400, body: { message: 'vsn: must be 1.0.0 or 2.0.0' } }
  // A little over the limit a socket is accepted, so that its join gets the reason; far over it, that costs too much.
  const { max_concurrent_users: max } = limits
  if (stopping || open >= max + max / 10 + 10) {
    return { status: 503, body: { message: 'Too many connected users' } }
  }
  return { version, token, overLimit: open >= max }
}

function createSocketServer(limits: Hub['limits']): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression costs every socket more memory than all the rest of it.
    perMessageDeflate: false,
    maxPayload: maxPayloadBytes(limits) + MAX_ENVELOPE_BYTES,
    maxBufferedChunks: MAX_CHUNKS,
  })
}

/** Resolves once all are closed: those that take too long are terminated. */
async function closeAll(sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.close(SERVICE_RESTART, 'Service restart')
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.terminate()
  }, CLOSE_TIMEOUT_MS)
  while (sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, CLOSE_POLL_MS))
  clearTimeout(timer)
}

function ignore(): void {}

/** JSON of the client's own `x-…` headers, for policies that read them. */
function customHeaders({ headers }: IncomingMessage): string {
  const custom = Object.entries(headers).filter(([name]) => name.startsWith('x-') && name !== 'x-api-key')
  return custom.length === 0 ? '{}' : JSON.stringify(Object.fromEntries(custom))
}

function respond(stream: Duplex, { status, body }: UpgradeError): void {
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
