// The styles follow MapLibre's specification, which the map itself only complains about in the browser's console.
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec'
import { expect, test } from 'vitest'
import { mapStyle } from './mapStyle.ts'
import { streetStyle } from './streetStyle.ts'

test.each(['light', 'dark'] as const)('the styles of the %s theme are valid', (theme) => {
  expect(validateStyleMin(mapStyle(theme))).toEqual([])
  expect(validateStyleMin(streetStyle('https://maps.example.com/streets.pmtiles', theme, 'de'))).toEqual([])
})

test('names of larger places come first, those of neighbourhoods last', () => {
  const { places } = mapStyle('light').sources
  if (places?.type !== 'geojson' || typeof places.data !== 'object' || !('features' in places.data))
    throw new Error('no places')
  const ranks = new Map(places.data.features.map(({ properties }) => [properties?.name, properties?.rank]))
  expect(
    ['Saskatoon', 'Yorkton', 'Warman', 'Assiniboia', 'Aberdeen', 'Nutana'].map((name) => ranks.get(name)),
  ).toEqual([0, 1, 2, 2, 4, 5])
})
