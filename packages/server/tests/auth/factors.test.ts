// Second factors through the client: authenticator apps and phones, what a proved one gives and ends, and guesses.

import type { SupabaseClient } from '@supabase/supabase-js'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { sendFrom, together } from '../support/together.ts'
import { forgetUsedCodes, newPerson, password, signIn, stillSignedIn } from './people.ts'
import { authServer, nextMessage, raw } from './project.ts'

let server: TestServer

const mfa = `
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
max_frequency = "0s"
`
beforeAll(async () => {
  server = await authServer({ more: mfa })
})
afterAll(() => server?.stop())

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate()
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

async function enrolled(client: SupabaseClient, friendlyName = 'Phone app') {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName })
  if (error) throw error
  return { id: data.id, secret: data.totp.secret, totp: data.totp, code: () => codeOf(data.totp.secret) }
}

/** A person with an authenticator app, in a session that has proved it. */
async function personWithFactor(email: string) {
  const person = await newPerson(server, email)
  const factor = await enrolled(person.client)
  const { data, error } = await person.client.auth.mfa.challengeAndVerify({
    factorId: factor.id,
    code: factor.code(),
  })
  if (error) throw error
  return { ...person, factor, raised: data }
}

describe('an authenticator app', () => {
  test('is enrolled, proved, and raises the session; the client gets an event', async () => {
    const { client } = await newPerson(server, 'grace+app@example.com')
    const { id, totp, code } = await enrolled(client)
    expect(totp.secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(totp.uri).toContain(`secret=${totp.secret}`)
    expect(new URL(totp.uri).searchParams.get('period')).toBe('30')
    expect(totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg[^#]*<\/svg>$/)
    const before = await client.auth.mfa.getAuthenticatorAssuranceLevel()
    expect(before.data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal1' })

    const heard: string[] = []
    client.auth.onAuthStateChange((event) => void heard.push(event))
    const challenge = await client.auth.mfa.challenge({ factorId: id })
    expect(challenge.data).toMatchObject({ type: 'totp', expires_at: expect.any(Number) })
    const { data, error } = await client.auth.mfa.verify({
      factorId: id,
      challengeId: challenge.data?.id as string,
      code: code(),
    })
    expect(error).toBeNull()
    expect(data?.user.factors).toEqual([
      expect.objectContaining({ id, factor_type: 'totp', status: 'verified' }),
    ])
    expect(JSON.stringify(data)).not.toContain(totp.secret)
    expect(heard).toContain('MFA_CHALLENGE_VERIFIED')
    const after = await client.auth.mfa.getAuthenticatorAssuranceLevel()
    expect(after.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect(after.data?.currentAuthenticationMethods.map((one) => (one as { method: string }).method)).toEqual(
      ['totp', 'otp'],
    )
    const { data: list } = await client.auth.mfa.listFactors()
    expect(list?.totp.map((one) => one.friendly_name)).toEqual(['Phone app'])
  })

  test('stays proved after a refresh, and is asked for again after the next sign-in', async () => {
    const { client, raised } = await personWithFactor('grace+refresh@example.com')
    const refreshed = await client.auth.refreshSession({ refresh_token: raised.refresh_token })
    expect(refreshed.error).toBeNull()
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel).toBe('aal2')
    const elsewhere = await signIn(server, 'grace+refresh@example.com')
    const level = await elsewhere.client.auth.mfa.getAuthenticatorAssuranceLevel()
    expect(level.data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
  })

  test('ends the sessions that have not proved it, and the refresh token from before', async () => {
    const email = 'grace+others@example.com'
    const { client, session } = await newPerson(server, email)
    const other = await signIn(server, email)
    const factor = await enrolled(client)
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: factor.code() })
    expect(error).toBeNull()
    expect(await stillSignedIn(server, other.session)).toBe('AuthSessionMissingError')
    const old = await stranger(server).auth.refreshSession({ refresh_token: session.refresh_token })
    expect(old.error?.code).toBe('refresh_token_not_found')
    // Whoever holds the old token has not ended the person's session by trying it.
    expect((await client.auth.refreshSession()).error).toBeNull()
  })

  test('a password, an address or another factor takes it', async () => {
    const email = 'grace+needs@example.com'
    const { factor } = await personWithFactor(email)
    const { client } = await signIn(server, email)
    for (const change of [{ password: 'Meadowlark2' }, { email: 'grace+needs-new@example.com' }]) {
      const { error } = await client.auth.updateUser(change)
      expect([error?.status, error?.code, error?.message]).toEqual([
        401,
        'insufficient_aal',
        'AAL2 session is required to update email or password when MFA is enabled.',
      ])
    }
    const second = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Another' })
    expect([second.error?.status, second.error?.message]).toEqual([
      403,
      'AAL2 required to enroll a new factor',
    ])
    const gone = await client.auth.mfa.unenroll({ factorId: factor.id })
    expect([gone.error?.status, gone.error?.code]).toEqual([422, 'insufficient_aal'])
    await forgetUsedCodes(server)
    await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: factor.code() })
    expect((await client.auth.updateUser({ password: 'Meadowlark2' })).error).toBeNull()
  })

  test('is given up in a session that proved it, and sessions are worth less from then on', async () => {
    const email = 'grace+unenrol@example.com'
    const { client, factor } = await personWithFactor(email)
    const { data } = await client.auth.mfa.unenroll({ factorId: factor.id })
    expect(data).toEqual({ id: factor.id })
    await client.auth.refreshSession()
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal1',
    })
    expect((await client.auth.mfa.listFactors()).data?.all).toEqual([])
  })
})

