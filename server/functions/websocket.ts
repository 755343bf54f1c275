// WebSockets to functions (https://supabase.com/docs/guides/functions/websockets): once the caller is let in, the bytes of
// the connection go to the function's process as they are, and Deno.upgradeWebSocket answers there.
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** A function's process, held until `release`: it is not idle meanwhile. */
export type Held = { socket: string; release: () => void }

/** Writes an answer where a WebSocket was asked for, and ends the connection. */
export async function refuseUpgrade(stream: Duplex, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer())
  const lines = [`HTTP/1.1 ${answer.status} ${answer.statusText || 'Refused'}`]
  for (const [name, value] of answer.headers) lines.push(`${name}: ${value}`)
  lines.push(`content-length: ${body.length}`, 'connection: close')
  stream.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]))
}

/** Joins the caller's connection with one to the function, whose path the function sees. Ends both together. */
export function joinUpgrade(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  { path, held }: { path: string; held: Held },
): void {
  const inner = connect(held.socket, () => {
    const lines = [`${request.method} ${path} HTTP/1.1`]
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`)
    }
    inner.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
    inner.write(head)
    stream.pipe(inner).pipe(stream)
  })
  const end = () => {
    stream.destroy()
    inner.destroy()
  }
  for (const side of [stream, inner]) side.on('error', end)
  stream.once('close', end)
  inner.once('close', () => {
    end()
    held.release()
  })
}
