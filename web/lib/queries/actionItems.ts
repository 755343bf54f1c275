// What waits for a person, for every screen that says whether anything does; the database says what belongs here (my_action_items).
import { queryOptions } from '@tanstack/react-query'
import { fromDollars } from '../../../shared/money.ts'
import type { Role } from '../session.tsx'
import { supabase } from '../supabase.ts'

type ActionKind =
  | 'confirm'
  | 'answer_complaint'
  | 'pay'
  | 'finish'
  | 'asked'
  | 'choose'
  | 'payout_account'
  | 'add_bank'
  | 'work_ahead'
  | 'review'
  | 'get_verified'
  | 'verification_pending'
  | 'verification_rejected'
  | 'decide_verifications'
  | 'decide_complaints'
  | 'back_office'
export type ActionItem = Awaited<ReturnType<typeof readActionItems>>[number]

/** What waits for this person, most urgent first. */
export const actionItemsQuery = (userId: string, role: Role | null | undefined) =>
  queryOptions({
    queryKey: ['bookings', 'actionItems', userId],
    enabled: role !== undefined,
    queryFn: async ({ signal }) => {
      const items = await readActionItems(signal)
      if (role === 'admin') {
        const count = await waitingBesides(signal)
        return count === 0 ? items : [...items, { ...NOTHING_MORE, kind: 'back_office' as const, count }]
      }
      const asked = items.some(({ kind }) => kind === 'get_verified' || kind === 'payout_account')
      // One thing after the other: first the badge, then where the pay goes.
      if (role !== 'task_doer' || asked || (await hasBank(userId, signal))) return items
      return [...items, { ...NOTHING_MORE, kind: 'add_bank' as const }]
    },
  })

async function readActionItems(signal: AbortSignal) {
  const { data } = await supabase.rpc('my_action_items').abortSignal(signal).throwOnError()
  return data.map(({ kind, amount, ...item }) => ({
    ...item,
    kind: kind as ActionKind,
    amount: amount === null ? null : fromDollars(Number(amount)),
  }))
}

/** What an item names that is about no task. */
const NOTHING_MORE = {
  count: 1,
  title: '',
  person: '',
  task_id: '',
  booking_id: '',
  amount: null,
  due_at: '',
}

/** What an admin's overview counts besides what has a line of its own, and those suspended, about whom nothing is to be done. */
async function waitingBesides(signal: AbortSignal): Promise<number> {
  const { data } = await supabase.rpc('admin_overview').abortSignal(signal).throwOnError()
  const counted = data.filter(({ kind }) => !['verifications', 'complaints', 'suspended'].includes(kind))
  return counted.reduce((all, { count }) => all + count, 0)
}

async function hasBank(userId: string, signal: AbortSignal): Promise<boolean> {
  const { count } = await supabase
    .from('payout_accounts')
    .select('user_id', { count: 'exact', head: true })
    .eq('user_id', userId)
    .abortSignal(signal)
    .throwOnError()
  return count !== 0
}