describe('refusals', () => {
  test('names that are taken, kinds that there are not, factors of others', async () => {
    const { client, session } = await newPerson(server, 'grace+refused@example.com')
    const factor = await enrolled(client, 'Taken')
    const again = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Taken' })
    expect([again.error?.status, again.error?.code, again.error?.message]).toEqual([
      422,
      'mfa_factor_name_conflict',
      'A factor with the friendly name "Taken" for this user already exists',
    ])
    const bearer = session.access_token
    const odd = await raw(server, '/factors', { body: { factor_type: 'smoke' }, bearer })
    expect([odd.status, odd.json.msg]).toEqual([400, 'factor_type needs to be totp, phone, or webauthn'])
    const webauthn = await raw(server, '/factors', { body: { factor_type: 'webauthn' }, bearer })
    expect([webauthn.status, webauthn.json.error_code]).toEqual([422, 'mfa_webauthn_enroll_not_enabled'])
    const notAnId = await raw(server, '/factors/1/challenge', { body: {}, bearer })
    expect([notAnId.status, notAnId.json.msg]).toEqual([404, 'factor_id must be an UUID'])

    const theo = await newPerson(server, 'theo+refused@example.com')
    for (const [method, path] of [
      ['POST', `/factors/${factor.id}/challenge`],
      ['POST', `/factors/${factor.id}/verify`],
      ['DELETE', `/factors/${factor.id}`],
    ] as const) {
      const body = method === 'POST' ? { code: factor.code(), challenge_id: factor.id } : undefined
      const { status, json } = await raw(server, path, { method, body, bearer: theo.session.access_token })
      expect([status, json.error_code]).toEqual([404, 'mfa_factor_not_found'])
    }
  })

  test('challenges that were used, have expired, began elsewhere, or belong to another factor', async () => {
    const { client, factor } = await personWithFactor('grace+challenges@example.com')
    const { pool } = server.services.database
    const verify = async (challengeId: string) => {
      await forgetUsedCodes(server)
      const { error } = await client.auth.mfa.verify({
        factorId: factor.id,
        challengeId,
        code: factor.code(),
      })
      return error?.code
    }
    const begin = async () => (await client.auth.mfa.challenge({ factorId: factor.id })).data?.id as string
    const used = await begin()
    expect([await verify(used), await verify(used)]).toEqual([undefined, 'mfa_ip_address_mismatch'])
    const elsewhere = await begin()
    await pool.query(`update auth.mfa_challenges set ip_address = '192.0.2.1' where id = $1`, [elsewhere])
    expect(await verify(elsewhere)).toBe('mfa_ip_address_mismatch')
    const late = await begin()
    await pool.query(
      `update auth.mfa_challenges set created_at = now() - interval '301 seconds' where id = $1`,
      [late],
    )
    expect([await verify(late), await verify(late)]).toEqual([
      'mfa_challenge_expired',
      'mfa_factor_not_found',
    ])
    expect(await verify(factor.id)).toBe('mfa_factor_not_found')
    expect(await verify('no id')).toBe('bad_json')
  })

  test('a code that was accepted before, though both are sent at the same moment', async () => {
    const email = 'grace+once@example.com'
    const { factor, raised } = await personWithFactor(email)
    const devices = [await signIn(server, email), await signIn(server, email)]
    const proofOf = async (bearer: string, code: string) => {
      const begun = await raw(server, `/factors/${factor.id}/challenge`, { body: {}, bearer })
      return {
        path: `/auth/v1/factors/${factor.id}/verify`,
        headers: { apikey: server.publishableKey, authorization: `Bearer ${bearer}` },
        body: { challenge_id: begun.json.id, code },
      }
    }
    const bearers = devices.map(({ session }) => session.access_token)
    await forgetUsedCodes(server)
    const code = factor.code()
    const proofs = await Promise.all(bearers.map((bearer) => proofOf(bearer, code)))
    const answers = await together(server.url, proofs)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    const late = await sendFrom(server.url, await proofOf(raised.access_token, code))
    expect([late.status, late.json.msg]).toEqual([422, 'This TOTP code was already used'])
    // Nor is an older one, once a newer one was.
    const older = new TOTP({ secret: Secret.fromBase32(factor.secret) }).generate({
      timestamp: Date.now() - 30_000,
    })
    const early = await sendFrom(server.url, await proofOf(raised.access_token, older))
    expect([early.status, early.json.error_code]).toEqual([422, 'mfa_verification_failed'])
  })

  test('guesses by somebody who has only the password, which do not lock the owner out', async () => {
    const email = 'grace+owner@example.com'
    const { factor } = await personWithFactor(email)
    const guess = async (nth: number, bearer: string, code: string) => {
      const authorization = `Bearer ${bearer}`
      const headers = { apikey: server.publishableKey, authorization, 'user-agent': 'another' }
      const from = `127.0.0.${100 + nth}`
      const path = `/auth/v1/factors/${factor.id}`
      const begun = await sendFrom(server.url, { path: `${path}/challenge`, headers, body: {}, from })
      const body = { challenge_id: begun.json.id, code }
      return sendFrom(server.url, { path: `${path}/verify`, headers, body, from })
    }
    // One session has ten tries, wherever it tries from; so has one address, whichever session it tries in.
    const { session } = await signIn(server, email)
    const code = wrong(factor.code())
    const inOne = []
    for (let nth = 0; nth < 11; nth++) inOne.push((await guess(nth, session.access_token, code)).status)
    expect(inOne).toEqual([...Array(10).fill(422), 429])
    const fromOne = []
    for (let nth = 0; nth < 11; nth++) {
      const { session: next } = await signIn(server, email)
      fromOne.push((await guess(50, next.access_token, code)).status)
    }
    expect(fromOne).toEqual([...Array(10).fill(422), 429])
    // Fifty a day from all devices that never proved a second factor: then even the right code is refused there.
    for (let nth = 0; nth < 30; nth++) {
      const { json } = await sendFrom(server.url, {
        path: '/auth/v1/token?grant_type=password',
        headers: { apikey: server.publishableKey, 'user-agent': 'another' },
        body: { email, password },
        from: `127.0.0.${120 + nth}`,
      })
      expect((await guess(nth + 20, json.access_token as string, code)).status).toBe(422)
    }
    await forgetUsedCodes(server)
    const { session: last } = await signIn(server, email)
    expect((await guess(60, last.access_token, factor.code())).status).toBe(429)
    // The owner's own device goes on, though the one who guesses has signed in from more devices than are remembered.
    const { client } = await signIn(server, email)
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: factor.code() })
    expect(error).toBeNull()
  })

  test('an eleventh guess, though all are sent at the same moment', async () => {
    const { session, factor } = await personWithFactor('grace+guesses@example.com')
    const bearer = session.access_token
    const begun = await raw(server, `/factors/${factor.id}/challenge`, { body: {}, bearer })
    const guess = (code: string) =>
      raw(server, `/factors/${factor.id}/verify`, { body: { challenge_id: begun.json.id, code }, bearer })
    const code = factor.code()
    const answers = await Promise.all(Array.from({ length: 30 }, () => guess(wrong(code))))
    const counted = (status: number) => answers.filter((answer) => answer.status === status).length
    expect([counted(422), counted(429)]).toEqual([10, 20])
    expect((await guess(factor.code())).json.error_code).toBe('over_request_rate_limit')
  })

  test('more factors than config.toml allows', async () => {
    const { session } = await newPerson(server, 'grace+many@example.com')
    const enrol = (name: string) =>
      raw(server, '/factors', {
        body: { factor_type: 'totp', friendly_name: name },
        bearer: session.access_token,
      })
    for (let n = 0; n < 10; n++) expect((await enrol(`App ${n}`)).status).toBe(200)
    expect((await enrol('One more')).json.error_code).toBe('too_many_enrolled_mfa_factors')
    // An abandoned factor makes room after five minutes.
    await server.services.database.pool.query(
      `update auth.mfa_factors set created_at = now() - interval '6 minutes' where user_id = $1`,
      [session.user.id],
    )
    expect((await enrol('One more')).status).toBe(200)
  })
})

