// Distances between cities, against what maps say.
import { expect, test } from 'vitest'
import { cityOf, distanceKm } from './distances.ts'

test('a place names its city, whatever precedes it', () => {
  expect(cityOf('Nutana, saskatoon')?.name).toBe('Saskatoon')
  expect(cityOf('Nutana, Sáskatoo\u0144')?.name).toBe('Saskatoon')
  expect(cityOf('Moose Jaw Trail, Regina')?.name).toBe('Regina')
  expect(cityOf('the farm by the elevator')).toBeNull()
})

test('cities are as far apart as on a map, rounded; one city is no distance', () => {
  expect(distanceKm('Saskatoon', 'Nutana, Saskatoon')).toBe(0)
  expect(distanceKm('Warman', 'Saskatoon')).toBe(20)
  expect(distanceKm('Saskatoon', 'Regina')).toBe(240)
  expect(distanceKm('Regina', 'Cathedral, Regina')).toBe(0)
  expect(distanceKm('Lloydminster', 'Estevan')).toBe(670)
  expect(distanceKm('Regina', 'Saskatoon')).toBe(distanceKm('Saskatoon', 'Regina'))
  expect(distanceKm('Calgary', 'Regina')).toBeNull()
})
