// The hooks of [auth.hook.*] over HTTP, through the real client: what each is told, and what its answer brings about.
import type { SupabaseClient } from '@supabase/supabase-js'
import { Secret, TOTP } from 'otpauth'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Listener, listen, type Reply } from '../../support/listener.ts'
import { stranger } from '../../support/people.ts'
import type { TestServer } from '../../support/server.ts'
import { password } from './people.ts'
import { authServer, giver, raw } from './project.ts'

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const NAMES = [
  'before_user_created',
  'after_user_created',
  'password_verification_attempt',
  'mfa_verification_attempt',
  'custom_access_token',
  'send_sms',
  'send_email',
] as const
type Name = (typeof NAMES)[number]

let server: TestServer
let hook: Listener
/** What a hook answers; what it is asked otherwise. */
let replies: Partial<Record<Name, Reply>>

const json = (value: unknown): Reply => ({ body: JSON.stringify(value) })
const refusing = (http_code: number, message: string): Reply => json({ error: { http_code, message } })

beforeAll(async () => {
  hook = await listen(({ path, body }) => {
    const name = path.slice(1) as Name
    return replies[name] ?? (name === 'custom_access_token' ? { body } : json({}))
  })
  const table = (name: Name) =>
    `[auth.hook.${name}]\nenabled = true\nuri = "${hook.url}/${name}"\nsecrets = "v1,${SECRET}"`
  server = await authServer({
    auth: 'enable_anonymous_sign_ins = true\nenable_manual_linking = true',
    sms: 'enable_signup = true\nenable_confirmations = true\nmax_frequency = "0s"',
    more: `${NAMES.map(table).join('\n')}
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
max_frequency = "0s"
[auth.email.notification.password_changed]
enabled = true
[auth.email.notification.phone_changed]
enabled = true
[auth.email.notification.mfa_factor_enrolled]
enabled = true
[auth.email.notification.mfa_factor_unenrolled]
enabled = true
[auth.email.notification.identity_unlinked]
enabled = true`,
  })
})
afterAll(async () => {
  await server?.stop()
  await hook?.close()
})
beforeEach(() => {
  replies = {}
  hook.received.length = 0
})

type Told = {
  metadata: Record<string, string>
  user: Record<string, unknown>
  email_data: Record<string, string>
  sms: Record<string, string>
} & Record<string, unknown>

/** What a hook was told so far, each checked by its signature. */
const told = (name: Name): Told[] =>
  hook.received
    .filter(({ path }) => path === `/${name}`)
    .map(({ body, headers }) => new Webhook(SECRET).verify(body, headers as Record<string, string>) as Told)

const metadata = (name: string, ip = true) => ({
  uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  name,
  ...(ip ? { ip_address: '127.0.0.1' } : {}),
})

/** Somebody who has confirmed their address by what the hook was to send. */
async function newcomer(email: string) {
  const client = stranger(server)
  const { error } = await client.auth.signUp({ email, password, options: { data: giver('Grace Field') } })
  if (error) throw error
  const token = told('send_email').at(-1)?.email_data.token as string
  const verified = await client.auth.verifyOtp({ email, token, type: 'signup' })
  if (verified.error || !verified.data.session) throw verified.error ?? new Error('no session')
  return { client, session: verified.data.session }
}

const accounts = async (email: string) =>
  (await server.database.pool.query('select id from auth.users where email = $1', [email])).rows

describe('before and after an account is made', () => {
  test('the hooks are told of it, under the id that it has', async () => {
    const email = 'grace+told@example.com'
    const { data } = await stranger(server).auth.signUp({
      ...{ email, password },
      options: { data: giver('Grace Told') },
    })
    expect(told('before_user_created')).toEqual([
      {
        metadata: metadata('before-user-created'),
        user: {
          ...{ id: data.user?.id, aud: 'authenticated', role: '', email, phone: '' },
          app_metadata: { provider: 'email', providers: ['email'] },
          ...{ user_metadata: giver('Grace Told'), identities: [], is_anonymous: false },
          ...{ created_at: '0001-01-01T00:00:00Z', updated_at: '0001-01-01T00:00:00Z' },
        },
      },
    ])
    expect(told('after_user_created')).toMatchObject([
      { metadata: { name: 'after-user-created' }, user: { id: data.user?.id, email } },
    ])
  })

  test('a refusal is answered in its words, and no account is made', async () => {
    replies.before_user_created = refusing(403, 'Only by invitation')
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
    expect(await accounts(email)).toEqual([])
    expect(told('after_user_created')).toEqual([])
  })

  test('whoever has an account is not asked about again', async () => {
    await newcomer('grace+twice@example.com')
    hook.received.length = 0
    const again = { email: 'grace+twice@example.com', password, options: { data: giver('Grace') } }
    await stranger(server).auth.signUp(again)
    expect(told('before_user_created')).toEqual([])
  })

  test('who cannot be told afterwards changes nothing', async () => {
    replies.after_user_created = { status: 500 }
    const { session } = await newcomer('grace+untold@example.com')
    expect(session.user.email).toBe('grace+untold@example.com')
  })
})

