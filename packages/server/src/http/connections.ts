// Limits on connections, in all and from one address, and on the headers of a request. Also how long a client may
// take to send the head of a request and to read the answer. When all are taken, the address that has most gives up
// its own.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config/config.ts'
import type { Bans } from './bans.ts'
import { canonicalAddress, limitKey } from './client-address.ts'
import { answerText, parseNoMore } from './raw-answer.ts'

export interface ConnectionsOptions {
  limits: Pick<Config['limits'], 'connections' | 'connectionsPerAddress' | 'headTimeout' | 'readTimeout'>
  /** Whether there are many callers behind an address. */
  isProxy: (address: string | undefined) => boolean
  bans: Bans
  /** Called once, with the first address that has as many connections as it may have. */
  onFull: (address: string) => void
}

export interface Connections {
  /** Bounds the connections of a server; to be called before it listens. All servers share the bounds. */
  bound(server: Server): void
  /**
   * To be asked first for each request: false when it is refused and answered. Else its connection is at work, which
   * makes it one that is not given up.
   */
  admit(incoming: IncomingMessage, outgoing: ServerResponse): boolean
  /** The same for a request that asks for another protocol. */
  admitUpgrade(incoming: IncomingMessage): boolean
  /** Connections open now, and how many were refused or given up since the start. */
  counts(): { open: number; refused: number }
}

type Connection = { socket: Socket; address: string; outgoing: ServerResponse | null }

/** Milliseconds that one who is refused has to read why. */
const REJECTION_TIMEOUT_MS = 1000
/** As many are reported why; any more are closed without a word. */
const MAX_REJECTIONS_AT_ONCE = 50
/** The share of all connections that is closed at once, so that the search does not take all the time. */
const GIVE_UP_SHARE = 0.01
/** Headers of one request: as many as Apache takes, and twice what browsers behind a row of proxies send. */
const MAX_HEADERS = 100

const REJECTIONS = {
  banned: [429, 'Your address sent what no client sends; try again in a minute'],
  headers: [431, 'A request has 100 headers at most'],
  address: [429, 'Too many connections from your address'],
  all: [503, 'Too many connections'],
} as const

export function boundConnections(options: ConnectionsOptions): Connections {
  return new BoundConnections(options)
}

/** The connections that are open, by socket and by address, and how many were refused. */
class BoundConnections implements Connections {
  private readonly options: ConnectionsOptions
  private readonly open = new Map<Socket, Connection>()
  private readonly perAddress = new Map<string, number>()
  private refusing = 0
  private refused = 0
  private reported = false

  constructor(options: ConnectionsOptions) {
    this.options = options
  }

  bound(server: Server): void {
    server.headersTimeout = this.options.limits.headTimeout
    // Node reads no further then, and says nothing: one more than may be is what tells it.
    server.maxHeadersCount = MAX_HEADERS + 1
    server.setTimeout(this.options.limits.readTimeout, (socket) => {
      // Whoever waits for us is not to blame: only who does not read what was sent.
      if (socket.writableLength === 0) return
      this.options.bans.countUnread(socket.remoteAddress)
      socket.destroy()
    })
    // The HTTP server's own listener comes after the bounds.
    const [accept] = server.listeners('connection') as ((socket: Socket) => void)[]
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      // One that is read anew from its beginning (see upgrades.ts) is counted already.
      if (this.open.has(socket) || this.take(socket)) accept?.call(server, socket)
    })
  }

  private take(socket: Socket): boolean {
    const address = limitKey(canonicalAddress(socket.remoteAddress ?? ''))
    if (this.options.bans.hasPeer(socket.remoteAddress)) return this.refuse(socket, 'banned')
    const own = this.perAddress.get(address) ?? 0
    if (own >= this.options.limits.connectionsPerAddress && !this.options.isProxy(socket.remoteAddress)) {
      if (!this.reported) this.options.onFull(address)
      this.reported = true
      return this.refuse(socket, 'address')
    }
    if (this.open.size >= this.options.limits.connections) this.giveUp(own + 1)
    if (this.open.size >= this.options.limits.connections) return this.refuse(socket, 'all')
    this.perAddress.set(address, own + 1)
    this.open.set(socket, { socket, address, outgoing: null })
    socket.once('close', () => this.forget(socket, address))
    return true
  }

  private forget(socket: Socket, address: string): void {
    if (!this.open.delete(socket)) return
    const left = (this.perAddress.get(address) ?? 1) - 1
    if (left > 0) this.perAddress.set(address, left)
    else this.perAddress.delete(address)
  }

  /** Closes connections that wait for their client, of the address that has most of them and at least `least`. */
  private giveUp(least: number): void {
    let [heaviest, most] = ['', 0]
    for (const [address, count] of this.perAddress) if (count > most) [heaviest, most] = [address, count]
    if (most < least) return
    let left = Math.max(
      Math.floor(Math.min(this.options.limits.connections * GIVE_UP_SHARE, most - least)),
      1,
    )
    // The oldest come first.
    for (const { socket, address, outgoing } of this.open.values()) {
      if (most > least ? address !== heaviest : (this.perAddress.get(address) ?? 0) < most) continue
      if (!isWaiting(outgoing)) continue
      this.refused++
      this.forget(socket, address)
      socket.destroy()
      if (--left === 0) return
    }
  }

  /** Whether a request is read any further; else it is answered on the connection itself. */
  private admitHead(incoming: IncomingMessage): boolean {
    const hasTooMany = incoming.rawHeaders.length > MAX_HEADERS * 2
    if (!hasTooMany && !this.options.bans.has(incoming)) return true
    if (hasTooMany) this.options.bans.add(incoming)
    parseNoMore(incoming.socket)
    return this.refuse(incoming.socket, hasTooMany ? 'headers' : 'banned')
  }

  private refuse(socket: Socket, why: keyof typeof REJECTIONS): false {
    const [status, message] = REJECTIONS[why]
    this.refused++
    socket.on('error', () => socket.destroy())
    if (this.refusing >= MAX_REJECTIONS_AT_ONCE) {
      socket.destroy()
      return false
    }
    this.refusing++
    const timer = setTimeout(() => socket.destroy(), REJECTION_TIMEOUT_MS).unref()
    socket.once('close', () => {
      this.refusing--
      clearTimeout(timer)
    })
    const headers: Record<string, string> = { connection: 'close' }
    if (status !== 431) headers['retry-after'] = '5'
    socket.end(answerText(status, message, headers))
    // Reading the rest of the request lets the answer arrive.
    socket.resume()
    return false
  }

  admit(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    if (!this.admitHead(incoming)) return false
    const connection = this.open.get(incoming.socket)
    if (connection) connection.outgoing = outgoing
    return true
  }

  admitUpgrade(incoming: IncomingMessage): boolean {
    return this.admitHead(incoming)
  }

  counts(): { open: number; refused: number } {
    return { open: this.open.size, refused: this.refused }
  }
}

/** Whether it is the client's turn: to ask, to send the rest of its request, or to read its answer. */
function isWaiting(outgoing: ServerResponse | null): boolean {
  if (!outgoing || outgoing.writableEnded) return true
  return !outgoing.req.complete
}
