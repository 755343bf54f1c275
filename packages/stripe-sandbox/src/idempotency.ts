// Idempotency keys: https://docs.stripe.com/api/idempotent_requests. The first answer is kept for 24 hours, in the
// transaction of what it did; the same key again replays it, with other parameters it is an error.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { StripeFailure } from './errors.ts'

export type KeptAnswer = { status: number; body: object; requestId: string; replayed?: boolean }

/** Tells two requests apart: the path and every parameter. */
export function fingerprintOf(path: string, params: object): string {
  return createHash('sha256')
    .update(JSON.stringify([path, params]))
    .digest('hex')
}

/**
 * The answer already given under this key, if any. Holds the key until the transaction ends, so a second request
 * at the same time is refused (409), and one with other parameters gets an error (400).
 */
export async function recall(
  client: pg.PoolClient,
  key: string,
  fingerprint: string,
): Promise<KeptAnswer | undefined> {
  const held = await client.query<{ ok: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('stripe key ' || $1, 0)) as ok`,
    [key],
  )
  if (!held.rows[0]?.ok) {
    throw new StripeFailure(409, {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    })
  }
  const { rows } = await client.query<{
    fingerprint: string
    status: number
    body: object
    request_id: string
  }>(
    `select fingerprint, status, body, request_id from sandbox.stripe_idempotency
     where key = $1 and created > now() - interval '24 hours'`,
    [key],
  )
  const [known] = rows
  if (!known) return undefined
  if (known.fingerprint !== fingerprint) {
    throw new StripeFailure(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    })
  }
  return { status: known.status, body: known.body, requestId: known.request_id, replayed: true }
}

/** Keeps the answer for repeats. */
export async function remember(
  client: pg.PoolClient,
  key: string,
  fingerprint: string,
  answer: KeptAnswer,
): Promise<void> {
  await client.query(
    `insert into sandbox.stripe_idempotency (key, fingerprint, status, body, request_id) values ($1, $2, $3, $4, $5)
     on conflict (key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
       body = excluded.body, request_id = excluded.request_id, created = now()`,
    [key, fingerprint, answer.status, JSON.stringify(answer.body), answer.requestId],
  )
}
