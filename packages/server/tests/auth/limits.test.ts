// Rate limits: per client address, per account, and between two emails.
import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, password } from './people.ts'
import { authServer, giver, nextMessage, raw, type Settings } from './project.ts'

const servers: TestServer[] = []
const behindProxy = { env: { TRUSTED_PROXIES: '127.0.0.1' } }
const start = async (settings: Settings = {}) => {
  const server = await authServer({ options: behindProxy, ...settings })
  servers.push(server)
  return server
}
afterAll(() => Promise.all(servers.map((server) => server.stop())))

const tooMany = { code: 429, error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' }
const wrong = { email: 'grace@example.com', password: 'Wrong12345' }

test('requests of one client address', async () => {
  const server = await start({
    limits: `[auth.rate_limit]
sign_in_sign_ups = 5
token_refresh = 5
token_verifications = 5`,
  })
  const from = (ip: string) => ({ 'x-forwarded-for': `203.0.113.9, ${ip}` })
  const calls: [string, unknown][] = [
    ['/token?grant_type=password', wrong],
    ['/token?grant_type=refresh_token', { refresh_token: 'x' }],
    ['/verify', { type: 'email', email: 'grace@example.com', token: '000000' }],
  ]
  for (const [path, body] of calls) {
    const statuses: number[] = []
    for (let round = 0; round < 7; round++) {
      statuses.push((await raw(server, path, { body, headers: from('198.51.100.7') })).status)
    }
    expect(statuses.slice(0, 5).every((status) => status < 429)).toBe(true)
    expect(statuses.slice(5)).toEqual([429, 429])
    expect((await raw(server, path, { body, headers: from('198.51.100.7') })).json).toEqual(tooMany)
    expect((await raw(server, path, { body, headers: from('198.51.100.8') })).status).toBeLessThan(429)
  }
})

test('without a trusted proxy X-Forwarded-For buys nobody another try', async () => {
  const server = await start({ limits: '[auth.rate_limit]\nsign_in_sign_ups = 2', options: {} })
  const statuses: number[] = []
  for (let round = 1; round <= 3; round++) {
    const headers = { 'x-forwarded-for': `198.51.100.${round}` }
    statuses.push((await raw(server, '/token?grant_type=password', { body: wrong, headers })).status)
  }
  expect(statuses).toEqual([400, 400, 429])
})

test('wrong passwords for one account, wherever they come from', async () => {
  const server = await start({ limits: '[auth.rate_limit]\nsign_in_sign_ups = 1' })
  const attempt = (number: number, email = wrong.email) =>
    raw(server, '/token?grant_type=password', {
      body: { ...wrong, email },
      headers: { 'x-forwarded-for': `198.51.100.${number}` },
    })
  for (let number = 1; number <= 10; number++) expect((await attempt(number)).status).toBe(400)
  expect((await attempt(11)).json).toEqual(tooMany)
  expect((await attempt(12, 'GRACE@example.com')).json).toEqual(tooMany)
  expect((await attempt(13, 'theo@example.com')).status).toBe(400)
})

test('wrong codes for one account, while its link still works', async () => {
  const server = await start()
  await stranger(server).auth.signUp({
    email: wrong.email,
    password,
    options: { data: giver('Grace Field') },
  })
  const message = await nextMessage(server, wrong.email)
  const guess = (token: string) =>
    raw(server, '/verify', { body: { type: 'email', email: wrong.email, token } })
  for (let number = 0; number < 10; number++) {
    const token = String(number).padStart(6, '0')
    if (token !== message.code) expect((await guess(token)).json.error_code).toBe('otp_expired')
  }
  expect((await guess(message.code as string)).json).toEqual(tooMany)
  const link = message.links.find((each) => each.includes('/auth/v1/verify')) as string
  // With GoTrue's plain hash anybody could try a million codes.
  const plain = createHash('sha224').update(`${wrong.email}${message.code}`).digest('hex')
  const worked = await raw(server, '/verify', { body: { type: 'signup', token_hash: plain } })
  expect(worked.json.error_code).toBe('otp_expired')
  const followed = await fetch(link, { redirect: 'manual' })
  expect(followed.headers.get('location')).toContain('access_token=')
})

test('emails to one account come no faster than max_frequency', async () => {
  const server = await start({ email: 'max_frequency = "30s"' })
  await newPerson(server, 'grace@example.com')
  expect((await stranger(server).auth.resetPasswordForEmail('grace@example.com')).error).toBeNull()
  const { error } = await stranger(server).auth.resetPasswordForEmail('grace@example.com')
  expect(error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' })
  expect(error?.message).toMatch(/^For security purposes, you can only request this after \d+ seconds\.$/)
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      stranger(server).auth.signUp({
        email: 'theo@example.com',
        password,
        options: { data: giver('Theo') },
      }),
    ),
  )
  const outcomes = answers.map(({ error: refused }) => refused?.code ?? 'sent').sort()
  expect(outcomes).toEqual([
    'over_email_send_rate_limit',
    'over_email_send_rate_limit',
    'over_email_send_rate_limit',
    'sent',
  ])
  await nextMessage(server, 'theo@example.com')
})

describe('anonymous accounts', () => {
  test('where they are on: made, limited, and turned into a full account', async () => {
    const server = await start({
      auth: 'enable_anonymous_sign_ins = true',
      limits: '[auth.rate_limit]\nanonymous_users = 2\nsign_in_sign_ups = 1000\ntoken_verifications = 1000',
    })
    const client = stranger(server)
    const { data, error } = await client.auth.signInAnonymously({ options: { data: { city: 'Regina' } } })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ is_anonymous: true, email: '', user_metadata: { city: 'Regina' } })
    const alone = await client.auth.updateUser({ password: 'Meadowlark1' })
    expect(alone.error?.message).toMatch(/anonymous user without an email or phone is not allowed/)
    await client.auth.updateUser({ email: 'grace+known@example.com' })
    const { code } = await nextMessage(server, 'grace+known@example.com')
    const verified = await client.auth.verifyOtp({
      email: 'grace+known@example.com',
      token: code as string,
      type: 'email_change',
    })
    expect(verified.data.user).toMatchObject({
      id: data.user?.id,
      is_anonymous: false,
      email: 'grace+known@example.com',
      app_metadata: { provider: 'email', providers: ['email'] },
    })
    await stranger(server).auth.signInAnonymously()
    const third = await stranger(server).auth.signInAnonymously()
    expect(third.error).toMatchObject({ status: 429, code: 'over_request_rate_limit' })
  })
})
