// GoTrue's error codes where nothing is switched on, and for whoever is not who they say: status, code and words of each
// (packages/server/tests/auth/ERRORS.md has the whole list, and the tests of the others).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAccount } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { authServer, giver, raw } from './project.ts'

let server: TestServer
let token: string
const factors = {
  totp: '11111111-1111-4111-8111-111111111111',
  phone: '22222222-2222-4222-8222-222222222222',
  webauthn: '33333333-3333-4333-8333-333333333333',
}
const UNKNOWN = '44444444-4444-4444-8444-444444444444'

beforeAll(async () => {
  server = await authServer({ auth: 'enable_signup = false', email: 'enable_signup = false' })
  const grace = await makeAccount(server, 'grace')
  const session = randomUUID()
  const { pool } = server.database
  await pool.query(
    `insert into auth.sessions (id, user_id, created_at, updated_at, aal) values ($1, $2, now(), now(), 'aal1')`,
    [session, grace],
  )
  for (const [type, id] of Object.entries(factors)) {
    await pool.query(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, phone)
       values ($1, $2, $3::text, $3::text::auth.factor_type, 'unverified', now(), now(),
         case when $3::text = 'phone' then '13065550100' end)`,
      [id, grace, type],
    )
  }
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: grace, role: 'authenticated', aud: 'authenticated', session_id: session, aal: 'aal1' }
  token = await server.services.keys.sign({ ...claims, iat: now, exp: now + 3600 })
})
afterAll(() => server?.stop())

type Row = [code: string, status: number, message: string, request: string, body?: object | string]
const password = 'Meadowlark1'
const ALL_OFF: Row[] = [
  ...([
    [
      'email_provider_disabled',
      422,
      'Email logins are disabled',
      'POST /token?grant_type=password',
      { email: 'grace@example.com', password },
    ],
    [
      'phone_provider_disabled',
      422,
      'Phone logins are disabled',
      'POST /token?grant_type=password',
      { phone: '+13065550100', password },
    ],
    [
      'signup_disabled',
      422,
      'Signups not allowed for this instance',
      'POST /signup',
      { email: 'sam@example.com', password },
    ],
    ['anonymous_provider_disabled', 422, 'Anonymous sign-ins are disabled', 'POST /signup', {}],
    ['saml_provider_disabled', 404, 'SAML 2.0 is disabled', 'POST /sso', { domain: 'example.com' }],
    ['passkey_disabled', 404, 'Passkeys are disabled', 'POST /passkeys/authentication/options', {}],
    [
      'feature_disabled',
      404,
      'OAuth server is disabled',
      'POST /oauth/clients/register',
      { redirect_uris: [] },
    ],
    [
      'manual_linking_disabled',
      404,
      'Manual linking is disabled',
      'GET /user/identities/authorize?provider=google',
    ],
    [
      'mfa_totp_enroll_not_enabled',
      422,
      'MFA enroll is disabled for TOTP',
      'POST /factors',
      { factor_type: 'totp' },
    ],
    [
      'mfa_phone_enroll_not_enabled',
      422,
      'MFA enroll is disabled for Phone',
      'POST /factors',
      { factor_type: 'phone', phone: '+13065550100' },
    ],
    [
      'mfa_webauthn_enroll_not_enabled',
      422,
      'MFA enroll is disabled for WebAuthn',
      'POST /factors',
      { factor_type: 'webauthn', friendly_name: 'key' },
    ],
    [
      'mfa_totp_verify_not_enabled',
      422,
      'MFA verification is disabled for TOTP',
      `POST /factors/${factors.totp}/challenge`,
      {},
    ],
    [
      'mfa_phone_verify_not_enabled',
      422,
      'MFA verification is disabled for Phone',
      `POST /factors/${factors.phone}/challenge`,
      {},
    ],
    [
      'mfa_webauthn_verify_not_enabled',
      422,
      'MFA verification is disabled for WebAuthn',
      `POST /factors/${factors.webauthn}/challenge`,
      {},
    ],
    [
      'mfa_webauthn_verify_not_enabled',
      422,
      'MFA verification is disabled for WebAuthn',
      `POST /factors/${factors.webauthn}/verify`,
      { challenge_id: UNKNOWN },
    ],
    [
      'provider_disabled',
      400,
      'Provider (issuer "https://accounts.google.com") is not enabled',
      'POST /token?grant_type=id_token',
      { provider: 'google', id_token: 'x' },
    ],
  ] satisfies Row[]),
]
const REFUSED: Row[] = [
  ...([
    ['bad_json', 400, 'Could not parse request body as JSON: the body must be an object', 'POST /otp', '[]'],
    [
      'validation_failed',
      400,
      'Unsupported provider: provider is not enabled',
      'GET /authorize?provider=google',
    ],
    ['mfa_factor_not_found', 404, 'Factor not found', `DELETE /factors/${UNKNOWN}`],
    ['no_authorization', 401, 'This endpoint requires a valid Bearer token', 'GET /admin/users'],
    [
      'flow_state_not_found',
      404,
      'invalid flow state, no valid flow state found',
      'POST /token?grant_type=pkce',
      { auth_code: UNKNOWN, code_verifier: 'x'.repeat(43) },
    ],
    [
      'refresh_token_not_found',
      400,
      'Invalid Refresh Token: Refresh Token Not Found',
      'POST /token?grant_type=refresh_token',
      { refresh_token: 'unknown' },
    ],
    [
      'otp_expired',
      403,
      'Token has expired or is invalid',
      'POST /verify',
      { type: 'email', email: 'grace@example.com', token: '000000' },
    ],
    [
      'validation_failed',
      422,
      'Invalid email format',
      'POST /verify',
      { type: 'email', email: 'nobody', token: '000000' },
    ],
  ] satisfies Row[]),
]

test.each([...ALL_OFF, ...REFUSED])('%s is %i "%s" to %s', async (code, status, message, request, body) => {
  const [method, path] = request.split(' ') as [string, string]
  const isTheirs = /^\/(user|factors)/.test(path)
  const answer = await raw(server, path, {
    method,
    ...(body === undefined ? {} : { body }),
    ...(isTheirs ? { bearer: token } : {}),
  })
  expect([answer.status, answer.json?.error_code, answer.json?.msg]).toEqual([status, code, message])
})

describe('where nothing carries text messages', () => {
  let production: TestServer
  beforeAll(async () => {
    production = await authServer({
      sms: 'enable_signup = true\nenable_confirmations = true',
      options: {
        production: true,
        env: { ALLOW: 'missing-site-url,http-site-url,missing-smtp,missing-sms' },
      },
    })
  })
  afterAll(() => production?.stop())

  test.each([
    ['/signup', { password, data: giver('Grace') }],
    ['/otp', {}],
    ['/resend', { type: 'sms' }],
  ])('%s says so, and makes no account', async (path, body) => {
    const answer = await raw(production, path, { body: { phone: '+13065550100', ...body } })
    expect([answer.status, answer.json?.error_code, answer.json?.msg]).toEqual([
      422,
      'sms_send_failed',
      'Unable to get SMS provider',
    ])
    const { rows } = await production.database.pool.query('select from auth.users where phone is not null')
    expect(rows).toEqual([])
  })
})
