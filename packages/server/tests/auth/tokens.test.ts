// Access tokens as other services see them: claims, signature, published keys; and tokens that are not ours.
import { createRemoteJWKSet, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { newPerson } from './people.ts'
import { authServer, raw } from './project.ts'

let server: TestServer

beforeAll(async () => {
  server = await authServer({ auth: 'jwt_expiry = 1200' })
})
afterAll(() => server?.stop())

describe('access tokens', () => {
  test('carry the claims of GoTrue and verify with the published key', async () => {
    const { session } = await newPerson(server, 'grace+claims@example.com')
    const issuer = `${server.services.config.publicUrl}/auth/v1`
    const keys = createRemoteJWKSet(new URL(`${server.url}/auth/v1/.well-known/jwks.json`))
    const { payload, protectedHeader } = await jwtVerify(session.access_token, keys, {
      issuer,
      audience: 'authenticated',
    })
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) })
    const now = Math.floor(Date.now() / 1000)
    expect(payload).toEqual({
      iss: issuer,
      sub: session.user.id,
      aud: 'authenticated',
      iat: expect.any(Number),
      exp: (payload.iat as number) + 1200,
      email: 'grace+claims@example.com',
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: session.user.user_metadata,
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'otp', timestamp: expect.any(Number) }],
      session_id: expect.any(String),
      is_anonymous: false,
    })
    expect(Math.abs((payload.iat as number) - now)).toBeLessThan(5)
    expect(session).toMatchObject({ expires_in: 1200, expires_at: payload.exp })
  })

  test('publish no private half', async () => {
    const { json } = await raw(server, '/.well-known/jwks.json', { headers: { apikey: '' } })
    const [key] = (json as { keys: Record<string, unknown>[] }).keys
    expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })
    expect(key).not.toHaveProperty('d')
  })

  test('verify in the client without a call', async () => {
    const { client, session } = await newPerson(server, 'grace+local-claims@example.com')
    const { data, error } = await client.auth.getClaims()
    expect(error).toBeNull()
    expect(data?.claims).toMatchObject({ sub: session.user.id, email: 'grace+local-claims@example.com' })
    const [header, payload] = session.access_token.split('.')
    const forged = await client.auth.getClaims(`${header}.${payload}.${'A'.repeat(86)}`)
    expect(forged.error?.message).toBe('Invalid JWT signature')
  })

  test('are refused when forged, unsigned, expired or without a person', async () => {
    const { session } = await newPerson(server, 'grace+forged@example.com')
    const [header, payload, signature] = session.access_token.split('.') as [string, string, string]
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { privateKey } = await generateKeyPair('ES256')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
    const foreign = await new SignJWT(claims)
      .setProtectedHeader(JSON.parse(Buffer.from(header, 'base64url').toString()))
      .sign(privateKey)
    const { keys } = server.services
    const expired = await keys.sign({ ...claims, iat: 1_600_000_000, exp: 1_600_003_600 })
    const forged = [
      `${header}.${part({ ...claims, role: 'service_role' })}.${signature}`,
      `${part({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      `${part({ alg: 'HS256', typ: 'JWT' })}.${payload}.${signature}`,
      foreign,
      expired,
      'not-a-token',
    ]
    for (const token of forged) {
      for (const path of ['/user', '/admin/users']) {
        const { status, json } = await raw(server, path, { bearer: token })
        expect([status, json.error_code]).toEqual([403, 'bad_jwt'])
        expect(json.msg).toMatch(/^invalid JWT: unable to parse or verify signature/)
      }
    }
    const nobody = await keys.sign({ role: 'authenticated', exp: Math.floor(Date.now() / 1000) + 60 })
    expect((await raw(server, '/user', { bearer: nobody })).json).toEqual({
      code: 403,
      error_code: 'bad_jwt',
      msg: 'invalid claim: missing sub claim',
    })
    const odd = await keys.sign({ sub: 'grace', exp: Math.floor(Date.now() / 1000) + 60 })
    expect((await raw(server, '/user', { bearer: odd })).json.msg).toBe(
      'invalid claim: sub claim must be a UUID',
    )
  })

  test('are asked for', async () => {
    const without = await raw(server, '/user')
    expect([without.status, without.json.error_code]).toEqual([401, 'no_authorization'])
    expect(without.json.msg).toBe('This endpoint requires a valid Bearer token')
    const withKey = await raw(server, '/user', { bearer: server.publishableKey })
    expect([withKey.status, withKey.json.error_code]).toEqual([403, 'bad_jwt'])
  })
})

describe('with JWT_SECRET', () => {
  test('tokens are HS256 and the legacy keys work', async () => {
    const secret = 'a-shared-secret-with-at-least-32-characters'
    const legacy = await authServer({ options: { env: { JWT_SECRET: secret } } })
    try {
      const { session } = await newPerson(legacy, 'grace+legacy@example.com')
      const { protectedHeader } = await jwtVerify(session.access_token, new TextEncoder().encode(secret))
      expect(protectedHeader.alg).toBe('HS256')
      const users = await raw(legacy, '/admin/users', { bearer: legacy.secretKey })
      expect(users.status).toBe(200)
    } finally {
      await legacy.stop()
    }
  })
})

test('settings, health and unknown paths', async () => {
  const settings = await raw(server, '/settings')
  expect(settings.json).toMatchObject({
    external: { email: true, phone: false, anonymous_users: false, google: false },
    disable_signup: false,
    mailer_autoconfirm: false,
    phone_autoconfirm: true,
    saml_enabled: false,
  })
  expect((await raw(server, '/health')).json).toMatchObject({ name: 'GoTrue' })
  expect((await raw(server, '/factors')).status).toBe(404)
  expect((await raw(server, '/settings', { headers: { apikey: '' } })).status).toBe(401)
})
