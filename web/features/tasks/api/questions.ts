// Questions about a task and their answers; the database stores both without contact details.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const questionsKey = (taskId: string) => ['questions', taskId] as const

/** The rows whose changes make the screen of a task read its questions again. */
export const questionWatches = (taskId: string) =>
  (['task_questions', 'task_answers'] as const).map((table) => ({
    table,
    rows: `task_id=eq.${taskId}` as const,
    refresh: [questionsKey(taskId)],
  }))

export type Question = {
  id: string
  asker_id: string
  question: string
  is_private: boolean
  created_at: string
  /** Whether an administrator has hidden it, which only its asker and administrators see. */
  hidden_at: string | null
  asker: { full_name: string | null; avatar_url: string | null } | null
  answer: { answer: string; created_at: string; hidden_at: string | null } | null
}

/** All of them that this person may read, the oldest first. */
export const questionsQuery = (taskId: string) =>
  queryOptions({
    queryKey: questionsKey(taskId),
    queryFn: async ({ signal }): Promise<Question[]> => {
      const { data } = await supabase
        .from('task_questions')
        .select(
          `id,asker_id,question,is_private,created_at,hidden_at,asker:public_profiles!asker_id(full_name,avatar_url),
          answer:task_answers(answer,created_at,hidden_at)`,
        )
        .eq('task_id', taskId)
        .order('created_at')
        .order('id')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })

type Text = { text: string }

export const askQuestion = (taskId: string, userId: string): Action<Text> => ({
  invalidates: [questionsKey(taskId)],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async ({ text }) => {
    await supabase
      .from('task_questions')
      .insert({ task_id: taskId, asker_id: userId, question: text })
      .throwOnError()
  },
})

export const removeQuestion = (taskId: string, id: string): Action => ({
  invalidates: [questionsKey(taskId)],
  invalidatesOnError: true,
  run: async () => {
    await supabase.from('task_questions').delete().eq('id', id).throwOnError()
  },
})

export const answerQuestion = (taskId: string, id: string, userId: string): Action<Text> => ({
  invalidates: [questionsKey(taskId)],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async ({ text }) => {
    await supabase
      .from('task_answers')
      .insert({ question_id: id, giver_id: userId, answer: text })
      .throwOnError()
  },
})

export const changeAnswer = (taskId: string, id: string): Action<Text> => ({
  invalidates: [questionsKey(taskId)],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async ({ text }) => {
    await supabase.from('task_answers').update({ answer: text }).eq('question_id', id).throwOnError()
  },
})
