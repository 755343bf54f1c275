// Memory of unfinished requests. One address has its share, all together have a bound, and small requests are served
// meanwhile. A request gives its memory back when it ends.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { head, type RawConnection, rawConnection } from './raw-connection.ts'

const MB = 1024 * 1024
/** Not one that is banned, while a busy machine keeps the server busy, for a body that was refused (see http/bans.ts). */
const HERE = '127.0.0.1'
let server: TestServer
const opened: RawConnection[] = []

// Of 48 MB an address may hold 24; of either the last quarter is for small requests.
beforeAll(async () => {
  server = await startTestServer({ env: { MAX_BODY_MEMORY_MB: '48' } })
  await server.database.pool.query(`
    create table public.notes (text text);
    grant insert on public.notes to anon;
    notify pgrst, 'reload schema'`)
})
afterAll(async () => {
  for (const { socket } of opened) socket.destroy()
  await server.stop()
})

/** Sends the head of a request, and its body but for the last byte. */
async function unfinished(size: number, from: string) {
  const connection = await rawConnection(server.url, from)
  opened.push(connection)
  connection.send(post({ 'content-length': size }))
  connection.send(Buffer.alloc(size - 1, ' '))
  return connection
}

const post = (headers: Record<string, string | number>) =>
  head('POST', '/rest/v1/notes', {
    apikey: server.publishableKey,
    'content-type': 'application/json',
    ...headers,
  })

/** The status of a small insert. */
async function small(from: string): Promise<number> {
  const connection = await rawConnection(server.url, from)
  const body = JSON.stringify({ text: 'hay' })
  connection.send(post({ 'content-length': body.length }) + body)
  const { status } = await connection.answer()
  connection.socket.destroy()
  return status
}

const held = () => server.services.bodies.held
const holds = (bytes: number) => expect.poll(held).toBeGreaterThanOrEqual(bytes)
const holdsNothing = () => expect.poll(held).toBe(0)

test('an address that holds its share gets an error, and its small requests go on', async () => {
  await expect.poll(() => small(HERE)).toBe(201)
  const largest = await unfinished(9 * MB, HERE)
  const large = await unfinished(8 * MB, HERE)
  await holds(17 * MB - 2)
  // For another as large there is no room, and that is said before it is read.
  const refused = await unfinished(9.5 * MB, HERE)
  const early = await refused.answer()
  expect(early.status).toBe(429)
  expect(early.headers).toMatchObject({ 'retry-after': '5', connection: 'close' })
  expect(JSON.parse(early.body)).toMatchObject({ code: '53400', message: expect.stringContaining('address') })
  // For a smaller one the largest makes way.
  const smaller = await unfinished(4 * MB, HERE)
  expect((await largest.answer()).status).toBe(429)
  await holds(12 * MB - 2)
  expect(await small(HERE)).toBe(201)
  for (const { socket } of [large, smaller]) socket.destroy()
  await holdsNothing()
})

test('when all is spent whoever holds most makes way for whoever holds less', async () => {
  const many = []
  for (const from of ['127.0.0.3', '127.0.0.3', '127.0.0.4', '127.0.0.4'])
    many.push(await unfinished(8 * MB, from))
  await holds(32 * MB - 4)
  const late = await unfinished(6 * MB, '127.0.0.5')
  const refused = await Promise.race(many.map((one) => one.answer()))
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
  expect(await small('127.0.0.6')).toBe(201)
  for (const { socket } of [...many, late]) socket.destroy()
  await holdsNothing()
})

test('a body that comes in chunks of one byte takes what it is long, and is not read for ever', async () => {
  const chunked = async (pieces: number, from: string) => {
    const connection = await rawConnection(server.url, from)
    opened.push(connection)
    connection.send(post({ 'transfer-encoding': 'chunked' }))
    connection.send('1\r\n \r\n'.repeat(pieces))
    return connection
  }
  const patient = await chunked(900, '127.0.0.7')
  await holds(900)
  expect(held()).toBeLessThan(10_000)
  patient.socket.destroy()
  const refused = await (await chunked(200_000, '127.0.0.7')).answer()
  expect([refused.status, JSON.parse(refused.body).message]).toEqual([
    413,
    'The request body comes in too many small pieces',
  ])
  await holdsNothing()
})

test('memory is given back when the answer is sent', async () => {
  for (let n = 0; n < 5; n++) {
    const text = 'x'.repeat(4 * MB)
    const answer = await fetch(`${server.url}/rest/v1/notes`, {
      method: 'POST',
      headers: { apikey: server.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
    expect(answer.status).toBe(201)
  }
  await holdsNothing()
})

/** A WebSocket on which a heartbeat of 2 MB is sent, most of it spaces, but for the last byte. */
async function unfinishedMessage(from: string) {
  const connection = await rawConnection(server.url, from)
  opened.push(connection)
  connection.send(
    head('GET', `/realtime/v1/websocket?apikey=${server.publishableKey}&vsn=2.0.0`, {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': 13,
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }),
  )
  expect((await connection.answer()).status).toBe(101)
  const message = Buffer.alloc(2 * MB, ' ')
  message.write('[null,"1","phoenix","heartbeat",{}]')
  // Text, whole, with a mask of zeros (https://www.rfc-editor.org/rfc/rfc6455#section-5.2).
  const start = Buffer.alloc(14)
  start.writeUInt8(0x81, 0)
  start.writeUInt8(0xff, 1)
  start.writeBigUInt64BE(BigInt(message.length), 2)
  connection.send(start)
  connection.send(message.subarray(0, -1))
  return connection
}

test('half of a message on a WebSocket counts as half of a body, and is forgotten with the other half', async () => {
  const first = await unfinishedMessage('127.0.0.8')
  await holds(2 * MB - 1)
  const many = await Promise.all(Array.from({ length: 11 }, () => unfinishedMessage('127.0.0.8')))
  const isGone = ({ socket }: RawConnection) => socket.destroyed
  // Of 24 MB the last quarter is for small requests: in 18 MB there is room for eight.
  await expect.poll(() => [first, ...many].filter(isGone).length).toBe(4)
  await holds(16 * MB - 8)
  expect(held()).toBeLessThanOrEqual(18 * MB)
  expect(await small('127.0.0.8')).toBe(201)
  const left = [first, ...many].filter((one) => !isGone(one))
  for (const { socket, send } of left) {
    const reply = new Promise((resolve) => socket.once('data', (text) => resolve(String(text))))
    send(' ')
    expect(await reply).toContain('phx_reply')
  }
  await holdsNothing()
})
