// Changes of how an account is signed in to, where config.toml asks for a recent sign-in. Tests the limits of a
// stolen token, how the owner proves their identity once more, and that each change is mailed to them.
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type Issuer, startIssuer } from '../support/issuer.ts'
import type { TestServer } from '../support/server.ts'
import { Authenticator, type Options } from './authenticator.ts'
import { forgetUsedCodes, newPerson, password, signIn } from './people.ts'
import { authServer, nextMessage, raw } from './project.ts'

let server: TestServer
let issuer: Issuer
const origin = 'https://meadowlark.example'
const KINDS =
  'password_changed email_changed phone_changed identity_linked identity_unlinked passkey_added passkey_removed mfa_factor_enrolled mfa_factor_unenrolled'

beforeAll(async () => {
  const port = await freePort()
  issuer = await startIssuer(`http://localhost:${port}/auth/v1/callback`)
  server = await authServer({
    auth: 'enable_manual_linking = true\ncredential_change_max_age = "15m"',
    email: 'require_current_password = true',
    more: `
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.passkey]
enabled = true
[auth.webauthn]
rp_id = "meadowlark.example"
rp_origins = ["${origin}"]
[auth.external.google]
enabled = true
client_id = "${issuer.clientId}"
secret = "${issuer.clientSecret}"
url = "${issuer.url}"
${KINDS.split(' ')
  .map((kind) => `[auth.email.notification.${kind}]\nenabled = true\nsubject = "${kind}"`)
  .join('\n')}
`,
    options: { env: { PORT: String(port) } },
  })
})
afterAll(async () => {
  await server?.stop()
  await issuer?.stop()
})

/** Somebody whose sign-in is `minutes` old. */
async function signedInFor(email: string, minutes: number) {
  await newPerson(server, email)
  const { session } = await signIn(server, email)
  const client = createClient(server.url, server.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false, experimental: { passkey: true } },
  })
  await client.auth.setSession(session)
  await age(session.user.id, minutes)
  return { client, id: session.user.id, session }
}
const age = (userId: string, minutes: number) =>
  server.database.pool.query(
    `update auth.mfa_amr_claims set updated_at = updated_at - $2 * interval '1 minute'
     where session_id in (select id from auth.sessions where user_id = $1)`,
    [userId, minutes],
  )
const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate()
const idToken = (tag: string) =>
  issuer.idToken({
    sub: tag,
    email: `grace+${tag}@work.example`,
    email_verified: true,
    jti: crypto.randomUUID(),
  })
const tokenOf = async (client: SupabaseClient) =>
  (await client.auth.getSession()).data.session?.access_token as string

/** Every change of how the account is signed in to, by its request. */
async function changes(
  client: SupabaseClient,
  id: string,
): Promise<[method: string, path: string, body: object][]> {
  const { rows } = await server.database.pool.query<{ id: string }>(
    `insert into auth.webauthn_credentials (user_id, credential_id, public_key)
     values ($1, decode(md5($2), 'hex'), '') on conflict (credential_id) do update set updated_at = now()
     returning id`,
    [id, id],
  )
  const { data } = await client.auth.getUserIdentities()
  return [
    ['PUT', '/user', { password: 'Prairie2026' }],
    ['PUT', '/user', { email: `grace+${id}@example.com` }],
    ['PUT', '/user', { phone: '+13065550144' }],
    ['POST', '/factors', { factor_type: 'totp', friendly_name: 'Mine' }],
    ['POST', '/passkeys/registration/options', {}],
    ['POST', '/passkeys/registration/verify', { challenge_id: id, credential: {} }],
    ['DELETE', `/passkeys/${rows[0]?.id}`, {}],
    ['DELETE', `/user/identities/${data?.identities[0]?.identity_id}`, {}],
    ['GET', '/user/identities/authorize?provider=google&skip_http_redirect=true', {}],
    [
      'POST',
      '/token?grant_type=id_token',
      { id_token: await idToken(id), provider: 'google', link_identity: true },
    ],
  ]
}

