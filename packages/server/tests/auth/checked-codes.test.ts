// Text messages whose codes Twilio Verify makes and checks: sign-in, change of number and second factor by them.

import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { APPROVED } from '../../src/auth/flows/texts.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson } from './people.ts'
import { authServer, giver, raw } from './project.ts'

let server: TestServer
/** The codes that numbers await, and the requests that were made. */
const awaited = new Map<string, string>()
const asked: string[] = []

/** Twilio Verify as its documentation has it; everything else goes where it is addressed. */
function standIn(real: typeof fetch): typeof fetch {
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!url.startsWith('https://verify.twilio.com/')) return real(input, init)
    const form = Object.fromEntries(init?.body as URLSearchParams)
    const to = form.To as string
    asked.push(url.split('/').at(-1) as string)
    if (url.endsWith('/Verifications')) {
      awaited.set(to, String(100_000 + awaited.size))
      return Response.json({ status: 'pending', valid: false }, { status: 201 })
    }
    if (!awaited.has(to)) return Response.json({ message: 'not found' }, { status: 404 })
    const valid = awaited.get(to) === form.Code
    if (valid) awaited.delete(to)
    return Response.json({ status: valid ? 'approved' : 'pending', valid })
  }
}

beforeAll(async () => {
  vi.stubGlobal('fetch', standIn(fetch))
  server = await authServer({
    sms: `enable_signup = true
enable_confirmations = true
max_frequency = "0s"
[auth.sms.test_otp]
13065550190 = "424242"
[auth.sms.twilio_verify]
enabled = true
account_sid = "AC1"
message_service_sid = "VA1"
auth_token = "secret"
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
max_frequency = "0s"`,
  })
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await server?.stop()
})
beforeEach(() => {
  asked.length = 0
})

/** The code that Twilio has sent, once it was asked to. */
const sent = (phone: string) =>
  vi.waitFor(() => awaited.get(phone) ?? Promise.reject(new Error('none yet')), 30_000)

const verify = (phone: string, token: string, type: 'sms' | 'phone_change' = 'sms') =>
  stranger(server).auth.verifyOtp({ phone, token, type })

test('a sign-up is confirmed by the code that Twilio made, once', async () => {
  const phone = '+13065550181'
  const { error } = await stranger(server).auth.signUp({
    phone,
    password: 'Meadowlark1',
    options: { data: giver('Grace Field') },
  })
  expect(error).toBeNull()
  const code = await sent(phone)
  for (const wrong of ['000000', APPROVED, '']) {
    const refused = await raw(server, '/verify', { body: { type: 'sms', phone, token: wrong } })
    expect(refused.status).toBeGreaterThanOrEqual(400)
  }
  const { data } = await verify(phone, code)
  expect(data.user?.phone_confirmed_at).toBeDefined()
  expect((await verify(phone, code)).error?.code).toBe('otp_expired')
})

test('a code sent before another number was asked about proves nothing for it', async () => {
  const [hers, theirs] = ['+13065550182', '+13065550183']
  for (const phone of [hers, theirs]) {
    await raw(server, '/otp', { body: { phone, data: giver('Grace Field') } })
    await sent(phone)
  }
  expect((await verify(theirs, awaited.get(hers) as string)).error?.code).toBe('otp_expired')
  expect((await verify(theirs, awaited.get(theirs) as string)).data.session).not.toBeNull()
})

test('a number is changed, and a second factor proved by it', async () => {
  const { client } = await newPerson(server, 'grace+verify@example.com')
  const phone = '+13065550184'
  await client.auth.updateUser({ phone })
  const changed = await client.auth.verifyOtp({ phone, token: await sent(phone), type: 'phone_change' })
  expect(changed.data.user?.phone).toBe('13065550184')

  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'phone' })
  const factorId = factor?.id as string
  const { data: challenge } = await client.auth.mfa.challenge({ factorId })
  const code = await sent(phone)
  const challengeId = challenge?.id as string
  const wrong = await client.auth.mfa.verify({ factorId, challengeId, code: '000000' })
  expect(wrong.error?.code).toBe('mfa_verification_failed')
  expect((await client.auth.mfa.verify({ factorId, challengeId, code })).error).toBeNull()
  const { data: level } = await client.auth.mfa.getAuthenticatorAssuranceLevel()
  expect(level?.currentLevel).toBe('aal2')
})

test('Twilio is not asked for a number whose code config.toml fixes, nor once too many codes were tried', async () => {
  const phone = '+13065550190'
  await raw(server, '/otp', { body: { phone, data: giver('Grace Field') } })
  // Each code that is tried counts, so it is not tried until it can be right.
  await vi.waitFor(async () => {
    const { rowCount } = await server.database.pool.query(
      'select from auth.one_time_tokens where relates_to = $1',
      [phone.slice(1)],
    )
    expect(rowCount).toBe(1)
  }, 30_000)
  expect((await verify(phone, '424242')).error).toBeNull()
  expect(asked).toEqual([])

  const guessed = '+13065550185'
  await raw(server, '/otp', { body: { phone: guessed, data: giver('Grace Field') } })
  await sent(guessed)
  const codes: (string | undefined)[] = []
  for (let n = 0; n < 12; n++) codes.push((await verify(guessed, '000000')).error?.code)
  expect(codes.slice(-2)).toEqual(['over_request_rate_limit', 'over_request_rate_limit'])
  expect(asked.filter((resource) => resource === 'VerificationCheck')).toHaveLength(10)
})
