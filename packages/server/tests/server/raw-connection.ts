// Connections on which a test says byte by byte what is sent, and which come from an address of its choice: all of
// 127.0.0.0/8 is this machine.
import { connect, type Socket } from 'node:net'

export interface RawConnection {
  socket: Socket
  send(text: string | Buffer): void
  /** The next answer: its status, headers in lower case and body. Rejects when the connection ends before it. */
  answer(): Promise<{ status: number; headers: Record<string, string>; body: string }>
  /** Resolves once the other side has closed the connection. */
  closed: Promise<void>
}

/** Opens a connection to the server at `url`. */
export async function rawConnection(url: string, from = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: from })
  let heard = Buffer.alloc(0)
  let wake = () => {}
  let over = false
  socket.on('data', (chunk) => {
    heard = Buffer.concat([heard, chunk])
    wake()
  })
  // A refused sender may find its connection reset.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      over = true
      wake()
      resolve()
    }),
  )
  await new Promise((resolve) => socket.once('connect', resolve))

  function take() {
    const end = heard.indexOf('\r\n\r\n')
    if (end < 0) return null
    const [first = '', ...lines] = heard.toString('latin1', 0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    const length = Number(headers['content-length'] ?? 0)
    if (heard.length < end + 4 + length) return null
    const body = heard.toString('utf8', end + 4, end + 4 + length)
    heard = heard.subarray(end + 4 + length)
    return { status: Number(first.split(' ')[1]), headers, body }
  }

  return {
    socket,
    closed,
    send: (text) => socket.write(text),
    async answer() {
      for (;;) {
        const found = take()
        if (found) return found
        if (over) throw new Error(`the connection ended: ${heard.toString('latin1')}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

/** The head of a request, up to the empty line. */
export function head(method: string, path: string, headers: Record<string, string | number> = {}): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
}
