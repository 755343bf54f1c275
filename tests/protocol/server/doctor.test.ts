// npm run doctor: a whole installation is found whole, and of one in pieces each piece is named with what to do.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { examine } from '@meadowlark/server/doctor/doctor.ts'
import type { Finding } from '@meadowlark/server/doctor/finding.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig, pluginsFor } from '../../../plugins/index.ts'
import { examineStripe } from '../../../plugins/payments-check.ts'
import { repositoryFile, repositoryRoot } from '../../../plugins/repository.ts'
import { asSuperuser } from '../../support/database.ts'
import { programOf } from '../../support/npm-scripts.ts'
import { freePort, startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'meadowlark-doctor-'))
  server = await startTestServer({ env: { DATA_DIR: join(folder, 'data') } })
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const environment = () => ({
  DATABASE_URL: server.database.url,
  DATA_DIR: join(folder, 'data'),
  SITE_URL: server.url,
})

async function found(
  env: Record<string, string> = {},
  { workdir = repositoryRoot, production = false } = {},
): Promise<Finding[]> {
  const findings: Finding[] = []
  const config = loadConfig({ workdir, production, env: { ...environment(), ...env } })
  for await (const finding of examine(config, pluginsFor(config))) findings.push(finding)
  return findings
}

/** Failures and warnings, as `about: message`. */
const wrong = (findings: Finding[], about?: string) =>
  findings
    .filter((finding) => finding.level !== 'ok' && (!about || finding.about === about))
    .map((finding) => `${finding.level} ${finding.about}: ${finding.message}`)

test('a server that runs as it should is found so', async () => {
  const findings = await found()
  // The disk and the open files are those of the machine that tests.
  expect(wrong(findings).filter((line) => !/ (disk|open files):/.test(line))).toEqual([])
  expect(findings.map(({ about }) => about)).toEqual(
    expect.arrayContaining([
      'Node',
      'PostgreSQL',
      'API role',
      'replication',
      'migrations',
      'clock',
      'mail',
      'templates',
      'payments',
      'site',
    ]),
  )
})

test('each thing that lacks in production is named, with what to do', async () => {
  const closed = String(await freePort())
  chmodSync(join(folder, 'data', 'keys.json'), 0o644)
  const findings = await found(
    {
      ALLOW: 'http-site-url,missing-stripe,test-stripe-keys',
      SITE_URL: `http://127.0.0.1:${closed}`,
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: closed,
      SMTP_PASS: 'of-the-mail-server',
      SMTP_ADMIN_EMAIL: 'ada@example.com',
      S3_BUCKET: 'files',
      S3_ENDPOINT: `http://127.0.0.1:${closed}`,
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'of-the-bucket',
      DATABASE_MAX_CONNECTIONS: '1000',
    },
    { production: true },
  )
  chmodSync(join(folder, 'data', 'keys.json'), 0o600)
  expect(wrong(findings, 'keys')).toEqual([expect.stringMatching(/^failure .*chmod 600 /)])
  expect(wrong(findings, 'mail')).toEqual([expect.stringMatching(/^failure .*cannot be used.*SMTP_/)])
  expect(wrong(findings, 'files')).toEqual([expect.stringMatching(/^failure .*S3_BUCKET: the bucket/)])
  expect(wrong(findings, 'backup')).toEqual([expect.stringMatching(/^warning /)])
  expect(wrong(findings, 'connections')).toEqual([
    expect.stringMatching(/^warning .*1 × 1000 \+ 3 \+ 10 = 1013, and max_connections is \d+; raise it/),
  ])
  expect(wrong(findings, 'site')).toEqual([expect.stringMatching(/^failure .*cannot be reached from here/)])
  expect(JSON.stringify(findings)).not.toMatch(/of-the-mail-server|of-the-bucket/)
})

