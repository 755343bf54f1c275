// The styles follow MapLibre's specification, which the map itself only complains about in the browser's console.
import { validateStyleMin } from '@maplibre/maplibre-gl-style-spec'
import { expect, test } from 'vitest'
import { mapStyle } from './mapStyle.ts'
import { streetStyle } from './streetStyle.ts'

test.each(['light', 'dark'] as const)('the styles of the %s theme are valid', (theme) => {
  expect(validateStyleMin(mapStyle(theme))).toEqual([])
  expect(validateStyleMin(streetStyle('https://maps.example.com/streets.pmtiles', theme, 'de'))).toEqual([])
})
