// How many connections there may be, in all and from one address, and how long one may keep the server waiting for the
// head of a request or for its answer to be read. When all are taken, the address that has most gives up its own.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Config } from '../config.ts'
import { answerText } from './bodies.ts'
import { canonicalAddress, limitKey } from './client-address.ts'

export interface ConnectionsOptions {
  limits: Pick<Config['limits'], 'connections' | 'connectionsPerAddress' | 'headTimeout' | 'readTimeout'>
  /** Whether there are many callers behind an address. */
  isProxy: (address: string | undefined) => boolean
  /** Called once, with the first address that has as many connections as it may have. */
  onFull: (address: string) => void
}

export interface Connections {
  /** Bounds the connections of a server; to be called before it listens. All servers share the bounds. */
  bound(server: Server): void
  /** Takes down that a connection is at work on a request, which makes it one that is not given up. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void
  /** Connections open now, and how many were refused or given up since the start. */
  counts(): { open: number; refused: number }
}

type Connection = { socket: Socket; address: string; outgoing: ServerResponse | null }

/** Milliseconds that one who is refused has to read why. */
const REFUSAL_TIMEOUT_MS = 1000
/** As many are reported why; any more are closed without a word. */
const MAX_REFUSALS_AT_ONCE = 500
/** What part of all connections is given up at once, so that finding them is not what takes the time. */
const GIVE_UP_SHARE = 0.01

export function boundConnections({ limits, isProxy, onFull }: ConnectionsOptions): Connections {
  const open = new Map<Socket, Connection>()
  const perAddress = new Map<string, number>()
  let refusing = 0
  let refused = 0
  let reported = false

  function bound(server: Server): void {
    server.headersTimeout = limits.headTimeout
    server.setTimeout(limits.readTimeout, (socket) => {
      // Whoever waits for us is not to blame: only who does not read what was sent.
      if (socket.writableLength > 0) socket.destroy()
    })
    // The HTTP server's own listener comes after the bounds.
    const [accept] = server.listeners('connection') as ((socket: Socket) => void)[]
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      // One that is read anew from its beginning (see upgrades.ts) is counted already.
      if (open.has(socket) || admit(socket)) accept?.call(server, socket)
    })
  }

  function admit(socket: Socket): boolean {
    const address = limitKey(canonicalAddress(socket.remoteAddress ?? ''))
    const own = perAddress.get(address) ?? 0
    if (own >= limits.connectionsPerAddress && !isProxy(socket.remoteAddress)) {
      if (!reported) onFull(address)
      reported = true
      return refuse(socket, 429, 'Too many connections from your address')
    }
    if (open.size >= limits.connections) giveUp(own + 1)
    if (open.size >= limits.connections) return refuse(socket, 503, 'Too many connections')
    perAddress.set(address, own + 1)
    open.set(socket, { socket, address, outgoing: null })
    socket.once('close', () => forget(socket, address))
    return true
  }

  function forget(socket: Socket, address: string): void {
    if (!open.delete(socket)) return
    const left = (perAddress.get(address) ?? 1) - 1
    if (left > 0) perAddress.set(address, left)
    else perAddress.delete(address)
  }

  /** Closes connections that wait for their client, of the address that has most of them and at least `least`. */
  function giveUp(least: number): void {
    let [heaviest, most] = ['', 0]
    for (const [address, count] of perAddress) if (count > most) [heaviest, most] = [address, count]
    if (most < least) return
    let left = Math.max(Math.floor(Math.min(limits.connections * GIVE_UP_SHARE, most - least)), 1)
    // The oldest come first.
    for (const { socket, address, outgoing } of open.values()) {
      if (most > least ? address !== heaviest : (perAddress.get(address) ?? 0) < most) continue
      if (!isWaiting(outgoing)) continue
      refused++
      forget(socket, address)
      socket.destroy()
      if (--left === 0) return
    }
  }

  function refuse(socket: Socket, status: 429 | 503, message: string): false {
    refused++
    socket.on('error', () => socket.destroy())
    if (refusing >= MAX_REFUSALS_AT_ONCE) {
      socket.destroy()
      return false
    }
    refusing++
    const timer = setTimeout(() => socket.destroy(), REFUSAL_TIMEOUT_MS).unref()
    socket.once('close', () => {
      refusing--
      clearTimeout(timer)
    })
    socket.end(answerText(status, message, { connection: 'close', 'retry-after': '5' }))
    // What was sent already is read, so that the answer arrives.
    socket.resume()
    return false
  }

  return {
    bound,
    begin({ socket }, outgoing) {
      const connection = open.get(socket)
      if (connection) connection.outgoing = outgoing
    },
    counts: () => ({ open: open.size, refused }),
  }
}

/** Whether it is the client's turn: to ask, to send the rest of its request, or to read its answer. */
function isWaiting(outgoing: ServerResponse | null): boolean {
  if (!outgoing || outgoing.writableEnded) return true
  return !outgoing.req.complete
}
