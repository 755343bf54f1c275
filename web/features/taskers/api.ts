// The verified taskers that strangers may see (spec 000 §6 and §7 'Find taskers').
import { useQuery } from '@tanstack/react-query'
import { supabase } from '../../lib/supabase.ts'

const columns =
  'id, full_name, avatar_url, bio, city, rating, total_reviews, completed_tasks, skills, hourly_rate' as const

/** Verified taskers with a name, the best rated first. */
export function useTaskers() {
  return useQuery({
    queryKey: ['taskers'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('public_profiles')
        .select(columns)
        .eq('role', 'task_doer')
        .eq('is_verified', true)
        .not('full_name', 'is', null)
        .neq('full_name', '')
        .gte('rating', 0)
        .order('rating', { ascending: false })
        .order('total_reviews', { ascending: false })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
}

export type Tasker = NonNullable<ReturnType<typeof useTaskers>['data']>[number]

/** Whether the text stands in the tasker's name, bio or one of the skills, in any case. */
export function matches(tasker: Tasker, text: string): boolean {
  const wanted = text.trim().toLocaleLowerCase()
  return [tasker.full_name, tasker.bio, ...(tasker.skills ?? [])].some((field) =>
    field?.toLocaleLowerCase().includes(wanted),
  )
}
