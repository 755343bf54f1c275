// The clocks of places, by their id and by a text that names one; tests/database/place-clocks.test.ts compares with the database.
import { expect, test } from 'vitest'
import { clockOf, clockOfLocation } from './placeClocks.ts'

test('a place has its clock, and any other the marketplace’s', () => {
  expect(clockOf({ place_id: 'lloydminster' })).toBe('America/Edmonton')
  expect(clockOf({ place_id: 'creighton' })).toBe('America/Winnipeg')
  for (const place_id of ['regina', 'no-place', null, undefined])
    expect(clockOf({ ...(place_id !== undefined && { place_id }) })).toBe('America/Regina')
})

test.each([
  'Lloydminster',
  ' lloydminster ',
  'Lloydminster, SK',
  'Lloydminster, Saskatchewan',
  'Lloydminster SK S9V 0T7',
  '12 Main St, Lloydminster, SK  S9V0T7',
  'near Lloydminster',
  'LLÓYDMINSTER',
])('%s is by Mountain Time', (text) => {
  expect(clockOfLocation(text)).toBe('America/Edmonton')
})

test.each([
  '',
  'Regina',
  'Lloydminster Road, Saskatoon',
  'Marshall Crescent, Regina',
  'Saskatchewan',
  'SK',
  'Lloyd',
])('%s is by the clock of the marketplace', (text) => {
  expect(clockOfLocation(text)).toBe('America/Regina')
})
