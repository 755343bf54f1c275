// Failed effects of the marketplace (payouts, e-mails), and retrying them. The database keeps the queue.
import { infiniteQueryOptions } from '@tanstack/react-query'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { countQuery } from './counts.ts'
import { PAGE_SIZE } from './people.ts'

/** Given up for good, or tried again by itself. */
export const EFFECT_LISTS = ['given_up', 'again'] as const
export type EffectList = (typeof EFFECT_LISTS)[number]

/** The functions that perform effects. */
const NAMES = [
  'release-payout',
  'refund-payment',
  'charge-visit',
  'send-emails',
  'send-push',
  'run-scheduled',
  'erase-account',
  'export-data',
  'close-payment-customer',
  'detach-payment-method',
] as const

type Key = { id: number } | undefined

async function findEffects(list: EffectList, after: Key, signal: AbortSignal) {
  const { data } = await supabase
    .rpc('find_failed_effects', {
      given_up: list === 'given_up',
      max_results: PAGE_SIZE,
      ...(after && { before_id: after.id }),
    })
    .abortSignal(signal)
    .throwOnError()
  const [tasks, people] = await Promise.all([
    taskTitles(
      data.map((row) => row.payment_id),
      signal,
    ),
    peopleNames(
      data.map((row) => row.person_id),
      signal,
    ),
  ])
  return data.map((row) => ({
    ...row,
    name: NAMES.find((name) => name === row.function_name),
    task_title: tasks.get(row.payment_id),
    person_name: people.get(row.person_id),
  }))
}

/** The task of each payment, by the payment's id. */
async function taskTitles(paymentIds: (string | null)[], signal: AbortSignal) {
  const ids = paymentIds.filter((id) => id !== null)
  if (ids.length === 0) return new Map<string, string | undefined>()
  const { data } = await supabase
    .from('payments')
    .select('id, task:tasks(title)')
    .in('id', ids)
    .abortSignal(signal)
    .throwOnError()
  return new Map(data.map(({ id, task }) => [id, task?.title]))
}

async function peopleNames(personIds: (string | null)[], signal: AbortSignal) {
  const ids = personIds.filter((id) => id !== null)
  if (ids.length === 0) return new Map<string, string | null>()
  const { data } = await supabase
    .from('profiles')
    .select('id, full_name')
    .in('id', ids)
    .abortSignal(signal)
    .throwOnError()
  return new Map(data.map(({ id, full_name }) => [id as string, full_name]))
}
export type FailedEffect = Awaited<ReturnType<typeof findEffects>>[number]

/** The newest first. */
export const effectsQuery = (list: EffectList) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'effects', list],
    initialPageParam: undefined as Key,
    queryFn: ({ pageParam, signal }) => findEffects(list, pageParam, signal),
    getNextPageParam: (last: FailedEffect[]): Key => nextKey(PAGE_SIZE)(last),
    select: uniqueRows,
  })

export const effectCountQuery = (list: EffectList) =>
  countQuery('find_failed_effects', { given_up: list === 'given_up' })

/** Does nothing where it was done meanwhile. */
export const retryEffect = (id: number): Action<void> => ({
  invalidates: [['admin']],
  invalidatesOnError: true,
  run: async () => {
    await supabase.rpc('retry_effect', { effect_id: id }).throwOnError()
  },
})
