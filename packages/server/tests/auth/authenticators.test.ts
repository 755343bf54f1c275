// Authenticators as second factors (factor_type webauthn) through the client: made, signed with, and what is refused.

import { type AuthError, createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { sendFrom } from '../support/together.ts'
import { Authenticator, type Faults, type Options } from './authenticator.ts'
import { newPerson, signIn } from './people.ts'
import { authServer, raw } from './project.ts'

let server: TestServer
const origin = 'https://meadowlark.example'
const more = `
[auth.webauthn]
rp_id = "meadowlark.example"
rp_origins = ["${origin}"]
[auth.mfa.web_authn]
enroll_enabled = true
verify_enabled = true
`
beforeAll(async () => {
  server = await authServer({ more })
})
afterAll(() => server?.stop())

type Challenge = { id: string; webauthn: { type: string; credential_options: { publicKey: Options } } }

async function challenge(bearer: string, factorId: string): Promise<Challenge> {
  return (await raw(server, `/factors/${factorId}/challenge`, { body: {}, bearer })).json as Challenge
}

const tokenOf = async (client: SupabaseClient) =>
  (await client.auth.getSession()).data.session?.access_token as string

/** Answers a new challenge, by hand: for answers that the client would not send. */
async function answer(
  client: SupabaseClient,
  factorId: string,
  authenticator: Authenticator,
  { faults = {}, type }: { faults?: Faults; type?: string } = {},
) {
  const bearer = await tokenOf(client)
  const asked = await challenge(bearer, factorId)
  const options = asked.webauthn.credential_options.publicKey
  const kind = type ?? asked.webauthn.type
  const response =
    kind === 'create' ? authenticator.create(options, faults) : authenticator.get(options, faults)
  const body = { challenge_id: asked.id, webauthn: { type: kind, credential_response: response } }
  const verify = () => raw(server, `/factors/${factorId}/verify`, { body, bearer })
  return { asked, verify, ...(await verify()) }
}

async function personWithKey(email: string) {
  const { client, session } = await newPerson(server, email)
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'Key' })
  if (error) throw error
  const authenticator = new Authenticator(origin)
  const made = await answer(client, data.id, authenticator)
  return { client, id: session.user.id, factor: data, authenticator, made }
}

test('is made, raises the session, and is signed with at the next sign-in', async () => {
  const email = 'grace+key@example.com'
  const { factor, authenticator, made } = await personWithKey(email)
  expect(factor).toMatchObject({ type: 'webauthn', friendly_name: 'Key' })
  expect(made.asked).toMatchObject({
    type: 'webauthn',
    expires_at: expect.any(Number),
    webauthn: {
      type: 'create',
      credential_options: { publicKey: { rp: { id: 'meadowlark.example' }, user: { name: email } } },
    },
  })
  expect(made.status).toBe(200)
  expect(made.json.user).toMatchObject({ factors: [{ factor_type: 'webauthn', status: 'verified' }] })
  expect(made.text).not.toContain('publicKey')

  const { client } = await signIn(server, email)
  const { data: before } = await client.auth.mfa.getAuthenticatorAssuranceLevel()
  expect(before).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
  expect((await client.auth.mfa.listFactors()).data?.webauthn).toMatchObject([{ id: factor.id }])
  const signed = await answer(client, factor.id, authenticator)
  expect(signed.asked.webauthn).toMatchObject({
    type: 'request',
    credential_options: { publicKey: { allowCredentials: [{ id: authenticator.id.toString('base64url') }] } },
  })
  const token = signed.json.access_token as string
  const { data } = await createClient(server.url, server.publishableKey, {
    auth: { persistSession: false },
  }).auth.getClaims(token)
  expect(data?.claims).toMatchObject({
    aal: 'aal2',
    amr: [{ method: 'mfa/webauthn' }, { method: 'password' }],
  })
  // The challenge is gone with its answer.
  expect((await signed.verify()).json.error_code).toBe('mfa_factor_not_found')
})

test('goes through the client’s own methods, with what a browser would hand them', async () => {
  const { client } = await newPerson(server, 'grace+client-key@example.com')
  const { webauthn } = client.auth.mfa
  const { data: factor } = await webauthn.enroll({ friendlyName: 'Key' })
  const factorId = factor?.id as string
  const authenticator = new Authenticator(origin)
  for (const type of ['create', 'request'] as const) {
    const party = { rpId: 'meadowlark.example', rpOrigins: [origin] }
    const { data } = await client.auth.mfa.challenge({ factorId, webauthn: party })
    expect(data).toMatchObject({ type: 'webauthn', webauthn: { type } })
    // The client has made bytes of the texts, as browsers take them.
    const { publicKey } = (data as never as Challenge).webauthn.credential_options
    const inText = (bytes: unknown) => Buffer.from(bytes as ArrayBuffer).toString('base64url')
    const options = {
      ...publicKey,
      challenge: inText(publicKey.challenge),
      ...(publicKey.user ? { user: { id: inText(publicKey.user.id) } } : {}),
    }
    const credential = { toJSON: () => authenticator[type === 'create' ? 'create' : 'get'](options) }
    const verified = await webauthn.verify({
      factorId,
      challengeId: data?.id as string,
      webauthn: { type, ...party, credential_response: credential as never },
    })
    expect(verified.error).toBeNull()
  }
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel).toBe('aal2')
})

