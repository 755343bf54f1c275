// A new version behind a balancer: servers of the old one are replaced one by one, the first of the new brings a migration
// that locks tables, a dump of the database runs, people go on asking, and nobody is told that anything failed.
// `npm run test:soak -- rolling` sends 500 requests a second to three servers.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageFile } from '../../../server/package-root.ts'
import { type Balancer, startBalancer } from '../../support/balancer.ts'
import { startDebianPostgres, versionWith } from '../../support/debian-postgres.ts'
import { type ExternalPostgres, startExternalPostgres } from '../../support/external-postgres.ts'
import { buildServer, eventually, type ServerProcess, startProcess } from '../../support/process.ts'
import { amount } from '../../support/soak.ts'
import { type ObjectStore, startObjectStore } from '../storage/object-store.ts'

const SERVERS = amount({ gate: 2, soak: 3 })
const RATE = amount({ gate: 40, soak: 500 })
/** Longer than the balancer needs to notice. */
const DELAY = 1
/** pg_dump is not newer servers': it comes with the PostgreSQL that is installed. */
const version = versionWith('btree_gist')
const pgDump = `/usr/lib/postgresql/${version}/bin/pg_dump`
const EMBED = '/rest/v1/tasks?select=id,giver:public_profiles!task_giver_id(full_name)&limit=5'
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
      cpSync(packageFile(part), join(folder, name, part), { recursive: true })
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
      ...{ DATABASE_URL: postgres.url, JWT_SECRET: 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o', HOST: '127.0.0.1' },
      ...{ DATABASE_MAX_CONNECTIONS: '16', TRUSTED_PROXIES: '127.0.0.1', SHUTDOWN_DELAY: String(DELAY) },
      ...{ MAX_CONNECTIONS_PER_ADDRESS: '5000', LOG_LEVEL: 'error' },
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
  await sql('create table public.visits (id bigint primary key); grant all on public.visits to service_role')
  await sql(`notify pgrst, 'reload schema'`)
  const load = startLoad(balancer.url, old[0] as ServerProcess)
  await eventually(() => load.counts().answered > RATE)
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

/** Requests of all kinds at RATE a second, however long the answers take. */
function startLoad(url: string, { secret, publishable }: ServerProcess) {
  const agent = new Agent({ keepAlive: true, maxSockets: 400 })
  const failures: string[] = []
  const visits: number[] = []
  let [begun, answered, slowest] = [0, 0, 0]
  const open = new Set<Promise<void>>()

  function ask(number: number): Promise<void> {
    const isWrite = number % 5 === 0
    const paths = [EMBED, '/auth/v1/settings', '/rest/v1/tasks?select=id,title&limit=5']
    const path = isWrite ? '/rest/v1/visits' : (paths[number % 3] as string)
    const key = isWrite ? secret : publishable
    const since = performance.now()
    return new Promise((resolve) => {
      const done = (failure?: string) => {
        slowest = Math.max(slowest, Math.round(performance.now() - since))
        if (failure) failures.push(`${isWrite ? 'POST' : 'GET'} ${path} ${failure}`)
        else {
          answered++
          if (isWrite) visits.push(number)
        }
        resolve()
      }
      const sent = request(
        url + path,
        {
          agent,
          method: isWrite ? 'POST' : 'GET',
          headers: { apikey: key, 'content-type': 'application/json' },
        },
        (answer) => {
          let text = ''
          answer.on('data', (part) => {
            text += part
          })
          answer.on('end', () =>
            done((answer.statusCode ?? 500) < 300 ? undefined : `${answer.statusCode} ${text}`),
          )
          answer.on('error', (error) => done(error.message))
        },
      )
      sent.on('error', (error) => done(error.message))
      sent.end(isWrite ? JSON.stringify({ id: number }) : undefined)
    })
  }

  const began = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * RATE
    while (begun < due) {
      const one = ask(begun++).finally(() => open.delete(one))
      open.add(one)
    }
  }, 10)
  return {
    counts: () => ({ answered }),
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      agent.destroy()
      return { answered, failures, visits, slowest }
    },
  }
}
