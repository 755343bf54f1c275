// Broadcast through supabase-js: between sockets of both serializers, to oneself, acknowledged, by HTTP.
import { describe, expect, test } from 'vitest'
import { broadcasts, rawSocket, roundTrip, serverFor, subscribed, VERSIONS } from './fixture.ts'

const { server, made } = serverFor()

describe('between sockets', () => {
  for (const from of VERSIONS) {
    for (const to of VERSIONS) {
      test(`from version ${from} to ${to}`, async () => {
        const channel = made({ vsn: to }).channel('room')
        const received = broadcasts(channel, 'note')
        const sender = await subscribed(made({ vsn: from }).channel('room'))
        await subscribed(channel)
        const payload = { text: 'snow – ☃ "quoted"', deep: { list: [1, null, true] } }
        await expect(sender.send({ type: 'broadcast', event: 'note', payload })).resolves.toBe('ok')
        expect(await received.next()).toEqual([{ type: 'broadcast', event: 'note', payload }])
      })
    }
  }

  test('bytes reach version 2.0.0, and nobody who cannot take them', async () => {
    const [newer, older] = [made().channel('bytes'), made({ vsn: '1.0.0' }).channel('bytes')]
    const [received, missed] = [broadcasts(newer), broadcasts(older)]
    const sender = made().channel('bytes')
    await Promise.all([newer, older, sender].map((channel) => subscribed(channel)))
    const bytes = new Uint8Array([0, 255, 1, 128])
    await sender.send({ type: 'broadcast', event: 'raw', payload: bytes.buffer })
    const [message] = await received.next()
    expect(new Uint8Array(message.payload)).toEqual(bytes)
    await roundTrip(older)
    expect(missed.all).toEqual([])
  })

  test('goes to its topic only, and to all who joined it', async () => {
    const rooms = ['here', 'here', 'there'].map((name) => made().channel(name))
    const received = rooms.map((channel) => broadcasts(channel))
    await Promise.all(rooms.map((channel) => subscribed(channel)))
    const sender = await subscribed(made().channel('here'))
    await sender.send({ type: 'broadcast', event: 'x', payload: { n: 1 } })
    await Promise.all([received[0]?.next(), received[1]?.next()])
    await roundTrip(...rooms)
    expect(received.map(({ all }) => all.length)).toEqual([1, 1, 0])
  })

  test('keeps the order in which one sends', async () => {
    const channel = made().channel('order')
    const received = broadcasts(channel)
    await subscribed(channel)
    const sender = await subscribed(made().channel('order'))
    for (let n = 0; n < 200; n++) sender.send({ type: 'broadcast', event: 'n', payload: { n } })
    const all = await received.next(200)
    expect(all.map(({ payload }) => payload.n)).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })

  test('names longer than a binary frame holds come as text', async () => {
    const channel = made({ vsn: '2.0.0' }).channel('long')
    const received = broadcasts(channel)
    await subscribed(channel)
    const sender = await subscribed(made({ vsn: '1.0.0' }).channel('long'))
    const event = 'é'.repeat(200)
    await sender.send({ type: 'broadcast', event, payload: { n: 1 } })
    expect((await received.next())[0]).toMatchObject({ event, payload: { n: 1 } })
  })
})

test('extra members next to event and payload reach both versions, if the sender’s version carries them', async () => {
  const received = VERSIONS.map((vsn) => {
    const channel = made({ vsn }).channel('more')
    return { channel, received: broadcasts(channel) }
  })
  await Promise.all(received.map(({ channel }) => subscribed(channel)))
  const sender = await subscribed(made({ vsn: '1.0.0' }).channel('more'))
  const message = { type: 'broadcast' as const, event: 'x', payload: { n: 1 }, from: 'Grace', meta: { n: 2 } }
  await sender.send(message)
  for (const one of received) expect(await one.received.next()).toEqual([message])
})

