// The official SDK, pointed at the sandbox of a test server, with the keys that the server's functions get.
import Stripe from 'stripe'
import { sandboxStripeKeys } from '../src/keys.ts'

/** A server with the sandbox: `secretKey` is the one that the sandbox's keys are made from. */
type SandboxServer = { url: string; secretKey: string }

/** The SDK with the secret key, or with the publishable one, as a browser has it. */
export function stripeFor(
  server: SandboxServer,
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

/** A Canadian bank account, as an account of Stripe's takes it. */
export const bankAccount = {
  object: 'bank_account',
  country: 'CA',
  currency: 'cad',
  routing_number: '11000-000',
  account_number: '000123456789',
} as const

/** Everything that Stripe wants to know of a person before it pays them. */
export const whoIsPaid = {
  business_type: 'individual',
  business_profile: { mcc: '7299', product_description: 'Local tasks' },
  individual: {
    first_name: 'Theo',
    last_name: 'T',
    dob: { day: 1, month: 2, year: 1990 },
    address: { line1: '12 Elm St', city: 'Saskatoon', state: 'SK', postal_code: 'S7K 1N1' },
  },
  tos_acceptance: { date: 1_700_000_000, ip: '127.0.0.1' },
} as const

/** A connected account with nothing left to do. */
export function readyAccount(server: SandboxServer): Promise<Stripe.Account> {
  return stripeFor(server).accounts.create({
    type: 'custom',
    country: 'CA',
    capabilities: { transfers: { requested: true } },
    ...whoIsPaid,
    external_account: bankAccount as never,
  })
}

/** Asks the sandbox to misbehave in the next `remaining` requests that begin with `matches`. */
export async function fault(
  server: SandboxServer,
  matches: string,
  name: string,
  remaining = 1,
): Promise<void> {
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

/** The card's owner disputes a part of a charge, which no test card does; cents and flags as form values. */
export async function openDispute(
  server: SandboxServer,
  wanted: { payment_intent: string; amount?: string; reason?: string; inquiry?: string },
): Promise<Stripe.Dispute> {
  const response = await fetch(`${server.url}/sandbox/stripe/disputes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandboxStripeKeys(server.secretKey).secretKey}` },
    body: new URLSearchParams(wanted),
  })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error.message)
  return body
}

/** The error of a rejected SDK call. */
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
