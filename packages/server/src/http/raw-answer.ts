// Work on the raw connection, outside of HTTP: writing a finished answer, and reading no more.
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { BodyRefused } from './body-refused.ts'

/** By which the log tells requests apart, named as on Supabase. */
export const REQUEST_ID = 'sb-request-id'

/** Says why on the connection itself, as Node does for heads that come too slowly, and closes it. */
export function answerAndClose(incoming: IncomingMessage, outgoing: ServerResponse, why: BodyRefused): void {
  const { socket } = incoming
  parseNoMore(socket)
  if (outgoing.headersSent || !socket.writable) incoming.destroy()
  else {
    const id = incoming.headers['x-request-id'] as string | undefined
    socket.end(answerText(why.status, why.message, why.headers, id), () => incoming.destroy())
  }
}

/**
 * Drops the rest of a connection's data without parsing it. A listener for its bytes takes them from the parser,
 * which works as long for chunks of one byte as for a thousand requests. The connection can carry no other request.
 */
export function parseNoMore(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => {})
}

/** A whole answer as sent on the wire, for cases without a request to answer, or with one that is gone. */
export function answerText(
  status: number,
  message: string,
  headers: Record<string, string>,
  id: string = randomUUID(),
): string {
  const body = JSON.stringify({ message })
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  const all = {
    ...headers,
    [REQUEST_ID]: id,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  for (const [name, value] of Object.entries(all)) lines.push(`${name}: ${value}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
