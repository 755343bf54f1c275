// The task that a guest wanted to see, as everybody may read it: without its giver and its address.
import { queryOptions } from '@tanstack/react-query'
import { inCents, type Priced } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'

type TaskHead = Record<'title' | 'description' | 'category' | 'location', string> & { pay_amount: number }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An open task; null for any other address of a task: it is taken, withdrawn, or never was. */
export const taskHeadQuery = (id: string) =>
  queryOptions({
    queryKey: ['tasks', 'head', id],
    queryFn: async ({ signal }): Promise<Priced<TaskHead, 'pay_amount'> | null> => {
      if (!UUID.test(id)) return null
      const { data } = await supabase.rpc('task_head', { task: id }).abortSignal(signal).throwOnError()
      return data === null ? null : inCents(data as TaskHead, 'pay_amount')
    },
  })