test('an address where another server answers is reported', async () => {
  expect(wrong(await found({ JWT_SECRET: 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o' }), 'site')).toEqual([
    expect.stringMatching(/^failure .*has other keys than those of DATA_DIR/),
  ])
})

test('at Stripe the key and the webhook are looked at', async () => {
  const webhook = 'https://meadowlark.example/functions/v1/stripe-webhook'
  let answer: { status: number; body: unknown } = { status: 200, body: { object: 'list', data: [] } }
  const stripe = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  await once(stripe.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(stripe.address() as AddressInfo).port}`
  const examined = async () => wrong(await examineStripe('sk_live_of-the-account', webhook, address))
  const endpoint = (enabled_events: string[], url = webhook) => ({ url, status: 'enabled', enabled_events })
  const listed = (...data: object[]) => {
    answer = { status: 200, body: { object: 'list', data } }
  }
  listed(endpoint(['*'], 'https://elsewhere.example/'))
  expect(await examined()).toEqual([expect.stringMatching(/^failure .*no webhook endpoint .* leads to/)])
  listed(endpoint(['payment_intent.succeeded']), endpoint(['payout.paid']))
  expect(await examined()).toEqual([
    expect.stringMatching(
      /^warning .* of charge\.succeeded, payment_intent\.payment_failed, .*add them there$/,
    ),
  ])
  listed(endpoint(['*']))
  expect(await examined()).toEqual([])
  answer = { status: 401, body: { error: { type: 'invalid_request_error', message: 'Invalid API Key' } } }
  expect(await examined()).toEqual([
    expect.stringMatching(/^failure .*STRIPE_SECRET_KEY: .*does not take it/),
  ])
  stripe.close()
  stripe.closeAllConnections()
  expect(await examined()).toEqual([expect.stringMatching(/^failure .*cannot be reached/)])
})

test('an account with few rights gets the statements that give them', async () => {
  const { pool } = server.database
  const name = `plain_${Date.now()}`
  await pool.query(`create role ${name} login password 'plain'; grant usage on schema supabase_migrations to ${name};
    grant select on all tables in schema supabase_migrations to ${name}`)
  const url = new URL(server.database.url)
  url.username = name
  url.password = 'plain'
  const rights = wrong(await found({ DATABASE_URL: url.href }), 'rights')
  expect(rights).toEqual([
    expect.stringContaining(`alter database … owner to "${name}"`),
    expect.stringContaining(`alter role ${name} replication`),
    expect.stringMatching(/"grant set on parameter session_replication_role, .* to plain_/),
  ])
  await asSuperuser(server.database.url, `drop owned by ${name}; drop role ${name}`)
})

test('migrations that wait, and one that was edited, are named', async () => {
  const workdir = join(folder, 'project')
  cpSync(repositoryFile('supabase'), join(workdir, 'supabase'), { recursive: true })
  const migrations = join(workdir, 'supabase', 'migrations')
  writeFileSync(join(migrations, '29990101000000_later.sql'), 'select 1')
  expect(wrong(await found({}, { workdir }), 'migrations')).toEqual([
    expect.stringMatching(/^warning .*1 wait, the first 29990101000000_later\.sql/),
  ])
  const [first = ''] = readdirSync(migrations).sort()
  writeFileSync(join(migrations, first), 'select 2')
  expect(wrong(await found({}, { workdir }), 'migrations')).toEqual([
    expect.stringContaining(`failure migrations: ${first}: was edited`),
  ])
})

test('message templates that are wrong are named, with the line', async () => {
  const workdir = join(folder, 'templates')
  cpSync(repositoryFile('supabase'), join(workdir, 'supabase'), { recursive: true })
  writeFileSync(join(workdir, 'supabase', 'templates', 'invite.html'), '<p>\n{{ if .Email }}never closed')
  writeFileSync(
    join(workdir, 'supabase', 'templates', 'recovery.html'),
    '{{ .Data.name }} {{ index .Data.list 1 }}',
  )
  expect(wrong(await found({}, { workdir }), 'templates')).toEqual([
    expect.stringMatching(
      /^failure .*templates\/invite\.html \(.*\): line 2: \{\{ if \}\} has no \{\{ end \}\}; until/,
    ),
    expect.stringMatching(
      /^warning .*for an account without user_metadata: .*recovery\.html .* line 1: index: cannot/,
    ),
  ])
})

test('migrations of a newer version are named', async () => {
  const { pool } = server.database
  await pool.query(
    `insert into supabase_migrations.schema_migrations (version, name) values ('29990101000000', 'next')`,
  )
  expect(wrong(await found(), 'migrations')).toEqual([
    expect.stringMatching(/^warning .*29990101000000_next came with a newer version: this one serves on/),
  ])
  await pool.query(`delete from supabase_migrations.schema_migrations where version = '29990101000000'`)
})

test('without a database that answers, everything else is looked at all the same', async () => {
  const findings = await found({ DATABASE_URL: `postgres://ada:secret@127.0.0.1:${await freePort()}/none` })
  expect(wrong(findings, 'database')).toEqual([
    expect.stringMatching(/^failure .*DATABASE_URL: cannot be used/),
  ])
  expect(findings.some(({ about }) => about === 'mail')).toBe(true)
})

test('the command prints a line for each, and ends with 1 where something does not work', async () => {
  const child = spawn(process.execPath, programOf('doctor'), {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, ...environment(), JWT_SECRET: 'p4VqL0sXcT9mZr2NwYb7KdEu5HgAfJ1o' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const printed = await text(child.stdout)
  expect(printed).toMatch(/^ok {7}PostgreSQL: /m)
  expect(printed).toMatch(/^FAILURE {2}site: /m)
  expect(printed).toMatch(/^1 not working, \d+ to look at$/m)
  expect(await ended).toEqual([1, null])
})
