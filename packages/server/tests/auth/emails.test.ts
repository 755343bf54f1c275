// Emails that anyone may ask for: recovery, magic links, sending again; where their links may lead; PKCE.
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { stranger } from '../support/people.ts'
import type { Message, TestServer } from '../support/server.ts'
import { newPerson, signIn } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

let server: TestServer

beforeAll(async () => {
  server = await authServer({
    auth: `additional_redirect_urls = ["https://*.meadowlark.example/**", "meadowlark://back"]`,
  })
})
afterAll(() => server?.stop())

const linkOf = ({ links }: Message) => links.find((each) => each.includes('/auth/v1/verify')) as string
const follow = async (link: string) =>
  new URL((await fetch(link, { redirect: 'manual' })).headers.get('location') as string)

/** A client in the PKCE flow with separate storage, as a server-rendered app has it. */
function pkceClient() {
  const kept = new Map<string, string>()
  return createClient(server.url, server.publishableKey, {
    auth: {
      flowType: 'pkce',
      autoRefreshToken: false,
      persistSession: true,
      storage: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, value),
        removeItem: (key) => void kept.delete(key),
      },
    },
    realtime: { transport: WebSocket as never },
  })
}

describe('recovery', () => {
  test('mails a link that signs in, so that a new password can be chosen', async () => {
    const email = 'grace+forgot@example.com'
    await newPerson(server, email)
    const seen = await server.inbox()
    const site = server.services.config.auth.site_url
    const { error } = await stranger(server).auth.resetPasswordForEmail(email, {
      redirectTo: `${site}/auth?recovery=1`,
    })
    expect(error).toBeNull()
    const target = await follow(linkOf(await nextMessage(server, email, seen)))
    expect(`${target.origin}${target.pathname}${target.search}`).toBe(`${site}/auth?recovery=1`)
    const fragment = new URLSearchParams(target.hash.slice(1))
    expect(fragment.get('type')).toBe('recovery')
    const client = stranger(server)
    await client.auth.setSession({
      access_token: fragment.get('access_token') as string,
      refresh_token: fragment.get('refresh_token') as string,
    })
    expect((await client.auth.updateUser({ password: 'Forgotten1' })).error).toBeNull()
    expect((await signIn(server, email, 'Forgotten1')).session).toBeTruthy()
  })

  test('does not reveal whether an address has an account', async () => {
    const known = await raw(server, '/recover', { body: { email: 'grace+forgot@example.com' } })
    const unknown = await raw(server, '/recover', { body: { email: 'grace+stranger@example.com' } })
    expect([unknown.status, unknown.json]).toEqual([known.status, known.json])
    expect(unknown.json).toEqual({})
    const resent = await raw(server, '/resend', {
      body: { type: 'signup', email: 'grace+stranger@example.com' },
    })
    expect([resent.status, resent.json]).toEqual([200, {}])
  })

  test('confirms an address that was not confirmed yet', async () => {
    const email = 'grace+half@example.com'
    await stranger(server).auth.signUp({
      email,
      password: 'Meadowlark1',
      options: { data: giver('Grace') },
    })
    const first = await nextMessage(server, email)
    await stranger(server).auth.resetPasswordForEmail(email)
    const { code } = await nextMessage(server, email, [first])
    const { data } = await stranger(server).auth.verifyOtp({ email, token: code as string, type: 'recovery' })
    expect(data.user?.email_confirmed_at).toBeTruthy()
  })

  test('an email is good for one hour', async () => {
    const email = 'grace+late@example.com'
    const { session } = await newPerson(server, email)
    const seen = await server.inbox()
    await stranger(server).auth.resetPasswordForEmail(email)
    const message = await nextMessage(server, email, seen)
    await server.database.pool.query(
      `update auth.users set recovery_sent_at = now() - interval '61 minutes' where id = $1`,
      [session.user.id],
    )
    expect((await follow(linkOf(message))).hash).toContain('otp_expired')
    const typed = await stranger(server).auth.verifyOtp({
      email,
      token: message.code as string,
      type: 'recovery',
    })
    expect(typed.error?.code).toBe('otp_expired')
  })
})

