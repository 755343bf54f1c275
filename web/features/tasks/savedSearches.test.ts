// A saved search leads back to the list that it was saved from.
import { expect, it } from 'vitest'
import { isSavedAs, searchPath } from './api/savedSearches.ts'
import { browsingFrom, SORTS, searchOf } from './browsing.ts'

const browsingAt = (path: string) => browsingFrom(new URLSearchParams(path.split('?')[1]), SORTS)
const here = { latitude: 52.13, longitude: -106.67 }

it.each([
  'search=driveway&category=Snow Removal&place=Nutana&min=60.5&max=100&from=2031-05-01&to=2031-05-02',
  'max=100',
  'to=2031-05-02',
  'near=saskatoon-nutana&km=50&search=snow',
  'near=52.13,-106.67&km=5',
])('of the list at %s', (query) => {
  const browsing = browsingAt(`?${query}`)
  const around = browsing.near ? here : undefined
  expect(browsingAt(searchPath(searchOf(browsing, around)))).toEqual({ ...browsing })
})

it('keeps the position of the device only as a point, and none that is not known', () => {
  const browsing = browsingAt('?near=me&km=10&search=snow')
  expect(searchOf(browsing, here)).toMatchObject({ place_id: null, ...here, radius_km: 10 })
  expect(searchOf(browsing, undefined)).toMatchObject({ latitude: null, longitude: null, radius_km: null })
})

it('is saved already where only the centre of the cell differs', () => {
  const search = searchOf(browsingAt('?near=me&km=10&search=snow'), here)
  const saved = { ...search, latitude: 52.1312, longitude: -106.6634 }
  expect(isSavedAs(search, saved)).toBe(true)
  expect(isSavedAs(search, { ...saved, radius_km: 25 })).toBe(false)
  expect(isSavedAs(search, { ...saved, latitude: 52.16 })).toBe(false)
  expect(isSavedAs(search, { ...saved, place_id: 'saskatoon' })).toBe(false)
})
