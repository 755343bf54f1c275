// Sign-ups that nobody has confirmed: what a stranger learns of one, and that none outlives the confirmation of another.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newPerson, signIn } from '../../../packages/server/tests/auth/people.ts'
import { nextMessage, raw } from '../../../packages/server/tests/auth/project.ts'
import { stranger } from '../../support/people.ts'
import type { Message, TestServer } from '../../support/server.ts'
import { authServer } from './marketplace.ts'

let server: TestServer

beforeAll(async () => {
  server = await authServer({
    sms: 'enable_signup = true\nenable_confirmations = true\nmax_frequency = "0s"',
  })
})
afterAll(() => server?.stop())

const sams = 'SamWasHere1'
const graces = 'Meadowlark1'
const sam = { full_name: 'Sam Stone', phone: '+13065550166', role: 'task_doer' }
const grace = { full_name: 'Grace Field', phone: '+13065550100', role: 'task_giver' }

const signUp = async (email: string, password: string, data: object) => {
  const answer = await stranger(server).auth.signUp({ email, password, options: { data } })
  if (answer.error) throw answer.error
  return answer.data.user
}
const linkOf = ({ links }: Message) => links.find((each) => each.includes('/auth/v1/verify')) as string
const follow = async (message: Message) =>
  new URL((await fetch(linkOf(message), { redirect: 'manual' })).headers.get('location') as string).hash
const confirm = (
  email: string,
  message: Message,
  type: 'signup' | 'recovery' | 'invite' | 'email' = 'signup',
) => stranger(server).auth.verifyOtp({ email, token: message.code as string, type })
const admin = () => stranger(server, server.secretKey).auth.admin

/** How signing in with this password ends. */
const tries = async (email: string, password: string) => {
  const { error } = await stranger(server).auth.signInWithPassword({ email, password })
  return error?.code ?? 'in'
}

/** The application's data for the account. */
async function personOf(email: string) {
  const { rows } = await server.database.pool.query(
    `select p.full_name, p.phone, p.role,
       (select array_agg(r.role::text) from public.user_roles r where r.user_id = p.id) as roles
     from public.profiles p join auth.users u on u.id = p.id where u.email = $1`,
    [email],
  )
  const { rows: all } = await server.database.pool.query(
    'select count(*)::int from public.profiles where email = $1',
    [email],
  )
  expect(all[0].count).toBe(1)
  return rows[0]
}

