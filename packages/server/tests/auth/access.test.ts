// Access to each endpoint, read from the table of routes: a new line is tested by being there.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { AUTH_ROUTES } from '../../src/auth/routes.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, stillSignedIn } from './people.ts'
import { authServer, raw } from './project.ts'

let server: TestServer
let person: Awaited<ReturnType<typeof newPerson>>

beforeAll(async () => {
  server = await authServer()
  person = await newPerson(server, 'grace@example.com')
})
afterAll(() => server?.stop())

const endpoints = AUTH_ROUTES.filter(({ method, path }) => method !== '*' && !path.endsWith('*'))
const withAccess = (access: string) =>
  endpoints.filter((line) => line.access === access).map(({ method, path }) => [method, path] as const)

const withKey = endpoints.filter(({ access }) => access !== 'public' && access !== 'bearer')
const withToken = [...withAccess('user'), ...withAccess('bearer')]

const call = (method: string, path: string, init: { bearer?: string; headers?: Record<string, string> }) => {
  const address = path.replace(':id', person.session.user.id)
  const body = method === 'GET' || method === 'HEAD' ? undefined : {}
  return raw(server, address, { method, body, ...init })
}

test('only what a browser opens by itself is public, and all below /admin is for administrators', () => {
  expect(withAccess('public').map((endpoint) => endpoint.join(' '))).toEqual([
    'GET /.well-known/jwks.json',
    'GET /.well-known/openid-configuration',
    'GET /.well-known/oauth-authorization-server',
    'GET /sso/saml/metadata',
    'POST /sso/saml/acs',
    'GET /authorize',
    'GET /callback',
    'POST /callback',
    'HEAD /verify',
    'GET /verify',
    'POST /verify',
    'GET /oauth/authorize',
    'POST /oauth/token',
    'POST /oauth/clients/register',
  ])
  const admin = endpoints.filter(({ path }) => path.startsWith('/admin/') || path === '/invite')
  expect(new Set(admin.map(({ access }) => access))).toEqual(new Set(['service']))
})

test.each(withKey.map(({ method, path }) => [method, path]))(
  '%s %s needs an API key',
  async (method, path) => {
    const bearer = person.session.access_token
    for (const [apikey, message] of [
      ['', 'No API key found in request'],
      ['sb_publishable_unknown', 'Invalid API key'],
    ] as const) {
      const { status, json } = await call(method, path, { bearer, headers: { apikey } })
      expect([status, json.message]).toEqual([401, message])
    }
  },
)

test.each([...withAccess('public'), ...withAccess('bearer')])(
  '%s %s needs no API key',
  async (method, path) => {
    const { json } = await call(method, path, { headers: { apikey: '' } })
    expect(json?.message).not.toBe('No API key found in request')
  },
)

test.each([...withToken, ...withAccess('service')])('%s %s needs a token', async (method, path) => {
  const without = await call(method, path, {})
  expect([without.status, without.json.error_code]).toEqual([401, 'no_authorization'])
  const foreign = await call(method, path, { bearer: 'a.b.c' })
  expect([foreign.status, foreign.json.error_code]).toEqual([403, 'bad_jwt'])
})

test.each(withToken)('%s %s needs a token with a user', async (method, path) => {
  for (const bearer of [server.publishableKey, server.secretKey]) {
    const { status, json } = await call(method, path, { bearer })
    expect([status, json.error_code]).toEqual([403, 'bad_jwt'])
  }
})

test.each(withAccess('service'))('%s %s is closed to everybody but administrators', async (method, path) => {
  for (const bearer of [person.session.access_token, server.publishableKey]) {
    const { status, json } = await call(method, path, { bearer })
    expect([status, json.error_code]).toEqual([403, 'not_admin'])
  }
  expect(await stillSignedIn(server, person.session)).toBe('yes')
})
