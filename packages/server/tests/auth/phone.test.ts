// Phone numbers: sign-up, sign-in and change by codes in text messages, through the sandbox's inbox.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkChannel } from '../../src/auth/addresses.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, password } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

let server: TestServer

beforeAll(async () => {
  server = await authServer({
    sms: `enable_signup = true
enable_confirmations = true
max_frequency = "0s"
template = '{{ .Code }} {{ if eq .Data.language "fr" }}est votre code Meadowlark{{ else }}is your Meadowlark code{{ end }}'
[auth.sms.test_otp]
13065550199 = "123456"`,
  })
})
afterAll(() => server?.stop())

describe('a phone number', () => {
  test('signs up with a password and is confirmed by the texted code', async () => {
    const phone = '+1 306 555 0100'
    const { data, error } = await stranger(server).auth.signUp({
      phone,
      password,
      options: { data: giver('Grace Phone') },
    })
    expect(error).toBeNull()
    expect(data).toMatchObject({
      session: null,
      user: { phone: '13065550100', email: '', app_metadata: { provider: 'phone' } },
    })
    const early = await stranger(server).auth.signInWithPassword({ phone, password })
    expect(early.error).toMatchObject({ code: 'phone_not_confirmed', message: 'Phone not confirmed' })
    const message = await nextMessage(server, '+13065550100')
    expect(message).toMatchObject({
      kind: 'sms',
      text: expect.stringMatching(/^\d{6} is your Meadowlark code$/),
    })
    const token = message.text.slice(0, 6)
    const verified = await stranger(server).auth.verifyOtp({ phone, token, type: 'sms' })
    expect(verified.error).toBeNull()
    expect(verified.data.user?.phone_confirmed_at).toBeTruthy()
    const used = await stranger(server).auth.verifyOtp({ phone, token, type: 'sms' })
    expect(used.error?.code).toBe('otp_expired')
    const signedIn = await stranger(server).auth.signInWithPassword({ phone, password })
    expect(signedIn.error).toBeNull()
  })

  test('signs in by a code alone, once it is known', async () => {
    const phone = '+13065550100'
    const seen = await server.inbox()
    const { data, error } = await stranger(server).auth.signInWithOtp({ phone })
    expect(error).toBeNull()
    expect(data.messageId).toBeTruthy()
    const { text } = await nextMessage(server, phone, seen)
    const verified = await stranger(server).auth.verifyOtp({ phone, token: text.slice(0, 6), type: 'sms' })
    expect(verified.data.session?.user.phone).toBe('13065550100')
  })

  test('is texted in the language of its person', async () => {
    const text = async (phone: string, language?: string) => {
      const data = { ...giver('Grace'), ...(language ? { language } : {}) }
      await stranger(server).auth.signUp({ phone, password, options: { data } })
      return (await nextMessage(server, phone)).text.slice(7)
    }
    expect(await text('+13065550141', 'fr')).toBe('est votre code Meadowlark')
    expect(await text('+13065550142')).toBe('is your Meadowlark code')
  })

  test('is texted by the built-in template where the own one is wrong', async () => {
    const wrong = await authServer({
      sms: 'enable_signup = true\nenable_confirmations = true\ntemplate = "{{ .Code"',
    })
    try {
      await stranger(wrong).auth.signUp({
        phone: '+13065550143',
        password,
        options: { data: giver('Grace') },
      })
      expect((await nextMessage(wrong, '+13065550143')).text).toMatch(/^Your code is \d{6}$/)
    } finally {
      await wrong.stop()
    }
  })

  test('of a tester takes the code that config.toml fixes, and no text is sent', async () => {
    const phone = '+13065550199'
    await stranger(server).auth.signUp({ phone, password, options: { data: giver('Grace Tester') } })
    const verified = await stranger(server).auth.verifyOtp({ phone, token: '123456', type: 'sms' })
    expect(verified.data.session).toBeTruthy()
    expect((await server.inbox()).filter(({ to }) => to === phone)).toEqual([])
  })

  test('is added to an account by a code', async () => {
    const { client } = await newPerson(server, 'grace+adds-phone@example.com')
    const { data } = await client.auth.updateUser({ phone: '+13065550101' })
    expect(data.user?.new_phone).toBe('13065550101')
    const { text } = await nextMessage(server, '+13065550101')
    const { data: changed } = await client.auth.verifyOtp({
      phone: '+13065550101',
      token: text.slice(0, 6),
      type: 'phone_change',
    })
    expect(changed.user).toMatchObject({ phone: '13065550101', email: 'grace+adds-phone@example.com' })
    const { client: other } = await newPerson(server, 'grace+wants-phone@example.com')
    const taken = await other.auth.updateUser({ phone: '+13065550101' })
    expect([taken.error?.status, taken.error?.code, taken.error?.message]).toEqual([
      422,
      'phone_exists',
      'A user with this phone number has already been registered',
    ])
    const made = await stranger(server, server.secretKey).auth.admin.createUser({ phone: '+13065550101' })
    expect([made.error?.status, made.error?.code, made.error?.message]).toEqual([
      422,
      'phone_exists',
      'Phone number already registered by another user',
    ])
  })

  test.each(['5', '+0123456', '+12345678901234567', 'call me'])('is refused as "%s"', async (phone) => {
    const { status, json } = await raw(server, '/signup', { body: { phone, password } })
    expect([status, json.msg]).toEqual([400, 'Invalid phone number format (E.164 required)'])
  })
})

describe('a channel', () => {
  const words =
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider."

  test.each(['whatsapp', 'pigeon'])('that nobody carries (%s) is refused everywhere', async (channel) => {
    const phone = '+13065550144'
    const { session } = await newPerson(server, `grace+${channel}@example.com`)
    const asked = [
      raw(server, '/signup', { body: { phone, password, channel, data: giver('Grace') } }),
      raw(server, '/otp', { body: { phone, channel } }),
      raw(server, '/user', { method: 'PUT', bearer: session.access_token, body: { phone, channel } }),
    ]
    for (const { status, json } of await Promise.all(asked)) {
      expect({ status, json }).toEqual({
        status: 400,
        json: { code: 400, error_code: 'validation_failed', msg: words },
      })
    }
    const { rows } = await server.database.pool.query(
      `select from auth.users where '13065550144' in (phone, phone_change)`,
    )
    expect(rows).toEqual([])
  })

  test('of text messages is taken by name', async () => {
    const phone = '+13065550145'
    const { status } = await raw(server, '/otp', {
      body: { phone, channel: 'sms', data: giver('Grace Text') },
    })
    expect(status).toBe(200)
    await nextMessage(server, phone)
  })

  test('WhatsApp is taken where Twilio carries it', () => {
    const twilio = {
      sms: { transport: 'twilio' as const },
      settings: server.services.config.auth,
    }
    expect(checkChannel('whatsapp', twilio)).toBe('whatsapp')
    expect(() => checkChannel('WhatsApp', twilio)).toThrow(words)
  })
})
