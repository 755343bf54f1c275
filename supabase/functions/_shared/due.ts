// Shared by release-payout and refund-payment: their body, and the report to the database that the provider rejected
// the request, so that the next try is a new one.
import { z } from 'zod'
import { jsonBody } from './endpoint.ts'
import { refusalOf } from './stripe.ts'
import { callAsService, type Environment } from './supabase.ts'

/** {payment_id}, as the database queues it. */
export const dueBody = jsonBody(z.object({ payment_id: z.uuid('must be the id of a payment') }))

/** Nothing to send, and why. */
export type NothingDue = { action: 'none'; reason: string }

/**
 * Runs `send` with that idempotency key; a refusal is recorded with `fail` before it is thrown on, a missing answer is only thrown on.
 * `codeOf` makes clear what a code of the provider means here.
 */
export async function recordingRefusal<Result>(
  env: Environment,
  fail: 'fail_payout' | 'fail_refund',
  { paymentId, key }: { paymentId: string; key: string },
  send: () => Promise<Result>,
  codeOf = async (code: string | null) => code,
): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal) {
      const { message } = refusal
      const code = await codeOf(refusal.code)
      await callAsService(env, fail, { payment_id: paymentId, message, code, idempotency_key: key })
    }
    throw error
  }
}
