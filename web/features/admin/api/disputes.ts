// Disputes as an admin reads them, payments that were lost in part, and the decision of what becomes of the rest. The
// database lets only an admin who is no party decide, and reckons what each side gets.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Enums, Tables } from '../../../lib/database.types.ts'
import { supabase } from '../../../lib/supabase.ts'
import { useAction } from '../../../lib/useAction.ts'
import { type Money, money } from './complaints.ts'
import { nextPage, onceEach, pageSize } from './people.ts'

type About = Money & {
  id: string
  booking: { status: Enums<'booking_status'>; task: { title: string } }
}

/** One dispute of a card holder; amounts in dollars. */
export type Dispute = Pick<
  Tables<'disputes'>,
  'id' | 'amount' | 'status' | 'reason' | 'due_at' | 'open' | 'created_at'
> & { payment: About }

/** A payment of which a part went back for good, before an admin has decided about the rest. */
export type Loss = About & {
  payer_id: string
  payee_id: string
  complaints: { decision: string | null }[]
}

const about = `id, ${money}, booking:bookings(status, task:tasks(title))` as const

/** Every dispute, the newest first. */
export function useDisputes() {
  return useInfiniteQuery({
    queryKey: ['admin', 'disputes'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<Dispute[]> => {
      const { data } = await supabase
        .from('disputes')
        .select(`id, amount, status, reason, due_at, open, created_at, payment:payments(${about})`)
        .order('created_at', { ascending: false })
        .order('id')
        .range(pageParam, pageParam + pageSize - 1)
        .abortSignal(signal)
        .throwOnError()
      return data as unknown as Dispute[]
    },
    getNextPageParam: nextPage,
    select: onceEach,
  })
}

/** Payments whose rest is to be decided about, the oldest first; those with an open complaint are decided there. */
export function useLosses() {
  return useQuery({
    queryKey: ['admin', 'losses'],
    queryFn: async ({ signal }): Promise<Loss[]> => {
      const { data } = await supabase
        .from('payments')
        .select(`payer_id, payee_id, complaints(decision), ${about}`)
        .gt('unsettled_loss', 0)
        .eq('open_disputes', 0)
        .neq('escrow_status', 'pending')
        .order('created_at')
        .limit(pageSize)
        .abortSignal(signal)
        .throwOnError()
      return (data as unknown as Loss[]).filter((loss) =>
        loss.complaints.every(({ decision }) => decision !== null),
      )
    },
  })
}

export type LossDecision = {
  decision: Enums<'loss_decision'>
  /** The dollars of the task's amount that a split gives back. */
  returned: number
}

export function useDecideLoss(paymentId: string, onDecided: () => void) {
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async ({ decision, returned }: LossDecision) => {
      await supabase
        .rpc('decide_loss', {
          payment_id: paymentId,
          decision,
          ...(decision === 'split' && { returned_amount: returned }),
        })
        .throwOnError()
    },
    onSuccess: onDecided,
    // After a refusal, too: somebody else may have decided it.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['admin'] }),
  })
}