describe('config', () => {
  for (const vsn of VERSIONS) {
    test(`${vsn}: self receives its own messages, and only when configured`, async () => {
      const own = made({ vsn }).channel('self', { config: { broadcast: { self: true } } })
      const other = made({ vsn }).channel('not-self')
      const [received, unheard] = [broadcasts(own), broadcasts(other)]
      await Promise.all([subscribed(own), subscribed(other)])
      await own.send({ type: 'broadcast', event: 'x', payload: {} })
      await other.send({ type: 'broadcast', event: 'x', payload: {} })
      await received.next()
      await roundTrip(other)
      expect(unheard.all).toEqual([])
    })

    test(`${vsn}: ack resolves once the server has it`, async () => {
      const channel = made({ vsn }).channel('ack', { config: { broadcast: { ack: true } } })
      await subscribed(channel)
      await expect(channel.send({ type: 'broadcast', event: 'x', payload: { n: 1 } })).resolves.toBe('ok')
    })
  }

  test('a payload above the limit is refused, and the channel lives on', async () => {
    const channel = made().channel('size', { config: { broadcast: { ack: true } } })
    await subscribed(channel)
    const text = 'x'.repeat(3_000_001)
    await expect(channel.send({ type: 'broadcast', event: 'x', payload: { text } })).resolves.toBe('error')
    await expect(channel.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('ok')
  })
})

describe('by HTTP', () => {
  const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/realtime/v1/api/broadcast${path}`, {
      method: 'POST',
      headers: { apikey: server.publishableKey, 'content-type': 'application/json', ...headers },
      body,
    })
  const messages = (...all: unknown[]) => JSON.stringify({ messages: all })

  for (const vsn of VERSIONS) {
    test(`httpSend and send before subscribing reach version ${vsn}`, async () => {
      const channel = made({ vsn }).channel('http')
      const received = broadcasts(channel)
      await subscribed(channel)
      const sender = made().channel('http')
      await expect(sender.httpSend('one', { n: 1 })).resolves.toEqual({ success: true })
      await expect(sender.send({ type: 'broadcast', event: 'two', payload: { n: 2 } })).resolves.toBe('ok')
      expect(await received.next(2)).toMatchObject([
        { event: 'one', payload: { n: 1 } },
        { event: 'two', payload: { n: 2 } },
      ])
    })
  }

  test('bytes, and names that need escaping', async () => {
    const channel = made().channel('a/b c?é')
    const received = broadcasts(channel)
    await subscribed(channel)
    await made()
      .channel('a/b c?é')
      .httpSend('x/y z', new Uint8Array([1, 2, 0]))
    const [message] = await received.next()
    expect(message.event).toBe('x/y z')
    expect(new Uint8Array(message.payload)).toEqual(new Uint8Array([1, 2, 0]))
  })

  test('several messages to several topics in one request', async () => {
    const channels = ['h1', 'h2'].map((name) => made().channel(name))
    const received = channels.map((channel) => broadcasts(channel))
    await Promise.all(channels.map((channel) => subscribed(channel)))
    const answer = await post(
      '',
      messages(
        { topic: 'h1', event: 'a', payload: { n: 1 } },
        { topic: 'h2', event: 'b', payload: { n: 2 }, private: false },
        { topic: 'h1', event: 'c', payload: {} },
      ),
    )
    expect(answer.status).toBe(202)
    expect((await received[0]?.next(2))?.map(({ event }) => event)).toEqual(['a', 'c'])
    expect((await received[1]?.next(1))?.map(({ event }) => event)).toEqual(['b'])
  })

  test.each([
    ['{', 400, { message: 'The body must be JSON' }],
    ['[]', 422, { errors: { messages: ['Invalid input: expected object, received array'] } }],
    ['{}', 422, { errors: { messages: ["can't be blank"] } }],
    ['{"messages": []}', 422, { errors: { messages: ["can't be blank"] } }],
    [
      messages({ topic: 'a', event: 'b', payload: {} }, { event: '', payload: 1, private: 'x' }),
      422,
      {
        errors: {
          messages: [
            {},
            {
              topic: ["can't be blank"],
              event: ["can't be blank"],
              payload: ["can't be blank"],
              private: ['is invalid'],
            },
          ],
        },
      },
    ],
    [
      messages({ topic: 'a\u0000', event: 'b', payload: {} }),
      422,
      { errors: { messages: [{ topic: ['is invalid'] }] } },
    ],
  ])('names what is wrong with %s', async (body, status, error) => {
    const answer = await post('', body as string)
    expect([answer.status, await answer.json()]).toEqual([status, error])
  })

  test('asks for a key, a good token, and a type it knows', async () => {
    const without = await fetch(`${server.url}/realtime/v1/api/broadcast`, { method: 'POST', body: '{}' })
    expect(without.status).toBe(401)
    const bad = await post('', messages({ topic: 'a', event: 'b', payload: {} }), {
      authorization: 'Bearer a.b.c',
    })
    expect(bad.status).toBe(401)
    const typed = await post('/a/events/b', 'x', { 'content-type': 'text/plain' })
    expect([typed.status, await typed.json()]).toEqual([
      415,
      { message: 'content-type must be application/json or application/octet-stream' },
    ])
    expect((await post('/a%00/events/b', '{}')).status).toBe(422)
  })

  test('refuses a payload above the limit', async () => {
    const answer = await post('/size/events/x', JSON.stringify('x'.repeat(3_000_001)))
    expect([answer.status, await answer.json()]).toEqual([
      422,
      { errors: { payload: ['Payload size exceeds tenant limit'] } },
    ])
    expect((await post('/size/events/x', 'x'.repeat(17 * 1024 * 1024))).status).toBe(413)
    const large = { topic: 'size', event: 'x', payload: { text: 'x'.repeat(3_000_001) } }
    const batch = await post('', messages({ ...large, payload: {} }, large))
    expect([batch.status, await batch.json()]).toEqual([
      422,
      { errors: { messages: [{}, { payload: ['Payload size exceeds tenant limit'] }] } },
    ])
  })
})

test('a broadcast without an event is answered with what it lacks', async () => {
  const raw = await rawSocket(server)
  await raw.join('shape')
  raw.send('1', '2', 'realtime:shape', 'broadcast', { payload: {} })
  expect(await raw.reply('2')).toEqual({
    status: 'error',
    response: { reason: 'InvalidPayload: event must be a text' },
  })
  raw.socket.close()
})
