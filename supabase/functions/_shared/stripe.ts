// The payment provider as functions reach it: Stripe, or whatever speaks its API at STRIPE_API_URL.
import Stripe from 'stripe'
import { coded } from './respond.ts'
import type { Environment } from './supabase.ts'

const STRIPE_ADDRESS = 'https://api.stripe.com'

/** The SDK. Requests that got no answer are sent again, with the same idempotency key. Throws 503 without a key. */
export function stripeClient(env: Environment): Stripe {
  const key = env.STRIPE_SECRET_KEY
  if (!key) throw coded(503, 'payment.provider_not_configured')
  const address = env.STRIPE_API_URL ?? STRIPE_ADDRESS
  return new Stripe(key, {
    maxNetworkRetries: 3,
    timeout: 20_000,
    telemetry: false,
    appInfo: { name: 'Meadowlark' },
    httpClient: Stripe.createFetchHttpClient((url, init) =>
      fetch(String(url).replace(STRIPE_ADDRESS, address), init),
    ),
  })
}

/**
 * Stripe's own words and code (https://docs.stripe.com/error-codes) when it refused a request, and null when it only failed to answer:
 * then the request may stand.
 */
export function refusalOf(error: unknown): { message: string; code: string | null } | null {
  const refused =
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeIdempotencyError ||
    error instanceof Stripe.errors.StripeCardError
  return refused ? { message: error.message, code: error.code ?? null } : null
}
