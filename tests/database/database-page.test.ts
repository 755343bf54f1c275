// docs/database.md explains everything: each table has a comment, each trigger and function of the API a sentence, and the
// steps of a status are those that its type, and for bookings the table of transitions, allow.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { plainCondition, statesOf } from '../../scripts/database-words.mjs'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const page = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8')

/** The cells of each line of the page's tables. */
const cells = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))

let db: TestDatabase

beforeAll(async () => {
  db = await createTestDatabase()
})
afterAll(() => db?.drop())

const names = async (sql: string) =>
  (await db.database.pool.query(sql)).rows.map(({ name }) => name as string)

it('every table, and every view of the API, has a comment', async () => {
  const silent = await names(`
    select c.oid::regclass::text as name from pg_class c
    where (c.relkind in ('r', 'p') and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      or c.relkind = 'v' and c.relnamespace = 'public'::regnamespace) and obj_description(c.oid, 'pg_class') is null`)
  expect(silent).toEqual([])
})

it('every trigger and every function of the API has a sentence on the page', async () => {
  const triggers = await names(`
    select distinct c.oid::regclass || ' ' || t.tgname || ' ' || t.tgfoid::regproc as name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and p.pronamespace = 'private'::regnamespace`)
  const functions = await names(
    `select distinct p.proname as name from pg_proc p where p.pronamespace = 'public'::regnamespace`,
  )
  const explained = cells.filter((line) => /^[A-Z].{3,}\.$|^Refuses: /s.test(line.at(-2) ?? '')).map(String)
  const missing = [...triggers, ...functions].filter((name) => {
    const [, trigger, called] = name.split(' ')
    const words = called ? [`\`${trigger}\``, `\`${called}\``] : [`\`${name}(`]
    return !explained.some((line) => words.every((word) => line.includes(word)))
  })
  expect(triggers.length).toBeGreaterThan(50)
  expect(missing).toEqual([])
})

it('the steps of a status name its values, all of them, and no others', async () => {
  const { rows } = await db.database.pool.query<{ name: string; comment: string | null; labels: string[] }>(`
    select c.oid::regclass || '.' || a.attname as name, col_description(c.oid, a.attnum) as comment,
      array(select e.enumlabel::text from pg_enum e where e.enumtypid = a.atttypid order by 1) as labels
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type y on y.oid = a.atttypid
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and a.attnum > 0
      and y.typtype = 'e' and a.attname ~ 'status$' and a.attname not in ('availability_status', 'from_status', 'to_status')
    order by 1`)
  const wrong = rows.filter(({ comment, labels }) => {
    const { meaning, steps } = statesOf(comment ?? '')
    const named = new Set(steps.flatMap(({ from, to }) => [...from, to]))
    named.delete('new')
    const unused = labels.filter((label) => !named.has(label))
    return (
      steps.length === 0 ||
      [...named].some((label) => !labels.includes(label)) ||
      !unused.every((label) => new RegExp(`\\b${label}\\b.*not used`).test(meaning))
    )
  })
  expect(rows.length).toBeGreaterThan(9)
  expect(wrong.map(({ name }) => name)).toEqual([])
})

it('the steps of a booking are those of private.booking_transitions', async () => {
  const { rows } = await db.database.pool.query<{ comment: string }>(`
    select col_description('public.bookings'::regclass, attnum) as comment from pg_attribute
    where attrelid = 'public.bookings'::regclass and attname = 'status'`)
  const described = statesOf(rows[0]?.comment ?? '').steps.flatMap(({ from, to }) =>
    from.map((state) => `${state} ${to}`),
  )
  const allowed = await names(
    `select distinct coalesce(from_status::text, 'new') || ' ' || to_status as name from private.booking_transitions`,
  )
  expect(described.sort()).toEqual(allowed.sort())
})

it('conditions of triggers are in plain words', () => {
  expect(
    cells.filter((line) =>
      /\b(?:new|old)\.|\bis_client\b/.test(/Only when .*/.exec(String(line))?.[0] ?? ''),
    ),
  ).toEqual([])
  expect(
    plainCondition("private.is_client() and old.status = 'asked' and new.status in ('open', 'assigned')"),
  ).toBe('a client makes the change and `status` goes from `asked` to `open` or `assigned`')
  expect(plainCondition('(new.a, new.b) is distinct from (old.a, old.b) or not private.is_client()')).toBe(
    'one of `a`, `b` changes or no client makes the change',
  )
  expect(
    plainCondition("tg_op = 'INSERT' or private.is_edited(new, old) and old.status not in ('open')"),
  ).toBe('a row is added or a field of the task changes and `status` was not `open`')
  expect(plainCondition('not new.passed_over')).toBe('`passed_over` is false')
  expect(plainCondition('old.read_at is null and new.read_at is not null and new.photos <> old.photos')).toBe(
    '`read_at` is set and `photos` changes',
  )
})
