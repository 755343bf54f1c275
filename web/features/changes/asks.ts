// The changes of the price that a side can propose now.
import { addDays, isBefore } from 'date-fns'
import { limits } from '../../../shared/limits.ts'
import type { ChangingBooking } from './slots.ts'

export const PROPOSABLE = ['increase', 'decrease', 'expense', 'tip', 'limit'] as const
export type Proposable = (typeof PROPOSABLE)[number]

/** As the database has it: one open change of each kind, while the money is held and the work under way; a tip after the release. */
export function asksOf(booking: ChangingBooking, side: 'giver' | 'tasker', now = new Date()): Proposable[] {
  const { status, payment, changes, expense_limit } = booking
  const isOpen = (wanted: string) =>
    changes.some(({ kind, state }) => kind === wanted && (state === 'proposed' || state === 'accepted'))
  if (status === 'in_progress' && payment?.escrow_status === 'held') {
    const kinds: Proposable[] =
      side === 'giver'
        ? ['decrease', 'limit']
        : ['increase', ...(expense_limit === null ? [] : (['expense'] as const)), 'decrease']
    return kinds.filter((kind) => !isOpen(kind))
  }
  if (side === 'tasker' || payment?.escrow_status !== 'released' || !payment.released_at) return []
  const tips = changes.filter(({ kind, state }) => kind === 'tip' && state === 'done').length
  const inTime = isBefore(now, addDays(payment.released_at, limits.tip.days))
  return inTime && booking.doer?.full_name && tips < limits.tip.count && !isOpen('tip') ? ['tip'] : []
}
