// The plugins of a server to which nothing is added.
import { extensionStandIns } from '../../extensions/plugin.ts'
import type { Config } from '../config/config.ts'
import { inboxPlugin } from '../inbox/plugin.ts'
import type { Plugin } from '../plugin.ts'

/** Replacements for extensions that the embedded PostgreSQL lacks, and the test inbox outside of production. */
export function defaultPlugins(config: Config): Plugin[] {
  return [extensionStandIns, inboxPlugin(config)]
}
