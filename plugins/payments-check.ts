// The doctor's checks at Stripe: whether it accepts the key, and notifies our webhook of every event that moves
// money.

import { type Finding, failure, ok, warning } from '@meadowlark/server/doctor/finding.ts'
import Stripe from 'stripe'

const TIMEOUT_MS = 10_000
const ADDRESS = 'https://api.stripe.com'

/** Events for the endpoints of the account and of connected accounts (docs/operations/payments.md). */
const EVENTS = [
  'charge.succeeded payment_intent.succeeded payment_intent.payment_failed payment_intent.canceled',
  'refund.created refund.updated refund.failed charge.refund.updated transfer.created transfer.reversed',
  'charge.dispute.created charge.dispute.updated charge.dispute.funds_withdrawn charge.dispute.funds_reinstated',
  'charge.dispute.closed account.updated payout.created payout.updated payout.paid payout.failed payout.canceled',
].flatMap((line) => line.split(' '))

/** `webhook` is the address of our function; `address` Stripe's own, unless another speaks its API. Never rejects. */
export async function examineStripe(
  secretKey: string,
  webhook: string,
  address = ADDRESS,
): Promise<Finding[]> {
  const stripe = new Stripe(secretKey, {
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient((url, init) =>
      fetch(String(url).replace(ADDRESS, address), init),
    ),
  })
  try {
    const { data } = await stripe.webhookEndpoints.list({ limit: 100 })
    const ours = data.filter(({ url, status }) => url === webhook && status === 'enabled')
    if (ours.length === 0)
      return [
        failure(
          'payments',
          `no webhook endpoint of Stripe's leads to ${webhook}; without one no payment is ever held: add both, as docs/operations/payments.md says`,
        ),
      ]
    const heard = new Set(ours.flatMap(({ enabled_events }) => enabled_events))
    const missing = heard.has('*') ? [] : EVENTS.filter((event) => !heard.has(event))
    return [
      missing.length === 0
        ? ok('payments', `Stripe takes the key, and tells ${webhook} of everything`)
        : warning('payments', `Stripe does not tell ${webhook} of ${missing.join(', ')}; add them there`),
    ]
  } catch (error) {
    return [failed(error)]
  }
}

function failed(error: unknown): Finding {
  if (error instanceof Stripe.errors.StripeAuthenticationError)
    return failure(
      'payments',
      'STRIPE_SECRET_KEY: Stripe does not take it; set the one that its dashboard shows under Developers, API keys',
    )
  if (error instanceof Stripe.errors.StripePermissionError)
    return warning(
      'payments',
      'STRIPE_SECRET_KEY: Stripe takes it, but it may not list webhook endpoints; see there that both are as docs/operations/payments.md says',
    )
  return failure(
    'payments',
    `Stripe cannot be reached (${(error as Error).message}); look at the network and at status.stripe.com`,
  )
}
