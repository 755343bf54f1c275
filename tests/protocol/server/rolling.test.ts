// A new version behind a balancer. Servers of the old one are replaced one by one, the first of the new brings a
// migration that locks tables, and a dump of the database runs. People go on asking, and no request fails. `npm run
// test:soak -- rolling` sends 500 requests a second to three servers.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ObjectStore, startObjectStore } from '../../../packages/server/tests/storage/object-store.ts'
import { startDebianPostgres, versionWith } from '../../../packages/server/tests/support/debian-postgres.ts'
import { amount } from '../../../packages/server/tests/support/soak.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { type Balancer, startBalancer } from '../../support/balancer.ts'
import { type ExternalPostgres, startExternalPostgres } from '../../support/external-postgres.ts'
import { buildServer, eventually, type ServerProcess, startProcess } from '../../support/process.ts'
import { makeVisits, startLoad } from '../../support/steady-load.ts'

const SERVERS = amount({ gate: 2, soak: 3 })
const RATE = amount({ gate: 40, soak: 500 })
/** Longer than the balancer needs to notice. */
const DELAY = 1
/** pg_dump is not newer servers': it comes with the PostgreSQL that is installed. */
const version = versionWith('btree_gist')
const pgDump = `/usr/lib/postgresql/${version}/bin/pg_dump`
const MIGRATION = `
  alter table public.tasks add column snow_depth integer;
  alter table private.profiles add column of_the_new_version text;
  create index on public.bookings (created_at);`

let folder: string
let postgres: ExternalPostgres
let store: ObjectStore
let balancer: Balancer
const servers: ServerProcess[] = []

beforeAll(async () => {
  buildServer()
  folder = mkdtempSync(join(tmpdir(), 'meadowlark-rolling-'))
  for (const name of ['old', 'new'])
    for (const part of ['supabase', 'shared'])
      cpSync(repositoryFile(part), join(folder, name, part), { recursive: true })
  writeFileSync(join(folder, 'new/supabase/migrations/29991231000000_next.sql'), MIGRATION)
  postgres = await (version ? startDebianPostgres(version) : startExternalPostgres())
  store = await startObjectStore()
  balancer = await startBalancer()
}, 120_000)
afterAll(async () => {
  await balancer?.close()
  await Promise.all(servers.map((server) => server.end('SIGKILL')))
  await store?.stop()
  await postgres?.remove()
  rmSync(folder, { recursive: true, force: true })
})

let started = 0
async function start(name: 'old' | 'new'): Promise<ServerProcess> {
  const server = await startProcess({
    dataDir: join(folder, `data-${started++}`),
    workdir: join(folder, name),
    args: ['--production'],
    env: {
      ...store.env,
      DATABASE_URL: postgres.url,
      JWT_SECRET: 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o',
      HOST: '127.0.0.1',
      DATABASE_MAX_CONNECTIONS: '16',
      TRUSTED_PROXIES: '127.0.0.1',
      SHUTDOWN_DELAY: String(DELAY),
      MAX_CONNECTIONS_PER_ADDRESS: '5000',
      LOG_LEVEL: 'error',
      ALLOW: 'missing-site-url,http-site-url,missing-smtp,missing-stripe,test-stripe-keys',
    },
  })
  servers.push(server)
  balancer.add(server.url)
  await eventually(() => balancer.ready().includes(server.url))
  return server
}

test(`${SERVERS} servers are replaced at ${RATE} requests a second, with a migration and a dump: nobody notices`, async () => {
  const old = [await start('old')]
  while (old.length < SERVERS) old.push(await start('old'))
  await makeVisits(sql)
  const load = startLoad({ url: balancer.url, keys: old[0] as ServerProcess, rate: RATE })
  await eventually(() => load.answered() > RATE)
  const dump = startDumps()
  for (const server of old) {
    await start('new')
    expect(await server.end('SIGTERM')).toBe(0)
  }
  const dumps = await dump.stop()
  const { answered, failures, visits, slowest } = await load.stop()

  const { rows } = await sql('select id::int from public.visits')
  const kept = new Set(rows.map(({ id }) => id))
  expect(failures.slice(0, 5)).toEqual([])
  expect(visits.filter((id) => !kept.has(id))).toEqual([])
  expect(
    (
      await sql(
        `select count(*)::int from supabase_migrations.schema_migrations where version = '29991231000000'`,
      )
    ).rows,
  ).toEqual([{ count: 1 }])
  process.stdout.write(
    `  ${answered} requests, ${visits.length} of them writes, ${failures.length} failed, the slowest after ${slowest} ms; ${dumps} dumps\n`,
  )
}, 300_000)

async function sql(text: string) {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  return client.query(text).finally(() => client.end())
}

/** Dumps one after the other, each read slowly enough to hold its locks for seconds. */
function startDumps() {
  let going = true
  let dumps = 0
  const all = (async () => {
    while (going && existsSync(pgDump)) {
      const child = spawn(pgDump, ['-Fc', '-d', postgres.url, '-f', join(folder, 'dump')], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let said = ''
      child.stderr.on('data', (part) => {
        said += part
      })
      const code = await new Promise((resolve) => child.once('exit', resolve))
      if (code !== 0) throw new Error(`pg_dump ended with ${code}: ${said}`)
      dumps++
      await sleep(200)
    }
  })()
  all.catch(() => {})
  return {
    async stop() {
      going = false
      await all
      return dumps
    },
  }
}
