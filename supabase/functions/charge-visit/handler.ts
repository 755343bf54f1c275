// Charges the giver's default card for a visit, which the giver agreed to. Called by run-effects two days before the visit, as often
// as it takes; the money moves once. https://docs.stripe.com/payments/save-and-reuse
import type Stripe from 'stripe'
import { z } from 'zod'
import type { NothingDue } from '../_shared/due.ts'
import { endpoint, jsonBody } from '../_shared/endpoint.ts'
import { knownIntent, recordIntent } from '../_shared/intents.ts'
import { openIntent, type Prepared } from '../_shared/payment-intent.ts'
import { HttpError } from '../_shared/respond.ts'
import { refusalOf, stripeClient } from '../_shared/stripe.ts'
import { callAsService, type Environment } from '../_shared/supabase.ts'

type Charge = Prepared & { action: 'charge'; customer: string; payment_method: string }

const body = jsonBody(z.object({ booking_id: z.uuid('must be the id of a booking') }))

export default endpoint(
  { caller: 'secret', body, failure: 'The visit could not be charged' },
  async ({ body: { booking_id }, env }) => {
    const due = await callAsService<Charge | NothingDue>(env, 'begin_visit_charge', { booking_id })
    if (due.action === 'none') return { charged: false, reason: due.reason }
    const stripe = stripeClient(env)
    const intent = await openIntent(env, stripe, due).catch(nothingToPay)
    if (!intent) {
      // A closed intent is followed by a new one, on the next try.
      if (intent === null) throw new Error(`the intent of booking ${booking_id} was closed`)
      return { charged: false, reason: 'the visit is paid or has ended' }
    }
    return charge(env, stripe, due, intent.id)
  },
)

/** Undefined if the booking was paid or ended meanwhile; the giver's own payment comes first. */
function nothingToPay(error: unknown): undefined {
  if (error instanceof HttpError && (error.status === 409 || error.coded)) return undefined
  throw error
}

async function charge(env: Environment, stripe: Stripe, due: Charge, id: string) {
  try {
    await stripe.paymentIntents.update(id, { customer: due.customer })
    const intent = await stripe.paymentIntents.confirm(id, {
      payment_method: due.payment_method,
      off_session: true,
    })
    if (intent.status === 'succeeded') await recordIntent(env, due.payment_id, intent)
    return { charged: intent.status === 'succeeded' }
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    // The giver may have paid by hand a moment ago.
    const intent = await knownIntent(stripe, id)
    if (intent.status === 'succeeded') {
      await recordIntent(env, due.payment_id, intent)
      return { charged: true }
    }
    const { message, code } = refusal
    await callAsService(env, 'fail_visit_charge', { booking_id: due.booking_id, message, code })
    return { charged: false, reason: message }
  }
}
