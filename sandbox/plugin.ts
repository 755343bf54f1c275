// The sandbox as a plugin: its tables, its pages and Stripe API, the keys that functions find, an inbox for messages.
import { z } from 'zod'
import type { PluginSettings } from '../server/config/plugin-settings.ts'
import type { Config } from '../server/config.ts'
import { packageFile } from '../server/package-root.ts'
import type { Plugin, PluginContext } from '../server/plugin.ts'
import { keepEmail, keepText } from './inbox/messages.ts'
import { type InboxServer, inboxServer } from './inbox/smtp.ts'
import { sandboxStripeEnvironment, sandboxStripeKeys } from './keys.ts'
import { createSandbox } from './sandbox.ts'

export const sandboxSchema: Plugin = { name: 'sandbox', schema: [packageFile('sandbox/schema.sql')] }

export const sandboxSettings: PluginSettings = {
  variables: {
    STRIPE_SANDBOX: z
      .enum(['true', 'false'], { error: 'must be true or false' })
      .default('false')
      .transform((value) => value === 'true'),
    STRIPE_SANDBOX_WEBHOOK: z
      .string()
      .regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,127}$/, 'must be the name of a function')
      .default('stripe-webhook'),
  },
}

type SandboxConfig = Pick<Config, 'production' | 'ownProject' | 'smtp' | 'carrier' | 'pluginVariables'>
type Parts = { stripe: boolean; mail: boolean; sms: boolean }

/**
 * Which services of others are stood in for: never any in production, and none that is configured. Payments only for
 * Meadowlark itself, unless STRIPE_SANDBOX says so.
 */
export function sandboxParts(config: SandboxConfig, { paysElsewhere }: { paysElsewhere: boolean }): Parts {
  const { production, ownProject, smtp, carrier, pluginVariables } = config
  return {
    stripe: !production && !paysElsewhere && (ownProject || pluginVariables.STRIPE_SANDBOX === true),
    mail: !production && !smtp,
    sms: !production && !carrier,
  }
}

/** `paysElsewhere`: the keys of a real provider are set. The tables are there outside of production. */
export function sandboxPlugin(config: Config, { paysElsewhere }: { paysElsewhere: boolean }): Plugin {
  const parts = sandboxParts(config, { paysElsewhere })
  const { stripe, mail, sms } = parts
  const webhook = config.pluginVariables.STRIPE_SANDBOX_WEBHOOK as string
  let smtp: InboxServer | undefined
  return {
    name: 'sandbox',
    schema: config.production ? [] : sandboxSchema.schema,
    paths: ['/sandbox'],
    configuration: { sandbox: stripe },
    inbox: { ...(mail ? { email: keepEmail } : {}), ...(sms ? { text: keepText } : {}) },
    mount(context) {
      if (mail) smtp = inboxServer(context)
      return stripe || mail || sms ? mount(context, parts, webhook) : []
    },
    environment: ({ keys, origin }) => ({
      ...(stripe ? sandboxStripeEnvironment(sandboxStripeKeys(keys.secret), origin()) : {}),
      ...smtp?.environment(),
    }),
    stop: async () => smtp?.stop(),
    async warnings({ hasFunction }) {
      // Events that go nowhere are reported once, at the start: a function may still be written.
      if (!stripe || (await hasFunction(webhook))) return []
      return [
        `STRIPE_SANDBOX_WEBHOOK: the project has no function ${webhook}, so nobody is told of test payments; set it to the name of the function that takes Stripe's events`,
      ]
    },
  }
}

function mount(
  { config, database, jobs, keys, log, origin, hasFunction }: PluginContext,
  { stripe, mail, sms }: Parts,
  webhook: string,
) {
  const stripeKeys = sandboxStripeKeys(keys.secret)
  return createSandbox({
    parts: { stripe, inbox: mail || sms },
    ...{ database, jobs, log },
    // Pages of the sandbox are opened by a browser.
    origin: () => (config.originIsFixed ? config.publicUrl : origin().replace('127.0.0.1', 'localhost')),
    keys: stripeKeys,
    endpoint: {
      url: async () => ((await hasFunction(webhook)) ? `${origin()}/functions/v1/${webhook}` : null),
      secret: stripeKeys.webhookSecret,
    },
  })
}
