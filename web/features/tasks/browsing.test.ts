// Which filters an address of /browse stands for, and what the form of filters refuses.
import { expect, test } from 'vitest'
import { browsingFrom, noFilters } from './browsing.ts'
import { filtersSchema } from './filtersSchema.ts'

const from = (query: string) => browsingFrom(new URLSearchParams(query), ['newest', 'pay'])

test('the address says what is listed', () => {
  expect(
    from('search=+snow+&category=Moving&place=Regina&min=40&max=1,200.50&from=2026-11-22&to=2026-11-22'),
  ).toEqual({
    search: 'snow',
    category: 'Moving',
    sort: 'newest',
    place: 'Regina',
    min: '40',
    max: '1200.50',
    from: '2026-11-22',
    to: '2026-11-22',
  })
  expect(from('sort=pay').sort).toBe('pay')
})

test('an address that makes no sense filters nothing', () => {
  for (const query of [
    'min=much',
    'min=50&max=20',
    'from=2026-02-30',
    'from=2026-11-23&to=2026-11-22',
    'sort=random()',
  ])
    expect(from(query)).toEqual({ search: '', category: '', sort: 'newest', ...noFilters })
})

test('the form names the field that is wrong', () => {
  const failing = (change: object) =>
    filtersSchema.safeParse({ ...noFilters, ...change }).error?.issues[0]?.path
  expect(failing({ min: '-1' })).toEqual(['min'])
  expect(failing({ from: '2026-02-30' })).toEqual(['from'])
  expect(failing({ min: '50', max: '20' })).toEqual(['max'])
  expect(failing({ from: '2026-11-23', to: '2026-11-22' })).toEqual(['to'])
})
