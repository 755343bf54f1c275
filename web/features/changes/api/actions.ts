// Actions of both sides on the price after the agreement. The screen changes once the list is fresh.
import { type Cents, toDollars } from '../../../../shared/money.ts'
import type { ChangeKind } from '../../../lib/queries/changes.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const refresh = {
  invalidates: [['bookings'], ['payments']],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
} as const

export type Proposal = { amount: Cents; reason: string; photos: string[] }

/** Proposes a change; answers its id. There is one open of each kind, so a repeated proposal is found. */
export const proposeChange = (
  bookingId: string,
  kind: Exclude<ChangeKind, 'tip'>,
): Action<Proposal, string> => ({
  ...refresh,
  run: async ({ amount, reason, photos }) => {
    const { data } = await supabase
      .rpc('propose_change', {
        booking_id: bookingId,
        kind,
        amount: toDollars(amount),
        photos,
        ...(reason && { reason }),
      })
      .throwOnError()
    return data
  },
  found: async ({ amount }) => {
    const { data } = await supabase
      .from('booking_changes')
      .select('id')
      .eq('booking_id', bookingId)
      .eq('kind', kind)
      .eq('state', 'proposed')
      .eq('amount', toDollars(amount))
      .maybeSingle()
      .throwOnError()
    return data?.id ?? null
  },
})

/** The giver's tip, still to be paid; answers its id. The database returns the same one when it is asked again. */
export const giveTip = (bookingId: string): Action<Proposal, string> => ({
  ...refresh,
  run: async ({ amount }) => {
    const { data } = await supabase
      .rpc('give_tip', { booking_id: bookingId, amount: toDollars(amount) })
      .throwOnError()
    return data
  },
})

/** Raises the giver's limit for expenses. */
export const setExpenseLimit = (bookingId: string): Action<{ amount: Cents }> => ({
  ...refresh,
  run: async ({ amount }) => {
    await supabase
      .rpc('set_expense_limit', { booking_id: bookingId, amount: toDollars(amount) })
      .throwOnError()
  },
})

/** The answer to the other side's proposal, at the amount that the reader saw. The database takes it once, however often it comes. */
export const answerChange = (changeId: string, amount: Cents): Action<boolean> => ({
  ...refresh,
  run: async (accept) => {
    await supabase
      .rpc('answer_change', { change_id: changeId, accept, amount: toDollars(amount) })
      .throwOnError()
  },
})

export const withdrawChange = (changeId: string): Action => ({
  ...refresh,
  run: async () => {
    await supabase.rpc('withdraw_change', { change_id: changeId }).throwOnError()
  },
})
