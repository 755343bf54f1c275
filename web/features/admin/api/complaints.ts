// Complaints, those that wait and those that are decided, and the decision of one (specification 000 §9); the database
// lets only an admin who is not a party decide, and reckons what each side gets.
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { type Cents, cents, fromDollars, toDollars } from '../../../../shared/money.ts'
import type { Enums } from '../../../lib/database.types.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { countQuery } from './counts.ts'
import { PAGE_SIZE } from './people.ts'

export const PAYMENT_COLUMNS =
  `id, amount, purpose, reduction, total, payout_amount, refund_amount, refunded_amount, refund_status, escrow_status, open_disputes, lost_amount,
  payer:public_profiles!payer_id(full_name), payee:public_profiles!payee_id(full_name)` as const

const selectPayments = () => supabase.from('payments').select(PAYMENT_COLUMNS)

/** The amounts of a row with PAYMENT_COLUMNS in cents; `amount` is the price after decreases. */
export function pricedPayment<Row extends QueryData<ReturnType<typeof selectPayments>>[number]>(row: Row) {
  const priced = inCents(
    row,
    'amount',
    'reduction',
    'total',
    'payout_amount',
    'refund_amount',
    'refunded_amount',
    'lost_amount',
  )
  return { ...priced, amount: cents((priced.amount ?? 0) - (priced.reduction ?? 0)) }
}

/** Extra payments of a booking in a complaint. */
export const EXTRA_COLUMNS =
  `changes:booking_changes(kind, amount, payment:payments(total, escrow_status))` as const

/** The sum of the extra payments that a decision moves. */
export const extrasOf = (changes: { payment: { total: number; escrow_status: string } | null }[]) =>
  cents(
    changes.reduce(
      (sum, { payment }) =>
        sum +
        (payment && ['held', 'frozen'].includes(payment.escrow_status) ? fromDollars(payment.total) : 0),
      0,
    ),
  )

type Key = { after_at: string; after_id: string }

const findComplaints = (query: string, decided: boolean, after: Key | undefined) =>
  supabase
    .rpc('find_complaints', { query, decided, max_results: PAGE_SIZE, ...after })
    .select(
      `*, booking:bookings(task:tasks(title), ${EXTRA_COLUMNS}), payment:payments(${PAYMENT_COLUMNS}), decider:public_profiles!decided_by(full_name)`,
    )

const toComplaint = ({ payment, ...row }: QueryData<ReturnType<typeof findComplaints>>[number]) => ({
  ...inCents(row, 'returned_amount'),
  payment: pricedPayment(payment),
  extras: extrasOf(row.booking.changes),
})

export type Complaint = ReturnType<typeof toComplaint>

/** Those that wait, the oldest first, or those that are decided, the latest first; each word is in a title or a name. */
export const complaintsQuery = (search: string, decided: boolean) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'complaints', decided, search],
    initialPageParam: undefined as Key | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await findComplaints(search, decided, pageParam).abortSignal(signal).throwOnError()
      return data.map(toComplaint)
    },
    getNextPageParam: (page: Complaint[]): Key | undefined => {
      const last = nextKey(PAGE_SIZE)(page)
      return last && { after_at: last.decided_at ?? last.created_at, after_id: last.id }
    },
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

export const complaintCountQuery = (search: string, decided: boolean) =>
  countQuery('find_complaints', { query: search, decided })

/** The facts behind a decision: the tasker's answer, and the dollars already returned. */
export type SeenCase = { answered_at: string | null; lost_amount: number }

export const seenCase = ({
  answered_at,
  payment,
}: Pick<Complaint, 'answered_at'> & { payment: Pick<Complaint['payment'], 'lost_amount'> }): SeenCase => ({
  answered_at,
  lost_amount: toDollars(payment.lost_amount),
})

export type ComplaintDecision = {
  decision: Enums<'complaint_decision'>
  /** The part of the task's amount that a split returns. */
  returned: Cents
  /** Whether a split returns the extra payments, too. */
  extras: '' | 'release' | 'refund'
  /** Why, for both sides to read; '' for nothing. */
  note: string
}

/** Refused when the case is not any more as it was `seen`. */
export const decideComplaint = (complaintId: string): Action<ComplaintDecision & { seen: SeenCase }> => ({
  invalidates: [['admin']],
  // Somebody else may have decided it.
  invalidatesOnError: true,
  run: async ({ decision, returned, extras, note, seen }) => {
    await supabase
      .rpc('decide_complaint', {
        complaint_id: complaintId,
        decision,
        seen,
        ...(decision === 'split' && {
          returned_amount: toDollars(returned),
          ...(extras && { return_extras: extras === 'refund' }),
        }),
        ...(note && { note }),
      })
      .throwOnError()
  },
})
