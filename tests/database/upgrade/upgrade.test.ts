// A database of an earlier day, with rows in it, is brought to the newest migration by what a start does, loses nothing,
// keeps every rule and is used on. Each <day>.sql in this folder is such a database. Those before the baseline were made by the
// migrations of replaced-migrations.json.gz, which the baseline replaces.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Baseline, readBaseline } from '@meadowlark/server/postgres/migrate/baseline.ts'
import { readCatalogue } from '@meadowlark/server/postgres/migrate/catalogue.ts'
import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { DATABASE_PLUGINS } from '../../../plugins/index.ts'
import { repositoryFile } from '../../../plugins/repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { bookingAt, release } from '../lives.ts'
import { owner } from '../personas.ts'
import { brokenRules } from '../rules.ts'
import { dumpOf, populate, rowCounts } from './dump.ts'

const FOLDER = new URL('.', import.meta.url)
const MIGRATIONS = repositoryFile('supabase/migrations')

let db: TestDatabase | undefined
afterEach(async () => {
  await db?.drop()
  db = undefined
})

const { replaces, until } = readBaseline(repositoryFile('supabase')) as Baseline

/** The migrations that the baseline replaces, by file name. */
const replaced: Record<string, string> = JSON.parse(
  gunzipSync(readFileSync(new URL('replaced-migrations.json.gz', FOLDER))).toString(),
)
const current = () =>
  Object.fromEntries(
    readdirSync(MIGRATIONS).map((file) => [file, readFileSync(join(MIGRATIONS, file), 'utf8')]),
  )

/** Does what a start of a project with these migrations does, up to `version`. */
async function prepareWith(migrations: Record<string, string>, version = '9', target = db as TestDatabase) {
  const project = mkdtempSync(join(tmpdir(), 'meadowlark-upgrade-'))
  try {
    mkdirSync(join(project, 'migrations'))
    for (const [file, sql] of Object.entries(migrations))
      if (file.slice(0, version.length) <= version) writeFileSync(join(project, 'migrations', file), sql)
    return await preparePlatform(target.url, { project, plugins: DATABASE_PLUGINS, seed: [] })
  } finally {
    rmSync(project, { recursive: true })
  }
}

/** A database with the migrations up to that version, and with the rows of the dump. */
async function restore(dump: string, version: string): Promise<TestDatabase> {
  db = await createTestDatabase(null)
  await prepareWith(version <= replaces ? replaced : current(), version)
  await owner(db)(dump)
  return db
}

const start = () =>
  preparePlatform((db as TestDatabase).url, { project: repositoryFile('supabase'), seed: [] })

const day = process.env.UPGRADE_DUMP
describe.runIf(day)('the dump of today', () => {
  it('is written', async () => {
    db = await createTestDatabase()
    await populate(db)
    writeFileSync(new URL(`${day}.sql`, FOLDER), await dumpOf(db, day ?? ''))
  })
})

