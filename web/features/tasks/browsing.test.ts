// Which filters an address of /browse stands for, and what the form of filters refuses.
import { expect, test } from 'vitest'
import { browsingFrom, centreOf, nearPoint, noFilters } from './browsing.ts'
import { filtersSchema } from './filtersSchema.ts'

const from = (query: string) => browsingFrom(new URLSearchParams(query), ['newest', 'pay'])

test('the address says what is listed', () => {
  expect(
    from('search=+snow+&category=Moving&place=Regina&min=40&max=1,200.50&from=2026-11-22&to=2026-11-22'),
  ).toEqual({
    search: 'snow',
    category: 'Moving',
    sort: 'newest',
    near: '',
    km: 25,
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
    'near=NaN,Infinity',
    'near=91,0',
    'near=52.13',
    'near=Saskatoon!&km=5',
    'near=&km=50',
  ])
    expect(from(query)).toEqual({ search: '', category: '', sort: 'newest', near: '', km: 25, ...noFilters })
})

test('the form names the field that is wrong', () => {
  const failing = (change: object) =>
    filtersSchema.safeParse({ ...noFilters, ...change }).error?.issues[0]?.path
  expect(failing({ min: '-1' })).toEqual(['min'])
  expect(failing({ from: '2026-02-30' })).toEqual(['from'])
  expect(failing({ min: '50', max: '20' })).toEqual(['max'])
  expect(failing({ from: '2026-11-23', to: '2026-11-22' })).toEqual(['to'])
})

test('the address names a point and a distance, which replace the filter for the place', () => {
  expect(from('near=saskatoon-nutana&km=50&place=Regina')).toMatchObject({
    near: 'saskatoon-nutana',
    km: 50,
    place: '',
    sort: 'distance',
  })
  expect(from('near=me&sort=pay').sort).toBe('pay')
  // Without a date, no order by date.
  expect(from('near=me&sort=soonest').sort).toBe('distance')
  for (const km of ['4', '201', '12.5', 'far', '-5', '1e9']) expect(from(`near=me&km=${km}`).km, km).toBe(25)
  for (const km of [5, 63, 200]) expect(from(`near=me&km=${km}`).km).toBe(km)
})

test('a point is the device, the travel area, a place or a point of the map', () => {
  expect(centreOf('me')).toEqual({ kind: 'device' })
  expect(centreOf('area')).toEqual({ kind: 'area' })
  expect(centreOf('moose-jaw')).toEqual({ kind: 'place', id: 'moose-jaw' })
  const position = { latitude: 52.13, longitude: -106.67 }
  expect(nearPoint({ latitude: 52.131_99, longitude: -106.669_9 })).toBe('52.13,-106.67')
  expect(centreOf(nearPoint(position))).toEqual({ kind: 'point', position })
  for (const near of ['', '52.13,', '52.13,-181', '-91,0', '1e1,5', ' 1,1', '../x', 'x'.repeat(81)])
    expect(centreOf(near), near).toBeNull()
})
