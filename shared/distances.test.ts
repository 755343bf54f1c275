// Distances between points, against what maps say.
import { expect, test } from 'vitest'
import { kmBetween } from './distances.ts'

const SASKATOON = { latitude: 52.13, longitude: -106.67 }
const REGINA = { latitude: 50.45, longitude: -104.61 }
const LLOYDMINSTER = { latitude: 53.28, longitude: -110.01 }
const ESTEVAN = { latitude: 49.14, longitude: -102.99 }

test('points are as far apart as on a map, in both directions', () => {
  expect(kmBetween(SASKATOON, SASKATOON)).toBe(0)
  expect(kmBetween(SASKATOON, REGINA)).toBeCloseTo(235, -1)
  expect(kmBetween(LLOYDMINSTER, ESTEVAN)).toBeCloseTo(670, -1)
  expect(kmBetween(REGINA, SASKATOON)).toBe(kmBetween(SASKATOON, REGINA))
})
