// Sending what waited without a network: new tasks, and applications.
import i18next from 'i18next'
import type { Position } from '../../../../shared/distances.ts'
import { toDollars } from '../../../../shared/money.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { type Answer, answerTimeout, outcomeOf } from '../../../lib/delivery.ts'
import type { Senders } from '../../../lib/outboxSending.ts'
import { queryClient } from '../../../lib/queryClient.ts'
import { supabase } from '../../../lib/supabase.ts'
import { inDollars, type NewTask, newTaskForm, taskSchema } from '../schema.ts'
import { insertPoint, updatePoint } from './points.ts'
import { UNIQUE_VIOLATION } from './uniqueViolation.ts'

/** Posts a task of the outbox, then its address and point: each once, or as it was changed since an answer was lost. */
export const sendTask: Senders['task'] = async ({ id, content }) => {
  const find = () => supabase.from('tasks').select('id').eq('id', id).abortSignal(answerTimeout())
  // Its rules may say something else by now: a day that has passed.
  const checked = taskSchema.safeParse({ ...newTaskForm(), ...content.form, id })
  if (!checked.success) {
    const message = i18next.t(checked.error.issues[0]?.message as TextKey)
    return outcomeOf({ error: { message, details: '', hint: '', code: '' }, status: 400 }, find)
  }
  const { address, point, ...task } = checked.data
  const outcome = await outcomeOf(await writeTask(task, content), find)
  const arrived = (table: 'task_addresses' | 'task_points') => () =>
    supabase.from(table).select('task_id').eq('task_id', id).abortSignal(answerTimeout())
  if (outcome !== 'sent') return outcome
  const located = point ? await outcomeOf(await writePoint(id, point), arrived('task_points')) : outcome
  if (located !== 'sent' || !address) return located
  return outcomeOf(await writeAddress(id, address), arrived('task_addresses'))
}

async function writeTask(
  { id, ...fields }: Omit<NewTask, 'address' | 'point'>,
  { giverId, asked }: Parameters<Senders['task']>[0]['content'],
): Promise<Answer> {
  const task = inDollars(fields)
  const whose = { task_giver_id: giverId, asked_tasker_id: asked?.id ?? null }
  const inserted = await supabase
    .from('tasks')
    .insert({ ...task, ...whose, id, status: 'open' })
    .abortSignal(answerTimeout())
  if (inserted.error?.code !== UNIQUE_VIOLATION) return inserted
  return supabase.from('tasks').update(task).eq('id', id).abortSignal(answerTimeout())
}

async function writeAddress(taskId: string, address: string): Promise<Answer> {
  const addresses = () => supabase.from('task_addresses')
  const inserted = await addresses().insert({ task_id: taskId, address }).abortSignal(answerTimeout())
  if (inserted.error?.code !== UNIQUE_VIOLATION) return inserted
  return addresses().update({ address }).eq('task_id', taskId).abortSignal(answerTimeout())
}

async function writePoint(taskId: string, point: Position): Promise<Answer> {
  const inserted = await insertPoint(taskId, point).abortSignal(answerTimeout())
  if (inserted.error?.code !== UNIQUE_VIOLATION) return inserted
  return updatePoint(taskId, point).abortSignal(answerTimeout())
}

/** Applies as the outbox has it, at the price and the limit for expenses that its person saw. */
export const sendApplication: Senders['application'] = async ({ id, content }) => {
  const { taskId, taskerId, amount, expenses, message } = content
  const answer = await supabase
    .from('bookings')
    .insert({
      id,
      task_id: taskId,
      task_doer_id: taskerId,
      message: message || null,
      status: 'pending',
      agreed_amount: toDollars(amount),
      expense_limit: expenses ? toDollars(expenses) : null,
    })
    .abortSignal(answerTimeout())
  const outcome = await outcomeOf(answer, () =>
    supabase.from('bookings').select('id').eq('id', id).abortSignal(answerTimeout()),
  )
  // The task shows the reason for a rejection: another tasker has it, or its price changed.
  if (outcome !== 'unreachable') void queryClient.invalidateQueries({ queryKey: ['tasks', 'one', taskId] })
  return outcome
}
