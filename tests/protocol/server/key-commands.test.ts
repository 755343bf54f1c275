// `npm run keys` with two running servers of one project: they notice each step by themselves, and nobody is signed
// out. Tokens of a revoked key open nothing any more.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newPerson } from '../../../packages/server/tests/auth/people.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { programOf } from '../../support/npm-scripts.ts'
import { stranger } from '../../support/people.ts'
import { buildServer } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { authServer } from '../auth/marketplace.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let at: TestDatabase
let servers: TestServer[] = []
let workdir: string
const env = () => ({ DATABASE_URL: at.url, JWT_SECRET: 'a-secret-of-at-least-thirty-two-characters' })

beforeAll(async () => {
  buildServer()
  at = await createTestDatabase()
  const first = await authServer({
    auth: 'signing_keys_path = "./signing_keys.json"',
    files: { 'supabase/signing_keys.json': '[]' },
    options: { env: env() },
  })
  workdir = dirname(first.services.config.project)
  servers = [first, await startTestServer({ workdir, env: env() })]
})
afterAll(async () => {
  for (const server of servers.toReversed()) await server.stop()
  await at?.drop()
})

/** Runs a command, as an operator does; answers its first word. */
function keys(...command: string[]): string {
  const ended = runKeys(...command)
  expect([ended.stderr, ended.status]).toEqual(['', 0])
  return ended.stdout.split(/\s/)[0] as string
}

function runKeys(...command: string[]) {
  const { PATH, HOME } = process.env
  return spawnSync(process.execPath, [...programOf('keys'), ...command, '--workdir', workdir], {
    env: { PATH, HOME, ...env(), SITE_URL: 'http://localhost:3000', DATA_DIR: `${workdir}/.data` },
    encoding: 'utf8',
  })
}

const published = async (server: TestServer): Promise<string[]> => {
  const response = await fetch(`${server.url}/auth/v1/.well-known/jwks.json`)
  return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
}
const everywhere = (check: (kids: string[]) => void) =>
  Promise.all(servers.map((server) => vi.waitFor(async () => check(await published(server)), 30_000)))
const tokenOf = async (client: SupabaseClient) =>
  (await client.auth.getSession()).data.session?.access_token as string
const kidOf = (token: string) => decodeProtectedHeader(token).kid

/** Whether the token opens the person's account on every server. */
const opens = async (token: string) =>
  Promise.all(
    servers.map(async (server) => (await stranger(server).auth.getUser(token)).data.user?.email ?? null),
  )

test('add, rotate and revoke reach running servers', async () => {
  const [server] = servers as [TestServer, TestServer]
  const { client } = await newPerson(server, 'grace@example.com')
  const grace = ['grace@example.com', 'grace@example.com']
  const nobody = [null, null]
  const bySecret = await tokenOf(client)
  expect(kidOf(bySecret)).toBeUndefined()

  const first = keys('add')
  await everywhere((kids) => expect(kids).toContain(first))
  await client.auth.refreshSession()
  expect(kidOf(await tokenOf(client))).toBeUndefined()

  /** Renews the session until it is signed by this key. */
  const renewedBy = (kid: string) =>
    vi.waitFor(async () => {
      const { error } = await client.auth.refreshSession()
      expect(error).toBeNull()
      expect(kidOf(await tokenOf(client))).toBe(kid)
      return tokenOf(client)
    }, 30_000)

  expect(keys('rotate')).toBe(first)
  const byFirst = await renewedBy(first)
  expect([await opens(bySecret), await opens(byFirst)]).toEqual([grace, grace])

  const second = keys('add', 'EdDSA')
  await everywhere((kids) => expect(kids).toContain(second))
  expect(keys('rotate')).toBe(second)
  const bySecond = await renewedBy(second)
  expect([await opens(bySecret), await opens(byFirst), await opens(bySecond)]).toEqual([grace, grace, grace])

  // Ids are base64url: some begin as options do.
  expect(runKeys('revoke', '-unknown').stderr).toContain('-unknown')
  expect(runKeys('revoke', '-unknown').stderr).not.toContain('Usage')
  keys('revoke', first)
  await everywhere((kids) => expect(kids).not.toContain(first))
  expect([await opens(byFirst), await opens(bySecond)]).toEqual([nobody, grace])
  expect((await client.auth.refreshSession()).error).toBeNull()
})
