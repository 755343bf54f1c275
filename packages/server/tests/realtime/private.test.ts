// Private channels: policies on realtime.messages say who may read and who may write, by socket and by HTTP.
import { randomUUID } from 'node:crypto'
import type { RealtimeChannel } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  broadcasts,
  Received,
  rawSocket,
  rejection,
  roundTrip,
  serverFor,
  subscribed,
  systemMessages,
  VERSIONS,
} from './fixture.ts'
import { denied, grace, openRooms, sam, tokenFor, withPrivate } from './private-channels.ts'

const { server, made } = serverFor(openRooms)

test('readers join, everyone else gets the reason', async () => {
  await subscribed(made({ token: await tokenFor(server, grace) }).channel('all', withPrivate()))
  const stranger = made({ token: await tokenFor(server, randomUUID()) })
  expect(await rejection(stranger.channel('all', withPrivate()))).toBe(denied('all'))
  expect(await rejection(made().channel('all', withPrivate()))).toBe(denied('all'))
  expect(await rejection(made({ token: await tokenFor(server, grace) }).channel('none', withPrivate()))).toBe(
    denied('none'),
  )
})

test('a policy that fails refuses', async () => {
  expect(
    await rejection(made({ token: await tokenFor(server, grace) }).channel('broken', withPrivate())),
  ).toBe(denied('broken'))
})

test('the secret key needs no policy', async () => {
  await subscribed(made({ key: server.secretKey }).channel('whatever', withPrivate()))
})

test('a role that the API may not become gets nowhere', async () => {
  const token = await tokenFor(server, grace, { role: 'postgres' })
  expect(await rejection(made({ token }).channel('all', withPrivate()))).toBe(denied('all'))
  const unknown = await tokenFor(server, grace, { role: 'no such role' })
  expect(await rejection(made({ token: unknown }).channel('all', withPrivate()))).toBe(denied('all'))
})

for (const vsn of VERSIONS) {
  test(`${vsn}: broadcast reaches the members of the private channel, and not the public one`, async () => {
    const own = made({ token: await tokenFor(server, grace), vsn }).channel('all', withPrivate())
    const open = made({ vsn }).channel('all')
    const [received, unheard] = [broadcasts(own), broadcasts(open)]
    const speaker = made({ token: await tokenFor(server, sam), vsn }).channel(
      'all',
      withPrivate({ broadcast: { ack: true } }),
    )
    await Promise.all([own, open, speaker].map((channel) => subscribed(channel)))
    for (let n = 0; n < 5; n++) {
      await expect(speaker.send({ type: 'broadcast', event: 'x', payload: { n } })).resolves.toBe('ok')
    }
    expect((await received.next(5)).map(({ payload }) => payload.n)).toEqual([0, 1, 2, 3, 4])
    await roundTrip(open)
    expect(unheard.all).toEqual([])
  })
}

