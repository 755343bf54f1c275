// Applications that people may sign in to: registered by administrators and, where that is allowed, by themselves.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { newPerson } from './people.ts'
import { authServer, raw } from './project.ts'
import { administrator, CALLBACK, oauthServer, registeredApp, tokensFor } from './third-party.ts'

let server: TestServer
let closed: TestServer

beforeAll(async () => {
  ;[server, closed] = await Promise.all([authServer({ more: oauthServer }), authServer()])
})
afterAll(() => Promise.all([server?.stop(), closed?.stop()]))

const anyone = { redirect_uris: [CALLBACK] }
const unknown = '11111111-1111-4111-8111-111111111111'

describe('the administrator', () => {
  test('registers, reads, changes and deletes a client; its secret is shown once and kept as a hash', async () => {
    const oauth = administrator(server)
    const { data, error } = await oauth.createClient({
      client_name: 'Yard Planner',
      client_uri: 'https://planner.example.net',
      redirect_uris: ['https://planner.example.net/callback', CALLBACK],
    })
    expect(error).toBeNull()
    expect(data).toMatchObject({
      client_name: 'Yard Planner',
      client_type: 'confidential',
      token_endpoint_auth_method: 'client_secret_basic',
      registration_type: 'manual',
      redirect_uris: ['https://planner.example.net/callback', CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
    })
    const { client_id: id, client_secret: secret } = data as { client_id: string; client_secret: string }
    const { rows } = await server.database.pool.query(
      'select c::text from auth.oauth_clients c where id = $1',
      [id],
    )
    expect(rows[0].c).not.toContain(secret)

    const read = await oauth.getClient(id)
    expect(read.data).toMatchObject({ client_id: id, client_name: 'Yard Planner' })
    expect(read.data).not.toHaveProperty('client_secret')
    const changed = await oauth.updateClient(id, { client_name: 'Garden Planner', redirect_uris: [CALLBACK] })
    expect(changed.data).toMatchObject({ client_name: 'Garden Planner', redirect_uris: [CALLBACK] })
    expect(await oauth.deleteClient(id)).toEqual({ data: null, error: null })
    expect((await oauth.getClient(id)).error).toMatchObject({ status: 404, code: 'oauth_client_not_found' })
  })

  test('lists clients by pages', async () => {
    const oauth = administrator(server)
    for (const name of ['one', 'two', 'three']) await oauth.createClient({ ...anyone, client_name: name })
    const first = await oauth.listClients({ page: 1, perPage: 2 })
    expect(first.data.clients.map(({ client_name }) => client_name)).toEqual(['three', 'two'])
    expect(first.data).toMatchObject({ nextPage: 2, total: expect.any(Number) })
    const wrong = await raw(server, '/admin/oauth/clients?page=x', { bearer: server.secretKey })
    expect([wrong.status, wrong.json.error_code]).toEqual([400, 'validation_failed'])
  })

  test('gives a client another secret; the former is void', async () => {
    const app = await registeredApp(server)
    const { client } = await newPerson(server, 'grace+secret@example.com')
    const { data } = await administrator(server).regenerateClientSecret(app.clientId)
    expect(data?.client_secret).not.toBe(app.secret)
    await expect(tokensFor(app, client)).rejects.toMatchObject({ error: 'invalid_client' })
    const web = await administrator(server).createClient({
      ...anyone,
      client_name: 'Web',
      token_endpoint_auth_method: 'none',
    })
    const refused = await administrator(server).regenerateClientSecret(web.data?.client_id ?? '')
    expect(refused.error?.message).toBe('Cannot regenerate secret for public client')
  })

  test('ends with a client all that people gave it', async () => {
    const app = await registeredApp(server)
    const { client } = await newPerson(server, 'grace+deleted@example.com')
    const tokens = await tokensFor(app, client)
    await administrator(server).deleteClient(app.clientId)
    const info = await raw(server, '/oauth/userinfo', { bearer: tokens.access_token })
    expect([info.status, info.json.error_code]).toEqual([403, 'session_not_found'])
    expect((await client.auth.oauth.listGrants()).data).toEqual([])
    const { status, json } = await raw(
      server,
      `/oauth/authorize?client_id=${app.clientId}&redirect_uri=${CALLBACK}`,
    )
    expect([status, json.error_code]).toEqual([400, 'oauth_client_not_found'])
  })
})

const redirect = (uri: string) => ({ redirect_uris: [uri] })

test.each(
  [
    [{}, 'redirect_uris is required'],
    [{ redirect_uris: Array(11).fill(CALLBACK) }, 'redirect_uris cannot exceed 10 items'],
    [
      redirect('http://example.net/'),
      "invalid redirect_uri 'http://example.net/': HTTP scheme only allowed for localhost",
    ],
    [
      redirect('javascript:alert(1)'),
      "invalid redirect_uri 'javascript:alert(1)': scheme must be HTTPS or HTTP (localhost only)",
    ],
    [redirect('/callback'), "invalid redirect_uri '/callback': must have scheme and host"],
    [
      redirect('https://example.net/#'),
      "invalid redirect_uri 'https://example.net/#': fragment not allowed in redirect URI",
    ],
    [
      redirect('https://grace@example.net/'),
      "invalid redirect_uri 'https://grace@example.net/': user and password not allowed in redirect URI",
    ],
    [
      redirect('https://example.net\\@evil.net/'),
      'must have no blanks, control characters, backslashes or commas',
    ],
    [
      redirect('https://example.net/,https://evil.net/'),
      'must have no blanks, control characters, backslashes or commas',
    ],
    [
      { ...anyone, grant_types: ['password'] },
      "grant_types must only contain 'authorization_code' and/or 'refresh_token'",
    ],
    [{ ...anyone, client_type: 'secret' }, "client_type must be 'public' or 'confidential'"],
    [
      { ...anyone, token_endpoint_auth_method: 'mtls' },
      'token_endpoint_auth_method must be one of: [none client_secret_basic client_secret_post]',
    ],
    [
      { ...anyone, client_type: 'public', token_endpoint_auth_method: 'client_secret_basic' },
      "client_type 'public' is inconsistent with token_endpoint_auth_method 'client_secret_basic' (expected client_type 'confidential')",
    ],
    [{ ...anyone, client_name: 'x'.repeat(1025) }, 'client_name cannot exceed 1024 characters'],
    [
      { ...anyone, client_name: 'Meadowlark\u202e' },
      'client_name must not contain control or formatting characters',
    ],
    [{ ...anyone, client_uri: 'javascript:alert(1)' }, 'client_uri must be a valid URL'],
    [{ ...anyone, logo_uri: 'logo.png' }, 'logo_uri must be a valid URL'],
  ].map(([body, message]) => [message, body] as const),
)('a registration is refused: %s', async (message, body) => {
  for (const path of ['/admin/oauth/clients', '/oauth/clients/register']) {
    await server.database.pool.query('delete from auth.rate_limits')
    const { status, json } = await raw(server, path, { body, bearer: server.secretKey })
    expect([status, json.error_code]).toEqual([400, 'validation_failed'])
    expect(json.msg).toContain(message)
  }
})

test('changes have to name fields, and keep the rules', async () => {
  const oauth = administrator(server)
  const { data } = await oauth.createClient({ ...anyone, client_name: 'Yard Planner' })
  const id = data?.client_id ?? ''
  expect((await oauth.updateClient(id, {})).error?.message).toBe('No fields provided for update')
  expect((await oauth.updateClient(id, { redirect_uris: [] })).error?.message).toBe(
    'redirect_uris cannot be empty',
  )
  expect((await oauth.updateClient(unknown, {})).error?.message).toBe('OAuth client not found')
  const misspelt = await raw(server, '/admin/oauth/clients/x', { bearer: server.secretKey })
  expect(misspelt.json.msg).toBe('invalid client_id format')
})

describe('an application', () => {
  const register = (at: TestServer, body: object) =>
    raw(at, '/oauth/clients/register', { body, headers: { apikey: '' } })

  test('registers itself where that is allowed, ten times in five minutes from one address', async () => {
    await server.database.pool.query('delete from auth.rate_limits')
    const { status, json } = await register(server, { ...anyone, token_endpoint_auth_method: 'none' })
    expect([status, json]).toEqual([
      201,
      expect.objectContaining({ registration_type: 'dynamic', client_type: 'public' }),
    ])
    expect(json).not.toHaveProperty('client_secret')
    const answers = await Promise.all(Array.from({ length: 12 }, () => register(server, anyone)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(9)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3)
  })

  test('does not where it is not', async () => {
    const narrow = await authServer({ more: '[auth.oauth_server]\nenabled = true' })
    const { status, json } = await register(narrow, anyone)
    expect([status, json.error_code, json.msg]).toEqual([
      403,
      'oauth_dynamic_client_registration_disabled',
      'Dynamic client registration is not enabled',
    ])
    await narrow.stop()
  })
})

test('where the OAuth server is switched off, all of it says so', async () => {
  const { session, client } = await newPerson(closed, 'grace@example.com')
  const oauth = administrator(closed)
  const off = { status: 404, code: 'feature_disabled', message: 'OAuth server is disabled' }
  expect((await oauth.listClients()).error).toMatchObject(off)
  expect((await oauth.createClient({ ...anyone, client_name: 'x' })).error).toMatchObject(off)
  expect((await client.auth.oauth.getAuthorizationDetails('x')).error).toMatchObject(off)
  expect((await client.auth.oauth.approveAuthorization('x')).error).toMatchObject(off)
  expect((await client.auth.oauth.denyAuthorization('x')).error).toMatchObject(off)
  expect((await client.auth.oauth.listGrants()).error).toMatchObject(off)
  expect((await client.auth.oauth.revokeGrant({ clientId: unknown })).error).toMatchObject(off)
  for (const [path, init] of [
    ['/oauth/authorize', {}],
    ['/oauth/token', { body: {} }],
    ['/oauth/clients/register', { body: anyone }],
    ['/oauth/userinfo', { bearer: session.access_token }],
  ] as const) {
    const { status, json } = await raw(closed, path, init)
    expect([path, status, json.error_code]).toEqual([path, 404, 'feature_disabled'])
  }
  const { json } = await raw(closed, '/.well-known/openid-configuration')
  expect(Object.keys(json)).toEqual(['issuer', 'jwks_uri'])
})
