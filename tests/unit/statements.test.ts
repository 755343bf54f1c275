// Where one SQL statement ends and the next begins.
import { expect, it } from 'vitest'
import { statementsOf } from '../../server/postgres/migrate/statements.ts'

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

it('tells where each begins', () => {
  const sql = '-- one\n  select 1;\n/* two */ select 2'
  expect(statementsOf(sql).map(({ start }) => sql.slice(start, start + 8))).toEqual(['select 1', 'select 2'])
})
