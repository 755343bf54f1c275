// The private channels of conversations: their two people hear and show each other, from acceptance on; a stranger with
// the publishable key, signed in or not, neither listens nor sends.

import { expect, test } from 'vitest'
import {
  broadcasts,
  rejection,
  roundTrip,
  serverFor,
  subscribed,
} from '../../../packages/server/tests/realtime/fixture.ts'
import { denied, tokenFor, withPrivate } from '../../../packages/server/tests/realtime/private-channels.ts'
import { bookingAt } from '../../database/lives.ts'
import { cast, enterCast } from '../../database/personas.ts'
import type { TestDatabase } from '../../support/database.ts'
import { startTestServer } from '../../support/server.ts'

let accepted = ''
let pending = ''

const { server, made } = serverFor(
  async ({ database }) => {
    const db = { database } as TestDatabase
    await enterCast(db)
    accepted = (await bookingAt(db, 'accepted')).id
    pending = (await bookingAt(db, 'pending')).id
  },
  {},
  startTestServer,
)

const channelOf = async (person: keyof typeof cast, topic: string, config = {}) =>
  made({ token: await tokenFor(server, cast[person]) }).channel(topic, withPrivate(config))

test('the two people of an accepted booking hear each other type and see that the other is there', async () => {
  const topic = `chat:${accepted}`
  const his = await channelOf('theo', topic, { presence: { key: cast.theo } })
  const hers = await channelOf('grace', topic, { broadcast: { ack: true }, presence: { key: cast.grace } })
  const received = broadcasts(his)
  const there = new Promise<string[]>((resolve) => {
    his.on(
      'presence',
      { event: 'join' },
      ({ key }) => key === cast.grace && resolve(Object.keys(his.presenceState())),
    )
  })
  await Promise.all([subscribed(his), subscribed(hers)])
  await expect(hers.track({})).resolves.toBe('ok')
  await expect(hers.send({ type: 'broadcast', event: 'typing', payload: { typing: true } })).resolves.toBe(
    'ok',
  )
  expect((await received.next(1)).map(({ payload }) => payload)).toEqual([{ typing: true }])
  expect(await there).toContain(cast.grace)
})

test('nobody else joins, an admin neither, and a public channel of that name hears nothing', async () => {
  const topic = `chat:${accepted}`
  for (const person of ['sam', 'ada'] as const)
    expect(await rejection(await channelOf(person, topic))).toBe(denied(topic))
  expect(await rejection(made().channel(topic, withPrivate()))).toBe(denied(topic))
  const open = made({ token: await tokenFor(server, cast.sam) }).channel(topic)
  const overheard = broadcasts(open)
  const hers = await channelOf('grace', topic, { broadcast: { ack: true } })
  const his = await channelOf('theo', topic)
  const received = broadcasts(his)
  await Promise.all([subscribed(open), subscribed(hers), subscribed(his)])
  await open.send({ type: 'broadcast', event: 'typing', payload: { typing: true } })
  await expect(hers.send({ type: 'broadcast', event: 'typing', payload: { typing: false } })).resolves.toBe(
    'ok',
  )
  expect((await received.next(1)).map(({ payload }) => payload)).toEqual([{ typing: false }])
  await roundTrip(open)
  expect(overheard.all).toEqual([])
})

test('before acceptance there is no channel, nor under any other name', async () => {
  for (const topic of [
    `chat:${pending}`,
    `chat:${cast.grace}`,
    'chat:',
    `chat:${accepted}x`,
    `person:${cast.grace}`,
    accepted,
  ])
    expect(await rejection(await channelOf('grace', topic))).toBe(denied(topic))
})
