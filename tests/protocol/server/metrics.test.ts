// Metrics for operators: every series of the alert rules and the dashboard exists, filled from real work, and a
// database that is away is reported rather than waited for. If Prometheus is installed, it reads the rules.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repositoryFile } from '../../../plugins/repository.ts'
import { type ExternalPostgres, startExternalPostgres } from '../../support/external-postgres.ts'
import { makeAccount } from '../../support/people.ts'
import { eventually } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const ALERTS = repositoryFile('deploy/alerts.yml')
const DASHBOARD = repositoryFile('deploy/dashboard.json')

let postgres: ExternalPostgres
let server: TestServer

beforeAll(async () => {
  postgres = await startExternalPostgres()
  server = await startTestServer({
    // No standby, and so no replica to read from.
    env: {
      DATABASE_URL: postgres.url,
      DATABASE_REPLICA_URL: postgres.url,
      DATABASE_RECONNECT_TIMEOUT: '1',
    },
  })
})
afterAll(async () => {
  await server.stop()
  await postgres.remove()
})

async function read(): Promise<string> {
  return (await fetch(`${server.url}/metrics`)).text()
}

/** The value of one series; undefined when it is not there. */
function valueIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length))
}

test('jobs, queues, slots, the disk, the version and what failed are measured', async () => {
  const { pool } = server.database
  await pool.query(`
    select graphile_worker.add_job('nobody_does_this', run_at := now() - interval '90 seconds');
    select graphile_worker.add_job('nor_this', run_at := now() + interval '1 hour')`)
  await pool.query(`select pgmq.create('shed')`)
  await pool.query(`select pgmq.send('shed', '{}'::jsonb)`)
  await fetch(`${server.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: server.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'Wrong12345' }),
  })
  const grace = await makeAccount(server, 'grace')
  await pool.query(
    `
    insert into private.emails (person_id, status, last_error)
    select $1, status, error from (values ('waiting'::private.email_status, null), ('waiting', '421 busy'),
      ('waiting', '421 busy'), ('sent', null), ('dead', '550 no such mailbox')) each (status, error)`,
    [grace],
  )
  const text = await read()
  for (const [status, count] of Object.entries({ waiting: 1, retrying: 2, given_up: 1 }))
    expect(valueIn(text, `emails_unsent{status="${status}"}`)).toBe(count)
  expect(valueIn(text, 'postgres_up')).toBe(1)
  expect(valueIn(text, 'jobs{task="nobody_does_this",state="waiting"}')).toBe(1)
  expect(valueIn(text, 'jobs{task="nor_this",state="scheduled"}')).toBe(1)
  expect(valueIn(text, 'jobs_late_seconds')).toBeGreaterThanOrEqual(90)
  expect(valueIn(text, 'queue_messages{queue="shed"}')).toBe(1)
  expect(valueIn(text, 'queue_tries{queue="shed"}')).toBe(0)
  expect(valueIn(text, 'disk_free_bytes{folder="DATA_DIR"}')).toBeGreaterThan(0)
  expect(valueIn(text, 'postgres_database_bytes')).toBeGreaterThan(1e6)
  expect(Math.abs(valueIn(text, 'postgres_clock_ahead_seconds') ?? 9)).toBeLessThan(2)
  expect(Math.abs((valueIn(text, 'machine_time_seconds') ?? 0) - Date.now() / 1000)).toBeLessThan(60)
  expect(valueIn(text, 'realtime_servers')).toBe(1)
  await eventually(async () => valueIn(await read(), 'realtime_receives_changes') === 1)
  expect(valueIn(text, 'postgres_followers')).toBe(0)
  expect(valueIn(text, 'postgres_replica_up')).toBe(0)
  expect(text).toMatch(/^meadowlark_build_info\{version="\d+\.\d+\.\d+"\} 1$/m)
  expect(text).toMatch(/^postgres_replication_slot_bytes\{slot="\w+",active="true"\} \d+/m)
  expect(valueIn(text, 'http_requests_total{service="auth",route="/token",status="400"}')).toBe(1)
  expect(valueIn(text, 'payouts_pending{status="waiting"}')).toBe(0)
  expect(valueIn(text, 'payouts_pending_cents{status="failed"}')).toBe(0)
})

test('the rules and the dashboard ask for nothing that is not there', async () => {
  const text = await read()
  const there = new Set(
    [...text.matchAll(/^# TYPE (\w+)/gm)].flatMap(([, name]) => [
      name,
      `${name}_count`,
      `${name}_sum`,
      `${name}_bucket`,
    ]),
  )
  // Made by Prometheus itself, and by a server that backs up.
  for (const name of ['up', 'backup_age_seconds', 'backup_behind_seconds']) there.add(name)
  const asked = [
    ...[...readFileSync(ALERTS, 'utf8').matchAll(/^ +expr: (.+)$/gm)].map(
      ([, expression]) => expression as string,
    ),
    ...[...readFileSync(DASHBOARD, 'utf8').matchAll(/"expr": "((?:[^"\\]|\\.)+)"/g)].map(([, expression]) =>
      (expression as string).replaceAll('\\"', '"'),
    ),
  ]
  expect(asked.length).toBeGreaterThan(20)
  for (const expression of asked) {
    const names = expression
      .replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ')
      .replaceAll(/\b(by|on|without|ignoring)\s*\([^)]*\)/g, ' ')
      .matchAll(/\b[a-z_]+\b(?!\s*\()/g)
    for (const [name] of names) {
      if (['and', 'or', 'unless', 'bool', 'le', 'vector'].includes(name)) continue
      expect(there, `${name} in ${expression}`).toContain(name)
    }
  }
})

test.skipIf(spawnSync('promtool', ['--version']).error !== undefined)('Prometheus reads the rules', () => {
  expect(execFileSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' })).toMatch(
    /SUCCESS: \d+ rules found/,
  )
})

test('a database that is away is reported', async () => {
  await postgres.stop()
  await eventually(async () => valueIn(await read(), 'postgres_up') === 0)
  const text = await read()
  expect(valueIn(text, 'jobs_late_seconds')).toBeUndefined()
  expect(valueIn(text, 'disk_free_bytes{folder="DATA_DIR"}')).toBeGreaterThan(0)
  await postgres.start()
  await eventually(async () => valueIn(await read(), 'postgres_up') === 1)
})
