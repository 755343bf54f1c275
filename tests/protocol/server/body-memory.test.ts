// How much of unfinished requests the server keeps in memory: one address has its share, all together have a bound,
// whoever sends little is served meanwhile, and what a request held is given back with it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { head, type RawConnection, rawConnection } from './raw-connection.ts'

const MB = 1024 * 1024
let server: TestServer
const opened: RawConnection[] = []

// Of 16 MB an address may hold 8; of both the last quarter is for small requests.
beforeAll(async () => {
  server = await startTestServer({ env: { MAX_BODY_MEMORY_MB: '16' } })
  await server.database.pool.query(`
    create table public.notes (text text);
    grant insert on public.notes to anon;
    notify pgrst, 'reload schema'`)
})
afterAll(async () => {
  for (const { socket } of opened) socket.destroy()
  await server.stop()
})

/** Sends the head of a request with a body of 9 MB, and `sent` bytes of it. */
async function unfinished(sent: number, from: string, headers: Record<string, string | number> = {}) {
  const connection = await rawConnection(server.url, from)
  opened.push(connection)
  connection.send(post({ 'content-length': 9 * MB, ...headers }))
  connection.send(Buffer.alloc(sent, ' '))
  return connection
}

const post = (headers: Record<string, string | number>) =>
  head('POST', '/rest/v1/notes', {
    ...{ apikey: server.publishableKey, 'content-type': 'application/json' },
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
const holds = (bytes: number) => expect.poll(held, { timeout: 20_000 }).toBeGreaterThanOrEqual(bytes)
const holdsNothing = () => expect.poll(held, { timeout: 20_000 }).toBe(0)

test('an address that holds its share is told so, and small requests of its go on', async () => {
  await expect.poll(() => small('127.0.0.2'), { timeout: 20_000 }).toBe(201)
  const first = await unfinished(5 * MB, '127.0.0.2')
  await holds(5 * MB)
  // The smaller one has the room, and the larger one is told why.
  const second = await unfinished(3 * MB, '127.0.0.2')
  const answer = await first.answer()
  expect(answer.status).toBe(429)
  expect(answer.headers).toMatchObject({ 'retry-after': '5', connection: 'close' })
  expect(JSON.parse(answer.body)).toMatchObject({
    code: '53400',
    message: expect.stringContaining('address'),
  })
  await holds(3 * MB)
  expect(await small('127.0.0.2')).toBe(201)
  second.socket.destroy()
  await holdsNothing()
})

test('when all is spent whoever holds most makes way for whoever holds less', async () => {
  const many = await Promise.all([
    unfinished(5 * MB, '127.0.0.3'),
    unfinished(5 * MB, '127.0.0.4', { 'content-length': 9 * MB - 1 }),
  ])
  await holds(10 * MB)
  const late = await unfinished(3 * MB, '127.0.0.5')
  const refused = await Promise.race(many.map((one) => one.answer()))
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
  expect(await small('127.0.0.6')).toBe(201)
  for (const { socket } of [...many, late]) socket.destroy()
  await holdsNothing()
})

test('a body that comes in chunks of one byte takes what it is long, and no more than it may', async () => {
  const connection = await rawConnection(server.url, '127.0.0.7')
  opened.push(connection)
  connection.send(post({ 'transfer-encoding': 'chunked' }))
  connection.send('1\r\n \r\n'.repeat(200_000))
  await holds(200_000)
  expect(held()).toBeLessThan(MB)
  connection.socket.destroy()
  await holdsNothing()
})

test('what was held is given back when the answer is sent', async () => {
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
