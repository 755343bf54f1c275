// The sandbox as a plugin of the server: its tables, pages and API, and the keys that functions find in their environment.

import type { Config } from '@meadowlark/server/config/config.ts'
import type { PluginSettings } from '@meadowlark/server/config/plugin-settings.ts'
import type { Plugin, PluginContext } from '@meadowlark/server/plugin.ts'
import { z } from 'zod'
import { sandboxStripeEnvironment, sandboxStripeKeys } from './keys.ts'
import { packageFile } from './package-root.ts'
import { createSandbox, type SandboxDeps } from './services.ts'
import type { Endpoint } from './webhooks.ts'

export const sandboxSchema: Plugin = { name: 'stripe-sandbox', schema: [packageFile('src/schema.sql')] }

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

/** `isOn`: whether it answers in the place of Stripe. The tables are there outside of production, for a seed that fills them. */
export function sandboxPlugin(config: Config, { isOn }: { isOn: boolean }): Plugin {
  const webhook = config.pluginVariables.STRIPE_SANDBOX_WEBHOOK as string
  const urlOf =
    ({ origin, hasFunction }: PluginContext) =>
    async () =>
      (await hasFunction(webhook)) ? `${origin()}/functions/v1/${webhook}` : null
  return {
    name: 'stripe-sandbox',
    schema: config.production ? [] : sandboxSchema.schema,
    paths: ['/sandbox'],
    configuration: { sandbox: isOn },
    mount: (context) => (isOn ? mountSandbox(context, { url: urlOf(context) }) : []),
    environment: ({ keys, origin }) =>
      isOn ? sandboxStripeEnvironment(sandboxStripeKeys(keys.secret), origin()) : {},
    async warnings({ hasFunction }) {
      // Events that go nowhere are reported once, at the start: a function may still be written.
      if (!isOn || (await hasFunction(webhook))) return []
      return [
        `STRIPE_SANDBOX_WEBHOOK: the project has no function ${webhook}, so nobody is told of test payments; set it to the name of the function that takes Stripe's events`,
      ]
    },
  }
}

/** The services; `url` is where events go. */
export function mountSandbox(
  { config, database, jobs, keys, log, origin }: PluginContext,
  { url, atRoot }: { url: Endpoint['url'] } & Pick<SandboxDeps, 'atRoot'>,
) {
  const stripeKeys = sandboxStripeKeys(keys.secret)
  return createSandbox({
    database,
    jobs,
    log,
    atRoot,
    // Pages of the sandbox are opened by a browser.
    origin: () => (config.originIsFixed ? config.publicUrl : origin().replace('127.0.0.1', 'localhost')),
    keys: stripeKeys,
    endpoint: { url, secret: stripeKeys.webhookSecret },
  })
}
