// Second factors in the days after their first proof: a reset by e-mail removes one that somebody else added with a stolen
// token, and no other.
import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { forgetUsedCodes, newPerson, signIn, stillSignedIn } from './people.ts'
import { authServer, nextMessage, raw } from './project.ts'

/** A hook as projects have one: before the second step a token may do nothing. */
const HOOK = `
create function public.access_token(event jsonb) returns jsonb language sql as $$
  select case when event #>> '{claims,aal}' = 'aal1' and exists (
    select from auth.mfa_factors where user_id = (event ->> 'user_id')::uuid and status = 'verified')
  then jsonb_set(event, '{claims,role}', '"anon"') else event end
$$;
grant execute on function public.access_token to supabase_auth_admin;
grant select on auth.mfa_factors to supabase_auth_admin;`

const TOTP_ON = '[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true'
let server: TestServer
beforeAll(async () => {
  server = await authServer({
    auth: 'credential_change_max_age = "15m"',
    more: `${TOTP_ON}
[auth.email.notification.mfa_factor_unenrolled]
enabled = true
subject = "mfa_factor_unenrolled"
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/access_token"`,
  })
  await query(HOOK)
})
afterAll(() => server?.stop())

const query = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)

type Client = Awaited<ReturnType<typeof signIn>>['client']

/** Adds an authenticator app. */
async function enrol(client: Client, friendlyName = 'App') {
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName })
  const factorId = data?.id as string
  const code = () => new TOTP({ secret: Secret.fromBase32(data?.totp?.secret as string) }).generate()
  const prove = async () => {
    await forgetUsedCodes(server)
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code: code() })
    if (error) throw error
  }
  return { factorId, prove }
}

/** Follows an e-mail that was just asked for. */
async function comeByEmail(email: string, type: 'recovery' | 'magiclink') {
  const client = stranger(server)
  const seen = await server.inbox()
  const { error } = await (type === 'recovery'
    ? client.auth.resetPasswordForEmail(email)
    : client.auth.signInWithOtp({ email, options: { shouldCreateUser: false } }))
  if (error) throw error
  const { code: token } = await nextMessage(server, email, seen)
  const opened = await client.auth.verifyOtp({ email, token: token as string, type })
  if (opened.error) throw opened.error
  return client
}
const remove = async (client: Client, factorId: string) =>
  (await client.auth.mfa.unenroll({ factorId })).error?.code
const roleOf = async (client: Client) => (await client.auth.getClaims()).data?.claims.role

/** Somebody who has just signed in, whose token a thief uses. */
async function robbed(tag: string) {
  const email = `grace+${tag}@example.com`
  await newPerson(server, email)
  const { client: thief } = await signIn(server, email)
  return { email, thief }
}

test('a factor that a thief added goes by a reset by e-mail, with its sessions', async () => {
  const { email, thief } = await robbed('added')
  const { factorId, prove } = await enrol(thief)
  // It counts from its first proof, however long ago it was begun.
  await query(`update auth.mfa_factors set created_at = created_at - interval '30 days' where id = $1`, [
    factorId,
  ])
  await prove()
  const stolen = (await thief.auth.getSession()).data.session
  if (!stolen) throw new Error('no session')

  const owner = await comeByEmail(email, 'recovery')
  expect(await stillSignedIn(server, stolen)).toBe('AuthSessionMissingError')
  // The link alone opens nothing else.
  expect(await roleOf(owner)).toBe('anon')
  expect((await owner.auth.updateUser({ password: 'Prairie2026' })).error?.code).toBe('insufficient_aal')
  expect((await owner.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'B' })).error?.code).toBe(
    'insufficient_aal',
  )
  const [factor] = (await owner.auth.getUser()).data.user?.factors ?? []
  const until = Date.parse((factor as unknown as { provisional_until: string }).provisional_until)
  expect(Math.round((until - Date.now()) / 3_600_000)).toBe(168)

  const seen = await server.inbox()
  expect(await remove(owner, factorId)).toBeUndefined()
  expect((await nextMessage(server, email, seen)).subject).toBe('mfa_factor_unenrolled')
  await owner.auth.refreshSession()
  expect(await roleOf(owner)).toBe('authenticated')
  expect((await owner.auth.updateUser({ password: 'Prairie2026' })).error).toBeNull()
})

