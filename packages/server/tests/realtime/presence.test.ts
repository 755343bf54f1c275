// Presence through supabase-js: who is there, who comes and who leaves, in both serializers.
import type { RealtimeChannel } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  cut,
  quiet,
  Received,
  rawSocket,
  rejection,
  serverFor,
  subscribed,
  systemMessages,
  VERSIONS,
} from './fixture.ts'

const { server, made } = serverFor()

/** All presence events of a channel. */
function watching(channel: RealtimeChannel) {
  const [sync, join, leave] = [new Received(), new Received(), new Received()]
  channel.on('presence', { event: 'sync' }, () => sync.put(channel.presenceState()))
  channel.on('presence', { event: 'join' }, (payload) => join.put(structuredClone(payload)))
  channel.on('presence', { event: 'leave' }, (payload) => leave.put(structuredClone(payload)))
  return { sync, join, leave }
}

const withKey = (key: string) => ({ config: { presence: { key } } })

for (const vsn of VERSIONS) {
  test(`${vsn}: sync, join, leave, track, untrack`, async () => {
    const grace = made({ vsn }).channel('hall', withKey('grace'))
    const theo = made({ vsn }).channel('hall', withKey('theo'))
    const seen = watching(grace)
    watching(theo)
    await subscribed(grace)
    expect((await seen.sync.next())[0]).toEqual({})
    await subscribed(theo)
    await expect(theo.track({ mood: 'early' })).resolves.toBe('ok')
    const [joined] = await seen.join.next()
    expect(joined).toMatchObject({ event: 'join', key: 'theo', currentPresences: [] })
    expect(joined.newPresences).toEqual([{ mood: 'early', presence_ref: expect.any(String) }])
    await seen.sync.next((state) => state.theo?.length === 1)
    await expect(theo.untrack()).resolves.toBe('ok')
    const [left] = await seen.leave.next()
    expect(left).toMatchObject({ event: 'leave', key: 'theo', leftPresences: [{ mood: 'early' }] })
    await eventually(() => Object.keys(grace.presenceState()).length === 0)
  })
}

test('tracking again takes the place of what was tracked before', async () => {
  const grace = made().channel('again', withKey('grace'))
  const seen = watching(grace)
  await subscribed(grace)
  await grace.track({ typing: false })
  await seen.sync.next((state) => state.grace?.[0]?.typing === false)
  await grace.track({ typing: true })
  await seen.sync.next((state) => state.grace?.[0]?.typing === true)
  expect(grace.presenceState().grace).toHaveLength(1)
  // The same again is not sent again.
  const before = seen.sync.all.length
  await expect(grace.track({ typing: true })).resolves.toBe('ok')
  await quiet(250)
  expect(seen.sync.all.length).toBe(before)
})

test('one key may be present from several places, and leaves with the last of them', async () => {
  const watcher = made().channel('places')
  const seen = watching(watcher)
  await subscribed(watcher)
  const [first, second] = [made(), made({ vsn: '1.0.0' })]
  for (const [n, one] of [first, second].entries()) {
    const channel = one.channel('places', withKey('grace'))
    await subscribed(channel)
    await channel.track({ place: n })
  }
  await seen.sync.next((state) => state.grace?.length === 2)
  await first.removeAllChannels()
  await eventually(() => watcher.presenceState<{ place: number }>().grace?.[0]?.place === 1)
  expect(watcher.presenceState().grace).toHaveLength(1)
  // A socket that just breaks leaves, too.
  cut(second)
  await eventually(() => Object.keys(watcher.presenceState()).length === 0)
})

test('without a key each channel gets a unique one', async () => {
  const channel = made().channel('unnamed')
  const seen = watching(channel)
  await subscribed(channel)
  await channel.track({ n: 1 })
  const [{ key }] = await seen.join.next()
  expect(key).toMatch(/^[0-9a-f-]{36}$/)
})

test('a later member sees earlier ones', async () => {
  const first = await subscribed(made().channel('late', withKey('grace')))
  await first.track({ since: 1 })
  const late = made().channel('late')
  const seen = watching(late)
  await subscribed(late)
  const [state] = await seen.sync.next()
  expect(state).toEqual({ grace: [{ since: 1, presence_ref: expect.any(String) }] })
  expect(seen.join.all).toHaveLength(1)
})

