// A tasker's payout account as the screens read it (specification 001 §3, §7). No row yet is no failure: the client
// ignores PGRST116 for `maybeSingle`.
import { queryOptions } from '@tanstack/react-query'
import { cents, fromDollars, sum } from '../../../../shared/money.ts'
import { supabase } from '../../../lib/supabase.ts'

/** How often to look whether the provider has finished checking. */
const CHECKING_INTERVAL_MS = 3000

export type PayoutAccount = NonNullable<Awaited<ReturnType<typeof readAccount>>>

async function readAccount(userId: string, signal: AbortSignal) {
  const { data } = await supabase
    .from('payout_accounts')
    .select(
      'account_status, account_type, bank_last4, bank_name, requirements, requirement_errors, updated_at',
    )
    .eq('user_id', userId)
    .abortSignal(signal)
    .maybeSingle()
    .throwOnError()
  return data
}

export const payoutAccountQuery = (userId: string) =>
  queryOptions({
    queryKey: ['payout-account', userId],
    queryFn: ({ signal }) => readAccount(userId, signal),
    refetchInterval: ({ state }) => state.data?.account_status === 'pending' && CHECKING_INTERVAL_MS,
  })

export type Payee = { name: string; dateOfBirth: string | null; city: string }

/** The payee as far as known: from the verification, otherwise from the profile. */
export const payeeQuery = (userId: string) =>
  queryOptions({
    queryKey: ['payee', userId],
    // A form begins with it: read anew each time, or what was handed in meanwhile would be asked for again.
    gcTime: 0,
    queryFn: async ({ signal }): Promise<Payee> => {
      const [verification, profile] = await Promise.all([
        supabase
          .from('verifications')
          .select('legal_name, date_of_birth')
          .eq('user_id', userId)
          .abortSignal(signal)
          .maybeSingle()
          .throwOnError(),
        supabase
          .from('profiles')
          .select('full_name, city')
          .eq('id', userId)
          .abortSignal(signal)
          .single()
          .throwOnError(),
      ])
      return {
        name: verification.data?.legal_name ?? profile.data.full_name ?? '',
        dateOfBirth: verification.data?.date_of_birth ?? null,
        city: profile.data.city ?? '',
      }
    },
  })

/** The amount that waits for the account, in cents. Payouts that were rejected are sent once the account is active. */
export const waitingQuery = (userId: string) =>
  queryOptions({
    queryKey: ['payouts', 'waiting', userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('payments')
        .select('payout_amount')
        .eq('payee_id', userId)
        .in('payout_status', ['waiting', 'failed'])
        .abortSignal(signal)
        .throwOnError()
      return sum(cents(0), ...data.map(({ payout_amount }) => fromDollars(payout_amount)))
    },
  })