describe('magic links', () => {
  test('sign in who has an account', async () => {
    const email = 'grace+magic@example.com'
    const { session } = await newPerson(server, email)
    const seen = await server.inbox()
    const { error } = await stranger(server).auth.signInWithOtp({ email })
    expect(error).toBeNull()
    const message = await nextMessage(server, email, seen)
    expect(message.subject).toBe('Your sign-in link')
    const target = await follow(linkOf(message))
    const { data } = await stranger(server).auth.getUser(
      new URLSearchParams(target.hash.slice(1)).get('access_token') as string,
    )
    expect(data.user?.id).toBe(session.user.id)
  })

  test('make an account for a new address, or not, as asked', async () => {
    const refused = await stranger(server).auth.signInWithOtp({
      email: 'grace+fresh@example.com',
      options: { shouldCreateUser: false },
    })
    // Addresses without an account get the same answer.
    expect(refused.error).toBeNull()
    const { error } = await stranger(server).auth.signInWithOtp({ email: 'grace+fresh@example.com' })
    expect(error).toBeNull()
    const { code } = await nextMessage(server, 'grace+fresh@example.com')
    const { data } = await stranger(server).auth.verifyOtp({
      email: 'grace+fresh@example.com',
      token: code as string,
      type: 'email',
    })
    expect(data.session?.user.email).toBe('grace+fresh@example.com')
    const byPassword = await stranger(server).auth.signInWithPassword({
      email: 'grace+fresh@example.com',
      password: '',
    })
    expect(byPassword.error?.code).toBe('invalid_credentials')
  })

  test('come by the hash, too, for a page that checks it itself', async () => {
    const email = 'grace+hash@example.com'
    await newPerson(server, email)
    const seen = await server.inbox()
    await stranger(server).auth.signInWithOtp({ email })
    const link = new URL(linkOf(await nextMessage(server, email, seen)))
    const { data, error } = await stranger(server).auth.verifyOtp({
      token_hash: link.searchParams.get('token') as string,
      type: 'magiclink',
    })
    expect(error).toBeNull()
    expect(data.session?.user.email).toBe(email)
  })
})

describe('sending the email of a sign-up again', () => {
  test('until the address is confirmed', async () => {
    const email = 'grace+again@example.com'
    await stranger(server).auth.signUp({
      email,
      password: 'Meadowlark1',
      options: { data: giver('Grace') },
    })
    const first = await nextMessage(server, email)
    expect((await stranger(server).auth.resend({ type: 'signup', email })).error).toBeNull()
    const { code } = await nextMessage(server, email, [first])
    await stranger(server).auth.verifyOtp({ email, token: code as string, type: 'signup' })
    const seen = await server.inbox()
    await stranger(server).auth.resend({ type: 'signup', email })
    // An email that is sent later is there, and none before it.
    const other = 'grace+later@example.com'
    await stranger(server).auth.signUp({
      email: other,
      password: 'Meadowlark1',
      options: { data: giver('Grace') },
    })
    await nextMessage(server, other)
    expect((await server.inbox()).length).toBe(seen.length + 1)
  })

  test('needs a type and an address', async () => {
    const wrong = await raw(server, '/resend', { body: { type: 'recovery', email: 'grace+a@example.com' } })
    expect(wrong.json.msg).toBe('Missing one of these types: signup, email_change, sms, phone_change')
    const none = await raw(server, '/resend', { body: { type: 'email_change' } })
    expect(none.json.msg).toBe('Missing email address or phone number')
  })
})

describe('where links lead', () => {
  const asked = async (redirectTo: string) => {
    const email = `to${Math.random().toString(36).slice(2)}@example.com`
    await stranger(server).auth.signUp({
      email,
      password: 'Meadowlark1',
      options: { data: giver('Grace'), emailRedirectTo: redirectTo },
    })
    const link = new URL(linkOf(await nextMessage(server, email)))
    return link.searchParams.get('redirect_to')
  }

  test.each([['https://app.meadowlark.example/dashboard'], ['meadowlark://back']])(
    'to %s, which is allowed',
    async (url) => {
      expect(await asked(url)).toBe(url)
    },
  )

  test.each([
    ['https://evil.example/meadowlark.example/'],
    ['https://meadowlark.example.evil.example/x'],
    ['//evil.example'],
    ['javascript:alert(1)'],
    ['meadowlark://elsewhere'],
  ])('to the site instead of %s', async (url) => {
    expect(await asked(url)).toBe(server.services.config.auth.site_url)
  })

  test('holds when somebody edits the link', async () => {
    const answer = await raw(
      server,
      `/verify?token=unknown&type=signup&redirect_to=${encodeURIComponent('https://evil.example/')}`,
    )
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(new RegExp(`^${server.services.config.auth.site_url}#`))
  })

  test('a link without token or type is answered with the reason', async () => {
    expect((await raw(server, '/verify?type=signup')).json.msg).toBe(
      'Verify requires a token or a token hash',
    )
    expect((await raw(server, '/verify?token=x')).json.msg).toBe('Verify requires a verification type')
    const odd = await raw(server, '/verify?token=x&type=everything')
    expect(odd.headers.get('location')).toContain('Invalid+email+verification+type')
  })
})

