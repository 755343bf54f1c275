// Passkeys through the client and an authenticator in software: registering, signing in, managing them; and what is refused.
import { type AuthError, createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { Authenticator, type Faults, type Options } from './authenticator.ts'
import { newPerson } from './people.ts'
import { authServer, raw } from './project.ts'

let server: TestServer
const origin = 'https://meadowlark.example'

const more = `
[auth.passkey]
enabled = true
[auth.webauthn]
rp_id = "meadowlark.example"
rp_display_name = "Meadowlark"
rp_origins = ["${origin}"]
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
`
beforeAll(async () => {
  server = await authServer({ more })
})
afterAll(() => server?.stop())

/** A client with the passkey methods, which are experimental. */
const client = (key = server.publishableKey) =>
  createClient(server.url, key, {
    auth: { persistSession: false, autoRefreshToken: false, experimental: { passkey: true } },
  })

async function person(email: string) {
  const { session } = await newPerson(server, email)
  const own = client()
  await own.auth.setSession(session)
  return { own, id: session.user.id, session }
}

async function registered(
  own: SupabaseClient,
  authenticator = new Authenticator(origin),
  faults: Faults = {},
) {
  const { data: begun, error: refused } = await own.auth.passkey.startRegistration()
  if (refused) throw refused
  const credential = authenticator.create(begun.options as Options, faults)
  const { data, error } = await own.auth.passkey.verifyRegistration({
    challengeId: begun.challenge_id,
    credential: credential as never,
  })
  return { authenticator, options: begun.options as Options, data, error }
}

async function signIn(authenticator: Authenticator, faults: Faults = {}) {
  const stranger = client()
  const { data: begun } = await stranger.auth.passkey.startAuthentication()
  const credential = authenticator.get(begun?.options as Options, faults)
  const answer = { challengeId: begun?.challenge_id as string, credential: credential as never }
  const { data, error } = await stranger.auth.passkey.verifyAuthentication(answer)
  return { stranger, answer, data, error, code: error && refusal(error)[1] }
}

/** Status, code and message. */
const refusal = (error: unknown) => {
  const { status, code, message } = error as AuthError
  return [status, code, message]
}

test('is registered, signs in without a name, and is listed, named and removed', async () => {
  const { own, id } = await person('grace+passkey@example.com')
  const { authenticator, options, data, error } = await registered(own)
  expect(error).toBeNull()
  expect(data).toEqual({ id: expect.any(String), created_at: expect.any(String) })
  expect(options).toMatchObject({
    rp: { id: 'meadowlark.example', name: 'Meadowlark' },
    user: { name: 'grace+passkey@example.com' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  })
  // The authenticator names its person by the account's id.
  expect(Buffer.from(options.user?.id ?? '', 'base64url').toString()).toBe(id)

  const signedIn = await signIn(authenticator)
  expect(signedIn.data?.user?.id).toBe(id)
  const claims = (await signedIn.stranger.auth.getClaims()).data?.claims
  expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'passkey' }] })

  const passkeyId = data?.id as string
  const renamed = await own.auth.passkey.update({ passkeyId, friendlyName: 'Laptop' })
  expect(renamed.data).toMatchObject({ id: passkeyId, friendly_name: 'Laptop' })
  expect((await own.auth.passkey.list()).data).toEqual([
    {
      id: passkeyId,
      friendly_name: 'Laptop',
      created_at: expect.any(String),
      last_used_at: expect.any(String),
    },
  ])
  const again = (await own.auth.passkey.startRegistration()).data?.options as Options
  expect(again.excludeCredentials?.map((each) => each.id)).toEqual([authenticator.id.toString('base64url')])
  expect((await own.auth.passkey.delete({ passkeyId })).error).toBeNull()
  expect((await own.auth.passkey.list()).data).toEqual([])
  expect((await signIn(authenticator)).code).toBe('webauthn_verification_failed')
})

test('its public settings say that there are passkeys', async () => {
  expect((await raw(server, '/settings')).json).toMatchObject({ passkeys_enabled: true })
})

