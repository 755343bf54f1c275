// Misbehaviour on request, for tests of what happens when a payment provider misbehaves.
import type pg from 'pg'
import { z } from 'zod'

/**
 * - `timeout_after_acting`: does the work, then drops the connection; the events come five seconds later.
 * - `error_before_acting`: 500, nothing done.
 * - `webhook_before_answer`: the events arrive before the answer does.
 * - `webhook_twice`: they arrive twice.
 * - `webhook_late`: they arrive two seconds later, after newer ones.
 * - `no_answer`: keeps the connection and sends nothing on it, nothing done.
 */
export const faultParams = z.strictObject({
  matches: z.string().min(1),
  fault: z.enum([
    'timeout_after_acting',
    'error_before_acting',
    'no_answer',
    'webhook_before_answer',
    'webhook_twice',
    'webhook_late',
  ]),
  remaining: z.int().min(1).max(1000).default(1),
})

export type Fault = z.output<typeof faultParams>['fault']

/** Asks for a fault in the next `remaining` requests whose "METHOD /v1/path" begins with `matches`. */
export async function askForFault(pool: pg.Pool, asked: z.output<typeof faultParams>): Promise<void> {
  await pool.query('insert into sandbox.stripe_faults (matches, fault, remaining) values ($1, $2, $3)', [
    asked.matches,
    asked.fault,
    asked.remaining,
  ])
}

/** The fault this request is to show, which is used up by it. */
export async function takeFault(pool: pg.Pool, request: string): Promise<Fault | undefined> {
  const { rows } = await pool.query<{ fault: Fault }>(
    `update sandbox.stripe_faults set remaining = remaining - 1
     where id = (select id from sandbox.stripe_faults where remaining > 0 and starts_with($1, matches)
                 order by id limit 1 for update skip locked)
     returning fault`,
    [request],
  )
  return rows[0]?.fault
}
