// Private channels by policies on realtime.messages, tokens that change and end, and what the database itself sends.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import {
  broadcasts,
  client,
  Heard,
  quiet,
  rawSocket,
  refusal,
  subscribed,
  systemMessages,
  VERSIONS,
} from './world.ts'

let server: TestServer
const clients: ReturnType<typeof client>[] = []
const made = (options: Parameters<typeof client>[1] = {}) => {
  const one = client(server, options)
  clients.push(one)
  return one
}

const grace = randomUUID()
const sam = randomUUID()
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const tokenFor = (sub: string, claims: Record<string, unknown> = {}) =>
  server.services.keys.sign({ role: 'authenticated', sub, exp: inSeconds(3600), ...claims })
const withPrivate = (config: object = {}) => ({ config: { private: true, ...config } })
const denied = (topic: string) =>
  `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`

beforeAll(async () => {
  server = await startTestServer()
  await server.database.pool.query(`
    create table public.rooms (name text, person uuid, reads text[], writes text[]);
    grant select on public.rooms to authenticated;
    create function public.may(act text, extension text) returns boolean language sql stable as $$
      select exists (
        select from public.rooms
        where name = realtime.topic() and person = (auth.jwt() ->> 'sub')::uuid
          and extension = any (case act when 'read' then reads else writes end)
      )
    $$;
    create policy "members hear" on realtime.messages for select to authenticated
      using (public.may('read', extension));
    create policy "members speak" on realtime.messages for insert to authenticated
      with check (public.may('write', extension));
    create policy "a policy that fails" on realtime.messages for select to authenticated
      using (case when realtime.topic() = 'broken' then 1 / (length(topic) - 6) = 1 else false end);
    insert into public.rooms values
      ('all', '${grace}', '{broadcast,presence}', '{broadcast,presence}'),
      ('all', '${sam}', '{broadcast,presence}', '{broadcast,presence}'),
      ('hear only', '${sam}', '{broadcast}', '{}'),
      ('hear only', '${grace}', '{broadcast,presence}', '{broadcast,presence}'),
      ('presence only', '${sam}', '{presence}', '{presence}'),
      ('presence only', '${grace}', '{broadcast,presence}', '{broadcast,presence}');
  `)
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.removeAllChannels()))
})
afterAll(() => server.stop())

