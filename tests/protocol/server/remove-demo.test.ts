// npm run admin -- --remove-demo: a database that was begun with the demo goes into production without it.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '@meadowlark/server/config/config.ts'
import { refuseDemoPeople } from '@meadowlark/server/postgres/demo-people.ts'
import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DATABASE_PLUGINS } from '../../../plugins/index.ts'
import { repositoryFile, repositoryRoot } from '../../../plugins/repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { programOf } from '../../support/npm-scripts.ts'

const SEEDS = ['seeds/people.sql', 'seeds/jobs.sql', 'seeds/test-payments.sql']
const REAL = '11111111-1111-4111-8111-111111111111'

const dataDir = mkdtempSync(join(tmpdir(), 'remove-demo-'))
let db: TestDatabase
beforeAll(async () => {
  db = await createTestDatabase()
  await db.database.pool.query(
    `insert into supabase_migrations.seed_files (path, hash) select 'supabase/' || path, 'pending' from unnest($1::text[]) path`,
    [SEEDS],
  )
  await preparePlatform(db.url, {
    project: repositoryFile('supabase'),
    plugins: DATABASE_PLUGINS,
    seed: SEEDS,
  })
  await rows(
    `insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data, created_at)
     values ($1, 'authenticated', 'authenticated', 'sam@meadowlark.example', now(),
       '{"full_name": "Sam Field", "phone": "3065550100", "role": "task_giver"}', now())`,
    [REAL],
  )
})
afterAll(async () => {
  await db?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const rows = async (sql: string, values: unknown[] = []) => (await db.database.pool.query(sql, values)).rows
const one = async (sql: string) => Object.values((await rows(sql))[0] as Record<string, unknown>)[0]

function command(script: string, ...args: string[]): [number | null, string] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...programOf(script), ...args], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, DATABASE_URL: db.url, DATA_DIR: dataDir },
    encoding: 'utf8',
  })
  return [status, (stdout + stderr).trim()]
}

/** Tables with a row that holds one of these words. */
async function tablesWith(words: string[]): Promise<string[]> {
  const found: string[] = []
  for (const { name } of await rows(
    `select format('%I.%I', n.nspname, relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema)' order by 1`,
  ))
    if (await one(`select exists (select from ${name} t where t::text ~ '${words.join('|')}')`))
      found.push(name)
  return found
}

/** Writes past the rules, as a life that the test does not play. */
const write = (sql: string) =>
  db.database.transaction(async (client) => {
    await client.query('set local session_replication_role = replica')
    await client.query(sql)
  })

const refuses = () =>
  refuseDemoPeople(db.url, { production: true, allow: [], databaseUrl: db.url } as unknown as Config)
const demoPeople = async () =>
  (await rows('select id from auth.users where id <> $1', [REAL])).map(({ id }) => id as string)

test('money between a demo person and somebody else stays, named by its booking; so does what Stripe took', async () => {
  const [payment] = await rows(
    'select id, booking_id, stripe_payment_intent_id as intent from public.payments order by id limit 1',
  )
  await write(`update public.payments set payer_id = '${REAL}' where id = '${payment.id}'`)
  const before = await one('select count(*)::int from public.ledger_entries')
  expect(command('admin', '--remove-demo', '--yes')).toEqual([
    1,
    expect.stringContaining(
      `Payments between a demo person and somebody else: bookings ${payment.booking_id}`,
    ),
  ])
  await write(
    `update public.payments set payer_id = (select task_giver_id from public.bookings where id = booking_id),
       stripe_payment_intent_id = 'pi_3Live' where id = '${payment.id}'`,
  )
  expect(command('admin', '--remove-demo', '--yes')).toEqual([
    1,
    expect.stringContaining(`Payments that Stripe took from a demo person: bookings ${payment.booking_id}`),
  ])
  expect(await one('select count(*)::int from public.ledger_entries')).toBe(before)
  await write(
    `update public.payments set stripe_payment_intent_id = '${payment.intent}' where id = '${payment.id}'`,
  )
})

test('the option is used alone', () => {
  expect(command('admin', 'grace@example.com', '--remove-demo')[0]).toBe(1)
  expect(command('admin', '--yes')[0]).toBe(1)
})

test('the list changes nothing; with --yes nothing mentions demo people any more, and the books are empty', async () => {
  const people = await demoPeople()
  const ids = (await rows('select id from public.tasks union select id from public.bookings')).map(
    ({ id }) => id as string,
  )
  const [bucket] = await rows(`select id from storage.buckets where id = 'identity-documents'`)
  expect(bucket).toBeDefined()
  const version = randomUUID()
  await rows(`insert into storage.objects (bucket_id, name, version) values ('identity-documents', $1, $2)`, [
    ...[`${people[0]}/licence.jpg`, version],
  ])
  const file = join(dataDir, 'storage/objects', version.slice(0, 2), version)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'A licence')
  // A real person keeps a profile that a demo administrator checked, and a task.
  await rows(
    `update private.profiles set verified_by = (select user_id from public.user_roles where role = 'admin') where id = $1`,
    [REAL],
  )
  await rows(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date)
     values ($1, 'Rake the leaves', 'Front yard and back yard, bags are there', 'Gardening', 'Regina, SK', 40, now() + interval '3 days')`,
    [REAL],
  )
  // Removed with the demo: the real person's application to a demo task.
  await write(
    `insert into public.bookings (task_id, task_giver_id, task_doer_id, message, status, agreed_amount)
     select id, task_giver_id, '${REAL}', 'I can help', 'pending', pay_amount from public.tasks
     where status = 'open' and task_giver_id <> '${REAL}' limit 1`,
  )
  await expect(refuses()).rejects.toThrow(`holds ${people.length} demo people`)

  const [code, list] = command('admin', '--remove-demo')
  expect([code, list]).toEqual([
    0,
    expect.stringMatching(/public\.ledger_entries: \d+[\s\S]*again with --yes\.$/),
  ])
  expect(await demoPeople()).toHaveLength(people.length)
  expect(existsSync(file)).toBe(true)

  expect(command('admin', '--remove-demo', '--yes')).toEqual([
    0,
    expect.stringContaining(`auth.users: ${people.length}\n`),
  ])
  await refuses()
  expect(existsSync(file)).toBe(false)
  expect(await tablesWith([...people, ...ids, '_demo_', 'grace@example\\.com'])).toEqual([])
  expect(await rows('select id, verified_by from private.profiles')).toEqual([
    { id: REAL, verified_by: null },
  ])
  expect(await rows('select title from public.tasks')).toEqual([{ title: 'Rake the leaves' }])
  for (const table of ['ledger_entries', 'payments', 'receipts', 'bookings'])
    expect(await one(`select count(*)::int from public.${table}`), table).toBe(0)
  expect(await one('select coalesce(sum(amount), 0)::text from public.ledger_entries')).toBe('0')
  expect(
    await rows(
      `select kind, sum(amount)::int as amount from private.figures where period = 'month' group by 1 order by 1`,
    ),
  ).toEqual([
    { kind: 'sign_ups', amount: 1 },
    { kind: 'tasks', amount: 1 },
  ])
  expect(await rows('select open_tasks::int from private.kind_counts')).toEqual([{ open_tasks: 1 }])
  expect(command('reconcile')).toEqual([0, '0 payments, 0 differences'])
  expect(command('admin', '--remove-demo', '--yes')).toEqual([
    0,
    'There are no demo people in this database.',
  ])
})
