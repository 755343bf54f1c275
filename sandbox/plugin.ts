// The sandbox as a plugin: its tables, its pages and Stripe API, the keys that functions find, an inbox for messages.
import type { Config } from '../server/config.ts'
import { packageFile } from '../server/package-root.ts'
import type { Plugin, PluginContext } from '../server/plugin.ts'
import { keepEmail, keepText } from './inbox/messages.ts'
import { type InboxServer, inboxServer } from './inbox/smtp.ts'
import { sandboxStripeEnvironment, sandboxStripeKeys } from './keys.ts'
import { createSandbox } from './sandbox.ts'

export const sandboxSchema: Plugin = { name: 'sandbox', schema: [packageFile('sandbox/schema.sql')] }

/** Its parts are on as the configuration says; the tables are there outside of production. */
export function sandboxPlugin(config: Config): Plugin {
  const { stripe, mail, sms } = config.sandbox
  let smtp: InboxServer | undefined
  return {
    name: 'sandbox',
    schema: config.production ? [] : sandboxSchema.schema,
    paths: ['/sandbox'],
    configuration: { sandbox: stripe },
    inbox: { ...(mail ? { email: keepEmail } : {}), ...(sms ? { text: keepText } : {}) },
    mount(context) {
      if (mail) smtp = inboxServer(context)
      return stripe || mail || sms ? mount(context) : []
    },
    environment: ({ keys, origin }) => ({
      ...(stripe ? sandboxStripeEnvironment(sandboxStripeKeys(keys.secret), origin()) : {}),
      ...smtp?.environment(),
    }),
    stop: async () => smtp?.stop(),
    async warnings({ hasFunction }) {
      // Events that go nowhere are reported once, at the start: a function may still be written.
      if (!stripe || (await hasFunction(config.sandboxWebhook))) return []
      return [
        `STRIPE_SANDBOX_WEBHOOK: the project has no function ${config.sandboxWebhook}, so nobody is told of test payments; set it to the name of the function that takes Stripe's events`,
      ]
    },
  }
}

function mount({ config, database, jobs, keys, log, origin, hasFunction }: PluginContext) {
  const stripeKeys = sandboxStripeKeys(keys.secret)
  const webhook = config.sandboxWebhook
  return createSandbox({
    parts: { stripe: config.sandbox.stripe, inbox: config.sandbox.mail || config.sandbox.sms },
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
