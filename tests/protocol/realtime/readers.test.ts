// Many sockets, slow ones and broken ones: who does not read is cut off, who was cut off comes back to the right state.
import { connect } from 'node:net'
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { client, cut, rawSocket, subscribed } from './world.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

async function figure(name: string): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  return Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')[1],
  )
}

test('a socket that does not read is cut off, and the others hear everything', {
  timeout: 60_000,
}, async () => {
  const { hostname, port } = new URL(server.url)
  const deaf = connect(Number(port), hostname)
  let ended = false
  deaf.on('error', () => {})
  deaf.on('close', () => {
    ended = true
  })
  deaf.write(
    `GET /realtime/v1/websocket?apikey=${server.publishableKey}&vsn=2.0.0 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await new Promise((resolve) => deaf.once('data', resolve))
  deaf.write(masked('["1","1","realtime:loud","phx_join",{}]'))
  await new Promise((resolve) => deaf.once('data', resolve))
  deaf.pause()
  const ear = await rawSocket(server)
  await ear.join('loud')
  let heard = 0
  ear.socket.on('message', (_, binary) => {
    if (binary) heard++
  })
  const text = 'x'.repeat(100_000)
  for (let n = 0; n < 100; n++) {
    await fetch(`${server.url}/realtime/v1/api/broadcast/loud/events/x`, {
      method: 'POST',
      headers: { apikey: server.secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({ n, text }),
    })
  }
  await eventually(() => heard === 100)
  await eventually(async () => (await figure('realtime_messages_total{kind="cut_off"}')) === 1)
  deaf.resume()
  await eventually(() => ended)
  expect(await figure('realtime_open{kind="connections"}')).toBe(1)
  ear.socket.close()
})

/** A text frame as clients send it. */
function masked(text: string): Buffer {
  const data = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length, 0, 0, 0, 0]), data])
}

/** One client's view of a table: what it fetched when it subscribed, and every change since. */
interface View {
  one: SupabaseClient
  channel: RealtimeChannel
  rows: Map<number, number>
  fetched: number
}

async function view(): Promise<View> {
  const one = client(server)
  const channel = one.channel('pears')
  const made: View = { one, channel, rows: new Map(), fetched: 0 }
  const pending: (() => void)[] = []
  let loading = 0
  const apply = (change: () => void) => (loading > 0 ? pending.push(change) : change())
  channel.on('postgres_changes', { event: '*', schema: 'public', table: 'pears' }, (payload) => {
    apply(() => {
      if (payload.eventType === 'DELETE') made.rows.delete(payload.old.id)
      else made.rows.set(payload.new.id, payload.new.n)
    })
  })
  const fetchAll = async (): Promise<void> => {
    loading++
    const { data } = await one.from('pears').select('id,n')
    if (--loading > 0) return
    // As apps do, it asks again when it was not answered.
    if (!data) return fetchAll()
    made.rows.clear()
    for (const { id, n } of data) made.rows.set(id, n)
    // What came while it was being fetched may be newer, or in it already.
    for (const change of pending.splice(0)) change()
    made.fetched++
  }
  await new Promise<void>((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') fetchAll().then(resolve, reject)
      else if (status === 'CHANNEL_ERROR' && error?.message.includes('Unauthorized')) reject(error)
    })
  })
  return made
}

const SOCKETS = Number(process.env.SOCKETS ?? 100)

test(`${SOCKETS} sockets cut at random while rows change all end in the right state`, {
  timeout: 60_000 + SOCKETS * 200,
}, async () => {
  const { pool } = server.database
  await pool.query(`
    create table public.pears (id int primary key, n int not null);
    alter table public.pears replica identity full;
    alter table public.pears enable row level security;
    create policy "anyone reads" on public.pears for select using (id % 7 <> 0);
    grant select on public.pears to anon;
    alter publication supabase_realtime add table public.pears;
    notify pgrst, 'reload schema';
  `)
  // The Data API reads its schema again.
  await expect
    .poll(async () => (await client(server).from('pears').select('id')).error, { timeout: 15_000 })
    .toBe(null)
  const views: View[] = []
  while (views.length < SOCKETS) {
    views.push(...(await Promise.all(Array.from({ length: Math.min(20, SOCKETS - views.length) }, view))))
  }
  let writing = true
  const writer = (async () => {
    for (let turn = 0; writing; turn++) {
      const id = 1 + Math.floor(Math.random() * 40)
      if (turn % 5 === 4) await pool.query('delete from public.pears where id = $1', [id])
      else {
        await pool.query(
          'insert into public.pears values ($1, $2) on conflict (id) do update set n = excluded.n',
          [id, turn],
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  const rounds = 20
  for (let round = 0; round < rounds; round++) {
    for (const { one } of views) if (Math.random() < 0.15) cut(one)
    if (round === rounds / 2) {
      // The replication connection of the server itself is lost, too.
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'walsender' and datname = current_database()`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  writing = false
  await writer
  await pool.query('insert into public.pears values (1000, 1)')
  const { rows } = await pool.query('select id, n from public.pears where id % 7 <> 0 order by id')
  const right = JSON.stringify(rows.map(({ id, n }) => [id, n]))
  const wrong = () =>
    views.filter(({ rows }) => JSON.stringify([...rows].sort(([a], [b]) => a - b)) !== right)
  // With the load of a thousand clients in this process, catching up takes its time.
  await eventually(() => wrong().length === 0, 20_000 + SOCKETS * 60)
  expect(views.every(({ fetched }) => fetched > 1)).toBe(true)
  await Promise.all(views.map(({ one }) => one.removeAllChannels()))
  await eventually(async () => (await figure('realtime_open{kind="channels"}')) === 0)
})

test('a client that comes back after its connection broke is subscribed again', async () => {
  const one = client(server)
  const statuses: string[] = []
  const channel = one.channel('back')
  channel.subscribe((status) => statuses.push(status))
  await eventually(() => statuses.length === 1)
  cut(one)
  await eventually(() => statuses.filter((status) => status === 'SUBSCRIBED').length === 2)
  expect(statuses).toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED'])
  await subscribed(one.channel('another'))
  await one.removeAllChannels()
})
