// Search words as PostgREST filters: nothing that is typed leaves its quotes.
import { expect, test } from 'vitest'
import { everyWordFilters, phraseFilter } from './filters.ts'

test('every word must stand in one of the columns', () => {
  expect(everyWordFilters('  snow regina ', ['title', 'location'])).toEqual([
    'title.ilike."%snow%",location.ilike."%snow%"',
    'title.ilike."%regina%",location.ilike."%regina%"',
  ])
  expect(everyWordFilters('   ', ['title'])).toEqual([])
})

test('signs that mean something to SQL or PostgREST stand for themselves', () => {
  expect(phraseFilter('50%_off', ['title'])).toBe('title.ilike."%50\\\\%\\\\_off%"')
  expect(phraseFilter('a",title.neq."b', ['title'])).toBe('title.ilike."%a\\",title.neq.\\"b%"')
  expect(phraseFilter('a,b)(c', ['title'])).toBe('title.ilike."%a,b)(c%"')
})
