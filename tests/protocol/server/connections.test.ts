// How many connections there may be: an address has its share, and when all are taken the one that has most gives up
// its own. Whoever does not read an answer is cut off.
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { boundConnections, type Connections } from '../../../server/http/connections.ts'
import { startTestServer } from '../../support/server.ts'
import { head, type RawConnection, rawConnection } from './raw-connection.ts'

let server: Server
let connections: Connections
let url: string
const opened: RawConnection[] = []

/** A server of ten connections, of which an address may have four. */
async function start({ proxy = '', readTimeout = 30_000, answer = 'hay' } = {}) {
  const full: string[] = []
  server = createServer((incoming, outgoing) => {
    connections.begin(incoming, outgoing)
    if (incoming.url === '/working') return
    incoming.resume()
    outgoing.end(answer)
  })
  connections = boundConnections({
    limits: { connections: 10, connectionsPerAddress: 4, headTimeout: 20_000, readTimeout },
    isProxy: (address) => address === proxy,
    onFull: (address) => full.push(address),
  })
  connections.bound(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return full
}
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const open = async (count: number, from: string) => {
  const made = []
  for (let n = 0; n < count; n++) {
    const before = connections.counts()
    const connection = await rawConnection(url, from)
    made.push(connection)
    // Until the server has taken it, or not.
    await expect
      .poll(() => connections.counts().open > before.open || connections.counts().refused > before.refused)
      .toBe(true)
  }
  opened.push(...made)
  return made
}
const asks = async (connection: RawConnection, path = '/') => {
  connection.send(head('GET', path))
  return (await connection.answer()).status
}

test('an address has its share; more are told so, until one of its own is closed', async () => {
  const full = await start()
  const [first, ...others] = await open(4, '127.0.0.2')
  const [surplus] = await open(1, '127.0.0.2')
  const refusal = await surplus?.answer()
  expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '5', connection: 'close' } })
  expect(JSON.parse(refusal?.body ?? '').message).toContain('connections')
  await surplus?.closed
  expect(full).toEqual(['127.0.0.2'])
  expect(await asks(others[0] as RawConnection)).toBe(200)
  first?.socket.destroy()
  await expect.poll(() => connections.counts().open).toBe(3)
  expect(await asks((await open(1, '127.0.0.2'))[0] as RawConnection)).toBe(200)
})

test('a proxy has as many as there are', async () => {
  await start({ proxy: '127.0.0.2' })
  for (const connection of await open(10, '127.0.0.2')) expect(await asks(connection)).toBe(200)
  expect(connections.counts()).toEqual({ open: 10, refused: 0 })
})

test('when all are taken, who has most gives up the oldest that waits for its client', async () => {
  await start()
  const [working, oldest] = await open(4, '127.0.0.2')
  working?.send(head('GET', '/working'))
  const [begun] = await open(3, '127.0.0.3')
  begun?.send(head('POST', '/working', { 'content-length': 5 }))
  await open(3, '127.0.0.4')
  const [honest] = await open(1, '127.0.0.5')
  expect(await asks(honest as RawConnection)).toBe(200)
  await oldest?.closed
  expect(working?.socket.destroyed).toBe(false)
  expect(connections.counts()).toEqual({ open: 10, refused: 1 })
})

test('when everybody has as many and all are at work, the newest is told so', async () => {
  await start()
  for (let n = 0; n < 10; n++) {
    const [connection] = await open(1, `127.0.0.${10 + n}`)
    const asked = new Promise((resolve) => server.once('request', resolve))
    connection?.send(head('GET', '/working'))
    await asked
  }
  const [late] = await open(1, '127.0.0.5')
  expect((await late?.answer())?.status).toBe(503)
})

test('who does not read an answer is cut off', async () => {
  await start({ readTimeout: 300, answer: 'x'.repeat(64 * 1024 * 1024) })
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  const [deaf] = await open(1, '127.0.0.2')
  deaf?.socket.pause()
  deaf?.send(head('GET', '/'))
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})

test('a WebSocket counts once, and a server that is full says so before it reads anything', async () => {
  const whole = await startTestServer({ env: { MAX_CONNECTIONS_PER_ADDRESS: '2' } })
  try {
    const sockets = []
    for (let n = 0; n < 2; n++) {
      const socket = await rawConnection(whole.url, '127.0.0.9')
      socket.send(
        head('GET', `/realtime/v1/websocket?apikey=${whole.publishableKey}&vsn=2.0.0`, {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': 13,
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        }),
      )
      expect((await socket.answer()).status).toBe(101)
      sockets.push(socket)
    }
    const surplus = await rawConnection(whole.url, '127.0.0.9')
    expect((await surplus.answer()).status).toBe(429)
    expect((await fetch(`${whole.url}/health`)).status).toBe(200)
    for (const { socket } of sockets) socket.destroy()
  } finally {
    await whole.stop()
  }
})
