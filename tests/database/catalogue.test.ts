// Properties of every table in the catalogue, so that the next table is not forgotten.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { owner } from './personas.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await createTestDatabase()
})
afterAll(() => db?.drop())

it('every foreign key has an index to follow it backwards', async () => {
  const { rows } = await owner(db)(
    `select k.conrelid::regclass::text as table, k.conname as key from pg_constraint k
     where k.contype = 'f' and k.connamespace in ('public'::regnamespace, 'private'::regnamespace) and not exists (
       select from pg_index i where i.indrelid = k.conrelid and i.indkey[0] = k.conkey[1]
         and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) like '%IS NOT NULL%'))`,
  )
  expect(rows).toEqual([])
})

it('only one foreign key leads from a table to another, so that embedding is never ambiguous', async () => {
  const { rows } = await owner(db)(
    `select conrelid::regclass::text as table, array_agg(conname::text order by conname) as keys from pg_constraint
     where contype = 'f' and connamespace in ('public'::regnamespace, 'private'::regnamespace)
     group by conrelid, confrelid having count(*) > 1 order by 1`,
  )
  // Two people each: the app names the column it means.
  expect(rows.map((row) => row.table)).toEqual([
    'favourites',
    'messages',
    'payments',
    'reviews',
    'task_series',
  ])
})

it('every notification that the database sends has its text', async () => {
  const { rows } = await owner(db)(
    `select prosrc as source from pg_proc
     where pronamespace in ('private'::regnamespace, 'public'::regnamespace) and prosrc ~ 'notify_person|notify_refund'`,
  )
  // The key is the second argument, before what it is filled with: itself, or one of two.
  const calls = rows.flatMap(({ source }) => [
    ...source.matchAll(/(?:notify_person|notify_refund)\((.*?)(?:jsonb|;)/gs),
  ])
  const used = new Set(
    calls.flatMap(([, given]) => [...given.matchAll(/(?:,|then|else)\s*'([a-z_]+)'/g)].map(([, key]) => key)),
  )
  const { rows: texts } = await owner(db)('select key, title, message from private.notification_texts')
  const known = new Set(texts.map((row) => row.key))
  expect(used.size).toBeGreaterThan(20)
  expect([...used].filter((key) => !known.has(key))).toEqual([])
  expect(texts.filter((row) => !row.title || !row.message)).toEqual([])
})

it('functions of an index may be run by everyone who changes a row', async () => {
  const { rows } = await owner(db)(
    `select distinct p.oid::regprocedure::text as function from pg_depend d
     join pg_index i on i.indexrelid = d.objid join pg_proc p on p.oid = d.refobjid
     where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_proc'::regclass
       and i.indrelid in (select oid from pg_class where relnamespace in ('public'::regnamespace, 'private'::regnamespace))
       and not (has_function_privilege('authenticated', p.oid, 'execute') and has_function_privilege('service_role', p.oid, 'execute'))`,
  )
  expect(rows).toEqual([])
})

it('nothing in the schema private or auth can be reached through the API', async () => {
  const { rows } = await owner(db)(
    `select c.oid::regclass::text as table from pg_class c
     where c.relnamespace in ('private'::regnamespace, 'auth'::regnamespace) and c.relkind in ('r', 'v')
       and (has_table_privilege('anon', c.oid, 'select') or has_table_privilege('authenticated', c.oid, 'insert, update, delete')
         or has_table_privilege('anon', c.oid, 'insert, update, delete'))`,
  )
  expect(rows).toEqual([])
})

it('the order of what happens before or after a change of a row is written in one function', async () => {
  // Apart from it: constraints at commit, the audit log, and limits, which look at the role that makes the change.
  const { rows } = await owner(db)(
    `select tgrelid::regclass::text as table, event, array_agg(tgname::text) as triggers
     from pg_trigger, (values (4, 'insert'), (8, 'delete'), (16, 'update')) as events (bit, event)
     where not tgisinternal and tgtype & 1 = 1 and tgtype & bit = bit and not tgdeferrable
       and tgname not in ('write_audit', 'within_limit') and tgrelid in (select oid from pg_class
         where relkind = 'r' and relnamespace in ('public'::regnamespace, 'private'::regnamespace))
     group by 1, 2, tgtype & 2 having count(*) > 1`,
  )
  expect(rows).toEqual([])
})

it('no rule of a table is longer than can be read at a glance', async () => {
  const { rows } = await owner(db)(
    `select distinct p.proname as function from pg_trigger t join pg_proc p on p.oid = t.tgfoid
     where t.tgname ~ '^[1-9][0-9]_' and p.pronamespace = 'private'::regnamespace
       and regexp_count(p.prosrc, E'\\n') > 35`,
  )
  expect(rows).toEqual([])
})

it('no rule of tasks or messages is prepared anew with every statement, as a WHEN clause is', async () => {
  const { rows } = await owner(db)(
    `select tgrelid::regclass::text as table, tgname as rule from pg_trigger
     where tgname ~ '^[1-8][0-9]_' and tgqual is not null
       and tgrelid in ('public.tasks'::regclass, 'public.task_addresses'::regclass, 'public.messages'::regclass)`,
  )
  expect(rows).toEqual([])
})
