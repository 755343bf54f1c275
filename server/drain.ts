// Ends HTTP servers without cutting anybody off: every connection is closed between two requests, and the last answer
// on it says so (`Connection: close`, https://www.rfc-editor.org/rfc/rfc9112#section-9.6).
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

export interface DrainOptions {
  /** Requests that still run after this many milliseconds are cut off. */
  patience: number
  /** A connection is closed once it has been silent between two requests for this many milliseconds. */
  idle: number
}

export interface Drain {
  /** Follows the connections of a server. */
  follow(server: Server): void
  /** To be asked first for each request; false when it came too late to be answered and must not be handled. */
  admit(incoming: IncomingMessage, outgoing: ServerResponse): boolean
  /** Lets no new connection in and resolves once all of them are closed. */
  end(servers: Server[], options: DrainOptions): Promise<void>
}

/** Milliseconds between two looks at the connections. */
const LOOK = 25
/** Milliseconds that a client has to close its half of a connection after ours. */
const FAREWELL = 1000
/** Turns of the event loop in which connections that wait to be accepted are taken. */
const MOST_TURNS = 1000

export function createDrain(): Drain {
  /** The newest answer on each connection; null before the first one. */
  const connections = new Map<Socket, ServerResponse | null>()
  let arrivals = 0
  let draining = false

  /** A connection that the system has taken but the server not yet would be reset when the listener closes. */
  async function takeWaiting(): Promise<void> {
    for (let turn = 0, before = -1; before !== arrivals && turn < MOST_TURNS; turn++) {
      before = arrivals
      await nextTurn()
    }
  }

  /** Closes what has been silent long enough. */
  function closeIdle(silent: Map<Socket, Silence>, { idle }: DrainOptions): void {
    const now = performance.now()
    for (const [socket, outgoing] of connections) {
      if (outgoing && !outgoing.writableFinished && !outgoing.destroyed) {
        silent.delete(socket)
        continue
      }
      let silence = silent.get(socket)
      // What has arrived in part, or what is left of a body that was refused.
      if (!silence || silence.bytes !== socket.bytesRead) {
        silence = { bytes: socket.bytesRead, since: now }
        silent.set(socket, silence)
      }
      const duration = now - silence.since
      // Ended, not destroyed: what crosses with it on the way must not be answered with a reset.
      if (duration >= idle && !socket.writableEnded) socket.end()
      else if (duration >= idle + FAREWELL) socket.destroy()
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
      const silent = new Map<Socket, Silence>()
      closeIdle(silent, options)
      const looks = setInterval(() => closeIdle(silent, options), LOOK)
      await Promise.race([Promise.all(closed), sleep(options.patience, undefined, { ref: false })])
      clearInterval(looks)
      for (const server of servers) {
        server.closeAllConnections()
        // Ends the timers of http.Server, too.
        server.close()
      }
    },
  }
}

type Silence = { bytes: number; since: number }

/** Has the answer say that the connection ends with it, if it is still to be begun. */
function answerLast(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (outgoing.headersSent) return
  const writeHead = outgoing.writeHead
  outgoing.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    // Node closes right after such an answer. While a body that nobody wants still comes in, that would be a reset, by
    // which the client loses the answer: then the connection is closed once it is silent.
    if (incoming.complete || !hasBody(incoming)) this.shouldKeepAlive = false
    return Reflect.apply(writeHead, this, args)
  } as typeof writeHead
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
