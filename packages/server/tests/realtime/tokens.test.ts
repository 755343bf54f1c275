// Access tokens of channels: which are good, which end while the channel is open, and what a new one changes.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Received, rawSocket, serverFor, subscribed, systemMessages } from './fixture.ts'
import { grace, inSeconds, openRooms, sam, tokenFor, withPrivate } from './private-channels.ts'

const { server, made } = serverFor(openRooms)

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
  const good = await tokenFor(server, grace)
  const reasonFor = async (token: string, ref: string) =>
    (await raw.join('t', { access_token: token }, ref)).response.reason
  expect(await reasonFor(await tokenFor(server, grace, { exp: inSeconds(-3) }), '1')).toMatch(
    /^InvalidJWTToken: Token has expired [34] seconds ago$/,
  )
  expect(await reasonFor(await tokenFor(server, grace, { exp: inSeconds(-300) }), '2')).toMatch(
    /^InvalidJWTToken: Token has expired 30[01] seconds ago$/,
  )
  expect(await reasonFor(`${good.slice(0, -10)}AAAAAAAAAA`, '3')).toBe(
    'JwtSignatureError: Failed to validate JWT signature',
  )
  for (const claims of [{ exp: undefined }, { role: undefined }, { role: '' }]) {
    expect(await reasonFor(await tokenFor(server, grace, claims), JSON.stringify(claims))).toBe(
      'InvalidJWTToken: Fields `role` and `exp` are required in JWT',
    )
  }
  raw.socket.close()
})

test('a channel closes when its token ends, with the reason', async () => {
  const channel = made({ token: await tokenFor(server, grace, { exp: inSeconds(3) }) }).channel('ends')
  const system = systemMessages(channel)
  const statuses = new Received<string>()
  channel.subscribe(statuses.put)
  expect((await system.next())[0]).toMatchObject({
    extension: 'system',
    status: 'error',
    message: expect.stringMatching(/^Token has expired [01] seconds ago$/),
    channel: 'ends',
  })
  await statuses.next((status) => status === 'CLOSED')
})

test('a token that comes in time keeps it open, and its claims count from then on', async () => {
  let token = await tokenFor(server, sam, { exp: inSeconds(3) })
  const other = made({ token }).channel('read only', withPrivate())
  const closed = systemMessages(other)
  await subscribed(other)
  const one = made({ token })
  one.realtime.accessToken = async () => token
  const channel = one.channel('read only', withPrivate({ broadcast: { ack: true } }))
  await subscribed(channel)
  await expect(channel.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('error')
  token = await tokenFor(server, grace)
  await one.realtime.setAuth()
  await expect(channel.send({ type: 'broadcast', event: 'x', payload: {} })).resolves.toBe('ok')
  // The one without a new token is closed.
  await closed.next()
  expect(channel.state).toBe('joined')
})

test('a token with which the topic may not be read closes the channel', async () => {
  for (const [token, message] of [
    [
      await tokenFor(server, randomUUID()),
      'You do not have permissions to read from this Channel topic: all',
    ],
    ['malformed', 'The token provided is not a valid JWT'],
  ] as const) {
    const one = made({ token: await tokenFor(server, grace) })
    const channel = one.channel('all', withPrivate())
    const system = systemMessages(channel)
    const statuses = new Received<string>()
    channel.subscribe(statuses.put)
    await statuses.next((status) => status === 'SUBSCRIBED')
    await one.realtime.setAuth(token)
    expect((await system.next())[0]).toMatchObject({ status: 'error', message })
    await statuses.next((status) => status === 'CLOSED')
  }
})

test('losing a part of what could be read closes it, too', async () => {
  const one = made({ token: await tokenFor(server, grace) })
  const channel = one.channel('read only', withPrivate())
  const system = systemMessages(channel)
  await subscribed(channel)
  await one.realtime.setAuth(await tokenFor(server, sam))
  expect((await system.next())[0]?.message).toBe(
    'You no longer have permission to read from this Channel topic: read only',
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
  expect(raw.received.all.some(([, , , event]) => event === 'phx_close')).toBe(false)
  raw.socket.close()
})
