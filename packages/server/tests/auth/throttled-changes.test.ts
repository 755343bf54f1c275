// A limit on messages refuses the message, never the change behind it. The newest claim on an address replaces the
// earlier one, and a stranger who uses up a limit cannot block changes of other accounts.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { Message, TestServer } from '../support/server.ts'
import { together } from '../support/together.ts'
import { newPerson, password } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'

let server: TestServer
beforeAll(async () => {
  server = await authServer({
    email: 'max_frequency = "60s"\nsecure_password_change = true',
    sms: 'enable_signup = true\nenable_confirmations = true\nmax_frequency = "60s"',
  })
})
afterAll(() => server?.stop())
/** As if a minute had passed. */
const minutePasses = () => server.database.pool.query('delete from auth.rate_limits')
beforeEach(minutePasses)

const sams = 'SamWasHere1'
const tooSoon = { status: 429, code: 'over_email_send_rate_limit' }
const signUp = (email: string, chosen: string, name: string) =>
  stranger(server).auth.signUp({ email, password: chosen, options: { data: giver(name) } })
const linkOf = ({ links }: Message) => links.find((each) => each.includes('/auth/v1/verify')) as string
const follow = async (message: Message) =>
  new URL((await fetch(linkOf(message), { redirect: 'manual' })).headers.get('location') as string).hash
const tries = async (email: string, chosen: string) => {
  const { error } = await stranger(server).auth.signInWithPassword({ email, password: chosen })
  return error?.code ?? 'in'
}
const jobsDone = () =>
  expect
    .poll(
      async () =>
        (
          await server.database.pool.query(
            // Also one that is running.
            `select from graphile_worker.jobs where task_identifier = 'send_requested_message' and run_at <= now()`,
          )
        ).rowCount,
      { timeout: 20_000 },
    )
    .toBe(0)

