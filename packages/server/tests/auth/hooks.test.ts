// The hooks of [auth.hook.*] that decide on accounts, attempts and claims, through the real client: what each is sent, and
// what its answer brings about.

import type { SupabaseClient } from '@supabase/supabase-js'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Reply } from '../support/listener.ts'
import { stranger } from '../support/people.ts'
import { type HookEvent, hookServer, json, metadata, refusing } from './hook-server.ts'
import { identityProvider, newKeys } from './identity-provider.ts'
import { password } from './people.ts'
import { giver, raw } from './project.ts'
import { addProvider, come, oursOf, sessionOf } from './sso.ts'

type Hooks = Awaited<ReturnType<typeof hookServer>>
let hooks: Hooks
let server: Hooks['server']

beforeAll(async () => {
  hooks = await hookServer()
  server = hooks.server
})
afterAll(() => hooks?.stop())
beforeEach(() => hooks.reset())

describe('before and after an account is made', () => {
  test('the hooks are notified of it, under the id that it has', async () => {
    const email = 'grace+new@example.com'
    const { data } = await stranger(server).auth.signUp({
      email,
      password,
      options: { data: giver('Grace HookEvent') },
    })
    expect(hooks.eventsOf('before_user_created')).toEqual([
      {
        metadata: metadata('before-user-created'),
        user: {
          id: data.user?.id,
          aud: 'authenticated',
          role: '',
          email,
          phone: '',
          app_metadata: { provider: 'email', providers: ['email'] },
          user_metadata: giver('Grace HookEvent'),
          identities: [],
          is_anonymous: false,
          created_at: '0001-01-01T00:00:00Z',
          updated_at: '0001-01-01T00:00:00Z',
        },
      },
    ])
    expect(hooks.eventsOf('after_user_created')).toMatchObject([
      { metadata: { name: 'after-user-created' }, user: { id: data.user?.id, email } },
    ])
  })

  test('a refusal is answered in its words, and no account is made', async () => {
    hooks.replies.before_user_created = refusing(403, 'Only by invitation')
    const email = 'grace+refused@example.com'
    const { error } = await stranger(server).auth.signUp({ email, password })
    expect(error).toMatchObject({ status: 403, message: 'Only by invitation', code: 'unknown' })
    const anonymous = await stranger(server).auth.signInAnonymously()
    expect(anonymous.error).toMatchObject({ status: 403, message: 'Only by invitation' })
    const admin = stranger(server, server.secretKey).auth.admin
    const invited = await admin.inviteUserByEmail(email)
    expect(invited.error).toMatchObject({ status: 403, message: 'Only by invitation' })
    const linked = await admin.generateLink({ type: 'signup', email, password })
    expect(linked.error).toMatchObject({ status: 403, message: 'Only by invitation' })
    expect(await hooks.accounts(email)).toEqual([])
    expect(hooks.eventsOf('after_user_created')).toEqual([])
  })

  test('so they are of a person of single sign-on, who may be refused', async () => {
    const provider = identityProvider('https://idp.example.net/saml', await newKeys())
    const { id } = await addProvider(server, provider)
    const ours = await oursOf(server)
    hooks.replies.before_user_created = refusing(403, 'Only by invitation')
    const refused = await come(server, provider.answer(ours))
    expect(refused.get('error_description')).toBe('Only by invitation')
    expect(hooks.eventsOf('after_user_created')).toEqual([])
    hooks.reset()
    const { user } = await sessionOf(server, await come(server, provider.answer(ours)))
    expect(hooks.eventsOf('before_user_created')).toMatchObject([
      { user: { id: user.id, app_metadata: { provider: `sso:${id}` } } },
    ])
    expect(hooks.eventsOf('after_user_created')).toMatchObject([{ user: { id: user.id } }])
    await come(server, provider.answer(ours))
    expect(hooks.eventsOf('after_user_created')).toHaveLength(1)
  })

  test('whoever has an account is not asked about again', async () => {
    await hooks.newcomer('grace+twice@example.com')
    hooks.forget()
    const again = { email: 'grace+twice@example.com', password, options: { data: giver('Grace') } }
    await stranger(server).auth.signUp(again)
    expect(hooks.eventsOf('before_user_created')).toEqual([])
  })

  test('a failure afterwards changes nothing', async () => {
    hooks.replies.after_user_created = { status: 500 }
    const { session } = await hooks.newcomer('grace+untold@example.com')
    expect(session.user.email).toBe('grace+untold@example.com')
  })
})

