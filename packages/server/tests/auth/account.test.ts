// Changes to one's own account: metadata, password, address.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, password, signIn, stillSignedIn } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

let server: TestServer

beforeAll(async () => {
  server = await authServer({
    email: 'secure_password_change = true',
    more: `[auth.email.notification.password_changed]
enabled = true
[auth.email.notification.email_changed]
enabled = true
subject = "{{ .OldEmail }} is now {{ .Email }}"`,
  })
})
afterAll(() => server?.stop())

const linkOf = (links: string[]) => links.find((each) => each.includes('/auth/v1/verify')) as string
const follow = async (link: string) => {
  const answer = await fetch(link, { redirect: 'manual' })
  return new URLSearchParams(new URL(answer.headers.get('location') as string).hash.slice(1))
}

describe('metadata', () => {
  test('merges what is given, removes what is null, and shows in the next token', async () => {
    const { client } = await newPerson(server, 'grace+meta@example.com')
    await client.auth.updateUser({ data: { city: 'Regina', theme: 'dark' } })
    const { data } = await client.auth.updateUser({ data: { theme: null, language: 'fr' } })
    expect(data.user?.user_metadata).toMatchObject({
      full_name: 'Grace Field',
      city: 'Regina',
      language: 'fr',
    })
    expect(data.user?.user_metadata).not.toHaveProperty('theme')
    const { data: refreshed } = await client.auth.refreshSession()
    const claims = (await client.auth.getClaims(refreshed.session?.access_token)).data?.claims
    expect(claims?.user_metadata).toMatchObject({ city: 'Regina', language: 'fr' })
  })

  test('does not let people set app_metadata, role or confirmation', async () => {
    const { client, session } = await newPerson(server, 'grace+climber@example.com')
    const refused = await raw(server, '/user', {
      method: 'PUT',
      body: { app_metadata: { role: 'admin' } },
      bearer: session.access_token,
    })
    expect([refused.status, refused.json.error_code]).toEqual([403, 'not_admin'])
    await raw(server, '/user', {
      method: 'PUT',
      body: { role: 'service_role', email_confirm: true, banned_until: null, id: 'x' },
      bearer: session.access_token,
    })
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({ id: session.user.id, role: 'authenticated' })
  })
})

describe('the password', () => {
  test('changes at once, ends the other sessions, and is notified by email', async () => {
    const email = 'grace+password@example.com'
    const { client, session } = await newPerson(server, email)
    const other = await signIn(server, email)
    const seen = await server.inbox()
    const { error } = await client.auth.updateUser({ password: 'Prairie2026' })
    expect(error).toBeNull()
    expect(await stillSignedIn(server, session)).toBe('yes')
    expect(await stillSignedIn(server, other.session)).not.toBe('yes')
    const old = await stranger(server).auth.signInWithPassword({ email, password })
    expect(old.error?.code).toBe('invalid_credentials')
    expect((await signIn(server, email, 'Prairie2026')).session).toBeTruthy()
    expect((await nextMessage(server, email, seen)).subject).toBe('Your password was changed')
  })

  test('must differ and be strong', async () => {
    const { client } = await newPerson(server, 'grace+same@example.com')
    const same = await client.auth.updateUser({ password })
    expect(same.error).toMatchObject({
      status: 422,
      code: 'same_password',
      message: 'New password should be different from the old password.',
    })
    const weak = await client.auth.updateUser({ password: 'Short1' })
    expect(weak.error).toMatchObject({ code: 'weak_password', reasons: ['length'] })
    const long = await client.auth.updateUser({ password: 'Aa1'.repeat(25) })
    expect(long.error).toMatchObject({
      code: 'validation_failed',
      message: 'Password cannot be longer than 72 characters',
    })
  })

  test('asks for a mailed code when the session is older than a day', async () => {
    const email = 'grace+nonce@example.com'
    const { client, session } = await newPerson(server, email)
    await server.database.pool.query(
      `update auth.sessions set created_at = now() - interval '25 hours' where user_id = $1`,
      [session.user.id],
    )
    const asked = await client.auth.updateUser({ password: 'Prairie2026' })
    expect(asked.error).toMatchObject({
      status: 400,
      code: 'reauthentication_needed',
      message: 'Password update requires reauthentication',
    })
    const wrong = await client.auth.updateUser({ password: 'Prairie2026', nonce: '000000' })
    expect(wrong.error).toMatchObject({
      status: 422,
      code: 'reauthentication_not_valid',
      message: 'Nonce has expired or is invalid',
    })
    const seen = await server.inbox()
    expect((await client.auth.reauthenticate()).error).toBeNull()
    const { code } = await nextMessage(server, email, seen)
    const changed = await client.auth.updateUser({ password: 'Prairie2026', nonce: code as string })
    expect(changed.error).toBeNull()
    const reused = await client.auth.updateUser({ password: 'Prairie2027', nonce: code as string })
    expect(reused.error?.code).toBe('reauthentication_not_valid')
  })
})

