// Posting, withdrawing and applying to tasks (specification 001 §7).
import { PostgrestError } from '@supabase/supabase-js'
import { type Cents, toDollars } from '../../../../shared/money.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { type Offer, optionsFrom } from '../offerSchema.ts'
import { inDollars, type NewTask } from '../schema.ts'
import { changePoint, savePoint } from './points.ts'
import { UNIQUE_VIOLATION } from './uniqueViolation.ts'

/** `asked_tasker_id` is who is asked first, or null. */
type PostedTask = NewTask & { task_giver_id: string; asked_tasker_id: string | null }

/** Posts a task under the id of its form: sent again after a lost answer, it is the same task. */
export const postTask: Action<PostedTask, string> = {
  invalidates: [['tasks'], ['freeSlots']],
  // A free time that somebody else took is offered no more.
  invalidatesOnError: true,
  run: async ({ address, point, ...task }) => {
    const id = await insertTask(task)
    if (address) await saveAddress(id, address)
    if (point) await savePoint(id, point)
    return id
  },
}

async function insertTask({ id, ...fields }: Omit<PostedTask, 'address' | 'point'>): Promise<string> {
  const task = inDollars(fields)
  const { data, error } = await supabase
    .from('tasks')
    .insert({ ...task, status: 'open', ...(id ? { id } : {}) })
    .select('id')
    .single()
  if (!error) return data.id
  if (!id || error.code !== UNIQUE_VIOLATION) throw new PostgrestError(error)
  const { task_giver_id, asked_tasker_id, ...changes } = task
  await supabase.from('tasks').update(changes).eq('id', id).throwOnError()
  return id
}

async function saveAddress(taskId: string, address: string): Promise<void> {
  const { error } = await supabase.from('task_addresses').insert({ task_id: taskId, address })
  if (error?.code === UNIQUE_VIOLATION) await changeAddress(taskId, address)
  else if (error) throw new PostgrestError(error)
}

/** Resolves to whether there was one. */
async function changeAddress(taskId: string, address: string): Promise<boolean> {
  const { data } = await supabase
    .from('task_addresses')
    .update({ address })
    .eq('task_id', taskId)
    .select('task_id')
    .throwOnError()
  return data.length > 0
}

/** Changes an open task of the caller's own; whoever applied is notified of what matters to them. */
export const changeTask = (taskId: string): Action<PostedTask, string> => ({
  invalidates: [['tasks'], ['bookings']],
  invalidatesOnError: true,
  run: async ({ address, point, id, task_giver_id, asked_tasker_id, ...changes }) => {
    await supabase
      .from('tasks')
      .update(inDollars(changes))
      .eq('id', taskId)
      .select('id')
      .single()
      .throwOnError()
    if (address) (await changeAddress(taskId, address)) || (await saveAddress(taskId, address))
    else await supabase.from('task_addresses').delete().eq('task_id', taskId).throwOnError()
    await changePoint(taskId, point)
    return taskId
  },
})

type Application = { id: string; taskId: string; userId: string; amount: Cents; expenses: Cents | null }

/**
 * Applies to a task for the caller at the price and the limit for expenses that they saw; the message may be '', an id of '' lets the
 * database choose.
 */
export const applyToTask = ({
  id,
  taskId,
  userId,
  amount,
  expenses,
}: Application): Action<{ message: string }> => ({
  invalidates: [['bookings'], ['tasks', 'one', taskId]],
  invalidatesOnError: true,
  run: async ({ message }) => {
    await supabase
      .from('bookings')
      .insert({
        ...(id ? { id } : {}),
        task_id: taskId,
        task_doer_id: userId,
        message: message || null,
        status: 'pending',
        agreed_amount: toDollars(amount),
        expense_limit: expenses && toDollars(expenses),
      })
      .throwOnError()
  },
})

/** Offers other prices for a task; sent again after a lost answer it is the same offer. An id of '' lets the database choose. */
export const offerPrice = ({ id, taskId, userId, expenses }: Omit<Application, 'amount'>): Action<Offer> => ({
  invalidates: [['bookings'], ['tasks', 'one', taskId]],
  invalidatesOnError: true,
  run: async (offer) => {
    await supabase
      .from('bookings')
      .insert({
        ...(id ? { id } : {}),
        task_id: taskId,
        task_doer_id: userId,
        status: 'pending',
        offer_options: optionsFrom(offer),
        offer_reason: offer.offer_reason,
        expense_limit: expenses && toDollars(expenses),
        message: offer.message || null,
      })
      .throwOnError()
  },
  found: async () => {
    if (!id) return null
    const { data } = await supabase.from('bookings').select('id').eq('id', id).maybeSingle().throwOnError()
    return data && undefined
  },
})

/** Takes an open task off the market; whoever applied is notified. */
export const withdrawTask = (taskId: string): Action => ({
  invalidates: [['tasks'], ['bookings']],
  invalidatesOnError: true,
  run: async () => {
    await supabase.from('tasks').update({ status: 'cancelled' }).eq('id', taskId).throwOnError()
  },
})

/** Opens a task that was asked of one tasker. */
export const openToEveryone = (taskId: string): Action => ({
  invalidates: [['tasks']],
  invalidatesOnError: true,
  run: async () => {
    await supabase.from('tasks').update({ status: 'open' }).eq('id', taskId).throwOnError()
  },
})

/** The asked tasker says no: the task opens to everyone. */
export const declineRequest = (taskId: string): Action => ({
  invalidates: [['tasks']],
  invalidatesOnError: true,
  run: async () => {
    await supabase.rpc('decline_request', { task_id: taskId }).throwOnError()
  },
})
