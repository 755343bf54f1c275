// Payments as these parts read them (specification 001 §7). Amounts come from the database.
import { queryOptions, useQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import type { Price } from '../../../../shared/fees.ts'
import { type Cents, toDollars } from '../../../../shared/money.ts'
import type { Enums, Tables } from '../../../lib/database.types.ts'
import { invokeFunction } from '../../../lib/functions.ts'
import { useLive } from '../../../lib/live.ts'
import type { Change } from '../../../lib/queries/changes.ts'
import type { Complaint } from '../../../lib/queries/complaint.ts'
import { PAYMENT_COLUMNS, type Payment, selectPayments, toPayment } from '../../../lib/queries/payment.ts'
import { readPublishableKey } from '../../../lib/stripe.ts'
import { supabase } from '../../../lib/supabase.ts'

/** The fields of a booking that payment components need. */
export type PayableBooking = {
  id: string
  task_id: string
  task_doer_id: string
  status: Enums<'booking_status'>
  /** The price of the application, even if the task's price changed. */
  agreed_amount: Cents
  /** The limit for expenses on top of the price; null for none. */
  expense_limit: Cents | null
  accepted_at: string | null
  completed_at: string | null
  visit_number: number | null
  pay_from: string | null
  series: { auto_pay_since: string | null } | null
  doer: { full_name: string | null } | null
  task: {
    title: string
    place_id?: string | null
    scheduled_date: string | null
    duration_minutes: number | null
    giver: { full_name: string | null } | null
  }
  payment: (Payment & { receipts: Pick<Tables<'receipts'>, 'id' | 'kind' | 'number'>[] }) | null
  complaint: Complaint | null
  changes: Change[]
}

/** A change of the price that is paid instead of the booking: what it is, its price, where the money goes, and what then has happened. */
export type PayableExtra = { id: string; about: string; price: Price; hint: string; done: string }

/** The PaymentIntent of a booking, or of a change of its price; created once, and the same for every request. */
export const paymentIntentQuery = (booking: PayableBooking, changeId?: string) =>
  queryOptions({
    queryKey: ['payment-intent', changeId ?? booking.id],
    queryFn: () => paymentIntent(booking, changeId),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

async function paymentIntent(
  booking: PayableBooking,
  changeId: string | undefined,
): Promise<{ publishableKey: string; clientSecret: string }> {
  const { data } = await supabase.auth.getSession()
  if (!data.session) throw new Error(i18next.t('payments.notAuthenticated'))
  const [publishableKey, { clientSecret }] = await Promise.all([
    readPublishableKey(),
    invokeFunction<{ clientSecret?: string }>('create-payment-intent', {
      amount: toDollars(booking.agreed_amount),
      bookingId: booking.id,
      taskId: booking.task_id,
      payeeId: booking.task_doer_id,
      ...(changeId && { changeId }),
    }),
  ])
  if (!clientSecret) throw new Error(i18next.t('payments.intentFailed'))
  return { publishableKey, clientSecret }
}

/** How often to ask whether awaited money is held: seldom while changes arrive by themselves. */
const LIVE_INTERVAL_MS = 5000
const POLLING_INTERVAL_MS = 1000

/** The booking's payment, or null before there is one. */
const paymentQuery = (bookingId: string) =>
  queryOptions({
    queryKey: ['payments', 'of-booking', bookingId],
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Payment | null> => {
      const { data } = await selectPayments()
        .eq('booking_id', bookingId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data && toPayment(data)
    },
  })

/** The extra payment of a change of the price, or null before there is one. */
const extraPaymentQuery = (changeId: string) =>
  queryOptions({
    queryKey: ['payments', 'of-change', changeId],
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Payment | null> => {
      const { data } = await supabase
        .from('booking_changes')
        .select(`payment:payments(${PAYMENT_COLUMNS})`)
        .eq('id', changeId)
        .abortSignal(signal)
        .single()
        .throwOnError()
      return data.payment && toPayment(data.payment)
    },
  })

/** The payment of a booking, or of a change of its price, kept current while `awaited`. */
export function usePayment(
  bookingId: string,
  { awaited, changeId }: { awaited: boolean; changeId: string | undefined },
) {
  const payment = changeId ? extraPaymentQuery(changeId) : paymentQuery(bookingId)
  const live = useLive([
    { table: 'payments', rows: `booking_id=eq.${bookingId}`, refresh: [payment.queryKey] },
  ])
  return useQuery({
    ...payment,
    refetchInterval: awaited && (live && !changeId ? LIVE_INTERVAL_MS : POLLING_INTERVAL_MS),
  })
}
