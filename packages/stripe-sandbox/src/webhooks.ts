// Hands events to the application's webhook endpoint, signed as Stripe signs them
// (https://docs.stripe.com/webhooks#verify-manually), again and again until it answers 2xx.
import { createHmac } from 'node:crypto'
import type { TaskHandler } from '@meadowlark/server/jobs/task.ts'
import type pg from 'pg'
import { nowSeconds, type StripeObject } from './objects.ts'

export type Endpoint = {
  /** Where events go, asked at each delivery; null while there is nobody to take them. */
  url: () => Promise<string | null>
  /** The endpoint's signing secret (`whsec_…`). */
  secret: string
}

const TIMEOUT_MS = 20_000

/** The `Stripe-Signature` header for a body: `t=<seconds>,v1=<HMAC-SHA256 of "t.body">`. */
function signature(body: string, secret: string, seconds: number): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${digest}`
}

/** The job `deliver_stripe_event` {event, copy}: copy 1 is skipped when the event has arrived already. */
export function deliveryTask(
  pool: pg.Pool,
  endpoint: Endpoint,
): TaskHandler<{ event: string; copy: number }> {
  return async ({ event, copy }) => {
    if (copy === 1 && (await hasArrived(pool, event))) return
    await deliver(pool, endpoint, event)
  }
}

/** Sends one event once, if there is an endpoint, and records how it went. Rejects unless it answers 2xx. */
export async function deliver(pool: pg.Pool, endpoint: Endpoint, eventId: string): Promise<void> {
  const { rows } = await pool.query<{ data: StripeObject }>(
    `select data from sandbox.stripe_objects where id = $1 and object = 'event'`,
    [eventId],
  )
  const url = await endpoint.url()
  if (!rows[0] || url === null) return
  const body = JSON.stringify(rows[0].data, null, 2)
  let status: number | null = null
  let error: string | null = null
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signature(body, endpoint.secret, nowSeconds()),
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    status = response.status
    if (!response.ok) error = (await response.text()).slice(0, 500)
  } catch (failure) {
    error = String(failure)
  }
  await pool.query('insert into sandbox.stripe_deliveries (event_id, status, error) values ($1, $2, $3)', [
    eventId,
    status,
    error,
  ])
  if (error !== null)
    throw new Error(`the webhook endpoint answered ${status ?? 'nothing'} to ${eventId}: ${error}`)
}

async function hasArrived(pool: pg.Pool, eventId: string): Promise<boolean> {
  const { rows } = await pool.query(
    'select from sandbox.stripe_deliveries where event_id = $1 and error is null limit 1',
    [eventId],
  )
  return rows.length > 0
}