describe.skipIf(day)('a database of', () => {
  const dumps = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))

  it('some earlier day is there', () => expect(dumps).toContain('2026-11-22.sql'))

  it.each(dumps)('%s is upgraded', async (name) => {
    const dump = readFileSync(new URL(name, FOLDER), 'utf8')
    const version = /after the migration (\d+)/.exec(dump)?.[1] ?? ''
    db = await restore(dump, version)
    const before = await rowCounts(db)
    expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([])

    // Queued work of the old worker.
    const queued = new Date(Date.now() + 86_400_000)
    await owner(db)(
      `select private.enqueue_function('release-payout', '{"payment_id":"p"}', 'payout-p', $1)`,
      [queued],
    )
    await owner(db)(`select private.enqueue_function('send-emails', '{}')`)
    // Notifications from before words were coded.
    await owner(db)(
      `update public.notifications set params = '{"reason": "The bank did not take it.", "person": "Deleted user", "task": "x"}'`,
    )

    if (version <= replaces) {
      await prepareWith(replaced)
      expect((await start()).replaced).toBe(replaces)
    } else {
      const newer = readdirSync(MIGRATIONS).filter((file) => file.slice(0, version.length) > version)
      expect((await start()).migrations).toEqual(newer.sort())
    }
    expect(await rowCounts(db)).toMatchObject(before)
    const { rows: codes } = await owner(db)(
      `select distinct params -> 'codes' as codes from public.notifications`,
    )
    expect(codes).toEqual([{ codes: { reason: 'bank_refused', person: 'deleted_user' } }])
    const { rows: effects } = await owner(db)(
      `select message, abs(extract(epoch from vt - $1)) < 60 as in_time, vt <= clock_timestamp() as now
       from pgmq.q_effects where message ->> 'key' = 'payout-p' or message ->> 'function' = 'send-emails' order by 1`,
      [queued],
    )
    expect(effects).toEqual([
      { message: { function: 'send-emails', body: {}, key: null }, in_time: false, now: true },
      {
        message: { function: 'release-payout', body: { payment_id: 'p' }, key: 'payout-p' },
        in_time: true,
        now: false,
      },
    ])
    expect(
      (await owner(db)(`select from graphile_worker.jobs where task_identifier = 'invoke_function'`))
        .rowCount,
    ).toBe(0)

    // A migration that changes private.task_kinds(), or what counts as found, has to call private.rebuild_figures() itself.
    const { rows: kinds } = await owner(db)(
      `select name, count as kept, (select count(*)::int from public.tasks t where name = any (private.matching_task_kinds(t))) as counted
       from public.task_kind_counts() order by name`,
    )
    expect(kinds.filter(({ kept, counted }) => kept !== counted)).toEqual([])
    expect(kinds.filter(({ counted }) => counted > 0)).not.toEqual([])

    // Every row still satisfies the rules: an empty change checks them all.
    for (const table of ['profiles', 'verifications', 'tasks', 'payment_methods', 'payout_accounts']) {
      await owner(db)(`update public.${table} set created_at = created_at`)
    }
    let done = 1
    while (done > 0) done = (await owner(db)('select public.run_scheduled() as done')).rows[0].done
    expect(await brokenRules(db)).toEqual([])
    expect(await release(db, await bookingAt(db, 'completed'))).toBe(1)
    expect(await brokenRules(db)).toEqual([])
  })
})

describe('the baseline', () => {
  it('is recorded where the replaced migrations made the database, and makes the same', async () => {
    db = await createTestDatabase(null)
    await prepareWith(replaced)
    const catalogueOf = (of = db as TestDatabase) =>
      of.database.transaction((client) => readCatalogue(client, ['public', 'private']))
    const before = await catalogueOf()
    const later = Object.keys(current()).filter((file) => file.slice(0, until.length) > until)
    expect(await start()).toMatchObject({ migrations: later.sort(), replaced: replaces })
    const again = await start()
    expect(again).toMatchObject({ migrations: [], newer: [] })
    expect(again.replaced).toBeUndefined()

    const fresh = await createTestDatabase(null)
    try {
      await prepareWith(current(), until, fresh)
      expect(await catalogueOf(fresh)).toEqual(before)
      await prepareWith(current(), '9', fresh)
      expect(await catalogueOf(fresh)).toEqual(await catalogueOf())
    } finally {
      await fresh.drop()
    }
    // The version before it still serves.
    const newer = Object.keys(current()).map((file) => file.replace('.sql', ''))
    expect((await prepareWith(replaced)).newer).toEqual(newer.sort())
  })

  it('is refused before the last replaced migration, with the way there, and changes nothing', async () => {
    db = await createTestDatabase(null)
    const [last = '', ...others] = Object.keys(replaced).sort().reverse()
    const { [last]: _, ...earlier } = replaced
    await prepareWith(earlier)
    const newest = others[0]?.split('_')[0]
    await expect(start()).rejects.toThrow(
      `baseline.json: replaces the migrations up to ${replaces}, but the newest one in this database is ${newest}. ` +
        `Start it once with the version of the project that ends with migration ${replaces}, then with this one`,
    )
    expect((await prepareWith(replaced)).migrations).toEqual([last])
  })

  it('is refused where somebody changed the database by hand, with the kind of object', async () => {
    db = await createTestDatabase(null)
    await prepareWith(replaced)
    await owner(db)('create or replace function private.is_admin() returns boolean language sql return true')
    await expect(start()).rejects.toThrow('Changed by hand: function.')
    const { rows } = await owner(db)(
      'select count(*)::int from supabase_migrations.schema_migrations where version > $1',
      [replaces],
    )
    expect(rows).toEqual([{ count: 0 }])
  })
})
