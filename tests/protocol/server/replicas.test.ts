// Several servers of one database in production: one whose keys or files are not those of the others does not start.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@meadowlark/server/config/config.ts'
import { differencesFrom, type ServerFacts } from '@meadowlark/server/process/replicas.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import webpush from 'web-push'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const SECRET = 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o'
const OTHER_SECRET = 'Q7yBn3vWkR8sTd1LxZc5MfGu2HjEaPo9'
const { publicKey, privateKey } = webpush.generateVAPIDKeys()
const PUSH_KEYS = { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey }
const ALLOW = 'missing-site-url,http-site-url,missing-smtp,missing-stripe,test-stripe-keys'

let at: TestDatabase
let dataDir: string
let first: TestServer

const start = (env: Record<string, string> = {}) =>
  startTestServer({
    production: true,
    env: { DATABASE_URL: at.url, JWT_SECRET: SECRET, ...PUSH_KEYS, ALLOW, ...env },
  })
const known = async () =>
  (await at.database.pool.query('select id, host, facts, seen_at from supabase_migrations.servers')).rows

beforeAll(async () => {
  at = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'meadowlark-replica-'))
  first = await start({ DATA_DIR: dataDir })
})
afterAll(async () => {
  await first.stop()
  await at.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

test('another secret and files on a separate disk are refused at once, and leave nothing', async () => {
  const refusal = await start({ JWT_SECRET: OTHER_SECRET }).catch((error) => error)
  expect(refusal).toBeInstanceOf(ConfigError)
  expect(refusal.message).toMatch(/JWT_SECRET: a server on .* with other API keys.*ALLOW=different-keys/s)
  expect(refusal.message).toMatch(/S3_BUCKET: a server on .* keeps its files elsewhere.*ALLOW=local-files/s)
  expect(refusal.message).not.toContain(OTHER_SECRET)
  expect(await known()).toHaveLength(1)
})

test('a server that the operator allows starts next to the first', async () => {
  const second = await start({ ALLOW: `${ALLOW},local-files` })
  expect(await known()).toHaveLength(2)
  const { keys } = first.services
  await expect(second.services.keys.verify(keys.secret)).resolves.toMatchObject({ role: 'service_role' })
  await second.stop()
  expect(await known()).toHaveLength(1)
})

test('a server that was killed is forgotten, and is itself when it is back on its folder', async () => {
  await at.database.pool.query(
    `insert into supabase_migrations.servers (id, host, facts, started_at, seen_at)
     select 'killed', 'elsewhere', jsonb_set(facts, '{apiKeys}', '"others"'), now() - interval '1 hour', now() - interval '36 seconds'
     from supabase_migrations.servers`,
  )
  const [own] = (await known()).filter(({ id }) => id !== 'killed')
  await first.stop()
  await at.database.pool.query(
    'insert into supabase_migrations.servers (id, host, facts) values ($1, $2, $3)',
    [own.id, own.host, own.facts],
  )
  first = await start({ DATA_DIR: dataDir })
  expect((await known()).map(({ id }) => id)).toEqual([own.id])
})

test('a key that was only added or rotated is no difference, one that the other lacks is', () => {
  const facts: ServerFacts = { apiKeys: 'a', signs: 'old', verifies: ['old', 'new'], bucket: 'b' }
  const from = (own: Partial<ServerFacts>, allow: string[] = []) =>
    differencesFrom({ host: 'ada', facts }, { ...facts, ...own }, allow)
  expect(from({})).toEqual([])
  expect(from({ signs: 'new' })).toEqual([])
  expect(from({ signs: 'newer', verifies: ['old', 'new', 'newer'] })).toEqual([
    expect.stringMatching(/^JWT_SECRET: a server on ada uses this database with other keys of tokens/),
  ])
  expect(from({ verifies: ['new'], signs: 'new' })).toHaveLength(1)
  const api = { current: ['one'], accepted: ['one'] }
  const rotated = { current: ['two'], accepted: ['two', 'one'] }
  const told = (other: typeof api, own: typeof api) =>
    differencesFrom(
      { host: 'ada', facts: { ...facts, api: other } },
      { ...facts, apiKeys: 'b', api: own },
      [],
    )
  expect(told(api, api)).toEqual([])
  expect(told({ ...api, accepted: ['one', 'two'] }, rotated)).toEqual([])
  expect(told(api, rotated)).toEqual([expect.stringMatching(/with other API keys/)])
  const push = { VAPID_PUBLIC_KEY: 'ours' }
  expect(from({ shared: push })).toEqual([])
  expect(
    differencesFrom(
      { host: 'ada', facts: { ...facts, shared: { VAPID_PUBLIC_KEY: 'theirs' } } },
      { ...facts, shared: push },
      [],
    ),
  ).toEqual([
    expect.stringMatching(/^VAPID_PUBLIC_KEY: a server on ada uses this database with another value/),
  ])
  expect(from({ bucket: 'c' })).toEqual([expect.stringMatching(/^S3_BUCKET: a server on ada/)])
  expect(from({ bucket: 'c', apiKeys: 'c' }, ['local-files', 'different-keys'])).toEqual([])
})
