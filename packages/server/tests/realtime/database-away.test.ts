// While the database is away, or does not answer: clients get an error, what needs no database goes on, and nothing is
// left behind that would keep the next ones waiting.

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { Wire } from '../support/wire.ts'
import { broadcasts, client, quiet, rawSocket, subscribed, systemMessages } from './fixture.ts'
import { grace, openRooms, sam, tokenFor, withPrivate } from './private-channels.ts'

const AWAY = 'UnableToConnectToProject: Realtime was unable to connect to the project database'

let at: TestDatabase
let wire: Wire
let server: TestServer
const logged: string[] = []

beforeAll(async () => {
  at = await createTestDatabase()
  const { hostname, port } = new URL(at.url)
  wire = new Wire(() => `${decodeURIComponent(hostname)}/.s.PGSQL.${port}`)
  server = await startTestServer({
    env: { DATABASE_URL: await wire.url(at.url), DATABASE_RECONNECT_TIMEOUT: '1' },
    logLevel: 'warn',
    onLogLine: (line) => logged.push(line),
  })
  await openRooms(server)
  await at.database.pool.query('alter publication supabase_realtime add table public.rooms')
})
afterAll(async () => {
  await server.stop()
  wire.end()
  await at.drop()
})

const everything = { event: '*', schema: 'public', table: 'rooms' }

test('that freezes: every question is answered in time, and the next ones when it is back', async () => {
  const token = await tokenFor(server, grace)
  const old = client(server, { token })
  const joined = old.channel('all', withPrivate({ broadcast: { ack: true } }))
  const system = systemMessages(joined)
  const open = [client(server).channel('open'), client(server).channel('open')]
  await Promise.all([joined, ...open].map((channel) => subscribed(channel)))
  const received = broadcasts(open[0] as never)
  const raw = await rawSocket(server)
  const rows = await rawSocket(server)
  await rows.join('rows', { config: { postgres_changes: [everything] } })

  wire.hold()
  // The replication connection is checked every ten seconds, and counts as lost after half a minute. The clock is a
  // hundred times as fast, so that a message that was already on its way does not reset it. Not by more than 45
  // seconds in all: the sockets count as silent after more.
  const now = performance.now.bind(performance)
  const heldAt = now()
  const clock = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => now() + Math.min((now() - heldAt) * 99, 45_000))
  const replay = { broadcast: { replay: { since: 0 } } }
  const answers = [
    ...Array.from({ length: 12 }, (_, n) => ({ topic: 'all', config: { private: true }, ref: `1${n}` })),
    { topic: 'read only', config: { private: true, ...replay }, ref: '2' },
    { topic: 'rows', config: { postgres_changes: [everything] }, ref: '3' },
  ].map(async ({ topic, config, ref }) => {
    const one = topic === 'all' ? await rawSocket(server) : raw
    const { status, response } = await one.join(topic, { access_token: token, config }, ref)
    expect([status, response.reason]).toEqual(['error', AWAY])
    if (one !== raw) one.socket.close()
  })
  // Broadcasts without a query are not delayed.
  await open[1]?.send({ type: 'broadcast', event: 'x', payload: { n: 1 } })
  expect((await received.next())[0]?.payload).toEqual({ n: 1 })
  const sent = joined.send({ type: 'broadcast', event: 'x', payload: {} })
  const posted = fetch(`${server.url}/realtime/v1/api/broadcast/all/events/x?private=true`, {
    method: 'POST',
    headers: { apikey: server.publishableKey, 'content-type': 'application/json' },
    body: '{}',
  })
  await Promise.all(answers)
  expect((await system.next(1))[0]).toMatchObject({ status: 'error', message: AWAY })
  expect((await posted).status).toBe(503)
  void sent
  await eventually(() => logged.some((line) => line.includes('row changes are not received')))
  clock.mockRestore()

  wire.release()
  // Changes may have been missed: channels with bindings resync.
  await rows.received.next(([, , , event, { status }]) => event === 'system' && status === 'error', 60_000)
  await rows.received.next(([, , , event]) => event === 'phx_error')
  rows.socket.close()
  // The channel that was given up joins again by itself.
  await eventually(() => joined.state === 'joined')
  await expect(joined.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('ok')
  const { status } = await raw.join('all', { access_token: token, config: { private: true } }, '4')
  expect(status).toBe('ok')
  raw.socket.close()
  for (const { socket } of [joined, ...open]) void socket.disconnect()
})

test('that refuses: clients get an error at once, and come back by themselves', async () => {
  const stranger = client(server, { token: await tokenFor(server, sam) })
  const rows = stranger.channel('rows')
  const system = systemMessages(rows)
  rows.on('postgres_changes', everything as never, () => {})
  await subscribed(rows)
  await system.next()
  wire.cut()
  const raw = await rawSocket(server)
  const token = await tokenFor(server, grace)
  const { response } = await raw.join('all', { access_token: token, config: { private: true } })
  expect(response.reason).toBe(AWAY)
  await quiet()
  wire.mend()
  // Changes may have been missed: it resynced, and listens again.
  await eventually(() => system.all.length >= 3 && rows.state === 'joined')
  expect(system.all.map(({ status }) => status)).toEqual(['ok', 'error', 'ok'])
  expect((await raw.join('all', { access_token: token, config: { private: true } }, '2')).status).toBe('ok')
  raw.socket.close()
  void stranger.realtime.disconnect()
})
