// Actions of both sides on a booking's money (specification 001 §7, 000 §9).
import i18next from 'i18next'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { PayableBooking } from './queries.ts'

/** Query keys that show a payment and are stale after it changes. */
export const PAYMENT_KEYS = [['bookings'], ['payments'], ['tasks']]

/** The giver's word that the work is done: hands the held money to the tasker. */
export const releasePayment = (booking: Pick<PayableBooking, 'id' | 'task_id'>): Action => ({
  invalidates: PAYMENT_KEYS,
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async () => {
    const { data } = await supabase
      .from('payments')
      .update({ escrow_status: 'released', released_at: new Date().toISOString() })
      .eq('booking_id', booking.id)
      .eq('task_id', booking.task_id)
      .select('escrow_status')
      .throwOnError()
    if (data.length === 0) throw new Error(i18next.t('payments.nothingToRelease'))
  },
  found: async () => {
    const { data } = await supabase
      .from('payments')
      .select('escrow_status')
      .eq('booking_id', booking.id)
      .single()
      .throwOnError()
    return data.escrow_status === 'released' ? undefined : null
  },
})

/** The giver's complaint about completed work: freezes the money until an admin decides. */
export const complain = (bookingId: string): Action<{ reason: string; photos: string[] }> => ({
  invalidates: PAYMENT_KEYS,
  run: async ({ reason, photos }) => {
    await supabase.from('complaints').insert({ booking_id: bookingId, reason, photos }).throwOnError()
  },
  // There is one of a booking, and only its giver writes it.
  found: async () => {
    const { data } = await supabase
      .from('complaints')
      .select('id')
      .eq('booking_id', bookingId)
      .maybeSingle()
      .throwOnError()
    return data && undefined
  },
})

/** The tasker's account, once; the giver and the administrator who decides read it. */
export const answerComplaint = (complaintId: string): Action<{ answer: string; photos: string[] }> => ({
  invalidates: PAYMENT_KEYS,
  // It may be decided by now, or answered in another tab.
  invalidatesOnError: true,
  run: async ({ answer, photos }) => {
    await supabase
      .from('complaints')
      .update({ answer, answer_photos: photos })
      .eq('id', complaintId)
      .select('id')
      .single()
      .throwOnError()
  },
  found: async () => {
    const { data } = await supabase
      .from('complaints')
      .select('answered_at')
      .eq('id', complaintId)
      .single()
      .throwOnError()
    return data.answered_at ? undefined : null
  },
})
