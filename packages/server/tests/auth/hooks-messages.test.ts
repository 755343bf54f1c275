// The hooks [auth.hook.send_email] and [auth.hook.send_sms], through the real client: what they are given to send, and what
// becomes of a refusal.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import { type HookEvent, hookServer, metadata, refusing } from './hook-server.ts'
import { password } from './people.ts'
import { giver, raw } from './project.ts'

type Hooks = Awaited<ReturnType<typeof hookServer>>
let hooks: Hooks
let server: Hooks['server']

beforeAll(async () => {
  hooks = await hookServer()
  server = hooks.server
})
afterAll(() => hooks?.stop())
beforeEach(() => hooks.reset())

describe('an email', () => {
  test('is the hook’s to send: code and hash of each kind are good', async () => {
    const email = 'grace+mails@example.com'
    const { client } = await hooks.newcomer(email)
    expect(hooks.eventsOf('send_email')).toMatchObject([
      {
        metadata: metadata('send-email'),
        user: { email },
        email_data: {
          email_action_type: 'signup',
          token: expect.stringMatching(/^\d{6}$/),
          token_hash: expect.stringMatching(/^[0-9a-f]{56}$/),
          token_new: '',
          token_hash_new: '',
          redirect_to: server.services.config.auth.site_url,
          site_url: `${server.url}/auth/v1`,
        },
      },
    ])
    hooks.forget()
    await stranger(server).auth.resetPasswordForEmail(email)
    await expect.poll(() => hooks.eventsOf('send_email').length).toBe(1)
    const [{ email_data: recovery }] = hooks.eventsOf('send_email') as [HookEvent]
    expect(recovery.email_action_type).toBe('recovery')
    const byHash = { token_hash: recovery.token_hash as string, type: 'recovery' as const }
    // A job asked the hook, before what it stored was committed.
    const verified = async () => (await stranger(server).auth.verifyOtp(byHash)).data.user?.email
    await expect.poll(verified).toBe(email)

    hooks.forget()
    await client.auth.updateUser({ email: 'grace+moved@example.com' })
    const [{ email_data: change }, ...others] = hooks.eventsOf('send_email') as [HookEvent]
    expect(others).toEqual([])
    expect(change.email_action_type).toBe('email_change')
    const type = 'email_change' as const
    // The hash for the new address is next to the code for the current one.
    await stranger(server).auth.verifyOtp({ token_hash: change.token_hash as string, type })
    const last = await stranger(server).auth.verifyOtp({ email, token: change.token as string, type })
    expect(last.data.session?.user.email).toBe('grace+moved@example.com')
    expect(await server.inbox()).toEqual([])
  })

  test('that the hook refuses is answered in its words, and nothing has happened', async () => {
    hooks.replies.send_email = refusing(429, 'Not so fast')
    const email = 'grace+unsent@example.com'
    const data = giver('Grace')
    const { error } = await stranger(server).auth.signUp({ email, password, options: { data } })
    expect(error).toMatchObject({ status: 429, message: 'Not so fast' })
    expect(await hooks.accounts(email)).toEqual([])
  })

  test('that only reports a change may fail', async () => {
    const { client } = await hooks.newcomer('grace+notified@example.com')
    hooks.forget()
    hooks.replies.send_email = { status: 500 }
    const { error } = await client.auth.updateUser({ password: 'Another-Word-1' })
    expect(error).toBeNull()
    expect(hooks.eventsOf('send_email').map(({ email_data: data }) => data.email_action_type)).toEqual([
      'password_changed_notification',
    ])
  })

  test('reports a new phone number, and a removed identity', async () => {
    const { client } = await hooks.newcomer('grace+numbers@example.com')
    for (const phone of ['13065550181', '13065550182']) {
      await client.auth.updateUser({ phone })
      const token = hooks.eventsOf('send_sms').at(-1)?.sms.otp as string
      const { error } = await client.auth.verifyOtp({ phone, token, type: 'phone_change' })
      expect(error).toBeNull()
    }
    const { data } = await client.auth.getUserIdentities()
    const identity = data?.identities.find(({ provider }) => provider === 'phone')
    expect((await client.auth.unlinkIdentity(identity as never)).error).toBeNull()
    const notices = hooks
      .eventsOf('send_email')
      .map(({ email_data: { email_action_type: type, ...rest } }) => [
        ...[type, rest.old_phone, rest.provider],
      ])
    expect(notices.slice(1)).toEqual([
      ['phone_changed_notification', '', ''],
      ['phone_changed_notification', '13065550181', ''],
      ['identity_unlinked_notification', '', 'phone'],
    ])
  })
})

describe('a text message', () => {
  test('is the hook’s to send, by whatever channel', async () => {
    const phone = '+13065550191'
    const options = { channel: 'whatsapp' as const, data: giver('Grace Phone') }
    const { error } = await stranger(server).auth.signUp({ phone, password, options })
    expect(error).toBeNull()
    expect(hooks.eventsOf('send_sms')).toMatchObject([
      {
        metadata: metadata('send-sms'),
        user: { phone: '13065550191' },
        sms: { otp: expect.stringMatching(/^\d{6}$/), phone: '13065550191' },
      },
    ])
    const token = hooks.eventsOf('send_sms')[0]?.sms.otp as string
    const verified = await stranger(server).auth.verifyOtp({ phone, token, type: 'sms' })
    expect(verified.data.session).toBeTruthy()
  })

  test('that the hook refuses is answered in its words', async () => {
    hooks.replies.send_sms = refusing(422, 'No such country')
    const { status, json: answer } = await raw(server, '/signup', {
      body: { phone: '+13065550192', password, data: giver('Grace') },
    })
    expect([status, answer]).toEqual([422, { code: 422, error_code: 'unknown', msg: 'No such country' }])
  })
})
