// Payments as these parts read and move them (specification 001 §7). Amounts come from the database.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import type { Tables } from '../../../lib/database.types.ts'
import { invokeFunction } from '../../../lib/functions.ts'
import { useLive } from '../../../lib/live.ts'
import type { Complaint } from '../../../lib/queries/complaint.ts'
import { type Payment, paymentColumns } from '../../../lib/queries/payment.ts'
import { supabase } from '../../../lib/supabase.ts'
import { useAction } from '../../../lib/useAction.ts'

/** What of a booking the payment parts show and need. */
export type PayableBooking = {
  id: string
  task_id: string
  task_doer_id: string
  status: Tables<'bookings'>['status']
  /** In dollars: what was applied for, whatever became of the task's price. */
  agreed_amount: number
  completed_at: string | null
  doer: { full_name: string | null } | null
  task: { title: string; giver: { full_name: string | null } | null }
  payment: Payment | null
  complaint: Complaint | null
}

/** What a card is charged with: made once per booking, the same every time it is asked for. */
export function usePaymentIntent(booking: PayableBooking, { enabled }: { enabled: boolean }) {
  return useQuery({
    queryKey: ['payment-intent', booking.id],
    enabled,
    queryFn: () => paymentIntent(booking),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

async function paymentIntent(
  booking: PayableBooking,
): Promise<{ publishableKey: string; clientSecret: string }> {
  const { data } = await supabase.auth.getSession()
  if (!data.session) throw new Error(i18next.t('payments.notAuthenticated'))
  const [{ publishableKey }, { clientSecret }] = await Promise.all([
    invokeFunction<{ publishableKey?: string }>('get-stripe-config').catch(() => {
      throw new Error(i18next.t('payments.initializeFailed'))
    }),
    invokeFunction<{ clientSecret?: string }>('create-payment-intent', {
      amount: booking.agreed_amount,
      bookingId: booking.id,
      taskId: booking.task_id,
      payeeId: booking.task_doer_id,
    }),
  ])
  if (!publishableKey) throw new Error(i18next.t('payments.keyMissing'))
  if (!clientSecret) throw new Error(i18next.t('payments.intentFailed'))
  return { publishableKey, clientSecret }
}

const paymentOf = (bookingId: string) => ['payments', 'of-booking', bookingId]

/** How often (ms) to ask whether awaited money is held: seldom when it is heard of. */
const every = { heard: 5000, unheard: 1000 }

/** The booking's payment, kept current while `awaited`. */
export function usePaymentOf(bookingId: string, { awaited }: { awaited: boolean }) {
  const live = useLive([
    { table: 'payments', rows: `booking_id=eq.${bookingId}`, refresh: [paymentOf(bookingId)] },
  ])
  return useQuery({
    queryKey: paymentOf(bookingId),
    staleTime: 0,
    refetchInterval: awaited && (live ? every.heard : every.unheard),
    queryFn: async ({ signal }): Promise<Payment | null> => {
      const { data } = await supabase
        .from('payments')
        .select(paymentColumns)
        .eq('booking_id', bookingId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })
}

/** Makes screens read again what a payment changes. */
export function useRefreshAfterPayment() {
  const queryClient = useQueryClient()
  return () =>
    Promise.all(
      ['bookings', 'payments', 'tasks'].map((part) => queryClient.invalidateQueries({ queryKey: [part] })),
    )
}

/** The giver's word that the work is done: hands the held money to the tasker. */
export function useReleasePayment({
  booking,
  onReleased,
  onFailed,
}: {
  booking: Pick<PayableBooking, 'id' | 'task_id'>
  onReleased: () => void
  onFailed: (error: Error) => void
}) {
  const refresh = useRefreshAfterPayment()
  return useAction({
    mutationFn: async () => {
      const { data } = await supabase
        .from('payments')
        .update({ escrow_status: 'released', released_at: new Date().toISOString() })
        .eq('booking_id', booking.id)
        .eq('task_id', booking.task_id)
        .select('escrow_status')
        .throwOnError()
      if (data.length === 0) throw new Error(i18next.t('payments.nothingToRelease'))
    },
    onSuccess: async () => {
      await refresh()
      onReleased()
    },
    onError: async (error) => {
      await refresh()
      onFailed(error)
    },
  })
}

/** The giver's complaint about completed work: freezes the money until an admin decides. */
export function useComplain({
  bookingId,
  onComplained,
  onFailed,
}: {
  bookingId: string
  onComplained: () => void
  onFailed: (error: Error) => void
}) {
  const refresh = useRefreshAfterPayment()
  return useAction({
    mutationFn: async (reason: string) => {
      await supabase.from('complaints').insert({ booking_id: bookingId, reason }).throwOnError()
    },
    onSuccess: async () => {
      onComplained()
      await refresh()
    },
    onError: onFailed,
  })
}

/** The tasker's account, once; the giver and the administrator who decides read it. */
export function useAnswerComplaint({
  complaintId,
  onAnswered,
}: {
  complaintId: string
  onAnswered: () => void
}) {
  const refresh = useRefreshAfterPayment()
  return useAction({
    mutationFn: async (answer: string) => {
      await supabase
        .from('complaints')
        .update({ answer })
        .eq('id', complaintId)
        .select('id')
        .single()
        .throwOnError()
    },
    onSuccess: async () => {
      onAnswered()
      await refresh()
    },
    // It may be decided by now, or answered in another tab.
    onError: refresh,
  })
}