describe('a password that is tried', () => {
  test('is reported, right or wrong, but not where there is no account', async () => {
    const email = 'grace+tried@example.com'
    const { session } = await hooks.newcomer(email)
    const tried = (secret: string, address = email) =>
      stranger(server).auth.signInWithPassword({ email: address, password: secret })
    expect((await tried(password)).error).toBeNull()
    expect((await tried('Wrong-Word-1')).error).toMatchObject({ code: 'invalid_credentials' })
    await tried(password, 'nobody@example.com')
    expect(hooks.eventsOf('password_verification_attempt')).toEqual(
      [true, false].map((valid) => ({
        metadata: metadata('password-verification'),
        user_id: session.user.id,
        valid,
      })),
    )
  })

  test('can be rejected, in words of the hook or of the server, which may end all sessions', async () => {
    const email = 'grace+rejected@example.com'
    const { client } = await hooks.newcomer(email)
    hooks.replies.password_verification_attempt = json({ decision: 'reject', message: 'Too many today' })
    const { error } = await stranger(server).auth.signInWithPassword({ email, password })
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials', message: 'Too many today' })
    expect((await client.auth.getUser()).error).toBeNull()
    hooks.replies.password_verification_attempt = json({ decision: 'reject', should_logout_user: true })
    const plain = await stranger(server).auth.signInWithPassword({ email, password })
    expect(plain.error?.message).toBe('Further password verification attempts will be rejected.')
    expect((await client.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
  })

  test('is not let through while the hook fails', async () => {
    const email = 'grace+failing@example.com'
    await hooks.newcomer(email)
    const failure = async (reply: Reply) => {
      hooks.replies.password_verification_attempt = reply
      const { status, json: answer } = await raw(server, '/token?grant_type=password', {
        body: { email, password },
      })
      return [status, answer.error_code, answer.msg]
    }
    const failed = [500, 'unexpected_failure']
    expect(await failure({ status: 401 })).toEqual([...failed, 'Hook requires authorization token'])
    expect(await failure({ body: '{' })).toEqual([...failed, 'Error unmarshaling JSON output.'])
    expect(await failure({ body: '[]' })).toEqual([...failed, 'Error unmarshaling JSON output.'])
  })
})

async function enrolled(client: SupabaseClient) {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp' })
  if (error) throw error
  return { id: data.id, code: new TOTP({ secret: Secret.fromBase32(data.totp.secret) }).generate() }
}

describe('a code of a second factor that is tried', () => {
  test('is reported, and the account’s owner is notified about the factor', async () => {
    const { client, session } = await hooks.newcomer('grace+factor@example.com')
    const { id, code } = await enrolled(client)
    hooks.forget()
    const wrong = code === '000000' ? '111111' : '000000'
    const refused = await client.auth.mfa.challengeAndVerify({ factorId: id, code: wrong })
    expect(refused.error).toMatchObject({ code: 'mfa_verification_failed' })
    expect((await client.auth.mfa.challengeAndVerify({ factorId: id, code })).error).toBeNull()
    expect(hooks.eventsOf('mfa_verification_attempt')).toEqual(
      [false, true].map((valid) => ({
        metadata: metadata('mfa-verification'),
        user_id: session.user.id,
        factor_id: id,
        factor_type: 'totp',
        valid,
      })),
    )
    await client.auth.mfa.unenroll({ factorId: id })
    expect(
      hooks.eventsOf('send_email').map(({ email_data: data }) => [data.email_action_type, data.factor_type]),
    ).toEqual([
      ['mfa_factor_enrolled_notification', 'totp'],
      ['mfa_factor_unenrolled_notification', 'totp'],
    ])
  })

  test('can be rejected, which ends all sessions', async () => {
    const { client } = await hooks.newcomer('grace+outcast@example.com')
    const { id, code } = await enrolled(client)
    hooks.replies.mfa_verification_attempt = json({ decision: 'reject' })
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId: id, code })
    expect(error).toMatchObject({
      status: 403,
      code: 'mfa_verification_rejected',
      message: 'Further MFA verification attempts will be rejected.',
    })
    expect((await client.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
  })

  test('is texted by the hook, for a phone', async () => {
    const { client } = await hooks.newcomer('grace+mfa-phone@example.com')
    const { data } = await client.auth.mfa.enroll({ factorType: 'phone', phone: '+13065550171' })
    const factorId = data?.id as string
    const { data: challenge } = await client.auth.mfa.challenge({ factorId })
    const [{ sms }] = hooks.eventsOf('send_sms') as [HookEvent]
    expect(sms).toEqual({ otp: expect.stringMatching(/^\d{6}$/), phone: '13065550171', sms_type: 'mfa' })
    const proof = { factorId, challengeId: challenge?.id as string, code: sms.otp as string }
    expect((await client.auth.mfa.verify(proof)).error).toBeNull()
  })
})

describe('claims of an access token', () => {
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as Record<string, unknown>

  test('are what the hook answers', async () => {
    const { client, session } = await hooks.newcomer('grace+claims@example.com')
    expect(hooks.eventsOf('custom_access_token')).toMatchObject([
      {
        metadata: { name: 'customize-access-token', ip_address: '127.0.0.1' },
        user_id: session.user.id,
        claims: { sub: session.user.id, role: 'authenticated' },
        authentication_method: 'otp',
      },
    ])
    const [{ claims }] = hooks.eventsOf('custom_access_token') as [HookEvent & { claims: object }]
    hooks.replies.custom_access_token = json({ claims: { ...claims, team: 'Prairie' } })
    const { data } = await client.auth.refreshSession()
    expect(claimsOf(data.session?.access_token as string)).toMatchObject({ team: 'Prairie' })
  })

  test('are needed', async () => {
    const { session } = await hooks.newcomer('grace+no-claims@example.com')
    hooks.replies.custom_access_token = json({})
    const { status, json: answer } = await raw(server, '/token?grant_type=refresh_token', {
      body: { refresh_token: session.refresh_token },
    })
    expect([status, answer.msg]).toEqual([500, 'output claims field is missing'])
  })
})