test('a token whose sign-in is too old changes nothing, also after a refresh', async () => {
  const { client, id } = await signedInFor('grace+old@example.com', 16)
  expect((await client.auth.refreshSession()).error).toBeNull()
  const bearer = await tokenOf(client)
  for (const [method, path, body] of await changes(client, id)) {
    const given = method === 'GET' ? {} : { body }
    const { status, json } = await raw(server, path, { method, bearer, ...given })
    expect([method, path, status, json.error_code ?? json.error]).toEqual([
      ...[method, path, 400, 'reauthentication_needed'],
    ])
  }
  // Naming a credential, or changing other data of the account, changes no credential.
  expect((await client.auth.updateUser({ data: { theme: 'dark' } })).error).toBeNull()
  const { rows } = await server.database.pool.query(
    'select friendly_name from auth.mfa_factors where user_id = $1',
    [id],
  )
  expect(rows).toEqual([])
})

test('a verified factor is not removed, and one that was begun earlier is not proved', async () => {
  const email = 'grace+factor@example.com'
  const { client, id } = await signedInFor(email, 0)
  const begin = async (friendlyName: string) => {
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName })
    return { factorId: data?.id as string, secret: data?.totp.secret as string }
  }
  const first = await begin('First')
  await age(id, 16)
  const proof = { factorId: first.factorId, code: codeOf(first.secret) }
  expect((await client.auth.mfa.challengeAndVerify(proof)).error?.code).toBe('reauthentication_needed')
  // An unfinished enrolment can be cancelled at any time.
  expect((await client.auth.mfa.unenroll({ factorId: first.factorId })).error).toBeNull()
  await raw(server, '/reauthenticate', { body: { password }, bearer: await tokenOf(client) })
  const second = await begin('Second')
  const code = codeOf(second.secret)
  expect((await client.auth.mfa.challengeAndVerify({ factorId: second.factorId, code })).error).toBeNull()
  await age(id, 16)
  const gone = await client.auth.mfa.unenroll({ factorId: second.factorId })
  expect(gone.error?.code).toBe('reauthentication_needed')
  // To prove it once more is a recent sign-in, too.
  await forgetUsedCodes(server)
  const again = await client.auth.mfa.challengeAndVerify({
    factorId: second.factorId,
    code: codeOf(second.secret),
  })
  expect(again.error).toBeNull()
  expect((await client.auth.mfa.unenroll({ factorId: second.factorId })).error).toBeNull()
})

