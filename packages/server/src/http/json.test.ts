// Which nesting is refused, and what does not count as one.
import { expect, test } from 'vitest'
import { NestingError, parseJson } from './json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('a thousand levels are parsed and written, one more is refused by name', () => {
  expect(JSON.stringify(parseJson(nested(1000)))).toBe(nested(1000))
  expect(() => parseJson(nested(1001))).toThrow(new NestingError())
  expect(() => parseJson('{"a":'.repeat(1001))).toThrow('must not be nested deeper than 1000 levels')
})

test('brackets within texts and brackets that were closed do not count', () => {
  const value = { brackets: '['.repeat(30_000), escaped: '\\"['.repeat(20_000), rows: Array(20_000).fill([]) }
  expect(parseJson(JSON.stringify(value))).toEqual(value)
})

test('input that is no JSON is a syntax error, however long', () => {
  expect(() => parseJson('{')).toThrow(SyntaxError)
  expect(() => parseJson('x'.repeat(50_000))).toThrow(SyntaxError)
})