describe('where the present password is required', () => {
  let strict: TestServer
  beforeAll(async () => {
    strict = await authServer({
      auth: `password_requirements = "letters_digits"
password_required_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789"`,
      email: 'require_current_password = true',
    })
  })
  afterAll(() => strict?.stop())

  test('a person who came by another service and has none sets it by a code alone, in however new a session', async () => {
    const email = 'grace+none@example.com'
    await newPerson(strict, email)
    const { client, session } = await signIn(strict, email)
    await strict.database.pool.query(`update auth.users set encrypted_password = '' where id = $1`, [
      session.user.id,
    ])
    const next = { password: 'Prairie2026' }
    expect((await client.auth.updateUser(next)).error).toMatchObject({
      status: 400,
      code: 'reauthentication_needed',
    })
    const guessed = await client.auth.updateUser({ ...next, current_password: '', nonce: '000000' })
    expect(guessed.error?.code).toBe('reauthentication_not_valid')
    const seen = await strict.inbox()
    expect((await client.auth.reauthenticate()).error).toBeNull()
    const { code } = await nextMessage(strict, email, seen)
    expect((await client.auth.updateUser({ ...next, nonce: code as string })).error).toBeNull()
    await signIn(strict, email, next.password)
  })

  test('a change takes it, and says by its code whether it was missing or wrong', async () => {
    const email = 'grace+present@example.com'
    await newPerson(strict, email)
    const { client } = await signIn(strict, email)
    const change = (current_password?: string) =>
      client.auth.updateUser({ password: 'PRAIRIE2026', ...(current_password ? { current_password } : {}) })
    const message = 'Current password required when setting new password.'
    expect((await change()).error).toMatchObject({ status: 400, code: 'current_password_required', message })
    expect((await change('Wrong2026')).error).toMatchObject({
      status: 400,
      code: 'current_password_invalid',
      message,
    })
    expect((await client.auth.updateUser({ password, current_password: password })).error?.code).toBe(
      'same_password',
    )
    expect((await change(password)).error).toBeNull()
    expect((await signIn(strict, email, 'PRAIRIE2026')).session).toBeTruthy()
  })

  test('whoever forgot it chooses another with the link', async () => {
    const email = 'grace+forgot@example.com'
    await newPerson(strict, email)
    const client = stranger(strict)
    const seen = await strict.inbox()
    await client.auth.resetPasswordForEmail(email)
    const { code } = await nextMessage(strict, email, seen)
    await client.auth.verifyOtp({ email, token: code as string, type: 'recovery' })
    expect((await client.auth.updateUser({ password: 'Prairie2026' })).error).toBeNull()
  })

  test('guesses of it are counted', async () => {
    const email = 'grace+guessed@example.com'
    await newPerson(strict, email)
    const { client } = await signIn(strict, email)
    const guess = (_: unknown, n: number) =>
      client.auth.updateUser({ password: 'Prairie2026', current_password: `Guess${n}` })
    const answers = await Promise.all(Array.from({ length: 40 }, guess))
    const codes = new Set(answers.map(({ error }) => error?.code))
    expect(codes).toEqual(new Set(['current_password_invalid', 'over_request_rate_limit']))
  })

  test('characters of one’s own choice are asked for, and no others', async () => {
    const { client } = await newPerson(strict, 'grace+sets@example.com')
    await client.auth.signOut()
    const tried = async (chosen: string) => {
      const { error } = await client.auth.signUp({
        email: 'grace+rule@example.com',
        password: chosen,
        options: { data: giver('Grace Rule') },
      })
      return error && 'reasons' in error ? error.reasons : error
    }
    expect(await tried('MEADOW11')).toBeNull()
    expect(await tried('meadow11')).toEqual(['characters'])
    expect(await tried('MEADOWLARK')).toEqual(['characters'])
    expect(await tried('MEADOW1')).toEqual(['length'])
  })
})

