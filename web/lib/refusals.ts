// Why the payment provider did not send money, by its codes: only reasons with a next step, or that need none, have
// specific words. The twin of private.transfer_refusal_reason() in the database; https://docs.stripe.com/error-codes
import type { Enums } from './database.types.ts'

export type PayoutRefusal = 'account' | 'funds' | 'unknown' | 'givenUp'
/** The latest failures of a payment that the reader may see, one a step. */
export type Failures = readonly {
  step: Enums<'payment_step'>
  code: string | null
  /** It is not tried by itself any more. */
  given_up: boolean
}[]

const refusals: Record<string, PayoutRefusal> = {
  insufficient_capabilities_for_transfer: 'account',
  transfers_not_allowed: 'account',
  payouts_not_allowed: 'account',
  balance_insufficient: 'funds',
  insufficient_funds: 'funds',
}

/** Why the tasker's transfer was refused. (Where the account was closed it waits for another, and is not failed.) */
export function payoutRefusal(failures: Failures): PayoutRefusal {
  const failure = failures.find(({ step }) => step === 'payout')
  const refusal = refusals[failure?.code ?? ''] ?? 'unknown'
  // A missing account detail is the next step, however often the payout was tried.
  return failure?.given_up && refusal !== 'account' ? 'givenUp' : refusal
}
