// The gateway: API keys in header and query, bearer tokens, and what each service says to a bad one.
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeAccount, PASSWORD, type Person, signedIn, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.database.pool.query(`
    create function public.whoami() returns json language sql stable as
    $$ select json_build_object('role', current_user, 'sub', auth.uid(), 'jwt', auth.role()) $$`)
  // The Data API is notified and reads the schema again.
  await vi.waitUntil(async () => (await call({ apikey: server.publishableKey })).ok, { timeout: 60_000 })
})
afterAll(() => server.stop())

const call = (headers: Record<string, string>, query = '') =>
  fetch(`${server.url}/rest/v1/rpc/whoami${query}`, { headers })

async function whoami(headers: Record<string, string>, query = ''): Promise<unknown> {
  return (await call(headers, query)).json()
}

const bearer = (token: string) => ({ apikey: server.publishableKey, authorization: `Bearer ${token}` })
const now = () => Math.floor(Date.now() / 1000)

test('a request without a key, or with a wrong one, gets no further', async () => {
  const missing = await call({})
  expect(missing.status).toBe(401)
  expect(await missing.json()).toEqual({
    message: 'No API key found in request',
    hint: 'No `apikey` request header or url param was found.',
  })
  const wrong = await call({ apikey: 'sb_publishable_wrong' })
  expect(wrong.status).toBe(401)
  expect(await wrong.json()).toEqual({
    message: 'Invalid API key',
    hint: 'Double check your Supabase `anon` or `service_role` API key.',
  })
  // A session's token alone is no API key, as on Supabase.
  const token = await server.services.keys.sign({ role: 'authenticated', exp: now() + 60 })
  expect((await call({ authorization: `Bearer ${token}` })).status).toBe(401)
})

test('keys are taken from the header, the query and the bearer', async () => {
  const anon = { role: 'anon', sub: null, jwt: 'anon' }
  const service = { role: 'service_role', sub: null, jwt: 'service_role' }
  expect(await whoami({ apikey: server.publishableKey })).toEqual(anon)
  expect(await whoami({}, `?apikey=${server.publishableKey}`)).toEqual(anon)
  expect(await whoami(bearer(server.publishableKey))).toEqual(anon)
  expect(await whoami({ apikey: server.secretKey })).toEqual(service)
  expect(await whoami({ apikey: server.secretKey, authorization: `Bearer ${server.secretKey}` })).toEqual(
    service,
  )
})

test('a token decides role and claims, whichever key came with it', async () => {
  const sub = '6f1c7e0e-53a3-4c44-8f0a-3f8f5a1f1d10'
  const token = await server.services.keys.sign({ sub, role: 'authenticated', exp: now() + 60 })
  const theo = { role: 'authenticated', sub, jwt: 'authenticated' }
  expect(await whoami(bearer(token))).toEqual(theo)
  expect(await whoami({ ...bearer(token), apikey: server.secretKey })).toEqual(theo)
})

test('a token cannot name a role beyond the three', async () => {
  for (const role of ['postgres', 'supabase_admin', 'authenticator', 'nobody here']) {
    const token = await server.services.keys.sign({ role, exp: now() + 60 })
    const response = await call(bearer(token))
    expect([role, response.status]).toEqual([
      role,
      response.status >= 400 && response.status < 500 ? response.status : 'a 4xx',
    ])
  }
})

test('the Data API refuses a bad token in PostgREST’s words, the auth service in GoTrue’s', async () => {
  const expired = await server.services.keys.sign({ sub: 'x', role: 'authenticated', exp: now() - 60 })
  const forged = await new SignJWT({ role: 'service_role' })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode('somebody else’s secret of 32 bytes'))
  const rest = async (token: string) => {
    const response = await call(bearer(token))
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  expect(await rest(expired)).toEqual([401, 'PGRST303'])
  expect(await rest(forged)).toEqual([401, 'PGRST301'])
  expect(await rest('not.a.token')).toEqual([401, 'PGRST301'])
  const user = await fetch(`${server.url}/auth/v1/user`, { headers: bearer(forged) })
  expect(user.status).toBe(403)
  expect(await user.json()).toMatchObject({ error_code: 'bad_jwt' })
})

test('browsers of any origin may call', async () => {
  const preflight = await fetch(`${server.url}/rest/v1/tasks`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'apikey,authorization,content-type,prefer,x-client-info',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-methods')).toMatch(/PATCH/)
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/x-client-info/)
  const refused = await fetch(`${server.url}/rest/v1/tasks`, {
    headers: { origin: 'https://elsewhere.example' },
  })
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  expect(refused.headers.get('access-control-expose-headers')).toMatch(/Content-Range/)
})

test('the public signing key needs no API key', async () => {
  const response = await fetch(`${server.url}/auth/v1/.well-known/jwks.json`)
  expect(await response.json()).toEqual(server.services.keys.jwks)
})

test('the whole cast signs in through supabase-js', async () => {
  for (const person of ['grace', 'theo', 'ada', 'sam'] satisfies Person[]) {
    const client = await signedIn(server, person)
    const { data, error } = await client.rpc('whoami')
    expect(error).toBeNull()
    expect(data).toMatchObject({ role: 'authenticated', sub: await makeAccount(server, person) })
  }
  const { error } = await stranger(server).auth.signInWithPassword({
    email: 'grace@example.com',
    password: `${PASSWORD}x`,
  })
  expect(error?.message).toBe('Invalid login credentials')
})

test('with JWT_SECRET the legacy keys are accepted', async () => {
  const legacy = await startTestServer({ env: { JWT_SECRET: 'a-secret-of-at-least-thirty-two-characters' } })
  try {
    expect(legacy.publishableKey).toMatch(/^eyJ/)
    const { data, error } = await (await signedIn(legacy, 'grace')).from('profiles').select('full_name')
    expect([data, error]).toEqual([[{ full_name: 'Grace' }], null])
  } finally {
    await legacy.stop()
  }
})
