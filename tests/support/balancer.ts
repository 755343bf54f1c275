// A load balancer for several servers. It asks each whether it is ready, and sends requests in turn to those that
// are, over connections that it keeps. If a connection is refused, it takes the next server. A request that was sent
// is not sent again: what a server breaks off, its client sees.
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Balancer {
  url: string
  /** Sends requests there, too, from when it says that it is ready. */
  add(url: string): void
  /** Those that are sent requests now. */
  ready(): string[]
  close(): Promise<void>
}

type Server = { url: string; agent: Agent; ready: boolean }

/** Milliseconds between two questions whether a server is ready. */
const HEALTH_INTERVAL_MS = 200
/** Milliseconds for which a request waits for a server that takes it. */
const GIVE_UP_AFTER_MS = 3000

export async function startBalancer(): Promise<Balancer> {
  const servers = new Map<string, Server>()
  let turn = 0
  const watch = setInterval(() => {
    for (const server of servers.values()) void look(server)
  }, HEALTH_INTERVAL_MS)

  async function look(server: Server): Promise<void> {
    server.ready = await fetch(`${server.url}/health/ready`, { signal: AbortSignal.timeout(2000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  function next(): Server | undefined {
    const ready = [...servers.values()].filter((server) => server.ready)
    return ready[turn++ % Math.max(ready.length, 1)]
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, since: number, body: Buffer): void {
    const again = () => {
      if (performance.now() - since > GIVE_UP_AFTER_MS) outgoing.writeHead(502).end('no server takes it')
      else setTimeout(() => forward(incoming, outgoing, since, body), 20)
    }
    const server = next()
    if (!server) {
      again()
      return
    }
    const { method, url, headers } = incoming
    const sent = request(server.url + url, { method, agent: server.agent, headers }, (answer) => {
      const { connection: _, ...kept } = answer.headers
      outgoing.writeHead(answer.statusCode as number, kept)
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') {
        server.ready = false
        again()
      } else if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end(`${error.code} ${error.message}`)
    })
    sent.end(body)
  }

  const balancer = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part) => parts.push(part))
    incoming.on('end', () => forward(incoming, outgoing, performance.now(), Buffer.concat(parts)))
  })
  balancer.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    add: (url) => servers.set(url, { url, agent: new Agent({ keepAlive: true }), ready: false }),
    ready: () => [...servers.values()].filter(({ ready }) => ready).map(({ url }) => url),
    async close() {
      clearInterval(watch)
      balancer.closeAllConnections()
      await new Promise((resolve) => balancer.close(resolve))
      for (const { agent } of servers.values()) agent.destroy()
    },
  }
}
