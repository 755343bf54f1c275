// Search words as PostgREST filters: nothing that is typed leaves its quotes.
import { expect, test } from 'vitest'
import { matchingEveryWord, matchingPhrase } from './filters.ts'

test('every word must stand in one of the columns', () => {
  expect(matchingEveryWord('  snow regina ', ['title', 'location'])).toEqual([
    'title.ilike."%snow%",location.ilike."%snow%"',
    'title.ilike."%regina%",location.ilike."%regina%"',
  ])
  expect(matchingEveryWord('   ', ['title'])).toEqual([])
})

test('signs that mean something to SQL or PostgREST stand for themselves', () => {
  expect(matchingPhrase('50%_off', ['title'])).toBe('title.ilike."%50\\\\%\\\\_off%"')
  expect(matchingPhrase('a",title.neq."b', ['title'])).toBe('title.ilike."%a\\",title.neq.\\"b%"')
  expect(matchingPhrase('a,b)(c', ['title'])).toBe('title.ilike."%a,b)(c%"')
})
