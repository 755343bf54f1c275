// Slow sockets and broken ones: who does not read is cut off, who was cut off comes back.
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { client, cut, rawSocket, serverFor, subscribed } from './fixture.ts'

const { server } = serverFor()

async function figure(name: string): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  return Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')[1],
  )
}

test('a socket that does not read is cut off, and the others receive everything', {
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
  let received = 0
  ear.socket.on('message', (_, binary) => {
    if (binary) received++
  })
  const text = 'x'.repeat(100_000)
  for (let n = 0; n < 100; n++) {
    await fetch(`${server.url}/realtime/v1/api/broadcast/loud/events/x`, {
      method: 'POST',
      headers: { apikey: server.secretKey, 'content-type': 'application/json' },
      body: JSON.stringify({ n, text }),
    })
  }
  await eventually(() => received === 100)
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
