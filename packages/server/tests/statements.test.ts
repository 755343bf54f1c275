// Where one SQL statement ends and the next begins.
import { expect, it } from 'vitest'
import { statementsOf } from '../src/postgres/migrate/statements.ts'

const texts = (sql: string) => statementsOf(sql).map(({ text }) => text)

it.each([
  [
    'plain ones, the last without a semicolon',
    ' select 1; select 2 ;; select 3 ',
    ['select 1', 'select 2', 'select 3'],
  ],
  ['comments, also nested', '-- a; b\n/* c; /* d; */ e; */ select 1 -- f; g\n; ', ['select 1 -- f; g']],
  [
    'quoted texts',
    `select 'a;''b;', "c;""d;", e'f;\\';', E'\\\\'; x`,
    [`select 'a;''b;', "c;""d;", e'f;\\';', E'\\\\'`, 'x'],
  ],
  [
    'dollar quotes',
    'do $$ a; $b$ ; $$; do $ü1$ $$;$1$ $ü1$; f($1)',
    ['do $$ a; $b$ ; $$', 'do $ü1$ $$;$1$ $ü1$', 'f($1)'],
  ],
  [
    'brackets',
    'create rule r as on insert to t do (a; b); c',
    ['create rule r as on insert to t do (a; b)', 'c'],
  ],
  [
    'bodies',
    'create function f() begin atomic select case when a then 1 end; select 2; END; begin; c; end; d',
    [
      'create function f() begin atomic select case when a then 1 end; select 2; END',
      'begin',
      'c',
      'end',
      'd',
    ],
  ],
  [
    'rows of COPY',
    'COPY public."a; from stdin" (b) FROM stdin;\n1;\t\'\n-- 2\n\\restrict\n\\.\ncopy c from stdin;\n\\.\nselect 1;copy t from STDIN csv;\n"x;',
    ['COPY public."a; from stdin" (b) FROM stdin', 'copy c from stdin', 'select 1', 'copy t from STDIN csv'],
  ],
  ['no COPY into here', 'copy "from stdin" to stdout;\n1; 2', ['copy "from stdin" to stdout', '1', '2']],
  [
    'commands of psql',
    '\\restrict a;b\n select 1;\n\\unrestrict x',
    ['\\restrict a;b', 'select 1', '\\unrestrict x'],
  ],
  ['what is never closed', `select 'a; b`, [`select 'a; b`]],
  ['nothing', ' ; -- a\n /* b', []],
])('%s', (_, sql, expected) => {
  expect(texts(sql)).toEqual(expected)
})

it('takes what seeds hold, however long, in good time', () => {
  const long = `select '${"a''".repeat(2_000_000)}'; select e'${'\\n'.repeat(2_000_000)}'`
  const many = "insert into t values (1, 'some; text', '{\"a\": 1}');\n".repeat(20_000)
  expect(texts(long)).toHaveLength(2)
  expect(texts(many)).toHaveLength(20_000)
  expect(texts(`insert into t values ${"(1, 'x'),".repeat(200_000)} (1, 'y')`)).toHaveLength(1)
}, 20_000)

it('tells where the rows of a COPY are, with line ends of either kind', () => {
  const rows = (sql: string) => statementsOf(sql).map(({ rows }) => rows && sql.slice(rows.from, rows.to))
  expect(rows('copy a from stdin;\n1\n\\N\n\\.\n\nselect 1')).toEqual(['1\n\\N\n', undefined])
  expect(rows('copy a from stdin; -- b\r\n1\r\n\\.\r\nselect 1')).toEqual(['1\r\n', undefined])
  expect(rows('copy a from stdin;\n\\.\ncopy b from stdin;\n1\n\\.')).toEqual(['', '1\n'])
  expect(rows('copy a from stdin;\n1\u2028\\.\n2')).toEqual(['1\u2028\\.\n2'])
  expect(rows('copy a from stdin;')).toEqual([''])
})

it('tells where each begins', () => {
  const sql = '-- one\n  select 1;\n/* two */ select 2'
  expect(statementsOf(sql).map(({ start }) => sql.slice(start, start + 8))).toEqual(['select 1', 'select 2'])
})
