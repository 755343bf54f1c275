// Requests that ask for another protocol: WebSocket is taken over, everything else is answered as if it had not asked,
// which is what HTTP says (https://www.rfc-editor.org/rfc/rfc9110#section-7.8) and what Node does while nobody listens.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

export type TakeOver = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Headers that belong to the question. Java's HTTP client asks for h2c by itself, in every first request. */
const OF_UPGRADES = ['upgrade', 'connection', 'http2-settings']

/** Offers upgrades to `admit`, which answers those that it refuses. */
export function offerWebSockets(
  server: Server,
  admit: (request: IncomingMessage) => boolean,
  takeOver: TakeOver,
): void {
  server.on('upgrade', (request, socket, head) => {
    if (!admit(request)) return
    if (request.headers.upgrade?.toLowerCase() === 'websocket') takeOver(request, socket, head)
    else {
      // Read once more from the beginning, body and all, without the question.
      socket.unshift(Buffer.concat([headOf(request), head]))
      server.emit('connection', socket)
    }
  })
}

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (!OF_UPGRADES.includes(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
