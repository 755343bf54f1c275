// The socket itself: who gets in, heartbeats, joining and leaving.
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import { IDLE_TIMEOUT_MS } from '../../src/realtime/socket/connection.ts'
import { eventually } from '../support/eventually.ts'
import { startTestServer } from '../support/server.ts'
import { client, Received, rawSocket, serverFor, subscribed } from './fixture.ts'

const { server } = serverFor()

/** How an upgrade that is refused is answered. */
function refusedUpgrade(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const url = new URL(path, server.url)
    const upgrade = request(url, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    })
    upgrade.on('response', (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text && JSON.parse(text) }))
    })
    upgrade.on('upgrade', () => reject(new Error('it was let in')))
    upgrade.on('error', reject)
    upgrade.end()
  })
}

describe('the upgrade', () => {
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
    const received = new Received<string>()
    socket.on('message', (data) => received.put(String(data)))
    socket.send('{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"1"}')
    expect(JSON.parse((await received.next())[0] as string)).toEqual({
      topic: 'phoenix',
      event: 'phx_reply',
      payload: { status: 'ok', response: {} },
      ref: '1',
    })
    socket.close()
  })

  test('leaves requests alone that ask for another protocol', async () => {
    const { hostname, port } = new URL(server.url)
    const ask = (lines: string[], body = '') =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(port), hostname)
        let received = ''
        socket.on('data', (chunk) => {
          received += chunk
        })
        socket.on('close', () => resolve(received))
        const h2c = [
          'Connection: Upgrade, HTTP2-Settings',
          'Upgrade: h2c',
          'HTTP2-Settings: AAMAAABkAAQAAP__',
        ]
        socket.write(`${[...lines, 'Host: x', ...h2c].join('\r\n')}\r\n\r\n${body}`)
        setTimeout(() => socket.end(), 300)
      })
    expect(await ask(['GET /health HTTP/1.1'])).toMatch(/^HTTP\/1.1 200 OK/)
    const body = JSON.stringify({
      messages: [{ topic: 'a', event: 'b', payload: { text: 'x'.repeat(100_000) } }],
    })
    const lines = [
      'POST /realtime/v1/api/broadcast HTTP/1.1',
      `apikey: ${server.publishableKey}`,
      `Content-Length: ${body.length}`,
    ]
    expect(await ask(lines, body)).toMatch(/^HTTP\/1.1 202 Accepted/)
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
      'malformed\r\n\r\n',
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
    expect((await raw.received.next())[0]).toEqual([
      null,
      '7',
      'phoenix',
      'phx_reply',
      { status: 'ok', response: {} },
    ])
    raw.socket.close()
  })

  test('a socket that is silent for too long is closed, one that is not stays', async () => {
    const [silent, alive] = [await rawSocket(server), await rawSocket(server)]
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + IDLE_TIMEOUT_MS + 1000)
    try {
      alive.send(null, '1', 'phoenix', 'heartbeat')
      expect((await silent.closed).code).toBe(1006)
    } finally {
      clock.mockRestore()
    }
    expect(alive.socket.readyState).toBe(alive.socket.OPEN)
    alive.socket.close()
  })

  test('supabase-js counts its heartbeats as answered', async () => {
    const one = client(server)
    const received = new Received<string>()
    one.realtime.onHeartbeat(received.put)
    await subscribed(one.channel('beat'))
    await one.realtime.sendHeartbeat()
    await received.next((status) => status === 'ok')
    await one.removeAllChannels()
  })

  test('a join is answered with its bindings, a leave with ok and phx_close', async () => {
    const raw = await rawSocket(server)
    expect(await raw.join('a')).toEqual({ status: 'ok', response: { postgres_changes: [] } })
    raw.send('1', '2', 'realtime:a', 'phx_leave')
    expect(await raw.reply('2')).toEqual({ status: 'ok', response: {} })
    const [closed] = await raw.received.next(([, , , event]) => event === 'phx_close')
    expect(closed).toEqual(['1', '1', 'realtime:a', 'phx_close', {}])
    raw.send('1', '3', 'realtime:a', 'broadcast', { event: 'x', payload: {} })
    expect(await raw.reply('3')).toEqual({ status: 'error', response: { reason: 'unmatched topic' } })
    raw.send('1', '4', 'realtime:a', 'phx_leave')
    expect(await raw.reply('4')).toEqual({ status: 'ok', response: {} })
    raw.socket.close()
  })

  test('joining a topic again takes the place of the channel that was there', async () => {
    const raw = await rawSocket(server)
    await raw.join('twice', undefined, '1')
    await raw.join('twice', { config: { broadcast: { self: true } } }, '2')
    const [closed] = await raw.received.next(([, , , event]) => event === 'phx_close')
    expect(closed?.slice(0, 2)).toEqual(['1', '1'])
    // Messages for the older channel are not for this one.
    raw.send('1', '3', 'realtime:twice', 'broadcast', { event: 'old', payload: {} })
    raw.send('2', '4', 'realtime:twice', 'broadcast', { event: 'new', payload: {} })
    raw.send(null, '5', 'phoenix', 'heartbeat')
    await raw.reply('5')
    expect(raw.received.all.some(([, , , , payload]) => payload.event === 'old')).toBe(false)
    raw.socket.close()
  })

  test('a client that unsubscribes may subscribe to the same topic again', async () => {
    const one = client(server)
    const statuses: string[] = []
    const channel = one.channel('back')
    channel.subscribe((status) => statuses.push(status))
    await eventually(() => statuses.length > 0)
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

  test('a join that is longer than any needs to be is refused', async () => {
    const raw = await rawSocket(server)
    const { response } = await raw.join('long', { config: { presence: { key: 'x'.repeat(140_000) } } })
    expect(response.reason).toBe('InvalidJoinPayload: a join has at most 128 KiB')
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
