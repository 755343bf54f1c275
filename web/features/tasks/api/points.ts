// The exact point of a task, in its own table, which fewer people may read.
import { PostgrestError } from '@supabase/supabase-js'
import type { Position } from '../../../../shared/distances.ts'
import { supabase } from '../../../lib/supabase.ts'
import { UNIQUE_VIOLATION } from './uniqueViolation.ts'

export const insertPoint = (taskId: string, { latitude, longitude }: Position) =>
  supabase.from('task_points').insert({ task_id: taskId, latitude, longitude })

export const updatePoint = (taskId: string, { latitude, longitude }: Position) =>
  supabase.from('task_points').update({ latitude, longitude }).eq('task_id', taskId)

/** Rejects with an error about the form's field `point`. */
export async function savePoint(taskId: string, point: Position): Promise<void> {
  const { error } = await insertPoint(taskId, point)
  if (!error) return
  const failure = error.code === UNIQUE_VIOLATION ? (await updatePoint(taskId, point)).error : error
  if (!failure) return
  const isOfPoint = failure.hint === 'latitude' || failure.hint === 'longitude'
  throw new PostgrestError({ ...failure, message: failure.message, ...(isOfPoint && { hint: 'point' }) })
}

/** Saves the point of a task that may have had another one, or removes it. */
export async function changePoint(taskId: string, point: Position | null): Promise<void> {
  if (point) await savePoint(taskId, point)
  else await supabase.from('task_points').delete().eq('task_id', taskId).throwOnError()
}
