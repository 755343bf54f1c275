// Each fault of the list is told within thirty seconds, by a real Prometheus with the rules of deploy/alerts.yml: only in the
// soak, and where Prometheus is installed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageFile } from '../../../server/package-root.ts'
import { type OutsidePostgres, startOutsidePostgres } from '../../support/outside-postgres.ts'
import { eventually } from '../../support/process.ts'
import { freePort, startTestServer, type TestServer } from '../../support/server.ts'
import { isSoak } from '../../support/soak.ts'

const isInstalled = spawnSync('prometheus', ['--version']).error === undefined
const MAX_SECONDS = 30

describe.skipIf(!isSoak || !isInstalled)('an alert fires', () => {
  let outside: OutsidePostgres
  let server: TestServer
  let prometheus: ChildProcess
  let folder: string
  let address: string

  beforeAll(async () => {
    outside = await startOutsidePostgres()
    server = await startTestServer({ env: { DATABASE_URL: outside.url } })
    folder = mkdtempSync(join(tmpdir(), 'meadowlark-alerts-'))
    copyFileSync(packageFile('deploy/alerts.yml'), join(folder, 'alerts.yml'))
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 5s, evaluation_interval: 5s }
rule_files: [alerts.yml]
scrape_configs:
  - { job_name: meadowlark, static_configs: [{ targets: ['${new URL(server.url).host.replace('localhost', '127.0.0.1')}'] }] }
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
    await server?.stop()
    await outside?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function firing(): Promise<string[]> {
    const { data } = (await (await fetch(`${address}/api/v1/alerts`)).json()) as {
      data: { alerts: { state: string; labels: { alertname: string } }[] }
    }
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
  }
  async function isScraped(): Promise<boolean> {
    const { data } = (await (await fetch(`${address}/api/v1/query?query=postgres_up`)).json()) as {
      data: { result: unknown[] }
    }
    return data.result.length > 0
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
    await outside.stop()
    await fires('DatabaseDown')
    await outside.start()
    await ends('DatabaseDown')
  })

  test('ServerDown, for a server that is gone', async () => {
    await server.stop()
    await fires('ServerDown')
  })
})
