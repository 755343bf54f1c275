// How many connections there may be: an address has its share, and when all are taken the one that has most gives up
// its own. Whoever does not read an answer is cut off, and whoever sends what no client sends goes last.
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createBans } from '../../src/http/bans.ts'
import { clientAddresses } from '../../src/http/client-address.ts'
import { boundConnections, type Connections } from '../../src/http/connections.ts'
import { startTestServer } from '../support/server.ts'
import { head, type RawConnection, rawConnection } from './raw-connection.ts'

let server: Server
let connections: Connections
let url: string
let isBusy: boolean
const opened: RawConnection[] = []

/** A server of ten connections, of which an address may have four. */
async function start({ proxy = '', readTimeout = 30_000, answer = 'hay' } = {}) {
  const full: string[] = []
  isBusy = true
  const addresses = clientAddresses(proxy ? [{ address: proxy, prefix: 32, family: 'ipv4' }] : [])
  server = createServer((incoming, outgoing) => {
    if (!connections.admit(incoming, outgoing)) return
    if (incoming.url === '/working') return
    incoming.resume()
    outgoing.end(answer)
  })
  connections = boundConnections({
    limits: { connections: 10, connectionsPerAddress: 4, headTimeout: 20_000, readTimeout },
    isProxy: addresses.isProxy,
    bans: createBans({ addresses, isBusy: () => isBusy }),
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

test('an address has its share; more get an error, until one of them is closed', async () => {
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

test('when everybody has as many and all are at work, the newest gets an error', async () => {
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

test('a client that does not read an answer is cut off', async () => {
  await start({ readTimeout: 300, answer: 'x'.repeat(64 * 1024 * 1024) })
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  const [deaf] = await open(1, '127.0.0.2')
  deaf?.socket.pause()
  deaf?.send(head('GET', '/'))
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})

const HEADERS = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-${n}`, 'hay']))

test('a request has a hundred headers at most', async () => {
  await start()
  const [one] = await open(1, '127.0.0.2')
  one?.send(`GET / HTTP/1.1\r\nhost: localhost\r\n${'x: y\r\n'.repeat(99)}\r\n`)
  expect((await one?.answer())?.status).toBe(200)
  one?.send(head('GET', '/', HEADERS))
  const refusal = await one?.answer()
  expect(refusal).toMatchObject({ status: 431, headers: { connection: 'close' } })
  expect(JSON.parse(refusal?.body ?? '').message).toContain('100 headers')
  await one?.closed
})

test('while the server is busy it accepts nothing from senders of malicious input, and everything from others', async () => {
  await start()
  const [abusive, another] = await open(2, '127.0.0.2')
  const [honest] = await open(1, '127.0.0.3')
  abusive?.send(head('GET', '/', HEADERS))
  expect((await abusive?.answer())?.status).toBe(431)
  // An open connection, and a new one.
  expect(await asks(another as RawConnection)).toBe(429)
  const [late] = await open(1, '127.0.0.2')
  const refusal = await late?.answer()
  expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
  expect(await asks(honest as RawConnection)).toBe(200)
  // Neighbours behind the same address need not wait while nobody suffers.
  isBusy = false
  expect(await asks((await open(1, '127.0.0.2'))[0] as RawConnection)).toBe(200)
})

test('behind a proxy only the client is not served, and never the proxy', async () => {
  await start({ proxy: '127.0.0.2' })
  const ask = async (headers: Record<string, string>) => {
    const [connection] = await open(1, '127.0.0.2')
    connection?.send(head('GET', '/', headers))
    return (await connection?.answer())?.status
  }
  expect(await ask(HEADERS)).toBe(431)
  expect(await ask({})).toBe(200)
  expect(await ask({ 'x-forwarded-for': '192.0.2.1', ...HEADERS })).toBe(431)
  expect(await ask({ 'x-forwarded-for': '192.0.2.1' })).toBe(429)
  expect(await ask({ 'x-forwarded-for': '192.0.2.2' })).toBe(200)
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
