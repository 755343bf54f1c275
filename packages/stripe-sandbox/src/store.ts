// Reads and writes the sandbox's Stripe objects. Everything a request does happens in its one transaction: the
// objects, their events and the jobs that deliver those events.

import type { Jobs } from '@meadowlark/server/jobs/jobs.ts'
import type pg from 'pg'
import { invalidRequest, noSuch } from './errors.ts'
import { newId, nowSeconds, type StripeObject } from './objects.ts'
import type { Paging } from './params.ts'

/** One API request at work. */
export type Session = {
  client: pg.PoolClient
  jobs: Jobs
  /** The server's own address, without a slash at the end. */
  origin: string
  now: number
  /** Which key called; a publishable key may do little. */
  key: 'secret' | 'publishable'
  /** The connected account named by the Stripe-Account header. */
  account: string | null
  requestId: string
  idempotencyKey: string | null
  apiVersion: string
  /** How this request's events are to misbehave. */
  deliver: { copies: number; delay: number }
  /** Events this request has written. */
  events: string[]
}

/** A session without a request: for a page of the sandbox, or one of its jobs. */
export function serverSession(
  deps: { jobs: Jobs; origin: () => string; apiVersion: string },
  client: pg.PoolClient,
  requestId: string,
): Session {
  return {
    client,
    jobs: deps.jobs,
    origin: deps.origin(),
    now: nowSeconds(),
    key: 'publishable',
    account: null,
    requestId,
    idempotencyKey: null,
    apiVersion: deps.apiVersion,
    deliver: { copies: 1, delay: 0 },
    events: [],
  }
}

/** Stores a new object. */
export async function insert<T extends StripeObject>(session: Session, object: T): Promise<T> {
  await session.client.query(
    `insert into sandbox.stripe_objects (id, object, data, created) values ($1, $2, $3, to_timestamp($4))`,
    [object.id, object.object, JSON.stringify(object), object.created ?? session.now],
  )
  return object
}

/** Stores an object's new state. */
export async function save<T extends StripeObject>(session: Session, object: T): Promise<T> {
  await session.client.query('update sandbox.stripe_objects set data = $2 where id = $1', [
    object.id,
    JSON.stringify(object),
  ])
  return object
}

/** An object of any kind, or undefined. */
export async function lookUp(session: Session, id: string): Promise<StripeObject | undefined> {
  const { rows } = await session.client.query<{ data: StripeObject }>(
    'select data from sandbox.stripe_objects where id = $1',
    [id],
  )
  return rows[0]?.data
}

/** The object of this kind; 404 naming `param` when there is none. */
export async function find<T extends StripeObject>(
  session: Session,
  object: T['object'],
  id: string,
  param?: string,
): Promise<T> {
  const found = await lookUp(session, id)
  if (found?.object !== object) throw noSuch(object, id, param)
  return found as T
}

/** The same, locked until the request ends. */
export async function take<T extends StripeObject>(
  session: Session,
  object: T['object'],
  id: string,
  param?: string,
): Promise<T> {
  await session.client.query('select from sandbox.stripe_objects where id = $1 for update', [id])
  return find<T>(session, object, id, param)
}

/** A page of objects, newest first, whose fields equal `filters` (undefined ones do not count). */
export async function list(
  session: Session,
  object: string,
  url: string,
  paging: Paging,
  filters: Record<string, string | undefined> = {},
) {
  const limit = paging.limit ?? 10
  if (limit < 1 || limit > 100) {
    throw invalidRequest('Invalid limit: must be between 1 and 100', { param: 'limit' })
  }
  const values: unknown[] = [object]
  const conditions = ['object = $1', `coalesce(data ->> 'deleted', '') <> 'true'`]
  const value = (given: unknown) => `$${values.push(given)}`
  // Of the account in whose name it is asked; the platform does not see those of its connected accounts.
  conditions.push(`data ->> '_account' is not distinct from ${value(session.account)}`)
  for (const [field, wanted] of Object.entries(filters)) {
    if (wanted !== undefined) conditions.push(`data ->> ${value(field)}::text = ${value(wanted)}`)
  }
  const created =
    typeof paging.created === 'object' ? paging.created : { gte: paging.created, lte: paging.created }
  for (const [name, operator] of [
    ['gt', '>'],
    ['gte', '>='],
    ['lt', '<'],
    ['lte', '<='],
  ] as const) {
    if (created[name] !== undefined)
      conditions.push(`created ${operator} to_timestamp(${value(created[name])})`)
  }
  const backwards = paging.ending_before !== undefined
  const cursor = paging.starting_after ?? paging.ending_before
  if (cursor !== undefined) {
    const { rows } = await session.client.query('select sequence from sandbox.stripe_objects where id = $1', [
      cursor,
    ])
    if (!rows[0]) throw noSuch(object, cursor, backwards ? 'ending_before' : 'starting_after')
    conditions.push(
      `(created, sequence) ${backwards ? '>' : '<'} (select created, sequence from sandbox.stripe_objects where id = ${value(cursor)})`,
    )
  }
  const order = backwards ? 'asc' : 'desc'
  const { rows } = await session.client.query<{ data: StripeObject }>(
    `select data from sandbox.stripe_objects where ${conditions.join(' and ')}
     order by created ${order}, sequence ${order} limit ${value(limit + 1)}`,
    values,
  )
  const data = rows.slice(0, limit).map((row) => row.data)
  if (backwards) data.reverse()
  return { object: 'list' as const, url, has_more: rows.length > limit, data }
}

/** Writes an event about `object` and the job that hands it to the webhook endpoint. */
export async function emit(
  session: Session,
  type: string,
  object: StripeObject,
  details: { account?: string; previous?: Record<string, unknown> } = {},
): Promise<void> {
  const event: StripeObject = {
    id: newId('evt'),
    object: 'event',
    ...(details.account ? { account: details.account } : {}),
    api_version: session.apiVersion,
    created: nowSeconds(),
    data: {
      object: present(object, session.now),
      ...(details.previous ? { previous_attributes: details.previous } : {}),
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: session.requestId, idempotency_key: session.idempotencyKey },
    type,
  }
  await insert(session, event)
  session.events.push(event.id)
  const runAt = session.deliver.delay > 0 ? { runAt: new Date(Date.now() + session.deliver.delay) } : {}
  for (let copy = 1; copy <= session.deliver.copies; copy++) {
    await session.jobs.enqueue(
      session.client,
      'deliver_stripe_event',
      { event: event.id, copy },
      { maxAttempts: 16, ...runAt },
    )
  }
}

/** An object as the API answers it: without the sandbox's own keys, and with what depends on the time of reading. */
export function present(object: StripeObject, now: number): StripeObject {
  const shown = Object.fromEntries(
    Object.entries(object).filter(([key]) => !key.startsWith('_')),
  ) as StripeObject
  if (object.object === 'balance_transaction') {
    shown.status = Number(object.available_on) <= now ? 'available' : 'pending'
  }
  return shown
}
