// Several servers on one database: broadcast, presence and what the database sends reach the sockets of all of them,
// and whoever was present on one that dies leaves.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPubSub } from '@meadowlark/server/realtime/cluster/pubsub.ts'
import { createClient } from '@supabase/supabase-js'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import {
  broadcasts,
  client,
  leave,
  Received,
  subscribed,
  systemMessages,
  VERSIONS,
} from '../../../packages/server/tests/realtime/fixture.ts'
import { repositoryRoot } from '../../../plugins/repository.ts'
import { buildServer, eventually, startProcess } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const JWT_SECRET = 'two servers share one secret for the tokens'
/** Ends the connections between servers. */
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'meadowlark-realtime-pubsub' and datname = current_database()`
const log = pino({ level: 'fatal' })
let one: TestServer
let two: TestServer
const clients: ReturnType<typeof client>[] = []
const made = (server: TestServer, options: Parameters<typeof client>[1] = {}) => {
  const made = client(server, options)
  clients.push(made)
  return made
}

beforeAll(async () => {
  one = await startTestServer({ env: { JWT_SECRET } })
  two = await startTestServer({ env: { JWT_SECRET, DATABASE_URL: one.database.url } })
})
afterEach(() => {
  leave(clients)
})
afterAll(async () => {
  await two.stop()
  await one.stop()
})

for (const vsn of VERSIONS) {
  test(`${vsn}: a broadcast reaches the other server once, in order, whatever its size`, async () => {
    const far = made(two, { vsn }).channel('far')
    const received = broadcasts(far)
    await subscribed(far)
    const near = await subscribed(made(one, { vsn }).channel('far'))
    const texts = ['short', 'é☃𐍈'.repeat(5000), 'same', 'same', '\u0000\ud800', 'x'.repeat(500_000), 'last']
    for (const text of texts) await near.send({ type: 'broadcast', event: 'x', payload: { text } })
    const all = await received.next(texts.length)
    // A half of a surrogate pair is no text: JSON's bytes cannot carry it.
    expect(all.map(({ payload }) => payload.text)).toEqual(
      texts.map((text) => JSON.parse(Buffer.from(JSON.stringify(text)).toString())),
    )
  })
}

test('bytes, and broadcasts by HTTP, reach it too', async () => {
  const far = made(two).channel('bytes')
  const received = broadcasts(far)
  await subscribed(far)
  const bytes = new Uint8Array(20_000).map((_, n) => n)
  const channel = made(one).channel('bytes')
  await channel.httpSend('raw', bytes)
  await channel.httpSend('json', { n: 1 })
  const [raw, json] = await received.next(2)
  expect(new Uint8Array(raw.payload)).toEqual(bytes)
  expect(json.payload).toEqual({ n: 1 })
})

test('messages of the database reach the sockets of both, once', async () => {
  const channels = [made(one).channel('db'), made(two).channel('db')]
  const received = channels.map((channel) => broadcasts(channel))
  await Promise.all(channels.map((channel) => subscribed(channel)))
  for (let n = 0; n < 3; n++) {
    await one.database.pool.query(`select realtime.send($1, 'x', 'db', false)`, [{ n }])
  }
  for (const one of received) expect((await one.next(3)).map(({ payload }) => payload.n)).toEqual([0, 1, 2])
  expect(received.map(({ all }) => all.length)).toEqual([3, 3])
})

test('presence is shared, and a server that stops takes its people along', async () => {
  const third = await startTestServer({ env: { JWT_SECRET, DATABASE_URL: one.database.url } })
  const here = made(one).channel('hall', { config: { presence: { key: 'grace' } } })
  const there = made(two).channel('hall', { config: { presence: { key: 'theo' } } })
  const leaving = client(third).channel('hall', { config: { presence: { key: 'sam' } } })
  for (const channel of [here, there]) channel.on('presence', { event: 'sync' }, () => {})
  await Promise.all([here, there, leaving].map((channel) => subscribed(channel)))
  await Promise.all([here, there, leaving].map((channel) => channel.track({ n: 1 })))
  const present = (channel: typeof here) => Object.keys(channel.presenceState()).sort().join()
  await eventually(() => [here, there].every((channel) => present(channel) === 'grace,sam,theo'))
  // A late joiner sees everyone, wherever they are.
  const late = made(two).channel('hall')
  const states = new Received()
  late.on('presence', { event: 'sync' }, () => states.put(Object.keys(late.presenceState()).sort().join()))
  await subscribed(late)
  expect(await states.next()).toEqual(['grace,sam,theo'])
  await there.track({ n: 2 })
  await eventually(() => here.presenceState<{ n: number }>().theo?.[0]?.n === 2)
  await third.stop()
  await eventually(() => [here, there, late].every((channel) => present(channel) === 'grace,theo'))
})

test('members on a server that is killed leave after some seconds', async () => {
  const watcher = made(one).channel('lost')
  watcher.on('presence', { event: 'sync' }, () => {})
  await subscribed(watcher)
  buildServer()
  const dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-killed-'))
  const dying = await startProcess({
    dataDir,
    workdir: repositoryRoot,
    env: { JWT_SECRET, DATABASE_URL: one.database.url },
  })
  const { realtime } = createClient(dying.url, dying.publishable, {
    realtime: { transport: WebSocket as never },
  })
  const there = realtime.channel('lost', { config: { presence: { key: 'sam' } } })
  await (await subscribed(there)).track({ n: 1 })
  await eventually(() => 'sam' in watcher.presenceState())
  await dying.end('SIGKILL')
  void realtime.disconnect()
  await eventually(() => !('sam' in watcher.presenceState()))
  rmSync(dataDir, { recursive: true, force: true })
})

test('another server that sends malformed messages does no harm', async () => {
  const texts = [
    '',
    'null',
    '7',
    '{',
    '{"type":"hello"}',
    '{"type":"presence","topic":1}',
    '{"type":"broadcast"}',
  ]
  const faulty = openPubSub({
    url: one.database.url,
    server: 'faulty',
    log,
    onMessage() {},
    onLost() {},
    onListening() {
      for (const text of texts) faulty.publish(text)
    },
  })
  for (const payload of ['x', 'faulty 1 2/3 x', 'faulty 1 1/99 x', 'faulty a b/c d']) {
    await one.database.pool.query(`select pg_notify('meadowlark_realtime', $1)`, [payload])
  }
  await faulty.stop()
  const far = made(two).channel('sane')
  const received = broadcasts(far)
  await subscribed(far)
  const near = await subscribed(made(one).channel('sane'))
  await near.send({ type: 'broadcast', event: 'x', payload: {} })
  await received.next()
})

test('servers that lost each other find each other again, with everyone present', async () => {
  const here = made(one).channel('again', { config: { presence: { key: 'grace' } } })
  const there = made(two).channel('again', { config: { presence: { key: 'theo' } } })
  const received = broadcasts(there)
  for (const channel of [here, there]) channel.on('presence', { event: 'sync' }, () => {})
  await Promise.all([here, there].map((channel) => subscribed(channel)))
  await here.track({ n: 1 })
  const { rowCount } = await one.database.pool.query(CUT)
  expect(rowCount).toBe(2)
  await there.track({ n: 2 })
  await eventually(() => Object.keys(here.presenceState()).sort().join() === 'grace,theo')
  await eventually(() => Object.keys(there.presenceState()).sort().join() === 'grace,theo')
  await here.send({ type: 'broadcast', event: 'x', payload: {} })
  await received.next()
})

test('servers that lost each other notify whose broadcasts may be missing, and the channel goes on', async () => {
  const [here, there] = [made(one).channel('lost again'), made(two).channel('lost again')]
  const notices = [here, there].map(systemMessages)
  const received = broadcasts(there)
  await Promise.all([here, there].map((channel) => subscribed(channel)))
  await here.send({ type: 'broadcast', event: 'x', payload: {} })
  await received.next()
  await one.database.pool.query(CUT)
  for (const messages of notices) {
    await messages.next(
      ({ extension, status, message }) =>
        extension === 'broadcast' &&
        status === 'error' &&
        message.startsWith('Broadcasts may have been missed'),
    )
  }
  await eventually(async () => {
    await here.send({ type: 'broadcast', event: 'x', payload: {} })
    return received.all.length > 1
  })
  expect([here.state, there.state]).toEqual(['joined', 'joined'])
})

test('a clock that is set back holds up nobody', async () => {
  const here = made(one).channel('clock', { config: { presence: { key: 'grace' } } })
  const there = made(two).channel('clock', { config: { presence: { key: 'theo' } } })
  for (const channel of [here, there]) channel.on('presence', { event: 'sync' }, () => {})
  await Promise.all([here, there].map((channel) => subscribed(channel)))
  await here.track({ n: 1 })
  await eventually(() => 'grace' in there.presenceState())
  const now = Date.now.bind(Date)
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000)
  try {
    await there.track({ n: 2 })
    await expect.poll(() => Object.keys(here.presenceState()).sort()).toEqual(['grace', 'theo'])
  } finally {
    clock.mockRestore()
  }
})