describe('a second sign-up with an address that nobody has confirmed', () => {
  test('is answered with its own data, and nothing of the first', async () => {
    const email = 'grace+seen@example.com'
    const first = await signUp(email, graces, grace)
    await nextMessage(server, email)
    const { json, text } = await raw(server, '/signup', { body: { email, password: sams, data: sam } })
    expect(json).toMatchObject({ email, user_metadata: sam })
    for (const secret of [first?.id as string, grace.full_name, grace.phone])
      expect(text).not.toContain(secret)
    expect(new Date(json.created_at as string) > new Date(first?.created_at as string)).toBe(true)
    // Nothing distinguishes it from the first sign-up with an address.
    const { json: fresh } = await raw(server, '/signup', {
      body: { email: 'grace+unseen@example.com', password: sams, data: sam },
    })
    const shape = (user: Record<string, unknown>) => [Object.keys(user), (user.identities as []).length]
    expect(shape(json)).toEqual(shape(fresh))
  })

  test('counts: password, name, phone and role are those of the last', async () => {
    const email = 'grace+second@example.com'
    await signUp(email, sams, sam)
    const theirs = await nextMessage(server, email)
    await signUp(email, graces, grace)
    const hers = await nextMessage(server, email, [theirs])
    expect(await follow(theirs)).toContain('otp_expired')
    if (theirs.code !== hers.code) expect((await confirm(email, theirs)).error?.code).toBe('otp_expired')
    const { data } = await confirm(email, hers)
    expect(data.user?.user_metadata).toEqual({
      ...grace,
      sub: data.user?.id,
      email,
      email_verified: true,
      phone_verified: false,
    })
    expect(await tries(email, sams)).toBe('invalid_credentials')
    expect(await tries(email, graces)).toBe('in')
    expect(await personOf(email)).toEqual({
      full_name: 'Grace Field',
      phone: '+13065550100',
      role: 'task_giver',
      roles: ['task_giver'],
    })
  })

  test('voids the link of the first, whoever made it', async () => {
    const email = 'grace+first@example.com'
    await signUp(email, graces, grace)
    const hers = await nextMessage(server, email)
    await signUp(email, sams, sam)
    const theirs = await nextMessage(server, email, [hers])
    expect(await follow(hers)).toContain('otp_expired')
    expect([await tries(email, graces), await tries(email, sams)]).toEqual([
      'invalid_credentials',
      'email_not_confirmed',
    ])
    // The email says what to do: sign up again, which voids the stranger's.
    expect(theirs.text).toContain('Only the newest email')
    await signUp(email, graces, grace)
    expect(await follow(theirs)).toContain('otp_expired')
    const last = await nextMessage(server, email, [hers, theirs])
    expect(await follow(last)).toContain('access_token=')
    expect([await tries(email, sams), await tries(email, graces)]).toEqual(['invalid_credentials', 'in'])
  })

  test('leaves the first alone when the application refuses it', async () => {
    const email = 'grace+refused@example.com'
    await signUp(email, graces, grace)
    const hers = await nextMessage(server, email)
    const { status } = await raw(server, '/signup', {
      body: { email, password: sams, data: { ...sam, role: 'admin' } },
    })
    expect(status).toBe(422)
    expect((await confirm(email, hers)).error).toBeNull()
    expect(await tries(email, graces)).toBe('in')
  })

  test('ends what the first left behind: sessions, identities, factors, codes and PKCE flows', async () => {
    const email = 'grace+traces@example.com'
    const first = await signUp(email, sams, sam)
    const id = first?.id
    const { pool } = server.database
    await pool.query(
      `insert into auth.sessions (id, user_id, created_at, updated_at) values (gen_random_uuid(), $1, now(), now())`,
      [id],
    )
    await pool.query(
      `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
       values ('sam', $1, $2, 'github', now(), now())`,
      [id, { sub: 'sam', email }],
    )
    await pool.query(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
      [id],
    )
    await raw(server, '/recover', {
      body: { email, code_challenge: 'x'.repeat(43), code_challenge_method: 's256' },
    })
    await signUp(email, graces, grace)
    for (const table of ['sessions', 'identities', 'mfa_factors', 'one_time_tokens', 'flow_state']) {
      const { rows } = await pool.query(`select count(*)::int from auth.${table} where user_id = $1`, [id])
      expect([table, rows[0].count]).toEqual([table, 0])
    }
  })

  test('counts for a phone number, too', async () => {
    const phone = '+13065550177'
    const asked = (password: string, data: object) =>
      stranger(server).auth.signUp({ phone, password, options: { data } })
    const first = await asked(sams, sam)
    const theirs = await nextMessage(server, phone)
    const second = await asked(graces, grace)
    expect(second.data.user?.id).not.toBe(first.data.user?.id)
    const hersAlone = { full_name: grace.full_name, role: grace.role, phone: '13065550177' }
    expect(second.data.user?.user_metadata).toMatchObject(hersAlone)
    const hers = await nextMessage(server, phone, [theirs])
    const code = ({ text }: Message) => (/\d{6}/.exec(text) as RegExpExecArray)[0]
    if (code(theirs) !== code(hers)) {
      const old = await stranger(server).auth.verifyOtp({ phone, token: code(theirs), type: 'sms' })
      expect(old.error?.code).toBe('otp_expired')
    }
    const { data } = await stranger(server).auth.verifyOtp({ phone, token: code(hers), type: 'sms' })
    expect(data.user?.user_metadata).toMatchObject(hersAlone)
    const byPassword = async (password: string) =>
      (await stranger(server).auth.signInWithPassword({ phone, password })).error?.code ?? 'in'
    expect([await byPassword(sams), await byPassword(graces)]).toEqual(['invalid_credentials', 'in'])
  })
})