describe('a sign-up within a minute of another one for the address', () => {
  test('replaces it: the only email confirms nothing, and the next one the newest password', async () => {
    const email = 'grace+taken@example.com'
    expect((await signUp(email, sams, 'Sam Stone')).error).toBeNull()
    const theirs = await nextMessage(server, email)
    expect((await signUp(email, password, 'Grace Field')).error).toMatchObject(tooSoon)
    expect([await tries(email, sams), await tries(email, password)]).toEqual([
      'invalid_credentials',
      'email_not_confirmed',
    ])
    expect(await follow(theirs)).toContain('otp_expired')
    const { error } = await stranger(server).auth.verifyOtp({
      email,
      token: theirs.code as string,
      type: 'email',
    })
    expect(error?.code).toBe('otp_expired')

    await minutePasses()
    expect((await signUp(email, password, 'Grace Field')).error).toBeNull()
    expect(await follow(await nextMessage(server, email, [theirs]))).toContain('access_token=')
    expect([await tries(email, sams), await tries(email, password)]).toEqual(['invalid_credentials', 'in'])
  })

  test('voids an owner’s link that a stranger’s later sign-up would otherwise use', async () => {
    const email = 'grace+reclaimed@example.com'
    await signUp(email, password, 'Grace Field')
    const hers = await nextMessage(server, email)
    expect((await signUp(email, sams, 'Sam Stone')).error).toMatchObject(tooSoon)
    expect(await follow(hers)).toContain('otp_expired')
    expect([await tries(email, sams), await tries(email, password)]).toEqual([
      'email_not_confirmed',
      'invalid_credentials',
    ])
  })

  test('that says the same keeps the first one’s link', async () => {
    const email = 'grace+again@example.com'
    await signUp(email, password, 'Grace Field')
    const message = await nextMessage(server, email)
    expect((await signUp(email, password, 'Grace Field')).error).toMatchObject(tooSoon)
    expect(await follow(message)).toContain('access_token=')
    const other = 'grace+renamed@example.com'
    await signUp(other, password, 'Somebody Else')
    const older = await nextMessage(server, other)
    expect((await signUp(other, password, 'Grace Field')).error).toMatchObject(tooSoon)
    expect(await follow(older)).toContain('otp_expired')
  })

  test('at the same moment: whichever link is opened confirms the newest password or nothing', async () => {
    const email = 'grace+race@example.com'
    const body = (chosen: string, name: string) => ({ email, password: chosen, data: giver(name) })
    const headers = { apikey: server.publishableKey }
    const answers = await together(server.url, [
      { path: '/auth/v1/signup', headers, body: body(sams, 'Sam Stone') },
      { path: '/auth/v1/signup', headers, body: body(password, 'Grace Field') },
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
    const newest = answers[0]?.status === 429 ? sams : password
    const [older] = [sams, password].filter((each) => each !== newest) as [string]
    const first = await nextMessage(server, email)
    expect([await tries(email, older), await tries(email, newest)]).toEqual([
      'invalid_credentials',
      'email_not_confirmed',
    ])
    expect(await follow(first)).toContain('otp_expired')
    await minutePasses()
    await stranger(server).auth.resend({ type: 'signup', email })
    expect(await follow(await nextMessage(server, email, [first]))).toContain('access_token=')
    expect([await tries(email, older), await tries(email, newest)]).toEqual(['invalid_credentials', 'in'])
  })

  test('by phone replaces it, too; so does a code to sign in with', async () => {
    for (const claim of ['sign-up', 'code'] as const) {
      const phone = claim === 'code' ? '+13065550141' : '+13065550142'
      await stranger(server).auth.signUp({ phone, password: sams, options: { data: giver('Sam Stone') } })
      const theirs = await nextMessage(server, phone)
      const { error } =
        claim === 'code'
          ? await stranger(server).auth.signInWithOtp({ phone })
          : await stranger(server).auth.signUp({ phone, password, options: { data: giver('Grace') } })
      expect(error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' })
      await jobsDone()
      const token = (/\d{6}/.exec(theirs.text) as RegExpExecArray)[0]
      const used = await stranger(server).auth.verifyOtp({ phone, token, type: 'sms' })
      expect(used.error?.code).toBe('otp_expired')
      const { error: signIn } = await stranger(server).auth.signInWithPassword({ phone, password: sams })
      expect(signIn?.code).toBe('invalid_credentials')
    }
  })
})

describe('a stranger who has used up the minute', () => {
  test('keeps nobody from recovery or from a code for a change of password', async () => {
    const email = 'grace+blocked@example.com'
    const { client } = await newPerson(server, email)
    for (const type of ['signup', 'email_change'] as const)
      expect((await stranger(server).auth.resend({ type, email })).error).toBeNull()
    await stranger(server).auth.signInWithOtp({ email, options: { shouldCreateUser: false } })
    expect((await client.auth.reauthenticate()).error).toBeNull()
    expect((await stranger(server).auth.resetPasswordForEmail(email)).error).toBeNull()
  })

  test('keeps no sign-up from being remembered, and confirmed by the next email', async () => {
    const email = 'grace+waits@example.com'
    await stranger(server).auth.resend({ type: 'signup', email })
    await jobsDone()
    expect((await signUp(email, password, 'Grace Field')).error).toMatchObject(tooSoon)
    await minutePasses()
    await stranger(server).auth.resend({ type: 'signup', email })
    expect(await follow(await nextMessage(server, email))).toContain('access_token=')
    expect(await tries(email, password)).toBe('in')
  })
})

describe('a change of one’s own account', () => {
  test('holds where the email of another change in the same request is refused', async () => {
    const email = 'grace+both@example.com'
    const { client } = await newPerson(server, email)
    await raw(server, '/resend', { body: { type: 'email_change', email: 'grace+next@example.com' } })
    const chosen = 'Another-Word-1'
    const { error } = await client.auth.updateUser({ email: 'grace+next@example.com', password: chosen })
    expect(error).toMatchObject(tooSoon)
    expect([await tries(email, password), await tries(email, chosen)]).toEqual(['invalid_credentials', 'in'])
  })

  test('of address voids the links of an earlier one, although its own are not sent yet', async () => {
    const email = 'grace+owner@example.com'
    const { client } = await newPerson(server, email)
    const seen = await server.inbox()
    expect((await client.auth.updateUser({ email: 'sam+evil@example.com' })).error).toBeNull()
    const links = [
      await nextMessage(server, 'sam+evil@example.com', seen),
      await nextMessage(server, email, seen),
    ]
    const { error } = await client.auth.updateUser({ email: 'grace+own@example.com' })
    expect(error).toMatchObject(tooSoon)
    for (const link of links) expect(await follow(link)).toContain('otp_expired')
    expect((await client.auth.getUser()).data.user?.new_email).toBe('grace+own@example.com')
    await minutePasses()
    const before = await server.inbox()
    await client.auth.resend({ type: 'email_change', email })
    for (const to of ['grace+own@example.com', email]) await follow(await nextMessage(server, to, before))
    expect((await client.auth.getUser()).data.user?.email).toBe('grace+own@example.com')
  })
})