describe('policies', () => {
  test('who may read joins, everyone else reads why not', async () => {
    await subscribed(made({ token: await tokenFor(grace) }).channel('all', withPrivate()))
    const stranger = made({ token: await tokenFor(randomUUID()) })
    expect(await refusal(stranger.channel('all', withPrivate()))).toBe(denied('all'))
    expect(await refusal(made().channel('all', withPrivate()))).toBe(denied('all'))
    expect(await refusal(made({ token: await tokenFor(grace) }).channel('none', withPrivate()))).toBe(
      denied('none'),
    )
  })

  test('a policy that fails refuses', async () => {
    expect(await refusal(made({ token: await tokenFor(grace) }).channel('broken', withPrivate()))).toBe(
      denied('broken'),
    )
  })

  test('the secret key needs no policy', async () => {
    await subscribed(made({ key: server.secretKey }).channel('whatever', withPrivate()))
  })

  test('a role that the API may not become gets nowhere', async () => {
    const token = await tokenFor(grace, { role: 'postgres' })
    expect(await refusal(made({ token }).channel('all', withPrivate()))).toBe(denied('all'))
    const unknown = await tokenFor(grace, { role: 'no such role' })
    expect(await refusal(made({ token: unknown }).channel('all', withPrivate()))).toBe(denied('all'))
  })

  for (const vsn of VERSIONS) {
    test(`${vsn}: broadcast reaches the members of the private channel, and not the public one`, async () => {
      const own = made({ token: await tokenFor(grace), vsn }).channel('all', withPrivate())
      const open = made({ vsn }).channel('all')
      const [heard, unheard] = [broadcasts(own), broadcasts(open)]
      const speaker = made({ token: await tokenFor(sam), vsn }).channel(
        'all',
        withPrivate({ broadcast: { ack: true } }),
      )
      await Promise.all([own, open, speaker].map((channel) => subscribed(channel)))
      for (let n = 0; n < 5; n++) {
        await expect(speaker.send({ type: 'broadcast', event: 'x', payload: { n } })).resolves.toBe('ok')
      }
      expect((await heard.next(5)).map(({ payload }) => payload.n)).toEqual([0, 1, 2, 3, 4])
      await quiet()
      expect(unheard.all).toEqual([])
    })
  }

  test('who may only hear cannot speak, and is told so', async () => {
    const listener = made({ token: await tokenFor(grace) }).channel('hear only', withPrivate())
    const heard = broadcasts(listener)
    const mute = made({ token: await tokenFor(sam) }).channel(
      'hear only',
      withPrivate({ broadcast: { ack: true } }),
    )
    await Promise.all([subscribed(listener), subscribed(mute)])
    await expect(mute.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('error')
    await expect(mute.track({ n: 1 })).resolves.toBe('error')
    await quiet()
    expect(heard.all).toEqual([])
  })

  test('who may only be present hears no broadcast', async () => {
    const present = made({ token: await tokenFor(sam) }).channel(
      'presence only',
      withPrivate({ presence: { enabled: true, key: 'sam' } }),
    )
    const heard = broadcasts(present)
    const full = made({ token: await tokenFor(grace) }).channel('presence only', withPrivate())
    const seen = new Heard()
    full.on('presence', { event: 'join' }, seen.put)
    await Promise.all([subscribed(present), subscribed(full)])
    await expect(present.track({ here: true })).resolves.toBe('ok')
    expect((await seen.next())[0]).toMatchObject({ key: 'sam', newPresences: [{ here: true }] })
    await full.send({ type: 'broadcast', event: 'x', payload: {} })
    await quiet()
    expect(heard.all).toEqual([])
  })

  test('presence stays hidden from who may not read it', async () => {
    const blind = made({ token: await tokenFor(sam) }).channel('hear only', withPrivate())
    const seen = new Heard()
    blind.on('presence', { event: 'sync' }, () => seen.put(blind.presenceState()))
    const present = made({ token: await tokenFor(grace) }).channel('hear only', withPrivate())
    await Promise.all([subscribed(blind), subscribed(present)])
    await present.track({ n: 1 })
    await quiet(250)
    expect(seen.all).toEqual([])
  })

  test('by HTTP, private messages need the right to write', async () => {
    const channel = made({ token: await tokenFor(grace) }).channel('all', withPrivate())
    const heard = broadcasts(channel)
    await subscribed(channel)
    const member = made({ token: await tokenFor(sam) })
    await expect(member.channel('all', withPrivate()).httpSend('x', { n: 1 })).resolves.toEqual({
      success: true,
    })
    await expect(made().channel('all', withPrivate()).httpSend('x', { n: 2 })).rejects.toThrow('Unauthorized')
    const secret = made({ key: server.secretKey }).channel('all', withPrivate())
    await expect(secret.httpSend('x', { n: 3 })).resolves.toEqual({ success: true })
    expect((await heard.next(2)).map(({ payload }) => payload.n)).toEqual([1, 3])
    const batch = await fetch(`${server.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: { apikey: server.publishableKey },
      body: JSON.stringify({ messages: [{ topic: 'all', event: 'x', payload: {}, private: true }] }),
    })
    expect([batch.status, await batch.json()]).toEqual([403, { message: 'Unauthorized' }])
  })

  test('nothing of the questions asked is kept', async () => {
    await subscribed(made({ token: await tokenFor(grace) }).channel('all', withPrivate()))
    const { rows } = await server.database.pool.query(
      `select count(*)::int as kept from realtime.messages where topic = 'all'`,
    )
    expect(rows).toEqual([{ kept: 0 }])
  })

  test('where only private channels are allowed, public ones are refused', async () => {
    const { realtime } = server.services.config
    Object.assign(realtime, { private_only: true })
    expect(await refusal(made().channel('open'))).toBe(
      'PrivateOnly: This project only allows private channels',
    )
    Object.assign(realtime, { private_only: false })
  })
})

describe('tokens', () => {
  test.each([
    ['not a token', 'MalformedJWT: The token provided is not a valid JWT'],
    ['a.b.c', 'MalformedJWT: The token provided is not a valid JWT'],
  ])('%s is refused', async (token, reason) => {
    const raw = await rawSocket(server)
    expect(await raw.join('t', { access_token: token })).toEqual({ status: 'error', response: { reason } })
    raw.socket.close()
  })

  test('a token that was good, one of somebody else, one without an end', async () => {
    const raw = await rawSocket(server)
    const good = await tokenFor(grace)
    const reasonFor = async (token: string, ref: string) =>
      (await raw.join('t', { access_token: token }, ref)).response.reason
    expect(await reasonFor(await tokenFor(grace, { exp: inSeconds(-3) }), '1')).toMatch(
      /^InvalidJWTToken: Token has expired [34] seconds ago$/,
    )
    expect(await reasonFor(await tokenFor(grace, { exp: inSeconds(-300) }), '2')).toMatch(
      /^InvalidJWTToken: Token has expired 30[01] seconds ago$/,
    )
    expect(await reasonFor(`${good.slice(0, -10)}AAAAAAAAAA`, '3')).toBe(
      'JwtSignatureError: Failed to validate JWT signature',
    )
    for (const claims of [{ exp: undefined }, { role: undefined }, { role: '' }]) {
      expect(await reasonFor(await tokenFor(grace, claims), JSON.stringify(claims))).toBe(
        'InvalidJWTToken: Fields `role` and `exp` are required in JWT',
      )
    }
    raw.socket.close()
  })

  test('a channel closes when its token ends, with the reason', async () => {
    const channel = made({ token: await tokenFor(grace, { exp: inSeconds(2) }) }).channel('ends')
    const said = systemMessages(channel)
    const statuses = new Heard<string>()
    channel.subscribe(statuses.put)
    expect((await said.next())[0]).toMatchObject({
      extension: 'system',
      status: 'error',
      message: expect.stringMatching(/^Token has expired [01] seconds ago$/),
      channel: 'ends',
    })
    await statuses.next((status) => status === 'CLOSED')
  })

  test('a token that comes in time keeps it open, and its claims count from then on', async () => {
    let token = await tokenFor(sam, { exp: inSeconds(2) })
    const one = client(server, { token })
    clients.push(one)
    one.realtime.accessToken = async () => token
    const channel = one.channel('hear only', withPrivate({ broadcast: { ack: true } }))
    await subscribed(channel)
    await expect(channel.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('error')
    token = await tokenFor(grace)
    await one.realtime.setAuth()
    await expect(channel.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('ok')
    await quiet(2500)
    expect(channel.state).toBe('joined')
  })

  test('a token with which the topic may not be read closes the channel', async () => {
    for (const [token, message] of [
      [await tokenFor(randomUUID()), 'You do not have permissions to read from this Channel topic: all'],
      ['nonsense', 'The token provided is not a valid JWT'],
    ] as const) {
      const one = made({ token: await tokenFor(grace) })
      const channel = one.channel('all', withPrivate())
      const said = systemMessages(channel)
      const statuses = new Heard<string>()
      channel.subscribe(statuses.put)
      await statuses.next((status) => status === 'SUBSCRIBED')
      await one.realtime.setAuth(token)
      expect((await said.next())[0]).toMatchObject({ status: 'error', message })
      await statuses.next((status) => status === 'CLOSED')
    }
  })

  test('losing a part of what could be read closes it, too', async () => {
    const one = made({ token: await tokenFor(grace) })
    const channel = one.channel('hear only', withPrivate())
    const said = systemMessages(channel)
    await subscribed(channel)
    await one.realtime.setAuth(await tokenFor(sam))
    expect((await said.next())[0]?.message).toBe(
      'You no longer have permission to read from this Channel topic: hear only',
    )
  })

  test('API keys and nothing at all in the place of a token change nothing', async () => {
    const raw = await rawSocket(server)
    await raw.join('same', { access_token: server.publishableKey })
    for (const [index, token] of [server.publishableKey, 'sb_secret_x', null, 7, {}].entries()) {
      raw.send('1', `k${index}`, 'realtime:same', 'access_token', { access_token: token })
    }
    raw.send(null, 'last', 'phoenix', 'heartbeat')
    await raw.reply('last')
    expect(raw.heard.all.some(([, , , event]) => event === 'phx_close')).toBe(false)
    raw.socket.close()
  })
})

describe('from the database', () => {
  const sql = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)

  for (const vsn of VERSIONS) {
    test(`${vsn}: realtime.send reaches public and private channels, each their own`, async () => {
      const open = made({ vsn }).channel('all')
      const own = made({ vsn, token: await tokenFor(grace) }).channel('all', withPrivate())
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
    const heard = broadcasts(channel)
    await subscribed(channel)
    await sql(`select realtime.send_binary('\\x00ff01', 'raw', 'large', false)`)
    await sql(`select realtime.send(jsonb_build_object('x', repeat('y', 1000000)), 'big', 'large', false)`)
    const [raw, big] = await heard.next(2)
    expect(new Uint8Array(raw.payload)).toEqual(new Uint8Array([0, 255, 1]))
    expect(big.payload.x).toHaveLength(1_000_000)
  })

  test('broadcast_changes tells of a row from a trigger, once it is committed', async () => {
    await sql(`
      create table public.apples (id int primary key, kind text);
      create function public.tell() returns trigger language plpgsql security definer as $$
      begin
        perform realtime.broadcast_changes('all', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
        return null;
      end $$;
      create trigger tell after insert or update or delete on public.apples for each row execute function public.tell();
    `)
    const channel = made({ token: await tokenFor(grace) }).channel('all', withPrivate())
    const heard = broadcasts(channel)
    await subscribed(channel)
    await sql(`begin; insert into public.apples values (0, 'never'); rollback`)
    await sql(`insert into public.apples values (1, 'gala')`)
    await sql(`update public.apples set kind = 'fuji'`)
    await sql('delete from public.apples')
    expect((await heard.next(3)).map(({ event, payload }) => [event, payload])).toMatchObject([
      ['INSERT', { operation: 'INSERT', table: 'apples', schema: 'public', record: { id: 1, kind: 'gala' } }],
      ['UPDATE', { record: { id: 1, kind: 'fuji' }, old_record: { id: 1, kind: 'gala' } }],
      ['DELETE', { record: null, old_record: { id: 1, kind: 'fuji' } }],
    ])
  })

  test('replay: who joins later gets what was sent before, and nothing twice', async () => {
    const witness = made({ token: await tokenFor(sam) }).channel('all', withPrivate())
    const seen = broadcasts(witness, 'kept')
    await subscribed(witness)
    for (let n = 0; n < 5; n++) await sql(`select realtime.send($1, 'kept', 'all')`, [{ n }])
    await seen.next(5)
    const channel = made({ token: await tokenFor(grace) }).channel(
      'all',
      withPrivate({ broadcast: { replay: { since: Date.now() - 60_000, limit: 3 } } }),
    )
    const heard = broadcasts(channel, 'kept')
    await subscribed(channel)
    await sql(`select realtime.send('{"n": 5}', 'kept', 'all')`)
    const all = await heard.next(4)
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

  test('replication_ready says when the database can be heard', async () => {
    const channel = made().channel('ready', {
      config: { broadcast: { replication_ready: true } },
    } as never)
    const said = systemMessages(channel)
    await subscribed(channel)
    expect((await said.next())[0]).toEqual({
      extension: 'system',
      status: 'ok',
      message: 'Replication connection established',
      channel: 'ready',
    })
  })

  test('a channel whose client left while the policies were asked leaves nothing behind', async () => {
    const before = await openChannels()
    const token = await tokenFor(grace)
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
})
