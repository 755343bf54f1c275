// Which positions are in the province, by the map that ships with the app.
import { expect, test } from 'vitest'
import map from '../../shared/map/province.json' with { type: 'json' }
import { isInside } from './province.ts'

test('a position is in the province, or next to one of its places', () => {
  const inside = (latitude: number, longitude: number) => isInside({ latitude, longitude }, map)
  expect(inside(52.13, -106.67)).toBe(true)
  // Lake Athabasca, where nobody lives.
  expect(inside(59.2, -109.5)).toBe(true)
  // The western half of Lloydminster is in Alberta.
  expect(inside(53.28, -110.05)).toBe(true)
  for (const [name, latitude, longitude] of [
    ['Calgary', 51.05, -114.07],
    ['Winnipeg', 49.9, -97.14],
    ['Vermilion', 53.35, -110.85],
    ['North Dakota', 48.5, -103.5],
  ] as const)
    expect(inside(latitude, longitude), name).toBe(false)
})
