// People as the profile screens read them (specification 001 §7).
import { queryOptions } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import type { myProfileQuery } from '../../../lib/queries/profile.ts'
import { supabase } from '../../../lib/supabase.ts'

export type OwnProfile = Awaited<ReturnType<NonNullable<ReturnType<typeof myProfileQuery>['queryFn']>>>

/** What anyone may see of a person; null when there is none, or one without a name. */
export const publicProfileQuery = (id: string) =>
  queryOptions({
    queryKey: ['publicProfile', id],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('public_profiles')
        .select('*')
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data?.full_name ? inCents(data, 'hourly_rate') : null
    },
  })

/** Reviews of a person, newest first, each with who wrote it and for which task. */
export const reviewsQuery = (id: string) =>
  queryOptions({
    queryKey: ['reviews', id],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('reviews')
        .select(
          'id, rating, comment, created_at, task:tasks(title), reviewer:public_profiles!reviewer_id(full_name, avatar_url)',
        )
        .eq('reviewee_id', id)
        .order('created_at', { ascending: false })
        .limit(50)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
