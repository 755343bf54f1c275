// A person's pending items, for all screens that show them. The database decides what belongs here (my_action_items).
import { queryOptions } from '@tanstack/react-query'
import { fromDollars } from '../../../shared/money.ts'
import { type Role, type Roles, roleOn } from '../session.tsx'
import { supabase } from '../supabase.ts'

type ActionKind =
  | 'confirm'
  | 'answer_complaint'
  | 'pay'
  | 'finish'
  | 'asked'
  | 'choose'
  | 'answer_counter'
  | 'answer_time'
  | 'answer_no_show'
  | 'answer_change'
  | 'payout_account'
  | 'add_bank'
  | 'work_ahead'
  | 'review'
  | 'get_verified'
  | 'verification_rejected'
  | 'decide_verifications'
  | 'decide_complaints'
  | 'back_office'
export type ActionItem = Awaited<ReturnType<typeof readActionItems>>[number]

/** The person's pending items on all their sides, most urgent first. */
export const actionItemsQuery = (userId: string, roles: Roles | undefined) => {
  const held = roles?.held ?? []
  return queryOptions({
    queryKey: ['bookings', 'actionItems', userId, held],
    enabled: roles !== undefined,
    queryFn: async ({ signal }) => {
      const items = await readActionItems(userId, held, signal)
      if (held.includes('admin')) {
        const count = await waitingBesides(signal)
        if (count > 0) items.push({ ...NOTHING_MORE, kind: 'back_office', side: 'admin', count })
      }
      const asked = items.some(({ kind }) => kind === 'get_verified' || kind === 'payout_account')
      // One thing after the other: first the badge, then where the pay goes.
      if (held.includes('task_doer') && !asked && !(await hasBank(userId, signal)))
        items.push({ ...NOTHING_MORE, kind: 'add_bank', side: 'task_doer' })
      return items
    },
  })
}

/** Pending items of the active side. People with one role have one side. */
export function onActiveSide<Item extends { side: Role | null }>(items: Item[], roles: Roles): Item[] {
  return items.filter(({ side }) => roles.held.length < 2 || side === null || side === roles.active)
}

/** Kinds of items that belong to one side; the others follow their booking. */
const SIDE_OF_KIND: Partial<Record<ActionKind, 'task_giver' | 'task_doer'>> = {
  confirm: 'task_giver',
  pay: 'task_giver',
  choose: 'task_giver',
  answer_complaint: 'task_doer',
  finish: 'task_doer',
  asked: 'task_doer',
  answer_counter: 'task_doer',
  payout_account: 'task_doer',
  get_verified: 'task_doer',
  verification_rejected: 'task_doer',
}

async function readActionItems(userId: string, held: Role[], signal: AbortSignal) {
  const { data } = await supabase.rpc('my_action_items').abortSignal(signal).throwOnError()
  // Work ahead and reviews are on the side of their booking.
  const ids = data.flatMap(({ kind, booking_id }) =>
    SIDE_OF_KIND[kind as ActionKind] || !booking_id ? [] : [booking_id],
  )
  const given = held.length > 1 && ids.length > 0 ? await givenAmong(userId, ids, signal) : []
  return data.map(({ kind, amount, ...item }) => {
    const side =
      SIDE_OF_KIND[kind as ActionKind] ??
      (item.booking_id && (given.includes(item.booking_id) ? 'task_giver' : 'task_doer'))
    return {
      ...item,
      kind: kind as ActionKind,
      amount: amount === null ? null : fromDollars(Number(amount)),
      side: side ? roleOn(side, held) : held.includes('admin') ? ('admin' as const) : null,
    }
  })
}

/** Those of these bookings in which this person is the giver. */
async function givenAmong(userId: string, ids: string[], signal: AbortSignal): Promise<string[]> {
  const { data } = await supabase
    .from('bookings')
    .select('id')
    .in('id', ids)
    .eq('task_giver_id', userId)
    .abortSignal(signal)
    .throwOnError()
  return data.map(({ id }) => id)
}

/** Fields of an item that concerns no task. */
const NOTHING_MORE = {
  count: 1,
  title: '',
  person: '',
  task_id: '',
  booking_id: '',
  amount: null,
  due_at: '',
}

/** The number of an admin's other pending items, without suspended people, who need no action. */
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