describe('a sign-in is refused', () => {
  test('from elsewhere, for another, signed by another, as somebody else, or by a copy', async () => {
    const { own } = await person('grace+refused-passkey@example.com')
    const { authenticator } = await registered(own)
    expect((await signIn(authenticator)).error).toBeNull()
    const faults: Faults[] = [
      { origin: 'https://meadowlark.example.net' },
      { rpId: 'example.net' },
      { challenge: 'AAAA' },
      { type: 'webauthn.create' },
      { key: new Authenticator(origin).privateKey },
      { userHandle: Buffer.from(crypto.randomUUID()).toString('base64url') },
      { userHandle: '' },
      // A key that anybody may touch who has found it.
      { unverified: true },
      // A copy of the authenticator, whose count is behind.
      { counter: 1 },
    ]
    for (const fault of faults) {
      const { error } = await signIn(authenticator, fault)
      expect([fault, ...refusal(error)]).toEqual([
        fault,
        400,
        'webauthn_verification_failed',
        'Credential verification failed',
      ])
    }
    expect((await signIn(authenticator)).error).toBeNull()
  })

  test('the second time with the same answer, also when both are sent at once', async () => {
    const { own } = await person('grace+replay@example.com')
    const { authenticator } = await registered(own)
    const { stranger, answer } = await signIn(authenticator)
    const replayed = await stranger.auth.passkey.verifyAuthentication(answer)
    expect(refusal(replayed.error).slice(0, 2)).toEqual([400, 'webauthn_challenge_not_found'])
    const { data: begun } = await stranger.auth.passkey.startAuthentication()
    const credential = authenticator.get(begun?.options as Options) as never
    const body = { challenge_id: begun?.challenge_id, credential }
    const both = await Promise.all(
      Array.from({ length: 5 }, () => raw(server, '/passkeys/authentication/verify', { body })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
  })

  test('after five minutes, and to banned people', async () => {
    const { own, id } = await person('grace+late@example.com')
    const { authenticator } = await registered(own)
    const { pool } = server.services.database
    const { data: begun } = await own.auth.passkey.startAuthentication()
    await pool.query(`update auth.webauthn_challenges set expires_at = now() - interval '1 second'`)
    const late = await own.auth.passkey.verifyAuthentication({
      challengeId: begun?.challenge_id as string,
      credential: authenticator.get(begun?.options as Options) as never,
    })
    expect(refusal(late.error)[1]).toBe('webauthn_challenge_expired')
    await pool.query(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [id])
    expect((await signIn(authenticator)).code).toBe('user_banned')
  })

  test('malformed in any way, with a sentence and no fault of the server', async () => {
    const begin = async () => (await client().auth.passkey.startAuthentication()).data?.challenge_id
    const { own } = await person('grace+malformed@example.com')
    const { authenticator } = await registered(own)
    const id = authenticator.id.toString('base64url')
    const credentials: unknown[] = [
      {},
      { id },
      { id, response: null },
      { id, response: [] },
      { id, rawId: id, type: 'public-key', response: { userHandle: 7 } },
      { id, rawId: id, type: 'public-key', response: { clientDataJSON: '{}', userHandle: 'AA' } },
    ]
    for (const credential of credentials) {
      const body = { challenge_id: await begin(), credential }
      const { status, json } = await raw(server, '/passkeys/authentication/verify', { body })
      expect([status, json.error_code]).toEqual([400, 'webauthn_verification_failed'])
    }
    for (const [body, words] of [
      [{}, 'challenge_id is required'],
      [{ challenge_id: 'x' }, 'credential is required'],
      [{ challenge_id: 'x', credential: {} }, 'challenge_id must be a valid UUID'],
    ] as const) {
      const { status, json } = await raw(server, '/passkeys/authentication/verify', { body })
      expect([status, json.error_code, json.msg]).toEqual([400, 'validation_failed', words])
    }
    const list = await raw(server, '/passkeys/authentication/verify', {
      body: { challenge_id: await begin(), credential: [] },
    })
    expect(list.json.error_code).toBe('bad_json')
  })
})

describe('a registration is refused', () => {
  test('from another origin, for another relying party, in somebody else’s name, or of what is registered', async () => {
    const grace = await person('grace+registration@example.com')
    const theo = await person('theo+registration@example.com')
    for (const faults of [
      { origin: 'https://example.net' },
      { rpId: 'example.net' },
      { challenge: 'AAAA' },
      { unverified: true },
    ]) {
      const { error } = await registered(grace.own, new Authenticator(origin), faults)
      expect(refusal(error)[1]).toBe('webauthn_verification_failed')
    }
    const { authenticator } = await registered(grace.own)
    const taken = await registered(theo.own, authenticator)
    expect(refusal(taken.error).slice(0, 2)).toEqual([422, 'webauthn_credential_exists'])
    const { data: begun } = await grace.own.auth.passkey.startRegistration()
    const credential = new Authenticator(origin).create(begun?.options as Options)
    const stolen = await theo.own.auth.passkey.verifyRegistration({
      challengeId: begun?.challenge_id as string,
      credential: credential as never,
    })
    expect(refusal(stolen.error)[1]).toBe('webauthn_challenge_not_found')
    // Nor does a challenge of a sign-in make one.
    const { data: asked } = await theo.own.auth.passkey.startAuthentication()
    const swapped = await theo.own.auth.passkey.verifyRegistration({
      challengeId: asked?.challenge_id as string,
      credential: new Authenticator(origin).create(asked?.options as Options) as never,
    })
    expect(refusal(swapped.error)[1]).toBe('webauthn_challenge_not_found')
  })

  test('beyond ten, and while a second factor is still to be proved', async () => {
    const { own, session } = await person('grace+ten@example.com')
    await server.services.database.pool.query(
      `insert into auth.webauthn_credentials (user_id, credential_id, public_key)
       select $1, decode(md5(n::text), 'hex'), '' from generate_series(1, 10) n`,
      [session.user.id],
    )
    const { error } = await own.auth.passkey.startRegistration()
    expect([error?.status, refusal(error)[1]]).toEqual([422, 'too_many_passkeys'])
    await server.services.database.pool.query(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
      [session.user.id],
    )
    const half = await own.auth.passkey.startRegistration()
    expect([half.error?.status, refusal(half.error)[1]]).toEqual([403, 'insufficient_aal'])
    const { data: passkeys } = await own.auth.passkey.list()
    const gone = await own.auth.passkey.delete({ passkeyId: passkeys?.[0]?.id as string })
    expect(refusal(gone.error)[1]).toBe('insufficient_aal')
  })

  test('to people who sign in with a company’s account', async () => {
    const { own, session } = await person('grace+company@example.com')
    const { data: begun } = await own.auth.passkey.startRegistration()
    await server.services.database.pool.query('update auth.users set is_sso_user = true where id = $1', [
      session.user.id,
    ])
    const { error } = await own.auth.passkey.startRegistration()
    const late = await own.auth.passkey.verifyRegistration({
      challengeId: begun?.challenge_id as string,
      credential: new Authenticator(origin).create(begun?.options as Options) as never,
    })
    const words = [422, 'validation_failed', 'SSO users cannot register passkeys']
    expect([refusal(error), refusal(late.error)]).toEqual([words, words])
  })
})

test('others’ passkeys are neither named nor removed; administrators list and remove them', async () => {
  const grace = await person('grace+others@example.com')
  const theo = await person('theo+others@example.com')
  const { data } = await registered(grace.own)
  const passkeyId = data?.id as string
  for (const { error } of [
    await theo.own.auth.passkey.update({ passkeyId, friendlyName: 'Mine' }),
    await theo.own.auth.passkey.delete({ passkeyId }),
  ])
    expect([error?.status, error?.message]).toEqual([404, 'Passkey not found'])
  for (const friendlyName of ['', 'x'.repeat(121)])
    expect((await grace.own.auth.passkey.update({ passkeyId, friendlyName })).error?.status).toBe(400)

  const admin = client(server.secretKey).auth.admin.passkey
  expect((await admin.listPasskeys({ userId: grace.id })).data).toMatchObject([{ id: passkeyId }])
  expect((await admin.deletePasskey({ userId: theo.id, passkeyId })).error?.status).toBe(404)
  expect((await admin.deletePasskey({ userId: grace.id, passkeyId })).error).toBeNull()
  expect((await admin.listPasskeys({ userId: grace.id })).data).toEqual([])
})
