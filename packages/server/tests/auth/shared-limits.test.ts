// Limits that count for all servers of a project together: those of every way in but the oldest, whose guesses are counted by
// account (guessing.test.ts).
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AUTH_ROUTES } from '../../src/auth/routes.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { authServer, raw } from './project.ts'
import { oauthServer } from './third-party.ts'

let at: TestDatabase
let servers: TestServer[] = []

beforeAll(async () => {
  at = await createTestDatabase()
  const env = { DATABASE_URL: at.url, JWT_SECRET: 'a-secret-of-at-least-thirty-two-characters' }
  const first = await authServer({
    more: oauthServer,
    limits: '[auth.rate_limit]\ntoken_refresh = 4\nsign_in_sign_ups = 4\ntoken_verifications = 4\nweb3 = 4',
    options: { env },
  })
  servers = [first, await startTestServer({ workdir: dirname(first.services.config.project), env })]
})
afterAll(async () => {
  for (const server of servers.toReversed()) await server.stop()
  await at?.drop()
})

test.each([
  ['POST', '/oauth/token', 'grant_type=authorization_code&code=x'],
  ['GET', '/oauth/authorize?client_id=x', undefined],
  ['GET', '/callback?code=x&state=x', undefined],
  ['POST', '/token?grant_type=web3', '{}'],
])('%s %s', async (method, path, body) => {
  const statuses: number[] = []
  for (let n = 0; n < 6; n++) {
    const { status } = await raw(servers[n % 2] as TestServer, path, { method, body })
    statuses.push(status)
  }
  expect(statuses.slice(0, 4).filter((status) => status === 429)).toEqual([])
  expect(statuses.slice(4)).toEqual([429, 429])
})

test('every new way in is counted so, and none is forgotten', () => {
  const counted = AUTH_ROUTES.filter(({ limit }) => limit !== undefined)
  const alone = counted
    .filter(({ shared }) => !shared)
    .map(({ method, path, grant }) => `${method} ${grant ?? path}`)
  expect(alone.sort()).toEqual([
    ...['GET /reauthenticate', 'GET /verify', 'POST /magiclink'],
    ...['POST /otp', 'POST /recover', 'POST /resend', 'POST /signup', 'POST /verify'],
    ...['POST password', 'POST pkce', 'POST refresh_token', 'PUT /user'],
  ])
  // Limits on changes to one's account; leaving has none.
  const changes = AUTH_ROUTES.filter(({ method, access }) => access === 'user' && method !== 'GET')
  expect(changes.filter(({ limit }) => limit === undefined).map(({ path }) => path)).toEqual(['/logout'])
})
