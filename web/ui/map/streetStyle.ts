// Streets from an operator's PMTiles archive with the schema of Protomaps (https://docs.protomaps.com/basemaps/layers).
import { layers, namedFlavor } from '@protomaps/basemaps'
import { addProtocol, type StyleSpecification } from 'maplibre-gl'
import { Protocol } from 'pmtiles'
import type { ShownTheme } from '../../lib/themeChoice.ts'

const ATTRIBUTION = '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap</a>'

addProtocol('pmtiles', new Protocol().tile)

/** The style of street maps from the archive at `url`; names are in `language` where the archive has them. */
export function streetStyle(url: string, theme: ShownTheme, language: string): StyleSpecification {
  return {
    version: 8,
    sources: { streets: { type: 'vector', url: `pmtiles://${url}`, attribution: ATTRIBUTION } },
    layers: layers('streets', namedFlavor(theme), { lang: language }),
  }
}
