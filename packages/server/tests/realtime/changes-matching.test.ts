// Filters of every operator on columns of many types, made at random. PostgreSQL itself would select exactly the rows
// that pass, and cannot apply exactly the filters that are refused.

import fc from 'fast-check'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChanges } from '../../src/realtime/changes/changes.ts'
import { BindingError, type Changes } from '../../src/realtime/changes/contract.ts'
import { type Database, openRequestDatabase } from '../../src/sql/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { amount } from '../support/soak.ts'

let at: TestDatabase
let changes: Changes
let requests: Database

beforeAll(async () => {
  at = await createTestDatabase()
  await at.database.pool.query(`
    create type public.size as enum ('small', 'medium', 'large');
    create extension citext with schema extensions;
    create domain public.short as varchar(5);
    create table public.things (
      id int primary key, tiny int2, big int8, price numeric(8, 2), ratio float8, done boolean, words text,
      code varchar(10), fixed char(3), loose extensions.citext, short public.short, owner uuid, size public.size,
      day date, moment timestamptz, doc jsonb, tags text[]
    );
    grant select on public.things to anon;
    alter publication supabase_realtime add table public.things`)
  requests = openRequestDatabase(at.url)
  const log = pino({ level: 'silent' })
  changes = createChanges({ database: at.database, requests, log })
})
afterAll(async () => {
  await changes.stop()
  await requests.close()
  await at.drop()
})

const UUIDS = [
  '7a0f2f6e-2f8b-4b8e-9f58-2a8d3f6f0a01',
  '7A0F2F6E-2F8B-4B8E-9F58-2A8D3F6F0A02',
  '7a0f2f6e2f8b4b8e9f582a8d3f6f0a01',
]
const WORDS = [
  '',
  'a',
  'A',
  'ab',
  'b c',
  'a,b',
  '(x)',
  '"q"',
  'back\\slash',
  'null',
  'true',
  '%',
  'ü',
  ' a ',
  'a ',
]
/** By column its type, and texts that values and filters are taken from: not all of them fit. */
const COLUMNS: Record<string, [string, string[]]> = {
  tiny: ['int2', ['0', '1', '-1', '01', ' 1', '+1', '32767', '32768', '1.0', 'x', '']],
  big: ['int8', ['0', '5', '-5', '9223372036854775807', '9223372036854775808', '5e0']],
  price: ['numeric', ['0', '1', '1.0', '1.50', '-1.5', 'NaN', '1e2']],
  ratio: ['float8', ['0', '-0', '1.5', '1.50', 'NaN', 'Infinity', '-inf', '1e-5']],
  done: ['bool', ['true', 'false', 't', 'f', 'yes', 'off', '1', 'TRUE', 'maybe']],
  words: ['text', WORDS],
  code: ['varchar', WORDS],
  fixed: ['bpchar', ['a', 'a  ', 'ab', 'abc', 'b']],
  loose: ['extensions.citext', WORDS],
  short: ['public.short', ['a', 'b', 'abcde', 'A']],
  owner: ['uuid', [...UUIDS, 'nobody']],
  size: ['public.size', ['small', 'medium', 'large', 'Small', 'huge']],
  day: ['date', ['2026-01-01', '2026-01-02', 'infinity', 'some day']],
  moment: ['timestamptz', ['2026-01-01 00:00:00+00', '2025-12-31T18:00:00-06:00', '2026-01-02']],
  doc: ['jsonb', ['{"a": 1}', '{"a":1.0}', '1', '"x"', 'null', '{']],
  tags: ['_text', ['{a,b}', '{"a","b"}', '{}', '{a']],
}
const SQL: Record<string, string> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
}

const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

interface Requested {
  filter: string
  /** The same in SQL, with at most one parameter. */
  sql: string
  values: unknown[]
}

