// Long answers go out in the pieces in which they came: whoever reads slowly, or goes away in the middle, still gets
// nothing but their own, and so does everybody after.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'

const ROWS = 40
/** Of four sockets, fewer than one address may have wait at once, however slow the machine is. */
const PIPELINED = 30
let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  await fixture.sql(`
    create table api.pages (id int primary key, body text);
    insert into api.pages select n, repeat(chr(64 + n), 1000 * n) from generate_series(1, 26) n;
    insert into api.pages select n, repeat(chr(64 + n - 26), 400000) from generate_series(27, ${ROWS}) n;
    grant select on api.pages to anon`)
  await fixture.reload()
})
afterAll(() => fixture?.stop())

const path = (id: number) => `/rest/v1/pages?select=id,body&id=eq.${id}`
const expected = (id: number) =>
  JSON.stringify([
    id <= 26
      ? { id, body: String.fromCharCode(64 + id).repeat(1000 * id) }
      : { id, body: String.fromCharCode(38 + id).repeat(400_000) },
  ])

/** Sends a request and reads nothing until `read` is called. */
function ask(id: number): Socket {
  const { port } = new URL(fixture.server.url)
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  socket.pause()
  socket.write(
    `GET ${path(id)} HTTP/1.1\r\nhost: localhost\r\napikey: ${fixture.server.publishableKey}\r\naccept-profile: api\r\n\r\n`,
  )
  return socket
}

/** Resolves once its answer has begun to arrive, of which no more is read than fits into the socket's buffer. */
async function hasBegun(socket: Socket): Promise<void> {
  await once(socket, 'readable')
}

async function bodyOf(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
    if (end > 0 && text.length === end + 4 + length) socket.destroy()
  })
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve))
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

test('answers of every length, to many at once, hold what was asked for', async () => {
  const ids = Array.from({ length: ROWS * 3 }, (_, n) => 1 + (n % ROWS))
  const wrong = await Promise.all(
    ids.map(async (id) => {
      const response = await fetch(fixture.server.url + path(id), {
        headers: { apikey: fixture.server.publishableKey, 'accept-profile': 'api' },
      })
      return (await response.text()) === expected(id) ? null : id
    }),
  )
  expect(wrong.filter((id) => id !== null)).toEqual([])
})

test('a slow reader gets its own answer, though others had theirs meanwhile', async () => {
  // More than the network takes for somebody who does not read.
  await fixture.sql(
    `insert into api.pages select n, repeat(md5(n::text), 6000) from generate_series(100, 199) n`,
  )
  const slow = Array.from({ length: 4 }, (_, n) => {
    const socket = ask(26)
    for (let more = 0; more < PIPELINED; more++)
      socket.write(
        `GET ${path(100 + n)} HTTP/1.1\r\nhost: localhost\r\napikey: ${fixture.server.publishableKey}\r\naccept-profile: api\r\n\r\n`,
      )
    return socket
  })
  await Promise.all(slow.map(hasBegun))
  for (let round = 0; round < 2; round++)
    await Promise.all(Array.from({ length: 26 }, (_, n) => ask(n + 1)).map(bodyOf))
  const hashes = await fixture.sql<{ id: number; hash: string }>(
    `select id, md5(id::text) as hash from api.pages where id between 100 and 107 order by id`,
  )
  const wrong: number[] = []
  await Promise.all(
    slow.map(async (socket, n) => {
      const body = JSON.stringify([{ id: 100 + n, body: (hashes[n]?.hash ?? '').repeat(6000) }])
      const text = await wholeOf(socket, PIPELINED + 1)
      const parts = text.split(/HTTP\/1\.1 200 OK[\s\S]*?\r\n\r\n/).slice(1)
      parts.forEach((part, at) => {
        if (part !== (at === 0 ? expected(26) : body)) wrong.push(n)
      })
      if (parts.length !== PIPELINED + 1) wrong.push(n)
    }),
  )
  expect(wrong).toEqual([])
})

/** Everything, until so many answers have come whole. */
async function wholeOf(socket: Socket, answers: number): Promise<string> {
  const chunks: string[] = []
  let found = 0
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    chunks.push(chunk)
    // Each body ends with the bracket of its array.
    for (let at = chunk.indexOf('"}]'); at >= 0; at = chunk.indexOf('"}]', at + 1)) found++
    if (found >= answers) socket.destroy()
  })
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve))
  return chunks.join('')
}

test('a client that goes away in the middle takes nothing from those who stay', async () => {
  for (let round = 0; round < 4; round++) {
    const leaving = Array.from({ length: 20 }, (_, n) => ask(27 + (n % 14)))
    await Promise.all(leaving.map(hasBegun))
    for (const socket of leaving) socket.resetAndDestroy()
    const bodies = await Promise.all(Array.from({ length: 20 }, (_, n) => bodyOf(ask(7 + n))))
    expect(bodies.map((body, n) => body === expected(7 + n))).toEqual(Array(20).fill(true))
  }
})
