// DATABASE_URL to a PostgreSQL like any other: reached over TCP, passwords asked, its superuser named postgres.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@meadowlark/server/postgres/cluster/embedded.ts'
import { openDatabase } from '@meadowlark/server/sql/database.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { repositoryFile } from '../../../plugins/repository.ts'
import {
  buildServer,
  newProject,
  refusedStart,
  type ServerProcess,
  startProcess,
} from '../../support/process.ts'
import { freePort } from '../../support/server.ts'

vi.setConfig({ testTimeout: 120_000 })

let folder: string
let postgres: EmbeddedPostgres
let port: number
const made: ReturnType<typeof newProject>[] = []

beforeAll(async () => {
  buildServer()
  folder = mkdtempSync(join(tmpdir(), 'meadowlark-existing-'))
  chmodSync(folder, 0o711)
  port = await freePort()
  const hba = join('/tmp', `${folder.split('/').at(-1)}.hba`)
  writeFileSync(hba, 'local all supabase_admin trust\nhost all all 127.0.0.1/32 scram-sha-256\n', {
    mode: 0o644,
  })
  postgres = await startEmbeddedPostgres({
    directory: join(folder, 'cluster'),
    extensions: [repositoryFile('packages/server/extensions')],
    settings: { listen_addresses: '127.0.0.1', port: String(port), hba_file: hba, fsync: 'off' },
    log: () => {},
  })
  rmSync(hba)
  await owner(`create role postgres superuser login password 'p@ss/word'`)
  await owner('create database shop owner postgres')
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
  for (const one of made) one.remove()
})

async function owner(sql: string): Promise<unknown[]> {
  const database = openDatabase(postgres.url())
  try {
    return (await database.pool.query(sql)).rows
  } finally {
    await database.close()
  }
}

function place() {
  const one = newProject()
  made.push(one)
  return one
}

const url = (password: string, database = 'shop') =>
  `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

test('two servers share it: the first prepares it, both serve', async () => {
  const env = { DATABASE_URL: url('p@ss/word'), JWT_SECRET: 'a-secret-of-at-least-thirty-two-characters' }
  const servers = await Promise.all([startProcess({ ...place(), env }), startProcess({ ...place(), env })])
  expect(servers.map((server) => server.applied.migrations.length).sort()).toEqual([0, 2])
  expect(servers.map((server) => server.applied.seeded.length).sort()).toEqual([0, 2])
  for (const server of servers) {
    const headers = { apikey: servers[0]?.publishable as string }
    const response = await fetch(`${server.url}/rest/v1/fruit?select=name&order=name`, { headers })
    expect(await response.json()).toEqual([{ name: 'crab apple' }, { name: 'saskatoon' }])
  }
  expect(await costOfPasswords(servers[0] as ServerProcess)).toBe('10')
  for (const server of servers) expect(await server.end('SIGTERM')).toBe(0)
})

/** The server's cost for a password's hash. In the tests' own process it is lower (tests/support/setup.ts). */
async function costOfPasswords({ url: address, secret }: ServerProcess): Promise<string | undefined> {
  const response = await fetch(`${address}/auth/v1/admin/users`, {
    method: 'POST',
    headers: { apikey: secret, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'grace@example.com', password: 'Meadowlark1' }),
  })
  expect(response.status).toBe(200)
  const database = openDatabase(url('p@ss/word'))
  try {
    const { rows } = await database.pool.query<{ hash: string }>(
      'select encrypted_password as hash from auth.users',
    )
    return rows[0]?.hash.split('$')[2]
  } finally {
    await database.close()
  }
}

test('a wrong password, a missing database and a role that is locked out are reported', async () => {
  const refusal = async (address: string) =>
    (await refusedStart({ ...place(), env: { DATABASE_URL: address } })).output.trim()
  expect(await refusal(url('wrong'))).toBe(
    `DATABASE_URL: the database at 127.0.0.1:${port}/shop cannot be used (password authentication failed for user "postgres"); start it, or correct the environment variable`,
  )
  expect(await refusal(url('p@ss/word', 'nothing'))).toMatch(
    /cannot be used \(database "nothing" does not exist\)/,
  )
  await owner(`alter role authenticator password 'another'`)
  expect(await refusal(url('p@ss/word'))).toMatch(
    /^DATABASE_URL: the role authenticator cannot sign in with the same password .*; run "alter role authenticator/,
  )
})