const requested: fc.Arbitrary<Requested> = fc.constantFrom(...Object.keys(COLUMNS)).chain((column) => {
  const [type, texts] = COLUMNS[column] as [string, string[]]
  return fc
    .record({
      operator: fc.constantFrom(...Object.keys(SQL), 'in', 'in', 'is'),
      negate: fc.boolean(),
      chosen: fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 }),
      keyword: fc.constantFrom('null', 'true', 'false', 'unknown'),
    })
    .map(({ operator, negate, chosen, keyword }): Requested => {
      const begin = `${column}=${negate ? 'not.' : ''}${operator}.`
      const not = negate ? 'not' : ''
      if (operator === 'is')
        return { filter: begin + keyword, sql: `${column} is ${not} ${keyword}`, values: [] }
      if (operator === 'in') {
        const filter = `${begin}(${chosen.map(quoted).join(',')})`
        return { filter, sql: `${not} (${column} = any ($1::${type}[]))`, values: [chosen] }
      }
      const [text = ''] = chosen
      return {
        filter: begin + quoted(text),
        sql: `${not} (${column} ${SQL[operator]} $1::${type})`,
        values: [text],
      }
    })
})

/** Whether the only row meets it, in PostgreSQL's own words. */
async function says({ sql, values }: Requested): Promise<boolean | 'refused'> {
  try {
    return await at.database.transaction(async (connection) => {
      await connection.query(`set local search_path to public, extensions`)
      const { rows } = await connection.query(
        `select coalesce(${sql}, false) as met from things where id > 0`,
        values,
      )
      return rows[0].met
    })
  } catch {
    return 'refused'
  }
}

/** A row of random values, without those that do not fit their column. */
async function insert(texts: Record<string, string | null>): Promise<void> {
  await at.database.pool.query('insert into things (id) values (1)')
  for (const [column, text] of Object.entries(texts)) {
    await at.database.pool.query(`update things set ${column} = $1`, [text]).catch(() => {})
  }
}

const row = fc.record(
  Object.fromEntries(
    Object.entries(COLUMNS).map(([column, [, texts]]) => [
      column,
      fc.option(fc.constantFrom(...texts), { freq: 6 }),
    ]),
  ),
)

test('a filter lets through what PostgreSQL says meets it', async () => {
  let marker = 0
  let settled = 0
  await changes.subscribe(
    { role: 'anon', claims: {} },
    [{ event: 'INSERT', schema: 'public', table: 'things', filter: 'id=lt.0' }],
    { onChange: (_, { payload }) => (settled = payload.record?.id as number), onResync: () => {} },
  )
  await fc.assert(
    fc.asyncProperty(row, fc.array(requested, { minLength: 20, maxLength: 40 }), async (texts, all) => {
      await at.database.pool.query('delete from things')
      await insert(texts)
      // Whoever listens now receives only the next update, which changes nothing.
      await at.database.pool.query('insert into things (id) values ($1)', [--marker])
      await eventually(() => settled === marker, 60_000, 1)
      const received = new Map<number, boolean | 'refused'>()
      const subscriptions = await Promise.all(
        all.map(({ filter }, index) => {
          received.set(index, false)
          const wanted = { event: 'UPDATE' as const, schema: 'public', table: 'things', filter }
          const listener = { onChange: () => received.set(index, true), onResync: () => {} }
          return changes.subscribe({ role: 'anon', claims: {} }, [wanted], listener).catch((error) => {
            if (!(error instanceof BindingError)) throw error
            received.set(index, 'refused')
          })
        }),
      )
      await at.database.pool.query('update things set id = 1 where id = 1')
      await at.database.pool.query('insert into things (id) values ($1)', [--marker])
      await eventually(() => settled === marker, 60_000, 1)
      for (const subscription of subscriptions) subscription?.close()
      for (const [index, one] of all.entries())
        expect([one.filter, received.get(index)]).toEqual([one.filter, await says(one)])
    }),
    { numRuns: amount({ gate: 10, soak: 300 }) },
  )
})