test('signs in from a new device, however often somebody with the password has tried in vain', async () => {
  const email = 'grace+key-tried@example.com'
  const { factor, authenticator } = await personWithKey(email)
  const proof = async (from: string, bearer: string, faults: Faults) => {
    const headers = { apikey: server.publishableKey, authorization: `Bearer ${bearer}`, 'user-agent': from }
    const path = `/auth/v1/factors/${factor.id}`
    const { json } = await sendFrom(server.url, { path: `${path}/challenge`, headers, body: {}, from })
    const { id, webauthn } = json as unknown as Challenge
    const response = authenticator.get(webauthn.credential_options.publicKey, faults)
    const body = { challenge_id: id, webauthn: { type: 'request', credential_response: response } }
    return (await sendFrom(server.url, { path: `${path}/verify`, headers, body, from })).status
  }
  for (let nth = 0; nth < 6; nth++) {
    const bearer = await tokenOf((await signIn(server, email)).client)
    const tries = Array.from({ length: 10 }, () =>
      proof(`127.0.0.${30 + nth}`, bearer, { challenge: 'AAAA' }),
    )
    expect(await Promise.all(tries)).toEqual(Array(10).fill(400))
  }
  const bearer = await tokenOf((await signIn(server, email)).client)
  expect(await proof('127.0.0.36', bearer, {})).toBe(200)
})

test('is refused from elsewhere, for another, signed by another or by a copy, and is not made a second time', async () => {
  const email = 'grace+wrong-key@example.com'
  const { factor, authenticator } = await personWithKey(email)
  const { client } = await signIn(server, email)
  const other = new Authenticator(origin)
  const refused = async (options: { faults?: Faults; type?: string }, by = authenticator) => {
    const { status, json } = await answer(client, factor.id, by, options)
    return [status, json.error_code]
  }
  const failed = [400, 'webauthn_verification_failed']
  const faults: Faults[] = [
    { origin: 'https://example.net' },
    { rpId: 'example.net' },
    { challenge: 'AAAA' },
    { key: other.privateKey },
    { counter: 0 },
  ]
  // Counts are only compared once there is one.
  authenticator.counter = 5
  expect((await answer(client, factor.id, authenticator)).status).toBe(200)
  for (const fault of faults) expect(await refused({ faults: fault })).toEqual(failed)
  expect(await refused({}, other)).toEqual(failed)
  // With the password alone somebody else's key could otherwise be put in the place of the first.
  expect(await refused({ type: 'create' }, other)).toEqual([400, 'validation_failed'])
})

test('malformed answers, kinds that are switched off, and a person’s second key', async () => {
  const { client, factor, authenticator } = await personWithKey('grace+second-key@example.com')
  await client.auth.refreshSession()
  const { client: proved } = await signIn(server, 'grace+second-key@example.com')
  const { json } = await answer(proved, factor.id, authenticator)
  const bearer = json.access_token as string
  const second = await raw(server, '/factors', {
    body: { factor_type: 'webauthn', friendly_name: 'Other' },
    bearer,
  })
  const id = second.json.id as string
  const asked = await challenge(bearer, id)
  const { excludeCredentials } = asked.webauthn.credential_options.publicKey
  expect(excludeCredentials).toMatchObject([{ id: authenticator.id.toString('base64url') }])
  for (const [webauthn, words] of [
    [undefined, 'WebAuthn config required'],
    [{}, 'WebAuthn type must be create or request'],
    [{ type: 'create' }, 'credential_response required'],
    [{ type: 'create', credential_response: {} }, 'Credential verification failed'],
    [{ type: 'create', credential_response: { id: 'x', response: 7 } }, 'Credential verification failed'],
  ] as const) {
    const { status, json } = await raw(server, `/factors/${id}/verify`, {
      body: { challenge_id: asked.id, webauthn },
      bearer,
    })
    expect([status, json.msg]).toEqual([400, words])
  }
  const totp = await client.auth.mfa.enroll({ factorType: 'totp' })
  expect((totp.error as AuthError).code).toBe('mfa_totp_enroll_not_enabled')
})
