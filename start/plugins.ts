// What is added to the server's services: the one list of plugins, and the configuration with what they read.
import { extensionStandIns } from '../extensions/plugin.ts'
import { sandboxParts, sandboxPlugin, sandboxSchema, sandboxSettings } from '../sandbox/plugin.ts'
import { type Config, type ConfigSources, loadConfig as loadServerConfig } from '../server/config.ts'
import type { Plugin } from '../server/plugin.ts'
import { emailsPlugin, emailsSettings } from './emails.ts'
import { foundPlugin } from './found.ts'
import { moneyPlugin } from './money.ts'
import { pushPlugin, pushSettings } from './push.ts'
import { smtpPlugin } from './smtp.ts'
import { stripeAccount, stripePlugin, stripeSettings } from './stripe.ts'

/** Reads and validates the configuration, the plugins' variables too. Throws ConfigError with every problem found. */
export function loadConfig(sources: Omit<ConfigSources, 'plugins'>): Config {
  return loadServerConfig({
    ...sources,
    plugins: [stripeSettings, pushSettings, emailsSettings, sandboxSettings],
  })
}

export function pluginsFor(config: Config): Plugin[] {
  const account = stripeAccount(config.pluginVariables)
  return [
    extensionStandIns,
    stripePlugin(account, config),
    smtpPlugin(config),
    // Another project's functions find the environment that Supabase gives them, and nothing else.
    ...(config.ownProject ? [pushPlugin(config), foundPlugin, moneyPlugin, emailsPlugin(config)] : []),
    sandboxPlugin(config, { paysElsewhere: account !== null }),
  ]
}

/** Which services of others are stood in for, as the command line announces it. */
export function sandboxOf(config: Config): Readonly<Record<'stripe' | 'mail' | 'sms', boolean>> {
  return sandboxParts(config, { paysElsewhere: stripeAccount(config.pluginVariables) !== null })
}

/** What a database needs of them that is prepared without a server. */
export const DATABASE_PLUGINS: Plugin[] = [extensionStandIns, sandboxSchema]
