// Stripe itself, where its keys are set: functions find them in their environment, pages may load its scripts.
import type { Config } from '../server/config.ts'
import type { Plugin } from '../server/plugin.ts'

export function stripePlugin({ stripe }: Pick<Config, 'stripe'>): Plugin {
  if (!stripe) return { name: 'stripe' }
  return {
    name: 'stripe',
    environment: () => ({
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    }),
    pageSources: {
      'script-src': ['https://*.js.stripe.com', 'https://js.stripe.com'],
      'img-src': ['https://*.stripe.com'],
      'connect-src': ['https://api.stripe.com'],
      'frame-src': ['https://*.js.stripe.com', 'https://js.stripe.com', 'https://hooks.stripe.com'],
    },
  }
}
