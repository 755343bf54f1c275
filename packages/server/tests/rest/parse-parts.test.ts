// The smaller parsers: orders, ranges, headers, bodies, hints, the stored form of views.
import { describe, expect, test } from 'vitest'
import { closest, closestName } from '../../src/rest/errors/hints.ts'
import { readCsv } from '../../src/rest/request/csv.ts'
import { mediaTypeName, readAccept, readMediaType } from '../../src/rest/request/media.ts'
import { parseColumns } from '../../src/rest/request/names.ts'
import { parseOrder } from '../../src/rest/request/order.ts'
import { preferenceApplied, readPreferences } from '../../src/rest/request/preferences.ts'
import { decode, readQuery } from '../../src/rest/request/query.ts'
import { contentRange, readRange } from '../../src/rest/request/range.ts'
import { viewOrigins } from '../../src/rest/schema-cache/node-tree.ts'
import { refusal } from './refusal.ts'

describe('order, ranges, columns', () => {
  test('order', () => {
    const by = (name: string, more = {}) => ({ field: { name, path: [] }, ...more })
    expect(parseOrder('name.desc.nullsfirst,id')).toEqual([
      by('name', { direction: 'desc', nulls: 'first' }),
      by('id'),
    ])
    expect(parseOrder('id.nullslast')).toEqual([by('id', { nulls: 'last' })])
    expect(parseOrder('client(name).asc')).toEqual([by('name', { relation: 'client', direction: 'asc' })])
    expect(refusal(() => parseOrder('id.ac'))).toBe(
      '"failed to parse order (id.ac)" (line 1, column 4): unexpected "c" expecting "asc", "desc", "nullsfirst" or "nullslast"',
    )
    expect(refusal(() => parseOrder('id.asc.nlsfst'))).toMatch(
      /column 8\): unexpected "l" expecting "nullsfirst" or "nullslast"/,
    )
    expect(refusal(() => parseOrder('id.descc'))).toMatch(
      /column 8\): unexpected 'c' expecting delimiter \(\.\), "," or end of input/,
    )
    expect(refusal(() => parseOrder('clients(name,id)'))).toMatch(/failed to parse order/)
  })

  test('limit and offset with the Range header', () => {
    const range = (text: string, header?: string, method = 'GET') =>
      readRange(method, header, readQuery(text, false))
    expect(range('')).toEqual({ limit: null, offset: 0 })
    expect(range('limit=5&offset=10')).toEqual({ limit: 5, offset: 10 })
    expect(range('limit=nonsense&offset=-4')).toEqual({ limit: null, offset: 0 })
    expect(range('', '0-9')).toEqual({ limit: 10, offset: 0 })
    expect(range('', '5-')).toEqual({ limit: null, offset: 5 })
    expect(range('limit=3', '0-9')).toEqual({ limit: 3, offset: 0 })
    expect(range('limit=0', '0-9')).toEqual({ limit: 0, offset: 0 })
    expect(range('limit=99999999999999999999')).toEqual({ limit: Number.MAX_SAFE_INTEGER, offset: 0 })
    expect(range('', 'bytes=0-5')).toEqual({ limit: null, offset: 0 })
    expect(range('', '0-9', 'POST')).toEqual({ limit: null, offset: 0 })
    expect(refusal(() => range('', '9-0'))).toMatch(/lower boundary/)
    expect(refusal(() => range('limit=-1'))).toMatch(/greater than or equal to zero/)
    expect(refusal(() => range('limit=1', undefined, 'PUT'))).toMatch(/not allowed for PUT/)
    expect(contentRange(0, 5, null)).toBe('0-4/*')
    expect(contentRange(10, 0, 7)).toBe('*/7')
    expect(contentRange(0, 0, 0)).toBe('*/0')
  })

  test('columns', () => {
    expect(parseColumns('a,"b,c", d', 'columns')).toEqual(['a', 'b,c', 'd'])
    expect(refusal(() => parseColumns('a,,b', 'columns'))).toMatch(/failed to parse columns parameter/)
    expect(refusal(() => parseColumns('', 'on_conflict'))).toMatch(/failed to parse on_conflict parameter/)
  })
})