test('a client that does not listen to presence gets none of it until it tracks itself', async () => {
  const raw = await rawSocket(server)
  await raw.join('opt', { config: { presence: { enabled: false, key: 'sam' } } })
  const other = made().channel('opt', withKey('grace'))
  const seen = watching(other)
  await subscribed(other)
  await other.track({ n: 1 })
  await seen.join.next()
  raw.send(null, 'heartbeat', 'phoenix', 'heartbeat')
  await raw.reply('heartbeat')
  expect(raw.received.all.filter(([, , , event]) => event.startsWith('presence'))).toEqual([])
  raw.send('1', '2', 'realtime:opt', 'presence', { type: 'presence', event: 'TRACK', payload: { n: 2 } })
  expect(await raw.reply('2')).toEqual({ status: 'ok', response: {} })
  const [state] = await raw.received.next(([, , , event]) => event === 'presence_state')
  expect(state?.[4].grace.metas).toEqual([{ n: 1, phx_ref: expect.any(String) }])
  const [diff] = await raw.received.next(([, , , event]) => event === 'presence_diff')
  expect(diff?.[4]).toEqual({
    joins: { sam: { metas: [{ n: 2, phx_ref: expect.any(String) }] } },
    leaves: {},
  })
  raw.send('1', '3', 'realtime:opt', 'presence', { type: 'presence', event: 'track', payload: { n: 3 } })
  const [update] = await raw.received.next(
    ([, , , event, payload]) => event === 'presence_diff' && payload.joins.sam?.metas[0].n === 3,
  )
  const ref = diff?.[4].joins.sam.metas[0].phx_ref
  expect(update?.[4].joins.sam.metas[0]).toMatchObject({ n: 3, phx_ref_prev: ref })
  raw.socket.close()
})

test('many who come at once are sent together, each exactly once', async () => {
  const watcher = made().channel('many')
  const seen = watching(watcher)
  await subscribed(watcher)
  const channels = await Promise.all(
    Array.from({ length: 30 }, (_, n) => subscribed(made().channel('many', withKey(`k${n}`)))),
  )
  await Promise.all(channels.map((channel, n) => channel.track({ n })))
  await seen.sync.next((state) => Object.keys(state).length === 30)
  expect(seen.join.all.map(({ key }) => key).sort()).toEqual(channels.map((_, n) => `k${n}`).sort())
  expect(seen.sync.all.length).toBeLessThan(15)
})

test('a key that would break the clients of others is refused', async () => {
  for (const key of ['__proto__', 'constructor', 'toString']) {
    expect(await rejection(made().channel('odd', withKey(key)))).toBe(
      'InvalidJoinPayload: config.presence.key: must not be a name that every object has',
    )
  }
})

test('refuses malformed presence', async () => {
  const raw = await rawSocket(server)
  await raw.join('bad')
  const cases: [unknown, string][] = [
    [{ event: 'track', payload: 1 }, 'Presence track payload must be a map'],
    [{ event: 'dance' }, 'UnknownPresenceEvent: event must be track or untrack'],
    [{}, 'UnknownPresenceEvent: event must be track or untrack'],
  ]
  for (const [index, [payload, reason]] of cases.entries()) {
    raw.send('1', `r${index}`, 'realtime:bad', 'presence', payload)
    expect(await raw.reply(`r${index}`)).toEqual({ status: 'error', response: { reason } })
  }
  raw.send('1', 'big', 'realtime:bad', 'presence', { event: 'track', payload: { x: 'x'.repeat(3_000_100) } })
  const [system] = await raw.received.next(([, , , event]) => event === 'system')
  expect(system?.[4]).toMatchObject({ status: 'error', message: 'Track message size exceeded' })
  raw.socket.close()
})

test('too many calls of one client close its channel', async () => {
  const channel = made().channel('busy')
  const system = systemMessages(channel)
  const closed = new Received<string>()
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      closed.put(status)
      if (status === 'SUBSCRIBED') resolve()
    })
  })
  for (let n = 0; n < 51; n++) channel.track({ n })
  expect((await system.next())[0]).toMatchObject({
    extension: 'system',
    status: 'error',
    message: 'Client presence rate limit exceeded',
    channel: 'busy',
  })
  await closed.next((status) => status === 'CLOSED')
  await expect(rejection(made().channel('busy'))).rejects.toThrow('the channel was subscribed')
})
