// Complaints, those that wait and those that are decided, and the decision of one (specification 000 §9); the database
// lets only an admin who is no party decide, and reckons what each side gets.
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { Enums, Tables } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'
import { useAction } from '../../../lib/useAction.ts'
import { nextPage, onceEach, pageSize } from './people.ts'

type Named = { full_name: string | null } | null
export type Money = Pick<
  Tables<'payments'>,
  | 'amount'
  | 'total'
  | 'payout_amount'
  | 'refund_amount'
  | 'refunded_amount'
  | 'escrow_status'
  | 'open_disputes'
  | 'lost_amount'
> & { payer: Named; payee: Named }

/** Amounts are in dollars. */
export type Complaint = Tables<'complaints'> & {
  booking: { task: { title: string } }
  payment: Money
  decider: Named
}

export const money =
  `amount, total, payout_amount, refund_amount, refunded_amount, escrow_status, open_disputes, lost_amount,
  payer:public_profiles!payer_id(full_name), payee:public_profiles!payee_id(full_name)` as const

/** Those that wait, the oldest first, or those that are decided, the latest first; each word is in a title or a name. */
export function useComplaints(search: string, decided: boolean) {
  return useInfiniteQuery({
    queryKey: ['admin', 'complaints', decided, search],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<Complaint[]> => {
      const { data } = await supabase
        .rpc('find_complaints', { query: search, decided, max_results: pageSize, skip: pageParam })
        .select(
          `*, booking:bookings(task:tasks(title)), payment:payments(${money}), decider:public_profiles!decided_by(full_name)`,
        )
        .abortSignal(signal)
        .throwOnError()
      return data as unknown as Complaint[]
    },
    getNextPageParam: nextPage,
    select: onceEach,
    placeholderData: keepPreviousData,
  })
}

export type ComplaintDecision = {
  decision: Enums<'complaint_decision'>
  /** The dollars of the task's amount that a split gives back. */
  returned: number
  /** Why, for both sides to read; '' for nothing. */
  note: string
}

export function useDecideComplaint(complaintId: string, onDecided: () => void) {
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async ({ decision, returned, note }: ComplaintDecision) => {
      await supabase
        .rpc('decide_complaint', {
          complaint_id: complaintId,
          decision,
          ...(decision === 'split' && { returned_amount: returned }),
          ...(note && { note }),
        })
        .throwOnError()
    },
    onSuccess: onDecided,
    // After a refusal, too: somebody else may have decided it.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['admin'] }),
  })
}