describe('headers and bodies', () => {
  test('Prefer', () => {
    const read = (text: string) => readPreferences(text, true)
    expect(read('return=representation, count=exact,tx=rollback')).toEqual({
      return: 'representation',
      count: 'exact',
      tx: 'rollback',
    })
    expect(read('return=minimal, return=representation').return).toBe('minimal')
    expect(read('timezone=America/Regina, max-affected=3')).toEqual({
      timezone: 'America/Regina',
      maxAffected: 3,
    })
    expect(read('timezone=Nowhere/Land, anything')).toEqual({})
    expect(readPreferences('tx=rollback', false)).toEqual({})
    expect(refusal(() => read('handling=strict, anything, count=many'))).toBe(
      'Invalid preferences given with handling=strict: Invalid preferences: anything, count=many',
    )
    expect(preferenceApplied(read('count=exact, return=minimal'), ['return', 'count'])).toBe(
      'return=minimal, count=exact',
    )
  })

  test('Accept', () => {
    const names = (text: string) => readAccept(text).map(mediaTypeName)
    expect(names('text/csv;q=0.5, application/json')).toEqual(['application/json', 'text/csv'])
    expect(names('application/vnd.pgrst.object+json;nulls=stripped')).toEqual([
      'application/vnd.pgrst.object+json;nulls=stripped',
    ])
    expect(names('application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|verbose;')).toEqual([
      'application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|verbose',
    ])
    expect(readMediaType('application/json; charset=utf-8')).toEqual({ kind: 'json' })
    expect(readMediaType('image/png')).toEqual({ kind: 'other', name: 'image/png' })
  })

  test('CSV', () => {
    expect(readCsv('a,b\n1,NULL\n"x,""y""","multi\nline"\r\n')).toEqual([
      { a: '1', b: null },
      { a: 'x,"y"', b: 'multi\nline' },
    ])
    expect(refusal(() => readCsv('a,b\n1\n'))).toMatch(/same number of fields/)
    expect(refusal(() => readCsv('a\n"open'))).toMatch(/not closed/)
  })

  test('percent-encoding never fails', () => {
    expect(decode('a+b%20c%C3%A9')).toBe('a b cé')
    expect(decode('%')).toBe('%')
    expect(decode('%zz%41%ff')).toBe('%zzA\ufffd')
  })
})

test('hints find the nearest name, and none when nothing is near', () => {
  expect(closestName(['films', 'actors', 'roles'], 'film', 0.75)).toBe('films')
  expect(closestName(['tasks', 'users_tasks'], 'taks', 0.33)).toBe('tasks')
  expect(closestName(['films'], 'noclosealternative')).toBeUndefined()
  expect(closest(['films'], 'films')[0]).toEqual({ name: 'films', score: 1 })
  expect(closest(['films'], 'x'.repeat(10_000))).toEqual([])
})

test("a view's columns are traced to their tables", () => {
  const entry = (number: number, table: number, column: number) =>
    `{TARGETENTRY :expr {VAR :varno 1 :vartype 23 (b 1 2) {X :resno 9}} :resno ${number} :resname a\\ \\{b ` +
    `:ressortgroupref 0 :resorigtbl ${table} :resorigcol ${column} :resjunk false}`
  const definition =
    `({QUERY :commandType 1 :rtable ({RTE :subquery {QUERY :targetList (${entry(1, 99, 9)})}}) ` +
    `:targetList (${entry(1, 16400, 2)} ${entry(2, 0, 0)} ${entry(3, 16401, 1)}) :limit <>})`
  expect(viewOrigins(definition)).toEqual([
    { column: 1, table: 16400, tableColumn: 2 },
    { column: 3, table: 16401, tableColumn: 1 },
  ])
})
