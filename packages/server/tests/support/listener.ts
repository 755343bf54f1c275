// A third-party server for tests: it records its requests, and gives the answers that a test sets.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string }

/** `never` keeps the caller waiting until the listener is closed. */
export type Reply = { status?: number; headers?: Record<string, string>; body?: string } | 'never'

export interface Listener {
  url: string
  /** Received requests, oldest first. */
  received: Received[]
  close(): Promise<void>
}

/** Listens on a free port of this machine. */
export async function listen(reply: (request: Received, count: number) => Reply): Promise<Listener> {
  const received: Received[] = []
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part) => parts.push(part))
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming
      const request = { method, path, headers, body: Buffer.concat(parts).toString('utf8') }
      received.push(request)
      const answer = reply(request, received.length)
      if (answer === 'never') return
      outgoing.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
      outgoing.end(answer.body ?? '{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
