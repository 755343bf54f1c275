// The operator's source of street maps: the web app's part of it, and the origins that its pages may then load from.

import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { loadConfig, pluginsFor } from '../../plugins/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const settings = (env: Record<string, string>) => {
  const maps = pluginsFor(loadConfig({ workdir: root, env })).find(({ name }) => name === 'maps')
  return { ...maps?.configuration, sources: maps?.pageSources }
}

test('without a source, maps load from the app alone', () => {
  expect(settings({})).toEqual({
    mapStyleUrl: null,
    mapTilesUrl: null,
    sources: { 'connect-src': [], 'img-src': [] },
  })
})

test('an archive or a style opens its origin, and others that are named', () => {
  expect(settings({ MAP_TILES_URL: 'https://maps.example.com/streets.pmtiles' })).toMatchObject({
    mapTilesUrl: 'https://maps.example.com/streets.pmtiles',
    sources: { 'connect-src': ['https://maps.example.com'] },
  })
  const origins = ['https://tiles.example.com', 'https://fonts.example.com']
  expect(
    settings({
      MAP_STYLE_URL: `${origins[0]}/style.json?key=1`,
      MAP_ORIGINS: ` ${origins[1]}, ${origins[0]}`,
    }),
  ).toMatchObject({ sources: { 'connect-src': origins, 'img-src': origins } })
})

test('a source that cannot work is refused by its name', () => {
  expect(() => settings({ MAP_STYLE_URL: 'streets' })).toThrow(/MAP_STYLE_URL/)
  expect(() => settings({ MAP_ORIGINS: 'tiles.example.com' })).toThrow(/MAP_ORIGINS/)
  expect(() =>
    settings({ MAP_STYLE_URL: 'https://a.example.com/s', MAP_TILES_URL: 'https://a.example.com/t' }),
  ).toThrow(/MAP_TILES_URL.*together/s)
})
