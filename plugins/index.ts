// The marketplace's server: the server package with the plugins of this folder, and its configuration with what they read.
import {
  type Config,
  type ConfigSources,
  loadConfig as loadServerConfig,
} from '@meadowlark/server/config/config.ts'
import { extensionStandIns } from '@meadowlark/server/extensions/plugin.ts'
import { inboxParts, inboxPlugin, inboxSchema } from '@meadowlark/server/inbox/plugin.ts'
import type { Plugin } from '@meadowlark/server/plugin.ts'
import { sandboxPlugin, sandboxSchema, sandboxSettings } from '@meadowlark/stripe-sandbox/plugin.ts'
import { mailServer } from './mail-server.ts'
import { mapSettings, mapsPlugin } from './maps.ts'
import { notificationEmails, notificationEmailsSettings } from './notification-emails.ts'
import { pageHeads } from './page-heads.ts'
import { stripeAccount, stripePlugin, stripeSettings, usesStripeSandbox } from './payments.ts'
import { payoutMetrics } from './payout-metrics.ts'
import { pushPlugin, pushSettings } from './push.ts'
import { repositoryFile } from './repository.ts'

/** Reads and validates the configuration, the plugins' variables too. Throws ConfigError with every problem found. */
export function loadConfig(sources: Omit<ConfigSources, 'plugins' | 'home'>): Config {
  return loadServerConfig({
    ...sources,
    home: repositoryFile('supabase'),
    plugins: [stripeSettings, pushSettings, notificationEmailsSettings, mapSettings, sandboxSettings],
  })
}

export function pluginsFor(config: Config): Plugin[] {
  return [
    extensionStandIns,
    stripePlugin(stripeAccount(config.pluginVariables), config),
    mailServer(config),
    // Another project's functions find the environment that Supabase gives them, and nothing else.
    ...(config.ownProject
      ? [
          pushPlugin(config),
          mapsPlugin(config.pluginVariables),
          pageHeads,
          payoutMetrics,
          notificationEmails(config),
        ]
      : []),
    inboxPlugin(config),
    sandboxPlugin(config, { isOn: usesStripeSandbox(config) }),
  ]
}

/** The external services that a sandbox replaces, as the command line announces it. */
export function sandboxOf(config: SandboxConfig): Readonly<Record<'stripe' | 'mail' | 'sms', boolean>> {
  return { stripe: usesStripeSandbox(config), ...inboxParts(config) }
}

type SandboxConfig = Pick<Config, 'production' | 'ownProject' | 'smtp' | 'carrier' | 'pluginVariables'>

/** Plugins needed for a database that is prepared without a server. */
export const DATABASE_PLUGINS: Plugin[] = [extensionStandIns, inboxSchema, sandboxSchema]
