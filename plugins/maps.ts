// Maps with streets: the source that an operator sets for the maps of the web app. Without one, maps show the province's
// boundary, waters, railways and places, which ship with the app.
import { ConfigError } from '@meadowlark/server/config/config-error.ts'
import type { PluginSettings, PluginVariables } from '@meadowlark/server/config/plugin-settings.ts'
import type { PolicySources } from '@meadowlark/server/http/security-headers.ts'
import type { Plugin } from '@meadowlark/server/plugin.ts'
import { z } from 'zod'

const address = z
  .url({
    protocol: /^https?$/,
    error: 'must be the address of a file, as in https://maps.example.com/style.json',
  })
  .optional()

const origins = z
  .string()
  .refine(
    (list) => listed(list).every((origin) => URL.canParse(origin)),
    'must be addresses such as https://tiles.example.com, separated by commas',
  )
  .optional()

export const mapSettings: PluginSettings = {
  variables: { MAP_STYLE_URL: address, MAP_TILES_URL: address, MAP_ORIGINS: origins },
  check({ MAP_STYLE_URL, MAP_TILES_URL }) {
    if (!MAP_STYLE_URL || !MAP_TILES_URL) return []
    throw new ConfigError([
      'MAP_TILES_URL: is set together with MAP_STYLE_URL; a style names its tiles, so set one of them',
    ])
  },
}

/** Gives the web app the source, and lets its pages load from there. */
export function mapsPlugin(variables: PluginVariables): Plugin {
  const styleUrl = variables.MAP_STYLE_URL as string | undefined
  const tilesUrl = variables.MAP_TILES_URL as string | undefined
  return {
    name: 'maps',
    configuration: { mapStyleUrl: styleUrl ?? null, mapTilesUrl: tilesUrl ?? null },
    pageSources: sourcesOf([
      styleUrl,
      tilesUrl,
      ...listed((variables.MAP_ORIGINS as string | undefined) ?? ''),
    ]),
  }
}

function listed(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}

/** Origins of the addresses, for what MapLibre fetches: styles and tiles, and the pictures of a style's icons. */
function sourcesOf(addresses: (string | undefined)[]): PolicySources {
  const origins = [...new Set(addresses.filter(Boolean).map((one) => new URL(one as string).origin))]
  return { 'connect-src': origins, 'img-src': origins }
}
