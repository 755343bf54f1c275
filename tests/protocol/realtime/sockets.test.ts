// The socket itself: who gets in, heartbeats, both serializers by hand, joining and leaving, limits, and nonsense of
// every kind.
import { request } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { client, Heard, quiet, rawSocket, refusal, socketUrl, subscribed } from './world.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** How an upgrade that is refused is answered. */
function refusedUpgrade(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const url = new URL(path, server.url)
    const asked = request(url, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    })
    asked.on('response', (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text && JSON.parse(text) }))
    })
    asked.on('upgrade', () => reject(new Error('it was let in')))
    asked.on('error', reject)
    asked.end()
  })
}

describe('the door', () => {
  const path = '/realtime/v1/websocket'

  test('asks for a key of the project', async () => {
    expect(await refusedUpgrade(path)).toMatchObject({
      status: 401,
      body: { message: 'No API key found in request' },
    })
    expect(await refusedUpgrade(`${path}?apikey=x`)).toMatchObject({
      status: 401,
      body: { message: 'Invalid API key' },
    })
  })

  test('knows its versions and its address', async () => {
    const key = `apikey=${server.publishableKey}`
    expect(await refusedUpgrade(`${path}?${key}&vsn=3.0.0`)).toEqual({
      status: 400,
      body: { message: 'vsn: must be 1.0.0 or 2.0.0' },
    })
    for (const other of ['/', '//', '/realtime/v1', '/rest/v1/tasks', '/realtime/v1/websocket/x']) {
      expect((await refusedUpgrade(`${server.url}${other}?${key}`)).status).toBe(404)
    }
  })

  test('takes the key from a header, and version 1.0.0 where none is named', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, {
      headers: { 'x-api-key': server.publishableKey },
    })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const heard = new Heard<string>()
    socket.on('message', (data) => heard.put(String(data)))
    socket.send('{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"1"}')
    expect(JSON.parse((await heard.next())[0] as string)).toEqual({
      topic: 'phoenix',
      event: 'phx_reply',
      payload: { status: 'ok', response: {} },
      ref: '1',
    })
    socket.close()
  })

  test('answers a plain request, and outlives lines that are no HTTP', async () => {
    const plain = await fetch(`${server.url}${path}`, { headers: { apikey: server.publishableKey } })
    expect(plain.status).toBe(426)
    const { hostname, port } = new URL(server.url)
    const key = `apikey=${server.publishableKey}`
    const heads = [
      `GET // HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      `GET ${path}?${key} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      `POST ${path}?${key} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      `GET ${path}?${key}&apikey=%ff%00 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: short\r\n\r\n`,
      'nonsense\r\n\r\n',
    ]
    for (const head of heads) {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.end(head)
      await new Promise((resolve) => socket.on('close', resolve).resume())
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })
})

describe('joining and leaving', () => {
  test('heartbeats are answered', async () => {
    const raw = await rawSocket(server)
    raw.send(null, '7', 'phoenix', 'heartbeat')
    expect((await raw.heard.next())[0]).toEqual([
      null,
      '7',
      'phoenix',
      'phx_reply',
      { status: 'ok', response: {} },
    ])
    raw.socket.close()
  })

  test('supabase-js counts its heartbeats as answered', async () => {
    const one = client(server)
    const heard = new Heard<string>()
    one.realtime.onHeartbeat(heard.put)
    await subscribed(one.channel('beat'))
    await one.realtime.sendHeartbeat()
    await heard.next((status) => status === 'ok')
    await one.removeAllChannels()
  })

  test('a join is answered with its bindings, a leave with ok and phx_close', async () => {
    const raw = await rawSocket(server)
    expect(await raw.join('a')).toEqual({ status: 'ok', response: { postgres_changes: [] } })
    raw.send('1', '2', 'realtime:a', 'phx_leave')
    expect(await raw.reply('2')).toEqual({ status: 'ok', response: {} })
    const [closed] = await raw.heard.next(([, , , event]) => event === 'phx_close')
    expect(closed).toEqual(['1', '1', 'realtime:a', 'phx_close', {}])
    raw.send('1', '3', 'realtime:a', 'broadcast', { event: 'x', payload: {} })
    expect(await raw.reply('3')).toEqual({ status: 'error', response: { reason: 'unmatched topic' } })
    raw.send('1', '4', 'realtime:a', 'phx_leave')
    expect(await raw.reply('4')).toEqual({ status: 'ok', response: {} })
    raw.socket.close()
  })

  test('joining a topic again takes the place of the channel that was there', async () => {
    const raw = await rawSocket(server)
    await raw.join('twice', {}, '1')
    await raw.join('twice', { config: { broadcast: { self: true } } }, '2')
    const [closed] = await raw.heard.next(([, , , event]) => event === 'phx_close')
    expect(closed?.slice(0, 2)).toEqual(['1', '1'])
    // What is meant for the older one is not for this one.
    raw.send('1', '3', 'realtime:twice', 'broadcast', { event: 'old', payload: {} })
    raw.send('2', '4', 'realtime:twice', 'broadcast', { event: 'new', payload: {} })
    raw.send(null, '5', 'phoenix', 'heartbeat')
    await raw.reply('5')
    expect(raw.heard.all.some(([, , , , payload]) => payload.event === 'old')).toBe(false)
    raw.socket.close()
  })

  test('a client that unsubscribes may subscribe to the same topic again', async () => {
    const one = client(server)
    const statuses: string[] = []
    const channel = one.channel('back')
    channel.subscribe((status) => statuses.push(status))
    await quiet(100)
    await one.removeChannel(channel)
    await subscribed(one.channel('back'))
    await one.removeAllChannels()
    expect(statuses).toEqual(['SUBSCRIBED', 'CLOSED'])
  })

  test.each([
    ['', 'TopicNameRequired: You must provide a topic name'],
    ['a\u0000b', 'InvalidJoinPayload: topic: must not have a NUL character'],
  ])('a topic called %j is refused', async (topic, reason) => {
    const raw = await rawSocket(server)
    expect(await raw.join(topic)).toEqual({ status: 'error', response: { reason } })
    raw.socket.close()
  })

  test.each([
    [{ config: 1 }, 'config: must be an object'],
    [{ config: { broadcast: [] } }, 'config.broadcast: must be an object'],
    [{ config: { broadcast: { ack: 1 } } }, 'config.broadcast.ack: must be true or false'],
    [{ config: { presence: { key: {} } } }, 'config.presence.key: must be a text'],
    [{ config: { private: 'perhaps' } }, 'config.private: must be true or false'],
    [{ config: { postgres_changes: {} } }, 'config.postgres_changes: must be a list'],
    [{ config: { postgres_changes: [1] } }, 'config.postgres_changes.0: must be an object'],
    [
      { config: { postgres_changes: [{ event: 'TRUNCATE' }] } },
      'config.postgres_changes.0.event: must be INSERT, UPDATE, DELETE or *',
    ],
    [
      { config: { postgres_changes: [{ event: '*', schema: 'public', table: 7 }] } },
      'config.postgres_changes.0.table: must be a text',
    ],
    [
      { config: { private: true, broadcast: { replay: { since: 'x' } } } },
      'config.broadcast.replay.since: must be a whole number',
    ],
  ])('names what is wrong with the join %j', async (payload, problem) => {
    const raw = await rawSocket(server)
    const { status, response } = await raw.join('config', payload)
    expect([status, response.reason]).toEqual(['error', `InvalidJoinPayload: ${problem}`])
    raw.socket.close()
  })

  test('the server says goodbye when it stops, and clients come back to the next one', async () => {
    const other = await startTestServer()
    const raw = await rawSocket(other)
    await raw.join('a')
    const [closed] = await Promise.all([raw.closed, other.stop()])
    expect(closed).toEqual({ code: 1012, reason: 'Service restart' })
  })
})

describe('nonsense', () => {
  test.each([
    ['{', 'frame: must be JSON'],
    ['null', 'frame: must be [join_ref, ref, topic, event, payload]'],
    ['[1,2,3]', 'frame: must be [join_ref, ref, topic, event, payload]'],
    ['{"topic":"a"}', 'frame: must be [join_ref, ref, topic, event, payload]'],
    ['[null,null,1,"x",{}]', 'topic: must be a text'],
    ['[null,null,"a",{},{}]', 'event: must be a text'],
    ['[null,{},"a","x",{}]', 'ref: must be a text of at most 255 characters'],
    ['[[],null,"a","x",{}]', 'join_ref: must be a text of at most 255 characters'],
    ['[null,null,"a","x",[]]', 'payload: must be an object'],
    ['[null,null,"a","x",7]', 'payload: must be an object'],
    [Buffer.from([]), 'frame: binary messages must be of kind 3'],
    [Buffer.from([9, 1, 1]), 'frame: binary messages must be of kind 3'],
    [Buffer.from([3, 0, 0]), 'frame: its header is cut short'],
    [Buffer.from([3, 255, 255, 255, 255, 255, 1]), 'frame: shorter than its header says'],
    [Buffer.from([3, 0, 0, 0, 0, 0, 1, 123]), 'payload: must be JSON'],
    [Buffer.from([3, 0, 0, 0, 0, 1, 0, 49]), 'metadata: must be a JSON object'],
  ])('%s closes the socket with a reason', async (frame, reason) => {
    const raw = await rawSocket(server)
    raw.socket.send(frame)
    expect(await raw.closed).toEqual({ code: 1007, reason })
  })

  test('version 1.0.0 takes objects only', async () => {
    for (const [frame, reason] of [
      ['[null,"1","phoenix","heartbeat",{}]', 'frame: must be a JSON object'],
      [Buffer.from([3, 0, 0, 0, 0, 0, 0]), 'frame: version 1.0.0 has no binary messages'],
    ] as const) {
      const socket = new WebSocket(socketUrl(server).replace('2.0.0', '1.0.0'))
      const closed = new Promise((resolve) => socket.on('close', (_, why) => resolve(String(why))))
      socket.on('open', () => socket.send(frame))
      expect(await closed).toBe(reason)
    }
  })

  test('a frame larger than any message may be is cut off', async () => {
    const raw = await rawSocket(server)
    raw.socket.send('x'.repeat(4_000_000))
    expect((await raw.closed).code).toBe(1009)
  })

  test('what is nested too deeply is refused, on the socket and by HTTP', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const raw = await rawSocket(server)
    raw.socket.send(`["1","1","realtime:deep","phx_join",{"config":{"postgres_changes":[{"x":${deep}}]}}]`)
    expect((await raw.reply('1')).response.reason).toBe(
      'InvalidJoinPayload: config: must not be nested so deeply',
    )
    await raw.join('deep', {}, '2')
    raw.socket.send(`["2","3","realtime:deep","broadcast",{"event":"x","payload":{"x":${deep}}}]`)
    expect(await raw.closed).toEqual({ code: 1007, reason: 'payload: must not be nested so deeply' })
    for (const [path, body] of [
      ['', `{"messages":[{"topic":"a","event":"b","payload":{"x":${deep}}}]}`],
      ['/a/events/b', deep],
    ]) {
      const answer = await fetch(`${server.url}/realtime/v1/api/broadcast${path}`, {
        method: 'POST',
        headers: { apikey: server.publishableKey, 'content-type': 'application/json' },
        body,
      })
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { message: 'The body must not be nested so deeply' },
      ])
    }
  })

  test('whatever is sent, the server goes on answering', { timeout: 60_000 }, async () => {
    const text = fc.oneof(fc.json(), fc.string(), fc.constantFrom('realtime:x', 'phoenix', 'phx_join', ''))
    const part = fc.oneof(text, fc.jsonValue(), fc.constantFrom(null, 0, -1, 1e300))
    const event = fc.constantFrom(
      'phx_join',
      'phx_leave',
      'broadcast',
      'presence',
      'access_token',
      'heartbeat',
      '__proto__',
    )
    const config = fc.dictionary(
      fc.constantFrom('broadcast', 'presence', 'postgres_changes', 'private', 'x'),
      fc.oneof(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom('ack', 'self', 'key', 'enabled', 'replay'), part),
      ),
    )
    const payload = fc.oneof(
      part,
      fc.record({ config }),
      fc.record({ access_token: part, event: part, payload: part }, { requiredKeys: [] }),
    )
    const frame = fc.oneof(
      text,
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from([3, ...bytes])),
      fc
        .tuple(part, part, fc.constantFrom('realtime:x', 'phoenix', ''), event, payload)
        .map((all) => JSON.stringify(all)),
      fc
        .tuple(
          fc.constantFrom('1', null),
          fc.constantFrom('1', '2'),
          fc.constant('realtime:x'),
          event,
          payload,
        )
        .map((all) => JSON.stringify(all)),
    )
    const runs = Number(process.env.NONSENSE ?? 60)
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 15 }), async (frames) => {
        const raw = await rawSocket(server)
        raw.socket.on('error', () => {})
        raw.send('1', '1', 'realtime:x', 'phx_join', {})
        for (const one of frames) if (raw.socket.readyState === raw.socket.OPEN) raw.socket.send(one)
        raw.socket.close()
        const { code } = await raw.closed
        expect([1000, 1005, 1006, 1007, 1008]).toContain(code)
      }),
      { numRuns: runs },
    )
    await subscribed(client(server).channel('still there'))
  })
})

describe('limits', () => {
  let small: TestServer
  const limits = {
    max_concurrent_users: 3,
    max_channels_per_client: 2,
    max_joins_per_second: 4,
    max_events_per_second: 2,
    max_payload_size_in_kb: 1,
  }

  beforeAll(async () => {
    small = await startTestServer()
    Object.assign(small.services.config.realtime, limits)
  })
  afterAll(() => small.stop())

  test('channels of one socket', async () => {
    const raw = await rawSocket(small)
    await raw.join('a', {}, '1')
    await raw.join('b', {}, '2')
    expect(await raw.join('c', {}, '3')).toEqual({
      status: 'error',
      response: { reason: 'ChannelRateLimitReached: Too many channels' },
    })
    // One that takes the place of another is none more.
    expect((await raw.join('b', {}, '4')).status).toBe('ok')
    raw.socket.close()
    await raw.closed
  })

  test('joins in a second', async () => {
    const raw = await rawSocket(small)
    for (let n = 1; n <= 5; n++) raw.send(`${n}`, `${n}`, 'realtime:a', 'phx_join')
    expect(await raw.reply('5')).toEqual({
      status: 'error',
      response: { reason: 'ClientJoinRateLimitReached: Too many joins per second' },
    })
    expect(await raw.closed).toEqual({ code: 1008, reason: 'Too many joins per second' })
  })

  test('messages in a second', async () => {
    const raw = await rawSocket(small)
    await raw.join('a')
    for (let n = 0; n < 25; n++) {
      raw.send('1', null, 'realtime:a', 'broadcast', { event: 'x', payload: {} })
    }
    const [said] = await raw.heard.next(([, , , event]) => event === 'system')
    expect(said?.[4]).toEqual({
      extension: 'system',
      status: 'error',
      message: 'Too many messages per second',
      channel: 'a',
    })
    await raw.heard.next(([, , , event]) => event === 'phx_close')
    for (let n = 0; n < 25; n++) raw.send(null, null, 'phoenix', 'heartbeat')
    expect(await raw.closed).toEqual({ code: 1008, reason: 'Too many messages per second' })
  })

  test('messages in a second by HTTP', async () => {
    const post = (count: number) =>
      fetch(`${small.url}/realtime/v1/api/broadcast`, {
        method: 'POST',
        headers: { apikey: small.publishableKey },
        body: JSON.stringify({ messages: Array(count).fill({ topic: 'a', event: 'b', payload: {} }) }),
      })
    expect((await post(18)).status).toBe(202)
    const refused = await post(18)
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { message: 'You have exceeded your rate limit' },
    ])
  })

  test('bytes of a payload', async () => {
    const raw = await rawSocket(small)
    await raw.join('a')
    raw.send('1', '2', 'realtime:a', 'broadcast', { event: 'x', payload: { text: 'x'.repeat(1000) } })
    expect((await raw.reply('2')).response.reason).toBe('PayloadSizeExceeded: a payload has at most 1 kB')
    raw.socket.close()
    await raw.closed
  })

  test('sockets of a server: one too many is told so when it joins', async () => {
    const sockets = await Promise.all([1, 2, 3].map(() => rawSocket(small)))
    const late = client(small)
    expect(await refusal(late.channel('a'))).toBe('ConnectionRateLimitReached: Too many connected users')
    await late.removeAllChannels()
    for (const { socket } of sockets) socket.close()
    await Promise.all(sockets.map(({ closed }) => closed))
  })
})
