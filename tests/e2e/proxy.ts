// The server as browsers reach it through a wire that a test holds: it can be cut, can bring another file, and can lose one.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Proxy = {
  url: string
  /** From now on this path's text is what `edit` makes of it. */
  change(path: string, edit: (text: string) => string): void
  /** From now on such paths are not found; the function returned ends that. */
  lose(paths: RegExp): () => void
  close(): Promise<void>
}

/** Starts the proxy for `origin`. */
export async function startProxy(origin: string): Promise<Proxy> {
  const edits = new Map<string, (text: string) => string>()
  let lost: RegExp | null = null
  const server = createServer((incoming, answer) => {
    if (lost?.test(incoming.url ?? '')) return void answer.writeHead(404).end()
    const edit = edits.get(incoming.url ?? '')
    const { 'if-none-match': known, ...rest } = incoming.headers
    const headers = edit ? { ...rest, 'accept-encoding': 'identity' } : incoming.headers
    const outgoing = request(`${origin}${incoming.url}`, { method: incoming.method ?? 'GET', headers })
    outgoing.on('error', () => answer.destroy())
    outgoing.on('response', async (response) => {
      const { statusCode = 502 } = response
      if (!edit) {
        answer.writeHead(statusCode, response.headers)
        response.pipe(answer)
        return
      }
      const text = edit(Buffer.concat(await response.toArray()).toString())
      const { etag, 'content-length': length, ...kept } = response.headers
      answer.writeHead(statusCode, kept).end(text)
    })
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    change: (path, edit) => edits.set(path, edit),
    lose(paths) {
      lost = paths
      return () => {
        lost = null
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