describe('an address confirmed otherwise than by the sign-up', () => {
  test('by recovery keeps no password that somebody else chose', async () => {
    const email = 'grace+recovers@example.com'
    await signUp(email, sams, sam)
    const theirs = await nextMessage(server, email)
    await stranger(server).auth.resetPasswordForEmail(email)
    const { data } = await confirm(email, await nextMessage(server, email, [theirs]), 'recovery')
    expect(data.user?.email_confirmed_at).toBeTruthy()
    expect(await tries(email, sams)).toBe('invalid_credentials')
    expect(await follow(theirs)).toContain('otp_expired')

    const other = 'grace+recovers-here@example.com'
    await signUp(other, sams, sam)
    const first = await nextMessage(server, other)
    const body = { email: other, code_challenge: 'x'.repeat(43), code_challenge_method: 's256' }
    await raw(server, '/recover', { body })
    const link = linkOf(await nextMessage(server, other, [first]))
    const target = (await fetch(link, { redirect: 'manual' })).headers.get('location')
    expect(new URL(target as string).searchParams.get('code')).toBeTruthy()
    expect(await tries(other, sams)).toBe('invalid_credentials')
  })

  test.each([true, false])('by a sign-in link (create_user: %s) keeps none either', async (create_user) => {
    const email = `grace+link-${create_user}@example.com`
    await signUp(email, sams, sam)
    const theirs = await nextMessage(server, email)
    await raw(server, '/otp', { body: { email, create_user } })
    const message = await nextMessage(server, email, [theirs])
    expect(await follow(theirs)).toContain('otp_expired')
    expect((await confirm(email, message, 'email')).error).toBeNull()
    expect(await tries(email, sams)).toBe('invalid_credentials')
    // A link that only signs in says nothing of name and role.
    expect((await personOf(email)).full_name).toBe(create_user ? null : 'Sam Stone')
  })

  test('by an invitation keeps neither password nor metadata', async () => {
    const email = 'grace+asked@example.com'
    const first = await signUp(email, sams, sam)
    const theirs = await nextMessage(server, email)
    const { data } = await admin().inviteUserByEmail(email, { data: grace })
    expect(data.user?.id).not.toBe(first?.id)
    expect(data.user?.user_metadata).toEqual(grace)
    const invitation = await nextMessage(server, email, [theirs])
    expect(await follow(theirs)).toContain('otp_expired')
    expect((await confirm(email, invitation, 'invite')).data.session).toBeTruthy()
    expect(await tries(email, sams)).toBe('invalid_credentials')
    expect((await personOf(email)).role).toBe('task_giver')
  })

  test('by an administrator’s sign-up link has the password given with it', async () => {
    const email = 'grace+given@example.com'
    await signUp(email, sams, sam)
    for (const [password, data] of [
      ['GivenFirst1', grace],
      ['GivenAgain1', { full_name: 'Grace Given' }],
    ] as const) {
      const made = await admin().generateLink({ type: 'signup', email, password, options: { data } })
      expect(made.error).toBeNull()
      expect(made.data.user?.user_metadata).toEqual({ ...grace, ...data })
    }
    const link = await admin().generateLink({ type: 'recovery', email })
    await stranger(server).auth.verifyOtp({
      token_hash: link.data.properties?.hashed_token as string,
      type: 'recovery',
    })
    expect([await tries(email, sams), await tries(email, 'GivenFirst1')]).toEqual([
      'invalid_credentials',
      'invalid_credentials',
    ])
    expect(await tries(email, 'GivenAgain1')).toBe('in')
  })

  test('by a change of address is no longer kept from its owner by the sign-up', async () => {
    const email = 'grace+moves-here@example.com'
    await signUp(email, sams, sam)
    const theirs = await nextMessage(server, email)
    const { client } = await newPerson(server, 'grace+moves@example.com')
    const seen = await server.inbox()
    expect((await client.auth.updateUser({ email })).error).toBeNull()
    for (const to of ['grace+moves@example.com', email]) await follow(await nextMessage(server, to, seen))
    expect(await follow(theirs)).toContain('otp_expired')
    expect((await signIn(server, email)).session.user.user_metadata.full_name).toBe('Grace Field')
    expect(await tries(email, sams)).toBe('invalid_credentials')
    await personOf(email)
  })
})

describe('accounts that an administrator prepared', () => {
  test('is not a stranger’s to describe or to enter', async () => {
    const email = 'grace+prepared@example.com'
    const { data: made } = await admin().createUser({
      email,
      password: graces,
      user_metadata: grace,
      app_metadata: { plan: 'founder' },
    })
    const { json } = await raw(server, '/signup', { body: { email, password: sams, data: sam } })
    expect(json).toMatchObject({ email, user_metadata: sam, identities: [] })
    expect(json.id).not.toBe(made.user?.id)
    expect(await tries(email, sams)).toBe('invalid_credentials')
    const { data } = await confirm(email, await nextMessage(server, email))
    expect(data.user).toMatchObject({
      id: made.user?.id,
      app_metadata: { plan: 'founder' },
      user_metadata: { ...grace, email_verified: true },
    })
    expect([await tries(email, sams), await tries(email, graces)]).toEqual(['invalid_credentials', 'in'])
  })

  test('an invitation is not replaced by a sign-up', async () => {
    const email = 'grace+guest@example.com'
    const { data: invited } = await admin().inviteUserByEmail(email, { data: grace })
    const invitation = await nextMessage(server, email)
    const { json } = await raw(server, '/signup', { body: { email, password: sams, data: sam } })
    expect([json.identities, json.user_metadata]).toEqual([[], sam])
    const { data } = await confirm(email, await nextMessage(server, email, [invitation]))
    expect(data.user?.id).toBe(invited.user?.id)
    expect(data.user?.user_metadata).toMatchObject(grace)
    expect(await tries(email, sams)).toBe('invalid_credentials')
  })

  test('a ban holds for people who sign up again', async () => {
    const email = 'grace+banned@example.com'
    const user = await signUp(email, sams, sam)
    const message = await nextMessage(server, email)
    await admin().updateUserById(user?.id as string, { ban_duration: '24h' })
    await raw(server, '/signup', { body: { email, password: sams, data: sam } })
    const { error } = await confirm(email, await nextMessage(server, email, [message]))
    expect(error?.code).toBe('user_banned')
  })
})
