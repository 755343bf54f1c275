// Broadcasts from the database: realtime.send, bytes, row triggers, and replays for late joiners.
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { broadcasts, rawSocket, serverFor, subscribed, systemMessages, VERSIONS } from './fixture.ts'
import { grace, openRooms, sam, tokenFor, withPrivate } from './private-channels.ts'

const { server, made } = serverFor(openRooms)

const sql = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)

for (const vsn of VERSIONS) {
  test(`${vsn}: realtime.send reaches public and private channels, each their own`, async () => {
    const open = made({ vsn }).channel('all')
    const own = made({ vsn, token: await tokenFor(server, grace) }).channel('all', withPrivate())
    const [publicly, privately] = [broadcasts(open), broadcasts(own)]
    await Promise.all([subscribed(open), subscribed(own)])
    await sql(`select realtime.send('{"n": 1, "text": "é☃"}', 'made', 'all', false)`)
    await sql(
      `select realtime.send('{"n": 2}', 'made', 'all', true), realtime.send('{"n": 3}', 'made', 'all')`,
    )
    expect((await publicly.next())[0]).toMatchObject({
      type: 'broadcast',
      event: 'made',
      payload: { n: 1, text: 'é☃' },
      meta: { id: expect.any(String) },
    })
    expect((await privately.next(2)).map(({ payload }) => payload.n)).toEqual([2, 3])
  })
}

test('bytes, and a payload of a megabyte', async () => {
  const channel = made().channel('large')
  const received = broadcasts(channel)
  await subscribed(channel)
  await sql(`select realtime.send_binary('\\x00ff01', 'raw', 'large', false)`)
  await sql(`select realtime.send(jsonb_build_object('x', repeat('y', 1000000)), 'big', 'large', false)`)
  const [raw, big] = await received.next(2)
  expect(new Uint8Array(raw.payload)).toEqual(new Uint8Array([0, 255, 1]))
  expect(big.payload.x).toHaveLength(1_000_000)
})

test('broadcast_changes sends a row from a trigger, once it is committed', async () => {
  await sql(`
    create table public.apples (id int primary key, kind text);
    create function public.tell() returns trigger language plpgsql security definer as $$
    begin
      perform realtime.broadcast_changes('all', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
      return null;
    end $$;
    create trigger tell after insert or update or delete on public.apples for each row execute function public.tell();
  `)
  const channel = made({ token: await tokenFor(server, grace) }).channel('all', withPrivate())
  const received = broadcasts(channel)
  await subscribed(channel)
  await sql(`begin; insert into public.apples values (0, 'never'); rollback`)
  await sql(`insert into public.apples values (1, 'gala')`)
  await sql(`update public.apples set kind = 'fuji'`)
  await sql('delete from public.apples')
  expect((await received.next(3)).map(({ event, payload }) => [event, payload])).toMatchObject([
    ['INSERT', { operation: 'INSERT', table: 'apples', schema: 'public', record: { id: 1, kind: 'gala' } }],
    ['UPDATE', { record: { id: 1, kind: 'fuji' }, old_record: { id: 1, kind: 'gala' } }],
    ['DELETE', { record: null, old_record: { id: 1, kind: 'fuji' } }],
  ])
})

test('replay: who joins later gets what was sent before, and nothing twice', async () => {
  const witness = made({ token: await tokenFor(server, sam) }).channel('all', withPrivate())
  const seen = broadcasts(witness, 'kept')
  await subscribed(witness)
  for (let n = 0; n < 5; n++) await sql(`select realtime.send($1, 'kept', 'all')`, [{ n }])
  await seen.next(5)
  await sql(`select realtime.send('{"n": 9}', 'kept', 'all', false)`)
  const channel = made({ token: await tokenFor(server, grace) }).channel(
    'all',
    withPrivate({ broadcast: { replay: { since: Date.now() - 60_000, limit: 3 } } }),
  )
  const received = broadcasts(channel, 'kept')
  await subscribed(channel)
  await sql(`select realtime.send('{"n": 5}', 'kept', 'all')`)
  const all = await received.next(4)
  expect(all.map(({ payload, meta }) => [payload.n, meta.replayed])).toEqual([
    [2, true],
    [3, true],
    [4, true],
    [5, undefined],
  ])
  const raw = await rawSocket(server)
  expect((await raw.join('all', { config: { broadcast: { replay: {} } } })).response.reason).toBe(
    'UnableToReplayMessages: Replay is not allowed for public channels',
  )
  raw.socket.close()
})

test('replayed messages are not sent again when the database is received once more', async () => {
  // While a transaction is open, a lost stream is not made anew.
  const holder = await server.database.pool.connect()
  await holder.query('begin; select pg_current_xact_id()')
  await sql(`select pg_terminate_backend(active_pid) from pg_replication_slots
    where database = current_database() and active_pid is not null`)
  await sql(`select realtime.send('{"n": 1}', 'meanwhile', 'all')`)
  const channel = made({ token: await tokenFor(server, grace) }).channel(
    'all',
    withPrivate({ broadcast: { replay: { since: Date.now() - 5000, limit: 1 } } }),
  )
  const received = broadcasts(channel, 'meanwhile')
  await subscribed(channel)
  await received.next()
  await holder.query('rollback')
  holder.release()
  await sql(`select realtime.send('{"n": 2}', 'meanwhile', 'all')`)
  expect((await received.next(2)).map(({ payload }) => payload.n)).toEqual([1, 2])
})

test('replication_ready says when the database can be received', async () => {
  const channel = made().channel('ready', {
    config: { broadcast: { replication_ready: true } },
  } as never)
  const system = systemMessages(channel)
  await subscribed(channel)
  expect((await system.next())[0]).toEqual({
    extension: 'system',
    status: 'ok',
    message: 'Replication connection established',
    channel: 'ready',
  })
})

test('a channel whose client left while the policies were evaluated leaves nothing behind', async () => {
  const before = await openChannels()
  const token = await tokenFor(server, grace)
  for (let n = 0; n < 10; n++) {
    const raw = await rawSocket(server)
    raw.send('1', '1', 'realtime:all', 'phx_join', { access_token: token, config: { private: true } })
    if (n % 2) raw.send('1', '2', 'realtime:all', 'phx_leave')
    raw.socket.close()
    await raw.closed
  }
  await eventually(async () => (await openChannels()) <= before)
})

async function openChannels(): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^realtime_open\{kind="channels"\} (\d+)$/m.exec(metrics)?.[1])
}
