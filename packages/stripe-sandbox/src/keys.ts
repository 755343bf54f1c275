// The sandbox's Stripe keys: shaped like Stripe's test keys, made from the project's own secret key, so that they
// stay the same over restarts and nobody else can guess them.
import { createHmac } from 'node:crypto'
import type { StripeKeys } from './api.ts'

/** Derives the three keys. */
export function sandboxStripeKeys(projectSecret: string): StripeKeys {
  const derive = (name: string) => createHmac('sha256', projectSecret).update(name).digest('hex')
  return {
    secretKey: `sk_test_${derive('stripe secret key')}`,
    publishableKey: `pk_test_${derive('stripe publishable key')}`,
    webhookSecret: `whsec_${derive('stripe webhook secret')}`,
  }
}

/** Environment variables of functions while the sandbox replaces Stripe. */
export function sandboxStripeEnvironment(keys: StripeKeys, origin: string): Record<string, string> {
  return {
    STRIPE_SECRET_KEY: keys.secretKey,
    STRIPE_PUBLISHABLE_KEY: keys.publishableKey,
    STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
    STRIPE_API_URL: `${origin}/sandbox/stripe`,
  }
}
