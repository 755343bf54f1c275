// Payments, payouts and refunds as the back office searches them, and the totals of the books; the database finds and
// sums.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Cents, cents, fromDollars } from '../../../../shared/money.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { countQuery } from './counts.ts'
import { PAGE_SIZE } from './people.ts'

export const KINDS = ['payments', 'payouts', 'refunds'] as const
export type Kind = (typeof KINDS)[number]

const TRANSFERS = ['waiting', 'queued', 'sent', 'failed', 'reversed'] as const
/** Filters of a list; `stuck` are overdue payments. */
export const states = {
  payments: ['pending', 'held', 'frozen', 'released', 'refunded'],
  payouts: TRANSFERS,
  refunds: TRANSFERS,
} as const
export type State = 'all' | 'stuck' | (typeof states)[Kind][number]

type Key = { created_at: string; id: string } | undefined

async function findPayments(kind: Kind, state: State, search: string, after: Key, signal: AbortSignal) {
  const { data } = await supabase
    .rpc('find_payments', {
      kind,
      state,
      query: search,
      max_results: PAGE_SIZE,
      ...(after && { before_at: after.created_at, before_id: after.id }),
    })
    .abortSignal(signal)
    .throwOnError()
  return data.map((row) =>
    inCents(row, 'amount', 'total', 'payout_amount', 'refund_amount', 'refunded_amount', 'lost_amount'),
  )
}
export type FoundPayment = Awaited<ReturnType<typeof findPayments>>[number]

/** The newest first; `search` is an id of ours or of the provider, or words of either person. */
export const paymentsQuery = (kind: Kind, state: State, search: string) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'money', kind, state, search],
    initialPageParam: undefined as Key,
    queryFn: ({ pageParam, signal }) => findPayments(kind, state, search, pageParam, signal),
    getNextPageParam: (last: FoundPayment[]): Key => nextKey(PAGE_SIZE)(last),
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

export const paymentCountQuery = (kind: Kind, state: State, search: string) =>
  countQuery('find_payments', { kind, state, query: search })

export const ACCOUNTS = ['escrow', 'tasker', 'giver', 'platform_fees', 'gst', 'disputes'] as const

/** The balance of each account in the books. */
export const balancesQuery = queryOptions({
  queryKey: ['admin', 'balances'],
  queryFn: async ({ signal }): Promise<Record<(typeof ACCOUNTS)[number], Cents>> => {
    const { data } = await supabase.rpc('money_balances').abortSignal(signal).throwOnError()
    const of = (account: string) => data.find((row) => row.account === account)?.amount
    const balances = ACCOUNTS.map((account) => [
      account,
      of(account) ? fromDollars(Number(of(account))) : cents(0),
    ])
    return Object.fromEntries(balances)
  },
})

/** Sends a refund again that was refused or came back; one that is on its way already is left alone. */
export const retryRefund = (paymentId: string): Action<void> => ({
  invalidates: [['admin']],
  invalidatesOnError: true,
  run: async () => {
    await supabase.rpc('retry_refund', { payment_id: paymentId }).throwOnError()
  },
})
