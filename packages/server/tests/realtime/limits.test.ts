// Limits of one client, and of all together, and the answers above them.
import { expect, test, vi } from 'vitest'
import { client, type RawSocket, rawSocket, rejection, serverFor } from './fixture.ts'

const limits = {
  max_concurrent_users: 3,
  max_channels_per_client: 2,
  max_joins_per_second: 4,
  max_events_per_second: 2,
  max_payload_size_in_kb: 1,
  max_presence_events_per_second: 1,
}

const { server } = serverFor(({ services }) => Object.assign(services.config.realtime, limits))

test('channels of one socket', async () => {
  const raw = await rawSocket(server)
  await raw.join('a', undefined, '1')
  await raw.join('b', undefined, '2')
  expect(await raw.join('c', undefined, '3')).toEqual({
    status: 'error',
    response: { reason: 'ChannelRateLimitReached: Too many channels' },
  })
  // One that takes the place of another counts once.
  expect((await raw.join('b', undefined, '4')).status).toBe('ok')
  raw.socket.close()
  await raw.closed
})

test('joins in a second', async () => {
  const raw = await rawSocket(server)
  for (let n = 1; n <= 5; n++) raw.send(`${n}`, `${n}`, 'realtime:a', 'phx_join')
  expect(await raw.reply('5')).toEqual({
    status: 'error',
    response: { reason: 'ClientJoinRateLimitReached: Too many joins per second' },
  })
  expect(await raw.closed).toEqual({ code: 1008, reason: 'Too many joins per second' })
})

test('messages in a second', async () => {
  const raw = await rawSocket(server)
  await raw.join('a')
  for (let n = 0; n < 25; n++) {
    raw.send('1', null, 'realtime:a', 'broadcast', { event: 'x', payload: {} })
  }
  const [system] = await raw.received.next(([, , , event]) => event === 'system')
  expect(system?.[4]).toEqual({
    extension: 'system',
    status: 'error',
    message: 'Too many messages per second',
    channel: 'a',
  })
  await raw.received.next(([, , , event]) => event === 'phx_close')
  for (let n = 0; n < 25; n++) raw.send(null, null, 'phoenix', 'heartbeat')
  expect(await raw.closed).toEqual({ code: 1008, reason: 'Too many messages per second' })
})

test('messages in a second by HTTP', async () => {
  const post = (count: number) =>
    fetch(`${server.url}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: { apikey: server.publishableKey },
      body: JSON.stringify({ messages: Array(count).fill({ topic: 'a', event: 'b', payload: {} }) }),
    })
  expect((await post(18)).status).toBe(202)
  const refused = await post(18)
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { message: 'You have exceeded your rate limit' },
  ])
  // Such a batch would be too large at any time.
  const never = await post(21)
  expect([never.status, await never.json()]).toEqual([
    429,
    { message: 'Too many messages to broadcast, please reduce the batch size' },
  ])
})

test('bytes of the joins of one socket, which are counted out again when it leaves', async () => {
  Object.assign(server.services.config.realtime, { max_channels_per_client: 100, max_joins_per_second: 100 })
  const raw = await rawSocket(server)
  const join = (topic: string, ref: string) =>
    raw.join(topic, { config: { presence: { key: 'x'.repeat(120_000) } } }, ref)
  for (let n = 1; n <= 4; n++) expect((await join(`a${n}`, `${n}`)).status).toBe('ok')
  expect((await join('a5', '5')).response.reason).toBe(
    'ChannelRateLimitReached: the joins of one socket have at most 512 KiB together',
  )
  expect((await join('a4', '6')).status).toBe('ok')
  raw.send('1', '7', 'realtime:a1', 'phx_leave')
  expect((await join('a5', '8')).status).toBe('ok')
  Object.assign(server.services.config.realtime, limits)
  raw.socket.close()
  await raw.closed
})

test('bytes of a payload', async () => {
  const raw = await rawSocket(server)
  await raw.join('a')
  raw.send('1', '2', 'realtime:a', 'broadcast', { event: 'x', payload: { text: 'x'.repeat(1000) } })
  expect((await raw.reply('2')).response.reason).toBe('PayloadSizeExceeded: a payload has at most 1 kB')
  raw.socket.close()
  await raw.closed
})

test('sockets of a server: one too many gets an error when it joins', async () => {
  const sockets = await Promise.all([1, 2, 3].map(() => rawSocket(server)))
  const late = client(server)
  expect(await rejection(late.channel('a'))).toBe('ConnectionRateLimitReached: Too many connected users')
  await late.removeAllChannels()
  // It is kept only for that long; and far too many are not even let in.
  const surplus: RawSocket[] = []
  const fill = async () => {
    while (surplus.length < 20) surplus.push(await rawSocket(server))
  }
  await expect(fill()).rejects.toThrow('503')
  expect(surplus.length).toBeGreaterThan(5)
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 11_000)
  await Promise.all(surplus.map(({ closed }) => closed))
  clock.mockRestore()
  expect(sockets.map(({ socket }) => socket.readyState)).toEqual([1, 1, 1])
  for (const { socket } of sockets) socket.close()
  await Promise.all(sockets.map(({ closed }) => closed))
})

test('bytes of all that one socket tracks', async () => {
  const raw = await rawSocket(server)
  await raw.join('a', undefined, '1')
  await raw.join('b', undefined, '2')
  const track = (topic: string, ref: string, bytes: number) => {
    const payload = { event: 'track', payload: { x: 'x'.repeat(bytes) } }
    raw.send(null, ref, `realtime:${topic}`, 'presence', payload)
  }
  track('a', '3', 600)
  expect((await raw.reply('3')).status).toBe('ok')
  track('b', '4', 600)
  const [system] = await raw.received.next(([, , , event]) => event === 'system')
  expect(system?.[4]).toMatchObject({
    message: 'Track message size exceeded: all of one socket have at most 1 kB together',
    channel: 'b',
  })
  // In the place of the larger one, and in that of one that has left, there is room.
  track('a', '5', 900)
  expect((await raw.reply('5')).status).toBe('ok')
  raw.send('1', '6', 'realtime:a', 'phx_leave')
  await raw.join('b', undefined, '8')
  track('b', '7', 900)
  expect((await raw.reply('7')).status).toBe('ok')
  raw.socket.close()
  await raw.closed
})

test('presence messages of all sockets together', async () => {
  const raw = await rawSocket(server)
  await raw.join('a')
  for (let n = 0; n < 19; n++) raw.send('1', null, 'realtime:a', 'presence', { event: 'untrack' })
  const [system] = await raw.received.next(([, , , event]) => event === 'system')
  expect(system?.[4]).toMatchObject({ status: 'error', message: 'Too many presence messages per second' })
  raw.socket.close()
  await raw.closed
})
