// Disputes as an admin reads them, payments that were lost in part, and the decision of what becomes of the rest. The
// database lets only an admin who is not a party decide, and reckons what each side gets.
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Cents, toDollars } from '../../../../shared/money.ts'
import type { Enums } from '../../../lib/database.types.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { PAYMENT_COLUMNS, pricedPayment } from './complaints.ts'
import { countQuery } from './counts.ts'
import { PAGE_SIZE } from './people.ts'

const BOOKED_PAYMENT_COLUMNS =
  `payer_id, payee_id, ${PAYMENT_COLUMNS}, booking:bookings(status), task:tasks(id, title)` as const

/** Filters of the list: waiting for our evidence, under the bank's review, and decided. */
export const DISPUTE_STATES = ['all', 'to_answer', 'under_review', 'won', 'lost'] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

type Key = { before_at: string; before_id: string }

const findDisputes = (query: string, state: DisputeState, after: Key | undefined) =>
  supabase
    .rpc('find_disputes', { query, state, max_results: PAGE_SIZE, ...after })
    .select(
      `id, amount, status, reason, due_at, open, created_at, payment:payments(${BOOKED_PAYMENT_COLUMNS})`,
    )

const toDispute = ({ payment, ...row }: QueryData<ReturnType<typeof findDisputes>>[number]) => ({
  ...inCents(row, 'amount'),
  payment: pricedPayment(payment),
})

/** One dispute of a card holder. */
export type Dispute = ReturnType<typeof toDispute>

/** The newest first; `search` is an id of ours or of the provider, or words of either person. */
export const disputesQuery = (state: DisputeState, search: string) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'disputes', state, search],
    initialPageParam: undefined as Key | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await findDisputes(search, state, pageParam).abortSignal(signal).throwOnError()
      return data.map(toDispute)
    },
    getNextPageParam: (page: Dispute[]): Key | undefined => {
      const last = nextKey(PAGE_SIZE)(page)
      return last && { before_at: last.created_at, before_id: last.id }
    },
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

export const disputeCountQuery = (state: DisputeState, search: string) =>
  countQuery('find_disputes', { query: search, state })

const selectLosses = () => supabase.from('payments').select(`complaints(decision), ${BOOKED_PAYMENT_COLUMNS}`)

/** A payment of which a part went back for good, before an admin has decided about the rest. */
export type Loss = ReturnType<typeof toLoss>
const toLoss = (row: QueryData<ReturnType<typeof selectLosses>>[number]) => pricedPayment(row)

/** Payments whose rest is to be decided about, the oldest first; those with an open complaint are decided there. */
export const lossesQuery = queryOptions({
  queryKey: ['admin', 'losses'],
  queryFn: async ({ signal }): Promise<Loss[]> => {
    const { data } = await selectLosses()
      .gt('unsettled_loss', 0)
      .eq('open_disputes', 0)
      .neq('escrow_status', 'pending')
      .order('created_at')
      .limit(PAGE_SIZE)
      .abortSignal(signal)
      .throwOnError()
    return data.map(toLoss).filter(({ complaints }) => complaints.every(({ decision }) => decision !== null))
  },
})

export type LossDecision = {
  decision: Enums<'loss_decision'>
  /** The part of the task's amount that a split returns. */
  returned: Cents
}

export const decideLoss = (paymentId: string): Action<LossDecision> => ({
  invalidates: [['admin']],
  // Somebody else may have decided it.
  invalidatesOnError: true,
  run: async ({ decision, returned }) => {
    await supabase
      .rpc('decide_loss', {
        payment_id: paymentId,
        decision,
        ...(decision === 'split' && { returned_amount: toDollars(returned) }),
      })
      .throwOnError()
  },
})