describe('the address', () => {
  test('changes when both links have been followed, and the old one is notified', async () => {
    const { client, session } = await newPerson(server, 'grace+before@example.com')
    const seen = await server.inbox()
    const { data, error } = await client.auth.updateUser({ email: 'Grace+After@example.com' })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email: 'grace+before@example.com',
      new_email: 'grace+after@example.com',
    })
    const [toOld, toNew] = [
      await nextMessage(server, 'grace+before@example.com', seen),
      await nextMessage(server, 'grace+after@example.com', seen),
    ]
    const half = await follow(linkOf(toOld.links))
    expect(half.get('message')).toBe(
      'Confirmation link accepted. Please proceed to confirm link sent to the other email',
    )
    expect((await follow(linkOf(toOld.links))).get('error_code')).toBe('otp_expired')
    const done = await follow(linkOf(toNew.links))
    expect(done.get('type')).toBe('email_change')
    expect(done.get('access_token')).toBeTruthy()

    const { data: now } = await client.auth.getUser()
    expect(now.user).toMatchObject({ id: session.user.id, email: 'grace+after@example.com' })
    expect(now.user).not.toHaveProperty('new_email')
    expect(now.user?.identities?.[0]?.identity_data?.email).toBe('grace+after@example.com')
    expect((await signIn(server, 'grace+after@example.com')).session).toBeTruthy()
    const notice = await nextMessage(server, 'grace+before@example.com', [...seen, toOld])
    expect(notice.subject).toBe('grace+before@example.com is now grace+after@example.com')
  })

  test('changes by codes as well, in either order', async () => {
    const { client } = await newPerson(server, 'grace+codes-before@example.com')
    const seen = await server.inbox()
    await client.auth.updateUser({ email: 'grace+codes-after@example.com' })
    const toNew = await nextMessage(server, 'grace+codes-after@example.com', seen)
    const toOld = await nextMessage(server, 'grace+codes-before@example.com', seen)
    const verify = (email: string, token: string) =>
      stranger(server).auth.verifyOtp({ email, token, type: 'email_change' })
    const first = await verify('grace+codes-after@example.com', toNew.code as string)
    expect(first).toMatchObject({ data: { session: null }, error: null })
    const second = await verify('grace+codes-before@example.com', toOld.code as string)
    expect(second.data.session?.user.email).toBe('grace+codes-after@example.com')
  })

  test('cannot be one that somebody has', async () => {
    await newPerson(server, 'grace+taken@example.com')
    const { client } = await newPerson(server, 'grace+wanting@example.com')
    const { error } = await client.auth.updateUser({ email: 'grace+taken@example.com' })
    expect(error).toMatchObject({
      status: 422,
      code: 'email_exists',
      message: 'A user with this email address has already been registered',
    })
  })

  test('goes to the first who confirms it', async () => {
    const one = await newPerson(server, 'grace+one@example.com')
    const two = await newPerson(server, 'grace+two@example.com')
    const links: string[][] = []
    for (const { client, address } of [
      { client: one.client, address: 'grace+one@example.com' },
      { client: two.client, address: 'grace+two@example.com' },
    ]) {
      const seen = await server.inbox()
      await client.auth.updateUser({ email: 'grace+new@example.com' })
      links.push([
        linkOf((await nextMessage(server, address, seen)).links),
        linkOf((await nextMessage(server, 'grace+new@example.com', seen)).links),
      ])
    }
    for (const [first] of links) await follow(first as string)
    const outcomes = await Promise.all(links.map(([, last]) => follow(last as string)))
    const codes = outcomes.map((outcome) => (outcome.has('access_token') ? 'in' : outcome.get('error_code')))
    expect(codes.sort()).toEqual(['email_exists', 'in'])
  })

  test('emails of a pending change can be sent again', async () => {
    const { client } = await newPerson(server, 'grace+resend-before@example.com')
    await client.auth.updateUser({ email: 'grace+resend-after@example.com' })
    await nextMessage(server, 'grace+resend-after@example.com')
    const seen = await server.inbox()
    const { error } = await stranger(server).auth.resend({
      type: 'email_change',
      email: 'grace+resend-before@example.com',
    })
    expect(error).toBeNull()
    expect((await nextMessage(server, 'grace+resend-after@example.com', seen)).code).toMatch(/^\d{6}$/)
  })
})

test('the history of an account can be read afterwards', async () => {
  const { client, session } = await newPerson(server, 'grace+audited@example.com')
  await client.auth.updateUser({ data: { city: 'Saskatoon' } })
  await client.auth.signOut()
  const { rows } = await server.database.pool.query(
    `select payload ->> 'action' as action, payload ->> 'actor_username' as name, ip_address
     from auth.audit_log_entries where payload ->> 'actor_id' = $1 order by created_at`,
    [session.user.id],
  )
  expect(rows.map(({ action }) => action)).toEqual([
    'user_confirmation_requested',
    'user_signedup',
    'user_modified',
    'logout',
  ])
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(['grace+audited@example.com']))
  expect(rows[0].ip_address).toMatch(/^(127\.0\.0\.1|::1)$/)
})