describe('PKCE', () => {
  test('the link brings a code that only the same client can exchange, once', async () => {
    const email = 'grace+pkce@example.com'
    const client = pkceClient()
    await client.auth.signUp({ email, password: 'Meadowlark1', options: { data: giver('Grace') } })
    const target = await follow(linkOf(await nextMessage(server, email)))
    expect(target.hash).toBe('')
    const code = target.searchParams.get('code') as string
    const thief = await raw(server, '/token?grant_type=pkce', {
      body: { auth_code: code, code_verifier: 'x'.repeat(56) },
    })
    expect(thief.json).toEqual({
      code: 400,
      error_code: 'bad_code_verifier',
      msg: 'code challenge does not match previously saved code verifier',
    })
    const { data, error } = await client.auth.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.session?.user.email).toBe(email)
    const claims = (await client.auth.getClaims()).data?.claims
    expect(claims?.amr).toEqual([{ method: 'email/signup', timestamp: expect.any(Number) }])
    const again = await raw(server, '/token?grant_type=pkce', {
      body: { auth_code: code, code_verifier: 'x'.repeat(56) },
    })
    expect([again.status, again.json.error_code]).toEqual([404, 'flow_state_not_found'])
  })

  test('works for recovery, as the client can see', async () => {
    const email = 'grace+pkce-recovery@example.com'
    await newPerson(server, email)
    const client = pkceClient()
    const seen = await server.inbox()
    await client.auth.resetPasswordForEmail(email)
    const events: string[] = []
    client.auth.onAuthStateChange((event) => void events.push(event))
    const target = await follow(linkOf(await nextMessage(server, email, seen)))
    const { error } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') as string)
    expect(error).toBeNull()
    expect(events).toContain('PASSWORD_RECOVERY')
  })

  test('a code that waits is void once the password is another one', async () => {
    const email = 'grace+pkce-void@example.com'
    const { client: owner } = await newPerson(server, email)
    const client = pkceClient()
    const seen = await server.inbox()
    await client.auth.signInWithOtp({ email })
    const target = await follow(linkOf(await nextMessage(server, email, seen)))
    expect((await owner.auth.updateUser({ password: 'Prairie2026' })).error).toBeNull()
    const { error } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') as string)
    expect(error).toMatchObject({ status: 404, code: 'flow_state_not_found' })
  })

  test('a code is good for five minutes', async () => {
    const email = 'grace+pkce-late@example.com'
    await newPerson(server, email)
    const client = pkceClient()
    const seen = await server.inbox()
    await client.auth.signInWithOtp({ email })
    const target = await follow(linkOf(await nextMessage(server, email, seen)))
    await server.database.pool.query(
      `update auth.flow_state set auth_code_issued_at = now() - interval '6 minutes'`,
    )
    const { error } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') as string)
    expect(error).toMatchObject({ status: 422, code: 'flow_state_expired' })
  })

  test.each([
    [{ code_challenge: 'x'.repeat(43) }, 'PKCE flow requires code_challenge_method and code_challenge'],
    [
      { code_challenge: 'short', code_challenge_method: 's256' },
      'code challenge has to be between 43 and 128 characters',
    ],
    [
      { code_challenge: `${'x'.repeat(43)}!`, code_challenge_method: 's256' },
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    ],
    [
      { code_challenge: 'x'.repeat(43), code_challenge_method: 'md5' },
      'unsupported code_challenge method "md5"',
    ],
  ])('refuses %o', async (challenge, msg) => {
    const { status, json } = await raw(server, '/recover', {
      body: { email: 'grace+pkce@example.com', ...challenge },
    })
    expect({ status, json }).toEqual({
      status: 400,
      json: { code: 400, error_code: 'validation_failed', msg },
    })
  })
})