test('a phone is proved by the code that was texted to it', async () => {
  const { client } = await newPerson(server, 'grace+phone-factor@example.com')
  const phone = '+13065550123'
  const made = await client.auth.mfa.enroll({ factorType: 'phone', friendlyName: 'Mobile', phone })
  expect(made.data).toMatchObject({ type: 'phone', phone })
  const factorId = made.data?.id as string
  const seen = await server.inbox()
  const challenge = await client.auth.mfa.challenge({ factorId, channel: 'sms' })
  expect(challenge.error).toBeNull()
  const { text } = await nextMessage(server, phone, seen)
  const code = /\d{6}/.exec(text)?.[0] as string
  const challengeId = challenge.data?.id as string
  const missed = await client.auth.mfa.verify({ factorId, challengeId, code: wrong(code) })
  expect([missed.error?.status, missed.error?.message]).toEqual([422, 'Invalid MFA Phone code entered'])
  const { data, error } = await client.auth.mfa.verify({ factorId, challengeId, code })
  expect(error).toBeNull()
  expect(data?.user.factors?.[0]).toMatchObject({
    factor_type: 'phone',
    status: 'verified',
    phone: '13065550123',
  })
  const { rows } = await server.services.database.pool.query(
    'select otp_code from auth.mfa_challenges where id = $1',
    [challengeId],
  )
  expect(rows[0].otp_code).not.toContain(code)
  const again = await client.auth.mfa.enroll({ factorType: 'phone', friendlyName: 'Same', phone })
  expect(again.error?.code).toBe('mfa_verified_factor_exists')
})

test('administrators list and remove factors', async () => {
  const email = 'grace+admin-factors@example.com'
  const { session, factor } = await personWithFactor(email)
  const { mfa: admin } = stranger(server, server.secretKey).auth.admin
  const listed = await admin.listFactors({ userId: session.user.id })
  expect(listed.data?.factors).toEqual([expect.objectContaining({ id: factor.id, status: 'verified' })])
  const removed = await admin.deleteFactor({ userId: session.user.id, id: factor.id })
  // The client wraps this answer twice.
  expect(removed.data).toMatchObject({ data: { id: factor.id } })
  const { client } = await signIn(server, email, password)
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.nextLevel).toBe('aal1')
})
