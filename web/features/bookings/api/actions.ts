// Actions of both sides on a booking (specification 001 §4, §7). The screen changes once the list is fresh.
import i18next from 'i18next'
import { type Cents, toDollars } from '../../../../shared/money.ts'
import type { Tables, TablesUpdate } from '../../../lib/database.types.ts'
import { formatMoney } from '../../../lib/format.ts'
import { invokeFunction } from '../../../lib/functions.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { Listing, Status } from './queries.ts'
import { agreeToAutoPay } from './series.ts'

const refresh = {
  invalidates: [['bookings'], ['contacts'], ['payments'], ['tasks']],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
} as const

/** The price that the reader has seen and accepts; `option` is its position in an offer, from 1, left out for a counter-offer. */
export type Terms = { option?: number; amount: Cents }

/** The giver's answer to an application or offer, or the tasker's acceptance of a counter-offer. */
/** `autoPay`: the giver lets their card be charged for the visits of the series that begins. */
export const decideApplication = (
  bookingId: string,
  terms?: Terms,
  autoPay = false,
): Action<'accepted' | 'rejected'> => ({
  ...refresh,
  run: async (status) => {
    await update(bookingId, {
      status,
      ...(terms &&
        status === 'accepted' && {
          agreed_amount: toDollars(terms.amount),
          ...(terms.option !== undefined && { accepted_option: terms.option }),
        }),
    })
    if (status === 'accepted' && autoPay) await agreeToAutoPay(bookingId)
  },
  found: (status) => foundAs(bookingId, status),
})

export type Counter = { amount: Cents; startsAt: string | null; message: string }

/** The giver's one counter-offer; the message may be ''. */
export const counterOffer = (bookingId: string): Action<Counter> => ({
  ...refresh,
  run: ({ amount, startsAt, message }) =>
    update(bookingId, {
      counter_amount: toDollars(amount),
      counter_starts_at: startsAt,
      counter_message: message || null,
    }),
  found: ({ amount }) => counterFoundAs(bookingId, (booking) => booking.counter_amount === toDollars(amount)),
})

/** The tasker's no to a counter-offer; their offer is then open to the giver again. */
export const declineCounter = (bookingId: string): Action => ({
  ...refresh,
  run: () => update(bookingId, { counter_state: 'declined' }),
  found: () => counterFoundAs(bookingId, (booking) => booking.counter_state === 'declined'),
})

/** Takes a decline back, which the database allows for ten minutes while the task is open. */
export const undoDecline = (bookingId: string): Action => ({
  ...refresh,
  run: () => update(bookingId, { status: 'pending' }),
  found: () => foundAs(bookingId, 'pending'),
})

export type Completion = { notes: string; photos: string[] }

/** The tasker's word that the work is done, with notes for the giver ('' for none) and names of photos of the work. */
export const markComplete = (bookingId: string): Action<Completion> => ({
  ...refresh,
  run: ({ notes, photos }) =>
    update(bookingId, { status: 'completed', completion_notes: notes || null, completion_photos: photos }),
  found: () => foundAs(bookingId, 'completed'),
})

/** Cancels in whatever state, with a reason ('' for none); answers what the person reads about fee and refund, where the answer came. */
export const cancelBooking = (
  bookingId: string,
): Action<
  { reason: string; listAgain: boolean },
  { message: string; listing: Listing | null } | undefined
> => ({
  ...refresh,
  run: async ({ reason, listAgain }) => {
    const cancelled = await invokeFunction<Cancelled>('handle-cancellation', {
      bookingId,
      reason,
      listAgain,
    })
    return { message: outcomeText(cancelled), listing: cancelled.listing }
  },
  found: () => foundAs(bookingId, 'cancelled', 'rejected'),
})

type Cancelled = {
  outcome: 'declined' | 'withdrawn' | 'not_paid' | 'fee' | 'full_refund'
  feeCents: Cents
  refundCents: Cents
  /** Null for an application that is withdrawn. */
  listing: Listing | null
}

/** Fee and refund of the cancellation, as the person reads them. */
export function outcomeText({ outcome, feeCents, refundCents }: Cancelled): string {
  const [fee, refund] = [feeCents, refundCents].map((amount) => formatMoney(amount, { exact: true }))
  return i18next.t(`bookings.cancelOutcome.${outcome}`, { fee, refund })
}

/** Changes one booking. Throws the database's message, also when nothing was there to change. */
async function update(id: string, change: TablesUpdate<'bookings'>) {
  await supabase.from('bookings').update(change).eq('id', id).select('id').single().throwOnError()
}

/** Null unless the booking has come to one of these; what was asked for is done then, whoever did it. */
async function foundAs(id: string, ...done: Status[]): Promise<undefined | null> {
  const { data } = await supabase.from('bookings').select('status').eq('id', id).single().throwOnError()
  return done.includes(data.status) ? undefined : null
}

/** Null unless the booking's counter-offer is as asked for. */
async function counterFoundAs(
  id: string,
  isDone: (booking: Pick<Tables<'bookings'>, 'counter_amount' | 'counter_state'>) => boolean,
): Promise<undefined | null> {
  const { data } = await supabase
    .from('bookings')
    .select('counter_amount,counter_state')
    .eq('id', id)
    .single()
    .throwOnError()
  return isDone(data) ? undefined : null
}