test('a client that may only read cannot write, and gets an error', async () => {
  const listener = made({ token: await tokenFor(server, grace) }).channel('read only', withPrivate())
  const received = broadcasts(listener)
  const mute = made({ token: await tokenFor(server, sam) }).channel(
    'read only',
    withPrivate({ broadcast: { ack: true } }),
  )
  await Promise.all([subscribed(listener), subscribed(mute)])
  await expect(mute.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('error')
  await expect(mute.track({ n: 1 })).resolves.toBe('error')
  await roundTrip(listener)
  expect(received.all).toEqual([])
})

test('a client that may only be present receives no broadcast', async () => {
  const present = made({ token: await tokenFor(server, sam) }).channel(
    'presence only',
    withPrivate({ presence: { enabled: true, key: 'sam' } }),
  )
  const received = broadcasts(present)
  const full = made({ token: await tokenFor(server, grace) }).channel(
    'presence only',
    withPrivate({ broadcast: { ack: true } }),
  )
  const seen = new Received()
  full.on('presence', { event: 'join' }, seen.put)
  await Promise.all([subscribed(present), subscribed(full)])
  await expect(present.track({ here: true })).resolves.toBe('ok')
  expect((await seen.next())[0]).toMatchObject({ key: 'sam', newPresences: [{ here: true }] })
  await expect(full.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('ok')
  await roundTrip(present)
  expect(received.all).toEqual([])
})

test('presence stays hidden from clients that may not read it', async () => {
  const blind = made({ token: await tokenFor(server, sam) }).channel('read only', withPrivate())
  const seen = new Received()
  blind.on('presence', { event: 'sync' }, () => seen.put(blind.presenceState()))
  const present = made({ token: await tokenFor(server, grace) }).channel('read only', withPrivate())
  const own = new Received()
  present.on('presence', { event: 'join' }, own.put)
  await Promise.all([subscribed(blind), subscribed(present)])
  await present.track({ n: 1 })
  await own.next()
  await roundTrip(blind)
  expect(seen.all).toEqual([])
})

test('messages that wait for a policy are bounded: the channel is closed, and another socket goes on', async () => {
  const config = withPrivate({ broadcast: { ack: true } })
  const [greedy, modest] = [await tokenFor(server, sam), await tokenFor(server, sam)].map((token) =>
    made({ token }).channel('slow', config),
  ) as [RealtimeChannel, RealtimeChannel]
  const system = systemMessages(greedy)
  await Promise.all([subscribed(greedy), subscribed(modest)])
  const payload = { text: 'x'.repeat(2_500_000) }
  for (let n = 0; n < 3; n++) greedy.send({ type: 'broadcast', event: 'x', payload })
  await expect(modest.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('ok')
  expect((await system.next())[0]?.message).toBe('Too many messages per second')
})

test('joins that are not decided take up room, even of channels that have left', async () => {
  const raw = await rawSocket(server)
  const access_token = await tokenFor(server, sam)
  const join = (n: number) =>
    raw.join(
      `slowly ${n}`,
      { access_token, ...withPrivate({ presence: { key: 'x'.repeat(120_000) } }) },
      `${n}`,
    )
  for (let n = 1; n <= 4; n++) {
    join(n).catch(() => {})
    raw.send(`${n}`, `l${n}`, `realtime:slowly ${n}`, 'phx_leave')
  }
  const reason = 'ChannelRateLimitReached: the joins of one socket have at most 512 KiB together'
  expect((await join(5)).response).toEqual({ reason })
  let n = 6
  await eventually(async () => (await join(n++)).status === 'ok')
  raw.socket.close()
})

test('by HTTP, private messages need the right to write', async () => {
  const channel = made({ token: await tokenFor(server, grace) }).channel('all', withPrivate())
  const received = broadcasts(channel)
  await subscribed(channel)
  const member = made({ token: await tokenFor(server, sam) })
  await expect(member.channel('all', withPrivate()).httpSend('x', { n: 1 })).resolves.toEqual({
    success: true,
  })
  await expect(made().channel('all', withPrivate()).httpSend('x', { n: 2 })).rejects.toThrow('Unauthorized')
  const secret = made({ key: server.secretKey }).channel('all', withPrivate())
  await expect(secret.httpSend('x', { n: 3 })).resolves.toEqual({ success: true })
  expect((await received.next(2)).map(({ payload }) => payload.n)).toEqual([1, 3])
  const batch = await fetch(`${server.url}/realtime/v1/api/broadcast`, {
    method: 'POST',
    headers: { apikey: server.publishableKey },
    body: JSON.stringify({ messages: [{ topic: 'all', event: 'x', payload: {}, private: true }] }),
  })
  expect([batch.status, await batch.json()]).toEqual([403, { message: 'Unauthorized' }])
})

test('nothing of the policy checks is kept', async () => {
  await subscribed(made({ token: await tokenFor(server, grace) }).channel('all', withPrivate()))
  const { rows } = await server.database.pool.query(
    `select count(*)::int as kept from realtime.messages where topic = 'all'`,
  )
  expect(rows).toEqual([{ kept: 0 }])
})

test('where only private channels are allowed, public ones are refused', async () => {
  const { realtime } = server.services.config
  Object.assign(realtime, { private_only: true })
  expect(await rejection(made().channel('open'))).toBe(
    'PrivateOnly: This project only allows private channels',
  )
  Object.assign(realtime, { private_only: false })
})
