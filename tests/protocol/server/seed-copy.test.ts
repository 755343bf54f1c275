// Seeds and migrations as pg_dump writes them: COPY … FROM stdin with its rows, and commands of psql.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let db: TestDatabase
let project: string
beforeEach(async () => {
  db = await createTestDatabase(null)
  project = mkdtempSync(path.join(tmpdir(), 'meadowlark-project-'))
  mkdirSync(path.join(project, 'migrations'))
})
afterEach(async () => {
  await db.drop()
  rmSync(project, { recursive: true })
})

const prepare = (files: { migration?: string; seed: string }) => {
  const { migration = TABLES, seed } = files
  writeFileSync(path.join(project, 'migrations/20250101000000_init.sql'), migration)
  writeFileSync(path.join(project, 'seed.sql'), seed)
  return preparePlatform(db.url, { project, seed: ['seed.sql'] })
}
const rows = async (sql: string) => (await db.database.pool.query(sql)).rows

const TABLES = `create table public.fruit (id int primary key, name text, price numeric);
create table public.baskets (id int primary key, fruit_id int references public.fruit);`

const SEED = `--
-- PostgreSQL database dump
--

\\restrict 3nKq0b8VQzJd

-- Dumped from database version 17.6

SET statement_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
SET row_security = off;

--
-- Data for Name: fruit; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.fruit (id, name, price) FROM stdin;
1\tSaskatoon berry\t4.50
2\t\\N\t\\N
3\t-- it's; a 'rose' hip\\nof \\\\. two lines 🌹\t0
\\restricted\t1\t1
\\.


COPY public.baskets (id, fruit_id) FROM stdin;
\\.

insert into public.baskets values (1, 1);
copy public.baskets from stdin (format csv);
2,"3"
\\.
SELECT pg_catalog.set_config('search_path', 'public', false);

\\unrestrict 3nKq0b8VQzJd
`

it('loads the blocks of a dump between its other statements', async () => {
  await prepare({ seed: SEED.replace('\\restricted\t1\t1\n', '') })
  expect(await rows('select * from public.fruit order by id')).toEqual([
    { id: 1, name: 'Saskatoon berry', price: '4.50' },
    { id: 2, name: null, price: null },
    { id: 3, name: "-- it's; a 'rose' hip\nof \\. two lines 🌹", price: '0' },
  ])
  expect(await rows('select * from public.baskets order by id')).toEqual([
    { id: 1, fruit_id: 1 },
    { id: 2, fruit_id: 3 },
  ])
})

it('names file, line and column of a row that does not fit, and keeps nothing', async () => {
  // A row is no command of psql, whatever it begins with: this one begins with a carriage return.
  await expect(prepare({ seed: SEED })).rejects.toThrow(
    /^seed\.sql: invalid input syntax for type integer: "\restricted" \(line 23\)\n {2}COPY fruit, line 4, column id/,
  )
  expect(await rows('select * from public.fruit')).toEqual([])
  await prepare({ seed: SEED.replace('\\restricted\t1\t1\n', '') })
  expect(await rows('select * from public.fruit')).toHaveLength(3)
})

it.each([
  ['a duplicate', '1\tApple\n1\tPear\n', /duplicate key.* \(line 3\)/],
  ['a missing column', '1\n', /missing data for column "name" \(line 2\)/],
  ['an extra column', '1\tApple\t2\n', /extra data after last expected column \(line 2\)/],
])('names the line of %s', async (_, data, message) => {
  await expect(prepare({ seed: `copy public.fruit (id, name) from stdin;\n${data}\\.\n` })).rejects.toThrow(
    message,
  )
})

it('names the line of a statement that fails, and of what only psql knows', async () => {
  await expect(prepare({ seed: '\n\ncopy public.nothing from stdin;\n1\n\\.\n' })).rejects.toThrow(
    /"public.nothing" does not exist \(line 3\)/,
  )
  await expect(prepare({ seed: 'select 1;\n\\connect other\n' })).rejects.toThrow(
    /syntax error at or near "\\" \(line 2\)/,
  )
})

it('loads rows in migrations, too, also in one whose statements are run one by one', async () => {
  const migration = `${TABLES}\ncopy public.fruit from stdin;\n1\tApple\t1\n\\.\nvacuum public.fruit;\n`
  await prepare({ migration, seed: '' })
  expect(await rows('select id, name from public.fruit')).toEqual([{ id: 1, name: 'Apple' }])
})
