// Each fault of the list fires its alert within thirty seconds, in a real Prometheus with the rules of
// deploy/alerts.yml: only in the soak, and where Prometheus is installed.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPostmasterFile } from '@meadowlark/server/postgres/cluster/postmaster.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isSoak } from '../../../packages/server/tests/support/soak.ts'
import { Wire } from '../../../packages/server/tests/support/wire.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { type ExternalPostgres, startExternalPostgres } from '../../support/external-postgres.ts'
import { makeAccount } from '../../support/people.ts'
import { eventually } from '../../support/process.ts'
import { freePort, startTestServer, type TestServer } from '../../support/server.ts'

const isInstalled = spawnSync('prometheus', ['--version']).error === undefined
const MAX_SECONDS = 30
const DISK_MB = 64
let hasOwnDisk = false

/** A small disk at `at`, where this account may make one; else a folder. */
function mountDisk(at: string): string {
  mkdirSync(at)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=711`, 'tmpfs', at], {
      stdio: 'ignore',
    })
    hasOwnDisk = true
  } catch {
    // As an ordinary account.
  }
  return at
}

describe.skipIf(!isSoak || !isInstalled)('an alert fires', () => {
  let postgres: ExternalPostgres
  let standby: ExternalPostgres
  let server: TestServer
  /** Behind a wire to the same database. */
  let other: TestServer
  let wire: Wire
  let prometheus: ChildProcess
  let folder: string
  let address: string
  /** Takes no mail; and while `isSilent`, does not say so either. */
  let mailServer: Server
  let isSilent = false
  const silenced = new Set<Socket>()

  beforeAll(async () => {
    postgres = await startExternalPostgres()
    await postgres.stop()
    standby = await startExternalPostgres({ standbyOf: postgres })
    await postgres.start()
    folder = mkdtempSync(join(tmpdir(), 'meadowlark-alerts-'))
    chmodSync(folder, 0o755)
    const mailPort = await freePort()
    mailServer = createServer((socket) => (isSilent ? silenced.add(socket) : socket.destroy()))
    await new Promise<void>((resolve) => mailServer.listen(mailPort, '127.0.0.1', resolve))
    const mail = { SMTP_HOST: '127.0.0.1', SMTP_PORT: `${mailPort}`, SMTP_ADMIN_EMAIL: 'ada@example.com' }
    const databases = { DATABASE_URL: postgres.url, DATABASE_REPLICA_URL: standby.url }
    server = await startTestServer({
      env: { ...databases, DATA_DIR: mountDisk(join(folder, 'disk')), ...mail },
    })
    wire = new Wire(() => {
      const file = readPostmasterFile(join(postgres.directory, 'postgres'))
      return file && `${file.sockets}/.s.PGSQL.${file.port}`
    })
    mkdirSync(join(folder, 'other'))
    copyFileSync(join(folder, 'disk/keys.json'), join(folder, 'other/keys.json'))
    other = await startTestServer({
      env: { DATABASE_URL: await wire.url(postgres.url), DATA_DIR: join(folder, 'other'), ...mail },
    })
    const targets = [server, other].map(({ url }) => new URL(url).host.replace('localhost', '127.0.0.1'))
    copyFileSync(repositoryFile('deploy/alerts.yml'), join(folder, 'alerts.yml'))
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 5s, evaluation_interval: 5s }
rule_files: [alerts.yml]
scrape_configs:
  - { job_name: meadowlark, static_configs: [{ targets: ${JSON.stringify(targets)} }] }
`,
    )
    const port = await freePort()
    address = `http://127.0.0.1:${port}`
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    )
    await eventually(async () => (await firing().catch(() => null)) !== null && (await isScraped()))
    expect(await firing()).toEqual([])
  })
  afterAll(async () => {
    prometheus?.kill('SIGKILL')
    await other?.stop()
    await server?.stop()
    wire?.end()
    await standby?.remove()
    await postgres?.remove()
    mailServer?.close()
    spawnSync('umount', [join(folder, 'disk')])
    rmSync(folder, { recursive: true, force: true })
  })

  async function firing(): Promise<string[]> {
    const { data } = (await (await fetch(`${address}/api/v1/alerts`)).json()) as {
      data: { alerts: { state: string; labels: { alertname: string } }[] }
    }
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
  }
  async function isScraped(): Promise<boolean> {
    const { data } = (await (await fetch(`${address}/api/v1/query?query=postgres_followers==1`)).json()) as {
      data: { result: unknown[] }
    }
    return data.result.length === 2
  }
  const fires = (name: string) =>
    eventually(async () => (await firing()).includes(name), MAX_SECONDS * 1000, 500)
  const ends = (name: string) => eventually(async () => !(await firing()).includes(name))

  test('QueueLate, for what is not taken from a queue', async () => {
    const { pool } = server.database
    await pool.query(`select pgmq.create('shed')`)
    await pool.query(`select pgmq.send('shed', '{}'::jsonb)`)
    await pool.query(`update pgmq.q_shed set vt = now() - interval '2 minutes'`)
    await fires('QueueLate')
    await pool.query(`update pgmq.q_shed set vt = now() + interval '1 hour', read_ct = 6`)
    await fires('QueueFails')
    await pool.query(`select pgmq.drop_queue('shed')`)
    await ends('QueueFails')
  })

  test('JobsLate and JobsFail, for a job that nobody does, and one that fails', async () => {
    const { pool } = server.database
    await pool.query(
      `select graphile_worker.add_job('nobody_does_this', run_at := now() - interval '2 minutes')`,
    )
    await fires('JobsLate')
    await pool.query(
      `update graphile_worker._private_jobs set attempts = 1, run_at = now() + interval '1 hour'`,
    )
    await fires('JobsFail')
    await pool.query('delete from graphile_worker._private_jobs')
    await ends('JobsFail')
  })

  const askForMail = async (person: 'grace' | 'theo') => {
    await makeAccount(server, person)
    const { ok } = await fetch(`${server.url}/auth/v1/recover`, {
      method: 'POST',
      headers: { apikey: server.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${person}@example.com` }),
    })
    expect(ok).toBe(true)
  }

  test('JobsFail, for mail that no server takes', async () => {
    await askForMail('grace')
    await fires('JobsFail')
    await server.database.pool.query('delete from graphile_worker._private_jobs where locked_at is null')
    await ends('JobsFail')
  })

  test('ProviderSilent, for a mail server that takes connections and says nothing', async () => {
    isSilent = true
    await askForMail('theo')
    await fires('ProviderSilent')
    isSilent = false
    for (const socket of silenced) socket.destroy()
    await ends('ProviderSilent')
    await server.database.pool.query('delete from graphile_worker._private_jobs where locked_at is null')
    await ends('JobsFail')
  })

  test('QueueFails, for a payment provider that errs', async () => {
    const { pool } = server.database
    await pool.query(
      `insert into sandbox.stripe_faults (matches, fault, remaining) values ('DELETE /v1/customers', 'error_before_acting', 1000)`,
    )
    await pool.query(`select private.enqueue_function('close-payment-customer', '{"customer": "cus_gone"}')`)
    await fires('QueueFails')
    await pool.query('delete from sandbox.stripe_faults')
    await pool.query('update pgmq.q_effects set vt = now()')
    await ends('QueueFails')
  })

  test('ProviderSilent, for a payment provider that takes requests and says nothing', async () => {
    const { pool } = server.database
    await pool.query(
      `insert into sandbox.stripe_faults (matches, fault, remaining) values ('DELETE /v1/customers', 'no_answer', 1000)`,
    )
    await pool.query(`select private.enqueue_function('close-payment-customer', '{"customer": "cus_gone"}')`)
    await fires('ProviderSilent')
    await pool.query('delete from sandbox.stripe_faults')
    await ends('ProviderSilent')
  })

  test('ClockWrong and ClocksDiffer, for a server that is a minute ahead', async () => {
    const now = Date.now
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000)
    try {
      await Promise.all(['ClockWrong', 'ClocksDiffer'].map(fires))
    } finally {
      clock.mockRestore()
    }
    await Promise.all(['ClockWrong', 'ClocksDiffer'].map(ends))
  })

  test('ChangesNotReceived, for a database that has no slot left for the stream', async () => {
    const { pool } = server.database
    const take = `select pg_create_physical_replication_slot('taken_' || (random() * 1e9)::int)`
    await eventually(async () => {
      for (let isFull = false; !isFull; )
        isFull = await pool.query(take).then(
          () => false,
          () => true,
        )
      const { rowCount } = await pool.query(
        `select pg_terminate_backend(active_pid) from pg_replication_slots where slot_type = 'logical' and active`,
      )
      return rowCount === 0
    })
    await fires('ChangesNotReceived')
    await pool.query(
      `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name like 'taken%'`,
    )
    await ends('ChangesNotReceived')
  })

  test('ServersApart, for a network that swallows what servers say to each other', async () => {
    wire.hold()
    await fires('ServersApart')
    wire.release()
    await ends('ServersApart')
  })

  test('DiskAlmostFull, for a disk that fills up', async ({ skip }) => {
    if (!hasOwnDisk) skip('this account may make no disk of its own')
    const filler = join(folder, 'disk', 'filler')
    writeFileSync(filler, Buffer.alloc(DISK_MB * 0.95 * 1024 * 1024))
    await fires('DiskAlmostFull')
    rmSync(filler)
    await ends('DiskAlmostFull')
  })

  test('FollowerBehind, for a standby that takes the log and does not replay it', async () => {
    const onStandby = new pg.Client(standby.url)
    await onStandby.connect()
    await onStandby.query('select pg_wal_replay_pause()')
    await fires('FollowerBehind')
    await onStandby.query('select pg_wal_replay_resume()')
    await onStandby.end()
    await ends('FollowerBehind')
  })

  test('FollowerBehind and ReplicaDown, for a standby that hangs', async () => {
    standby.freeze()
    await Promise.all(['FollowerBehind', 'ReplicaDown'].map(fires))
    standby.thaw()
    await Promise.all(['FollowerBehind', 'ReplicaDown'].map(ends))
  })

  test('FollowerGone, for a standby that stops', async () => {
    await standby.stop()
    await fires('FollowerGone')
    await standby.start()
    await ends('FollowerGone')
  })

  test('ManySignInsFail, for guessed passwords', async () => {
    const guess = () =>
      fetch(`${server.url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: { apikey: server.publishableKey, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'nobody@example.com', password: 'Wrong12345' }),
      })
    const guessing = setInterval(() => void guess().catch(() => {}), 100)
    await fires('ManySignInsFail').finally(() => clearInterval(guessing))
  })

  test('DatabaseDown, for a database that is stopped', async () => {
    await postgres.stop()
    await fires('DatabaseDown')
    await postgres.start()
    await ends('DatabaseDown')
  })

  test('ServerDown, for a server that is gone', async () => {
    await server.stop()
    await fires('ServerDown')
  })
})