describe('a password that is tried', () => {
  test('is told of, right or wrong, but not where there is no account', async () => {
    const email = 'grace+tried@example.com'
    const { session } = await newcomer(email)
    const tried = (secret: string, address = email) =>
      stranger(server).auth.signInWithPassword({ email: address, password: secret })
    expect((await tried(password)).error).toBeNull()
    expect((await tried('Wrong-Word-1')).error).toMatchObject({ code: 'invalid_credentials' })
    await tried(password, 'nobody@example.com')
    expect(told('password_verification_attempt')).toEqual(
      [true, false].map((valid) => ({
        metadata: metadata('password-verification'),
        user_id: session.user.id,
        valid,
      })),
    )
  })

  test('can be rejected, in words of the hook or of its own, which may end all sessions', async () => {
    const email = 'grace+rejected@example.com'
    const { client } = await newcomer(email)
    replies.password_verification_attempt = json({ decision: 'reject', message: 'Too many today' })
    const { error } = await stranger(server).auth.signInWithPassword({ email, password })
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials', message: 'Too many today' })
    expect((await client.auth.getUser()).error).toBeNull()
    replies.password_verification_attempt = json({ decision: 'reject', should_logout_user: true })
    const plain = await stranger(server).auth.signInWithPassword({ email, password })
    expect(plain.error?.message).toBe('Further password verification attempts will be rejected.')
    expect((await client.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
  })

  test('is not let through while the hook fails', async () => {
    const email = 'grace+failing@example.com'
    await newcomer(email)
    const failure = async (reply: Reply) => {
      replies.password_verification_attempt = reply
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
  test('is told of, and the account’s owner hears of the factor', async () => {
    const { client, session } = await newcomer('grace+factor@example.com')
    const { id, code } = await enrolled(client)
    hook.received.length = 0
    const wrong = code === '000000' ? '111111' : '000000'
    const refused = await client.auth.mfa.challengeAndVerify({ factorId: id, code: wrong })
    expect(refused.error).toMatchObject({ code: 'mfa_verification_failed' })
    expect((await client.auth.mfa.challengeAndVerify({ factorId: id, code })).error).toBeNull()
    expect(told('mfa_verification_attempt')).toEqual(
      [false, true].map((valid) => ({
        metadata: metadata('mfa-verification'),
        ...{ user_id: session.user.id, factor_id: id, factor_type: 'totp', valid },
      })),
    )
    await client.auth.mfa.unenroll({ factorId: id })
    expect(
      told('send_email').map(({ email_data: data }) => [data.email_action_type, data.factor_type]),
    ).toEqual([
      ['mfa_factor_enrolled_notification', 'totp'],
      ['mfa_factor_unenrolled_notification', 'totp'],
    ])
  })

  test('can be rejected, which ends all sessions', async () => {
    const { client } = await newcomer('grace+outcast@example.com')
    const { id, code } = await enrolled(client)
    replies.mfa_verification_attempt = json({ decision: 'reject' })
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId: id, code })
    expect(error).toMatchObject({
      ...{ status: 403, code: 'mfa_verification_rejected' },
      message: 'Further MFA verification attempts will be rejected.',
    })
    expect((await client.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' })
  })

  test('is texted by the hook, for a phone', async () => {
    const { client } = await newcomer('grace+mfa-phone@example.com')
    const { data } = await client.auth.mfa.enroll({ factorType: 'phone', phone: '+13065550171' })
    const factorId = data?.id as string
    const { data: challenge } = await client.auth.mfa.challenge({ factorId })
    const [{ sms }] = told('send_sms') as [Told]
    expect(sms).toEqual({ otp: expect.stringMatching(/^\d{6}$/), phone: '13065550171', sms_type: 'mfa' })
    const proof = { factorId, challengeId: challenge?.id as string, code: sms.otp as string }
    expect((await client.auth.mfa.verify(proof)).error).toBeNull()
  })
})

describe('claims of an access token', () => {
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as Record<string, unknown>

  test('are what the hook answers', async () => {
    const { client, session } = await newcomer('grace+claims@example.com')
    expect(told('custom_access_token')).toMatchObject([
      {
        metadata: { name: 'customize-access-token', ip_address: '127.0.0.1' },
        user_id: session.user.id,
        claims: { sub: session.user.id, role: 'authenticated' },
        authentication_method: 'otp',
      },
    ])
    const [{ claims }] = told('custom_access_token') as [Told & { claims: object }]
    replies.custom_access_token = json({ claims: { ...claims, team: 'Prairie' } })
    const { data } = await client.auth.refreshSession()
    expect(claimsOf(data.session?.access_token as string)).toMatchObject({ team: 'Prairie' })
  })

  test('are needed', async () => {
    const { session } = await newcomer('grace+no-claims@example.com')
    replies.custom_access_token = json({})
    const { status, json: answer } = await raw(server, '/token?grant_type=refresh_token', {
      body: { refresh_token: session.refresh_token },
    })
    expect([status, answer.msg]).toEqual([500, 'output claims field is missing'])
  })
})

describe('an email', () => {
  test('is the hook’s to send: code and hash of each kind are good', async () => {
    const email = 'grace+mails@example.com'
    const { client } = await newcomer(email)
    expect(told('send_email')).toMatchObject([
      {
        metadata: metadata('send-email'),
        user: { email },
        email_data: {
          ...{ email_action_type: 'signup', token: expect.stringMatching(/^\d{6}$/) },
          ...{ token_hash: expect.stringMatching(/^[0-9a-f]{56}$/), token_new: '', token_hash_new: '' },
          ...{ redirect_to: server.services.config.auth.site_url, site_url: `${server.url}/auth/v1` },
        },
      },
    ])
    hook.received.length = 0
    await stranger(server).auth.resetPasswordForEmail(email)
    await expect.poll(() => told('send_email').length).toBe(1)
    const [{ email_data: recovery }] = told('send_email') as [Told]
    expect(recovery.email_action_type).toBe('recovery')
    const byHash = { token_hash: recovery.token_hash as string, type: 'recovery' as const }
    // A job asked the hook, before what it stored was committed.
    const verified = async () => (await stranger(server).auth.verifyOtp(byHash)).data.user?.email
    await expect.poll(verified).toBe(email)

    hook.received.length = 0
    await client.auth.updateUser({ email: 'grace+moved@example.com' })
    const [{ email_data: change }, ...others] = told('send_email') as [Told]
    expect(others).toEqual([])
    expect(change.email_action_type).toBe('email_change')
    const type = 'email_change' as const
    // The hash for the new address stands beside the code for the current one.
    await stranger(server).auth.verifyOtp({ token_hash: change.token_hash as string, type })
    const last = await stranger(server).auth.verifyOtp({ email, token: change.token as string, type })
    expect(last.data.session?.user.email).toBe('grace+moved@example.com')
    expect(await server.inbox()).toEqual([])
  })

  test('that the hook refuses is answered in its words, and nothing has happened', async () => {
    replies.send_email = refusing(429, 'Not so fast')
    const email = 'grace+unsent@example.com'
    const data = giver('Grace')
    const { error } = await stranger(server).auth.signUp({ email, password, options: { data } })
    expect(error).toMatchObject({ status: 429, message: 'Not so fast' })
    expect(await accounts(email)).toEqual([])
  })

  test('that only tells of a change may fail', async () => {
    const { client } = await newcomer('grace+notified@example.com')
    hook.received.length = 0
    replies.send_email = { status: 500 }
    const { error } = await client.auth.updateUser({ password: 'Another-Word-1' })
    expect(error).toBeNull()
    expect(told('send_email').map(({ email_data: data }) => data.email_action_type)).toEqual([
      'password_changed_notification',
    ])
  })

  test('tells of a new phone number, and of an identity that is given up', async () => {
    const { client } = await newcomer('grace+numbers@example.com')
    for (const phone of ['13065550181', '13065550182']) {
      await client.auth.updateUser({ phone })
      const token = told('send_sms').at(-1)?.sms.otp as string
      const { error } = await client.auth.verifyOtp({ phone, token, type: 'phone_change' })
      expect(error).toBeNull()
    }
    const { data } = await client.auth.getUserIdentities()
    const identity = data?.identities.find(({ provider }) => provider === 'phone')
    expect((await client.auth.unlinkIdentity(identity as never)).error).toBeNull()
    const notices = told('send_email').map(({ email_data: { email_action_type: type, ...rest } }) => [
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
    expect(told('send_sms')).toMatchObject([
      {
        metadata: metadata('send-sms'),
        user: { phone: '13065550191' },
        sms: { otp: expect.stringMatching(/^\d{6}$/), phone: '13065550191' },
      },
    ])
    const token = told('send_sms')[0]?.sms.otp as string
    const verified = await stranger(server).auth.verifyOtp({ phone, token, type: 'sms' })
    expect(verified.data.session).toBeTruthy()
  })

  test('that the hook refuses is answered in its words', async () => {
    replies.send_sms = refusing(422, 'No such country')
    const { status, json: answer } = await raw(server, '/signup', {
      body: { phone: '+13065550192', password, data: giver('Grace') },
    })
    expect([status, answer]).toEqual([422, { code: 422, error_code: 'unknown', msg: 'No such country' }])
  })
})
