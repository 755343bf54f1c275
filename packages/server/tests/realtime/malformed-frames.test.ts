// Frames that are none of the protocol, of every kind: each is answered or closes its socket, and harms nobody else.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { amount } from '../support/soak.ts'
import { client, rawSocket, serverFor, socketUrl, subscribed } from './fixture.ts'

const { server } = serverFor()

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
    const socket = new WebSocket(socketUrl(server, '1.0.0'))
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

test('a message nested too deeply is refused, on the socket and by HTTP', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  for (const frame of [
    `["1","1","realtime:deep","phx_join",{"config":{"postgres_changes":[{"x":${deep}}]}}]`,
    `["2","3","realtime:deep","broadcast",{"event":"x","payload":{"x":${deep}}}]`,
  ]) {
    const raw = await rawSocket(server)
    raw.socket.send(frame)
    expect(await raw.closed).toEqual({
      code: 1007,
      reason: 'frame: must not be nested deeper than 1000 levels',
    })
  }
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
      { message: 'The body must not be nested deeper than 1000 levels' },
    ])
  }
})

test('whatever is sent, the server goes on answering', async () => {
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
    fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom('ack', 'self', 'key', 'enabled', 'replay'), part)),
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
      .tuple(fc.constantFrom('1', null), fc.constantFrom('1', '2'), fc.constant('realtime:x'), event, payload)
      .map((all) => JSON.stringify(all)),
  )
  const runs = amount({ gate: 40, soak: 2000 })
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 15 }), fc.boolean(), async (frames, old) => {
      const raw = await rawSocket(server, old ? '1.0.0' : '2.0.0')
      raw.socket.on('error', () => {})
      const join = { topic: 'realtime:x', event: 'phx_join', payload: {}, ref: '1', join_ref: '1' }
      raw.socket.send(JSON.stringify(old ? join : ['1', '1', 'realtime:x', 'phx_join', {}]))
      for (const one of frames) if (raw.socket.readyState === raw.socket.OPEN) raw.socket.send(one)
      raw.socket.close()
      const { code } = await raw.closed
      expect([1000, 1005, 1006, 1007, 1008]).toContain(code)
    }),
    { numRuns: runs },
  )
  await subscribed(client(server).channel('still there'))
})
