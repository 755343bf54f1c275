// The official SDK, pointed at the sandbox of a test server, with the keys that the server's functions get.
import Stripe from 'stripe'
import { sandboxStripeKeys } from '../../../sandbox/keys.ts'
import type { TestServer } from '../../support/server.ts'

/** The SDK with the secret key, or with the publishable one, as a browser has it. */
export function stripeFor(
  server: Pick<TestServer, 'url' | 'secretKey'>,
  key: 'secret' | 'publishable' = 'secret',
  retries = 0,
): Stripe {
  const keys = sandboxStripeKeys(server.secretKey)
  return new Stripe(key === 'secret' ? keys.secretKey : keys.publishableKey, {
    maxNetworkRetries: retries,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient((url, init) =>
      fetch(String(url).replace('https://api.stripe.com', `${server.url}/sandbox/stripe`), init),
    ),
  })
}

/** Asks the sandbox to misbehave in the next `remaining` requests that begin with `matches`. */
export async function fault(server: TestServer, matches: string, name: string, remaining = 1): Promise<void> {
  const response = await fetch(`${server.url}/sandbox/stripe/faults`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandboxStripeKeys(server.secretKey).secretKey}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ matches, fault: name, remaining }),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** What a rejected SDK call was rejected with. */
export async function failure(
  call: Promise<unknown>,
): Promise<InstanceType<typeof Stripe.errors.StripeError>> {
  try {
    await call
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error
    throw error
  }
  throw new Error('the call succeeded')
}
