// What is added to the server's services: the one list of plugins.
import { extensionStandIns } from '../extensions/plugin.ts'
import { sandboxPlugin, sandboxSchema } from '../sandbox/plugin.ts'
import type { Config } from '../server/config.ts'
import type { Plugin } from '../server/plugin.ts'
import { smtpPlugin } from './smtp.ts'
import { stripePlugin } from './stripe.ts'

export function pluginsFor(config: Config): Plugin[] {
  return [extensionStandIns, stripePlugin(config), smtpPlugin(config), sandboxPlugin(config)]
}

/** What a database needs of them that is prepared without a server. */
export const DATABASE_PLUGINS: Plugin[] = [extensionStandIns, sandboxSchema]