describe('the owner goes on', () => {
  const registers = async (client: SupabaseClient) =>
    (await client.auth.passkey.startRegistration()).error?.code

  test('with the password, in the same session', async () => {
    const email = 'grace+again@example.com'
    const { client, id } = await signedInFor(email, 16)
    const bearer = await tokenOf(client)
    const prove = (body: object) => raw(server, '/reauthenticate', { body, bearer })
    for (const [body, code] of [
      [{ password: 'Prairie2026' }, 'invalid_credentials'],
      [{ nonce: '000000' }, 'reauthentication_not_valid'],
      [{ password, nonce: '000000' }, 'validation_failed'],
      [{}, 'validation_failed'],
    ] as const) {
      const { status, json } = await prove(body)
      expect([body, status === 400 || status === 422, json.error_code]).toEqual([body, true, code])
    }
    expect(await registers(client)).toBe('reauthentication_needed')
    expect([(await prove({ password })).status, await registers(client)]).toEqual([200, undefined])
    // The token says so after a refresh, to the project's own rules.
    await client.auth.refreshSession()
    const { data } = await client.auth.getClaims()
    const [newest] = (data?.claims.amr ?? []) as { method: string; timestamp: number }[]
    expect(newest?.method).toBe('password')
    expect(newest?.timestamp).toBeGreaterThan(Date.now() / 1000 - 600)
    await age(id, 16)
    expect(await registers(client)).toBe('reauthentication_needed')
  })

  test('with a code from their e-mail, where there is no password, once', async () => {
    const email = 'grace+code@example.com'
    const { client, id } = await signedInFor(email, 16)
    await server.database.pool.query('update auth.users set encrypted_password = null where id = $1', [id])
    const bearer = await tokenOf(client)
    expect((await raw(server, '/reauthenticate', { body: { password }, bearer })).status).toBe(400)
    const seen = await server.inbox()
    await client.auth.reauthenticate()
    const { code } = await nextMessage(server, email, seen)
    const prove = () => raw(server, '/reauthenticate', { body: { nonce: code }, bearer })
    expect([(await prove()).status, (await prove()).json.error_code, await registers(client)]).toEqual([
      ...[200, 'reauthentication_not_valid', undefined],
    ])
    expect((await client.auth.updateUser({ password: 'Prairie2026' })).error).toBeNull()
  })

  test('with a code that comes along with a new address, or the password with a new one', async () => {
    const email = 'grace+along@example.com'
    const { client, id } = await signedInFor(email, 16)
    const wrong = await client.auth.updateUser({ email: 'grace+next@example.com', nonce: '000000' } as never)
    expect(wrong.error?.code).toBe('reauthentication_not_valid')
    const seen = await server.inbox()
    await client.auth.reauthenticate()
    const { code: nonce } = await nextMessage(server, email, seen)
    const moved = await client.auth.updateUser({ email: 'grace+next@example.com', nonce } as never)
    expect(moved.error).toBeNull()
    await age(id, 16)
    const guess = await client.auth.updateUser({ password: 'Prairie2026', current_password: 'Prairie2027' })
    expect(guess.error?.code).toBe('current_password_invalid')
    const next = await client.auth.updateUser({ password: 'Prairie2026', current_password: password })
    expect(next.error).toBeNull()
  })

  test('with a code that leaves the links of a waiting change of address valid', async () => {
    const email = 'grace+waiting@example.com'
    const { client } = await signedInFor(email, 0)
    const seen = await server.inbox()
    expect((await client.auth.updateUser({ email: 'grace+moved@example.com' })).error).toBeNull()
    const { code: token } = await nextMessage(server, email, seen)
    const later = await server.inbox()
    await client.auth.reauthenticate()
    const { code: nonce } = await nextMessage(server, email, later)
    const proved = await raw(server, '/reauthenticate', { body: { nonce }, bearer: await tokenOf(client) })
    expect(proved.status).toBe(200)
    const { error } = await client.auth.verifyOtp({ email, token: token as string, type: 'email_change' })
    expect(error).toBeNull()
  })

  test('not with a session that a code began long ago', async () => {
    const email = 'grace+signup@example.com'
    const { client, session } = await newPerson(server, email)
    await age(session.user.id, 16)
    const { error } = await client.auth.updateUser({ password: 'Prairie2026' })
    expect(error?.code).toBe('reauthentication_needed')
    await raw(server, '/reauthenticate', { body: { password }, bearer: session.access_token })
    expect((await client.auth.updateUser({ password: 'Prairie2026' })).error).toBeNull()
  })

  test('ten passwords or codes at a time, then nobody does', async () => {
    const { client } = await signedInFor('grace+tries@example.com', 16)
    const bearer = await tokenOf(client)
    const tries = async (body: object, count: number) => {
      const answers = await Promise.all(
        Array.from({ length: count }, () => raw(server, '/reauthenticate', { body, bearer })),
      )
      return answers.filter(({ status }) => status === 429).length
    }
    expect(await tries({ nonce: '000000' }, 14)).toBe(4)
    expect(await tries({ password: 'Prairie2026' }, 33)).toBe(3)
  })
})

test('each change is mailed to the owner', async () => {
  const email = 'grace+mailed@example.com'
  const { client } = await signedInFor(email, 0)
  const mailed = async (change: () => Promise<{ error: unknown }>) => {
    const seen = await server.inbox()
    expect((await change()).error).toBeNull()
    const { subject, text } = await nextMessage(server, email, seen)
    return [subject, text.includes(email)]
  }
  const { passkey } = client.auth
  let passkeyId = ''
  const added = await mailed(async () => {
    const { data: begun } = await passkey.startRegistration()
    const credential = new Authenticator(origin).create(begun?.options as Options) as never
    const made = await passkey.verifyRegistration({ challengeId: begun?.challenge_id as string, credential })
    passkeyId = made.data?.id ?? ''
    return made
  })
  expect(added).toEqual(['passkey_added', true])
  expect(await mailed(() => passkey.delete({ passkeyId }))).toEqual(['passkey_removed', true])
  const token = await idToken('mailed')
  expect((await mailed(() => client.auth.linkIdentity({ provider: 'google', token })))[0]).toBe(
    'identity_linked',
  )
  // A project that confirms no phone numbers changes one at once.
  const { rows } = await server.database.pool.query<{ phone: string | null }>(
    'select phone from auth.users where email = $1',
    [email],
  )
  expect(rows).toEqual([{ phone: null }])
  expect((await mailed(() => client.auth.updateUser({ phone: '+13065550155' })))[0]).toBe('phone_changed')
  const { data } = await client.auth.getUserIdentities()
  const google = data?.identities.find(({ provider }) => provider === 'google')
  if (!google) throw new Error('no identity')
  expect((await mailed(() => client.auth.unlinkIdentity(google)))[0]).toBe('identity_unlinked')
})