test('all factors that were added go, at the same moment, too', async () => {
  const { email, thief } = await robbed('two')
  const first = await enrol(thief, 'First')
  await first.prove()
  const second = await enrol(thief, 'Second')
  await second.prove()
  const owner = await comeByEmail(email, 'recovery')
  const codes = await Promise.all(
    [first, first, second, second].map(({ factorId }) => remove(owner, factorId)),
  )
  for (const code of codes) expect([undefined, 'mfa_factor_not_found']).toContain(code)
  expect((await owner.auth.getUser()).data.user?.factors ?? []).toEqual([])
  await owner.auth.refreshSession()
  expect(await roleOf(owner)).toBe('authenticated')
})

test('a reset of a PKCE flow removes it, too', async () => {
  const { email, thief } = await robbed('pkce')
  const { factorId, prove } = await enrol(thief)
  await prove()
  const seen = await server.inbox()
  const verifier = 'v'.repeat(56)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const flow = { code_challenge: challenge, code_challenge_method: 's256' }
  expect((await raw(server, '/recover', { body: { email, ...flow } })).status).toBe(200)
  const [link = ''] = (await nextMessage(server, email, seen)).links
  const location = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? ''
  const auth_code = new URL(location).searchParams.get('code')
  const { json } = await raw(server, '/token?grant_type=pkce', {
    body: { auth_code, code_verifier: verifier },
  })
  const bearer = json.access_token as string
  const removed = await raw(server, `/factors/${factorId}`, { method: 'DELETE', bearer })
  expect(removed.json).toEqual({ id: factorId })
})

describe('without the second step a factor stays', () => {
  test('for a session that no reset began, or one that did earlier', async () => {
    const { email, thief } = await robbed('stays')
    const { factorId, prove } = await enrol(thief)
    await prove()
    const { client: byPassword } = await signIn(server, email)
    const byLink = await comeByEmail(email, 'magiclink')
    for (const client of [byPassword, byLink]) expect(await remove(client, factorId)).toBe('insufficient_aal')
    const early = await comeByEmail(email, 'recovery')
    await query('update auth.factor_removal_sessions set expires_at = now()')
    expect(await remove(early, factorId)).toBe('insufficient_aal')

    // A week later a mailbox is no way around it.
    const late = await comeByEmail(email, 'recovery')
    await query('update auth.provisional_factors set until = now()')
    expect(await remove(late, factorId)).toBe('insufficient_aal')
    const { client: other } = await signIn(server, email)
    const later = await comeByEmail(email, 'recovery')
    expect(await remove(later, factorId)).toBe('insufficient_aal')
    // And opening the link signs out nobody then.
    expect((await other.auth.getUser()).error).toBeNull()
    const { data } = await later.auth.getUser()
    expect(data.user?.factors?.[0]).not.toHaveProperty('provisional_until')
  })

  test('where an older one exists', async () => {
    const { email, thief } = await robbed('older')
    const old = await enrol(thief, 'Old')
    await old.prove()
    await query('update auth.provisional_factors set until = now()')
    const added = await enrol(thief, 'Added')
    await added.prove()
    const owner = await comeByEmail(email, 'recovery')
    for (const { factorId } of [added, old]) expect(await remove(owner, factorId)).toBe('insufficient_aal')
  })
})

test('a project without the setting has no such factors', async () => {
  const plain = await authServer({
    more: TOTP_ON,
  })
  const { client } = await newPerson(plain, 'grace+plain@example.com')
  await (await enrol(client)).prove()
  const { rowCount } = await plain.database.pool.query('select from auth.provisional_factors')
  expect(rowCount).toBe(0)
  await plain.stop()
})
