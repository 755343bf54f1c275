// Ends HTTP servers without cutting anybody off: every connection is closed between two requests, and the last answer
// on it says so (`Connection: close`, https://www.rfc-editor.org/rfc/rfc9112#section-9.6).
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

interface DrainOptions {
  /** Requests that still run after this many milliseconds are cut off. */
  timeoutMs: number
  /** A connection is closed once it has been idleConnections between two requests for this many milliseconds. */
  idle: number
}

export interface Drain {
  /** Follows the connections of a server. */
  follow(server: Server): void
  /** To be asked first for each request; false when it came too late to be answered and must not be handled. */
  admit(incoming: IncomingMessage, outgoing: ServerResponse): boolean
  /** Accepts no new connection and resolves once all connections are closed. */
  end(servers: Server[], options: DrainOptions): Promise<void>
}

/** Milliseconds between two checks at the connections. */
const CHECK_INTERVAL_MS = 25
/** Milliseconds that a client has to close its half of a connection after ours. */
const CLOSE_TIMEOUT_MS = 1000
/** Turns of the event loop in which connections that wait to be accepted are taken. */
const MAX_TURNS = 1000

export function createDrain(): Drain {
  /** The newest answer on each connection; null before the first one. */
  const connections = new Map<Socket, ServerResponse | null>()
  let arrivals = 0
  let draining = false

  /** A connection that the system has taken but the server not yet would be reset when the listener closes. */
  async function takeWaiting(): Promise<void> {
    for (let turn = 0, before = -1; before !== arrivals && turn < MAX_TURNS; turn++) {
      before = arrivals
      await nextTurn()
    }
  }

  /** Closes what has been idleConnections long enough. */
  function closeIdle(idleConnections: Map<Socket, IdleSince>, { idle }: DrainOptions): void {
    const now = performance.now()
    for (const [socket, outgoing] of connections) {
      if (outgoing && !outgoing.writableFinished && !outgoing.destroyed) {
        idleConnections.delete(socket)
        continue
      }
      let idleSince = idleConnections.get(socket)
      // A partial request, or the rest of a refused body.
      if (!idleSince || idleSince.bytes !== socket.bytesRead) {
        idleSince = { bytes: socket.bytesRead, since: now }
        idleConnections.set(socket, idleSince)
      }
      const duration = now - idleSince.since
      // Ended, not destroyed: what crosses with it on the way must not be answered with a reset.
      if (duration >= idle && !socket.writableEnded) socket.end()
      else if (duration >= idle + CLOSE_TIMEOUT_MS) socket.destroy()
    }
  }

  return {
    follow(server) {
      server.on('connection', (socket) => {
        arrivals++
        connections.set(socket, null)
        socket.once('close', () => connections.delete(socket))
      })
      // From here on it is no longer HTTP: whoever takes it over closes it.
      server.prependListener('upgrade', (_request, socket) => connections.delete(socket as Socket))
    },
    admit(incoming, outgoing) {
      if (draining) {
        if (incoming.socket.writableEnded) return false
        answerLast(incoming, outgoing)
      }
      connections.set(incoming.socket, outgoing)
      return true
    },
    async end(servers, options) {
      await takeWaiting()
      draining = true
      // Not that of http.Server, which first destroys connections on which a request may be arriving.
      const closed = servers.map(
        (server) => new Promise((resolve) => NetServer.prototype.close.call(server, resolve)),
      )
      for (const outgoing of connections.values()) if (outgoing) answerLast(outgoing.req, outgoing)
      const idleConnections = new Map<Socket, IdleSince>()
      closeIdle(idleConnections, options)
      const checks = setInterval(() => closeIdle(idleConnections, options), CHECK_INTERVAL_MS)
      await Promise.race([Promise.all(closed), sleep(options.timeoutMs, undefined, { ref: false })])
      clearInterval(checks)
      for (const server of servers) {
        server.closeAllConnections()
        // Ends the timers of http.Server, too.
        server.close()
      }
    },
  }
}

type IdleSince = { bytes: number; since: number }

/** Has the answer say that the connection ends with it, if it is still to be begun. */
function answerLast(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (outgoing.headersSent) return
  const writeHead = outgoing.writeHead
  outgoing.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    // Node closes right after such an answer. While a body that nobody wants still comes in, that would be a reset, by
    // which the client loses the answer: then the connection is closed once it is idleConnections.
    if (incoming.complete || !hasBody(incoming)) this.shouldKeepAlive = false
    return Reflect.apply(writeHead, this, args)
  } as typeof writeHead
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
