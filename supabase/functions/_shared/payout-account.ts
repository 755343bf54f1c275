// A connected account as the provider has it now, recorded. Each change of one sends an event, so whoever reads it after
// the event reads that change, too; https://docs.stripe.com/connect/handling-api-verification.
import type Stripe from 'stripe'
import { refusalOf } from './stripe.ts'
import { callAsService, type Environment } from './supabase.ts'

/** The answer about a payout account. */
export type PayoutAccount = {
  account_status: 'pending' | 'active' | 'restricted'
  bank_last4: string | null
  requirements: string[]
}

/** Reads the account and records it. Null when the provider or the database knows no such account. */
export async function refreshAccount(
  env: Environment,
  stripe: Stripe,
  accountId: string,
): Promise<PayoutAccount | null> {
  const readAt = new Date().toISOString()
  try {
    const account = await stripe.accounts.retrieve(accountId)
    return await callAsService<PayoutAccount | null>(env, 'record_payout_account', { account, at: readAt })
  } catch (error) {
    if (refusalOf(error)) return null
    throw error
  }
}
