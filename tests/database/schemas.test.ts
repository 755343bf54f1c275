// supabase/schemas and supabase/migrations: both make the same database, and a change of the first is brought to databases by
// a migration that `npm run migration` writes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CatalogueEntry,
  readCatalogue,
  readRows,
} from '@meadowlark/server/postgres/migrate/catalogue.ts'
import { statementsOf } from '@meadowlark/server/postgres/migrate/statements.ts'
import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DATABASE_PLUGINS } from '../../plugins/index.ts'
import { repositoryFile } from '../../plugins/repository.ts'
import { differenceOf, GAP } from '../../scripts/schema-difference.mjs'
import { copyAsMigrations } from '../../scripts/schema-files.mjs'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const PROJECT = repositoryFile('supabase')
const SCHEMAS = ['public', 'private']

let folder: string
/** As the migrations make it, and as the schema files do. */
let migrated: TestDatabase
let declared: TestDatabase

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'meadowlark-schemas-'))
  copyAsMigrations(PROJECT, folder)
  migrated = await createTestDatabase()
  declared = await createTestDatabase(null)
  await preparePlatform(declared.url, { project: folder, plugins: DATABASE_PLUGINS, seed: [] })
})
afterAll(async () => {
  await migrated?.drop()
  await declared?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const contentsOf = (db: TestDatabase): Promise<CatalogueEntry[]> =>
  db.database.transaction(async (client) => [
    ...(await readCatalogue(client, SCHEMAS)),
    ...(await readRows(client, SCHEMAS)),
  ])

const statements = () =>
  readdirSync(join(folder, 'migrations')).flatMap((file) =>
    statementsOf(readFileSync(join(folder, 'migrations', file), 'utf8')).map(({ text }) => text),
  )

test('the schema files define what the migrations make: npm run migration writes what is missing', async () => {
  expect(differenceOf(await contentsOf(migrated), await contentsOf(declared), statements())).toBe('')
})

test('every schema file is named in config.toml', () => {
  const copied = readdirSync(join(folder, 'migrations')).length
  expect(readdirSync(join(PROJECT, 'schemas'))).toHaveLength(copied)
})

test('no migration has a gap left to fill in', () => {
  const withGap = readdirSync(join(PROJECT, 'migrations')).filter((file) =>
    readFileSync(join(PROJECT, 'migrations', file), 'utf8').includes(GAP),
  )
  expect(withGap).toEqual([])
})

const CHANGES = `
  set role postgres;
  create table public.ladders (id bigint generated always as identity primary key, owner uuid not null references private.profiles (id));
  alter table public.ladders enable row level security;
  create index ladders_of_owner on public.ladders (owner);
  create policy "people read their ladders" on public.ladders for select to authenticated using (owner = (select auth.uid()));
  grant select, insert (owner) on public.ladders to authenticated;
  comment on table public.ladders is 'Theo''s ladders';
  create view public.ladder_counts as select owner, count(*) from public.ladders group by owner;
  create function private.rungs(height numeric) returns integer language sql immutable as $$ select ceil(height / 30)::integer $$;
  grant execute on function private.rungs(numeric) to authenticated;
  create function private.check_ladder() returns trigger language plpgsql as $$ begin return new; end $$;
  create trigger "40_rungs" before insert on public.ladders for each row execute function private.check_ladder();
  alter publication supabase_realtime add table public.ladders;
  alter table public.tasks add column snow_depth integer check (snow_depth > 0);
  create or replace function private.round_hourly_rate(profile private.profiles) returns private.profiles language plpgsql as $$ begin return null; end $$;
  drop policy "people read their own notifications" on public.notifications;
  create policy "people read their own notifications" on public.notifications for select to authenticated using (false);
  revoke update (read) on public.notifications from authenticated;
  drop index public.notifications_newest;
  drop trigger before_notification_update on public.notifications;
  drop function public.has_password();
  drop trigger before_review_change on public.reviews;
  drop function private.before_review_change();
  reset role`

test('a changed schema is reached by the migration that is written from the difference', async () => {
  const other = await createTestDatabase()
  try {
    await other.database.pool.query(CHANGES)
    const wanted = await contentsOf(other)
    const sql = differenceOf(
      await contentsOf(migrated),
      wanted,
      statementsOf(CHANGES).map(({ text }) => text),
    )
    expect(sql).not.toContain(GAP)
    await declared.database.pool.query(`set role postgres; ${sql}; reset role`)
    expect(differenceOf(await contentsOf(declared), wanted, [])).toBe('')
  } finally {
    await other.drop()
  }
})

test('a change of rows is left to a person, with a line that names it', async () => {
  const now = await contentsOf(migrated)
  const change = (kind: string, name: string, definition: string | null) =>
    now.flatMap((entry) =>
      entry.kind !== kind || entry.name !== name ? [entry] : definition ? [{ ...entry, definition }] : [],
    )
  expect(differenceOf(now, change('column', 'public.tasks.title', null), [])).toBe(
    `${GAP} column public.tasks.title is gone`,
  )
  expect(differenceOf(now, change('column', 'public.tasks.title', 'character varying'), [])).toBe(
    `${GAP} column public.tasks.title is "character varying" instead of "text not null"`,
  )
  expect(differenceOf(change('column', 'public.tasks.title', null), now, [])).toBe(
    `${GAP} column public.tasks.title is not null and has no default; give existing rows a value\n` +
      'alter table public.tasks add column title text not null;',
  )
  expect(differenceOf(now, change('rows', 'storage.buckets', null), [])).toBe(
    `${GAP} rows of storage.buckets differ`,
  )
})
