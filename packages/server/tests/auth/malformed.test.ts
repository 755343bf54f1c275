// Malformed requests to every route of the auth service, whoever added it. None of them is a failure of the server,
// none is left without an answer, and none makes anybody an administrator.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { AUTH_ROUTES } from '../../src/auth/routes.ts'
import { makeAccount } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { amount } from '../support/soak.ts'
import { authServer, raw } from './project.ts'
import { samlTable } from './sso.ts'

/** Far longer than any answer takes on a busy machine. */
const HANGS_MS = 120_000

let server: TestServer
let grace: string

beforeAll(async () => {
  // Everything that can be switched on without somebody else's server.
  server = await authServer({
    auth: 'enable_anonymous_sign_ins = true\nenable_manual_linking = true',
    sms: 'enable_signup = true',
    more: `${samlTable()}
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.phone]
enroll_enabled = true
verify_enabled = true
max_frequency = "0s"
[auth.web3.ethereum]
enabled = true
[auth.web3.solana]
enabled = true
[auth.oauth_server]
enabled = true
allow_dynamic_registration = true`,
  })
  grace = await makeAccount(server, 'grace')
})
afterAll(() => server?.stop())

/** The token of a session of Grace's; requests may end it, so each has its own. */
async function sessionToken(): Promise<string> {
  const session = randomUUID()
  await server.database.pool.query(
    `insert into auth.sessions (id, user_id, created_at, updated_at, aal) values ($1, $2, now(), now(), 'aal1')`,
    [session, grace],
  )
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: grace, role: 'authenticated', aud: 'authenticated', session_id: session, aal: 'aal1' }
  return server.services.keys.sign({ ...claims, iat: now, exp: now + 3600 })
}

/** The fields that any route takes. */
const fields = [
  ...new Set(AUTH_ROUTES.flatMap(({ body }) => (body instanceof z.ZodObject ? Object.keys(body.shape) : []))),
]

const word = fc.constantFrom(
  ...['', '*', 'email', 'signup', 'sms', 's256', 'totp', 'phone', 'webauthn', 'ethereum', 'google', 'none'],
  ...['grace@example.com', '+13065550100', 'http://127.0.0.1:1/', '0'.repeat(300), '\u0000', '../admin'],
)
const id = fc.oneof(fc.uuid(), word, fc.string({ unit: 'binary', maxLength: 20 }))
const value = fc.oneof(
  ...[fc.constant(null), fc.boolean(), fc.double(), word, fc.uuid()],
  ...[fc.string({ unit: 'binary', maxLength: 40 }), fc.jsonValue({ maxDepth: 3 })],
)

const path = fc
  .tuple(fc.constantFrom(...AUTH_ROUTES), fc.array(id, { minLength: 3, maxLength: 3 }), fc.array(word))
  .map(([line, ids, rest]) => {
    const filled = line.path
      .split('/')
      .map((part, index) => (/^[:*]/.test(part) ? encodeURIComponent(ids[index % 3] as string) : part))
      .join('/')
    const query = new URLSearchParams(rest.map((text, index) => [fields[index] ?? 'page', text]))
    if (line.grant) query.set('grant_type', line.grant)
    return { line, path: `${filled}?${query}` }
  })

const request = fc.record({
  place: path,
  // Mostly the method that the route has.
  method: fc.option(fc.constantFrom('POST', 'PUT', 'GET', 'DELETE', 'PATCH'), { freq: 4 }),
  body: fc.oneof(
    { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 8 }) },
    fc.string({ unit: 'binary', maxLength: 80 }),
  ),
  whose: fc.constantFrom('nobody', 'grace', 'grace', 'secret', 'publishable', 'nonsense'),
})

test('malformed requests by the hundred, each answered, and not one failure of the server', async () => {
  expect(fields.length).toBeGreaterThan(30)
  const requests = fc.sample(request, { numRuns: amount({ gate: 600, soak: 10_000 }), seed: 20261121 })
  const failures: unknown[] = []
  const reached = new Set<string>()
  const workers = Array.from({ length: 8 }, async () => {
    for (let next = requests.pop(); next; next = requests.pop()) {
      const { line, path: target } = next.place
      const method = next.method ?? (line.method === '*' ? 'POST' : line.method)
      const bearers = {
        nobody: undefined,
        secret: server.secretKey,
        publishable: server.publishableKey,
        nonsense: 'a.b.c',
      }
      const bearer = next.whose === 'grace' ? await sessionToken() : bearers[next.whose as 'nobody']
      const sent = method === 'GET' || method === 'HEAD' ? {} : { body: next.body }
      const { status, text } = await raw(server, target, {
        method,
        bearer,
        ...sent,
        signal: AbortSignal.timeout(HANGS_MS),
      })
      reached.add(`${line.method} ${line.path} ${line.grant}`)
      if (status >= 500) failures.push({ method, target, body: next.body, whose: next.whose, status, text })
    }
  })
  await Promise.all(workers)
  expect(failures.slice(0, 3)).toEqual([])
  // Each route had its turn.
  expect(AUTH_ROUTES.filter(({ method, path, grant }) => !reached.has(`${method} ${path} ${grant}`))).toEqual(
    [],
  )
  const { rows } = await server.database.pool.query(
    'select role, raw_app_meta_data as app from auth.users where id = $1',
    [grace],
  )
  expect(rows).toMatchObject([{ role: 'authenticated', app: { provider: 'email' } }])
})
