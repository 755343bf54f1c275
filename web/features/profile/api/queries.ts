// People as the profile screens read them (specification 001 §7).
import type { QueryData } from '@supabase/supabase-js'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import { nextKey, olderThan, uniqueRows } from '../../../lib/queries/pages.ts'
import type { myProfileQuery } from '../../../lib/queries/profile.ts'
import { supabase } from '../../../lib/supabase.ts'

export type OwnProfile = Awaited<ReturnType<NonNullable<ReturnType<typeof myProfileQuery>['queryFn']>>>

/** A person's public profile; null if there is none, or none with a name. */
export const publicProfileQuery = (id: string) =>
  queryOptions({
    queryKey: ['publicProfile', id],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('public_profiles')
        .select('*,earned_badges,is_tasker')
        .eq('id', id)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data?.full_name ? inCents(data, 'hourly_rate') : null
    },
  })

export type PublicProfile = NonNullable<
  Awaited<ReturnType<NonNullable<ReturnType<typeof publicProfileQuery>['queryFn']>>>
>

const REVIEWS_PAGE = 10

const selectReviews = () =>
  supabase
    .from('reviews')
    .select(
      'id, rating, comment, created_at, reviewer_id, task:tasks(title), reviewer:public_profiles!reviewer_id(full_name, avatar_url)',
    )
type Review = QueryData<ReturnType<typeof selectReviews>>[number]

/**
 * Reviews of a person that everybody can read, newest first, each with who wrote it and for which task, page by page.
 * Whoever looks, those that are still blind are left out: a profile says the same to its writer as to anybody.
 */
export const reviewsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['reviews', id],
    initialPageParam: undefined as { created_at: string; id: string } | undefined,
    queryFn: async ({ pageParam: after, signal }) => {
      const reviews = selectReviews().eq('reviewee_id', id).lte('visible_from', 'now')
      const { data } = await (after ? reviews.or(olderThan(after)) : reviews)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .limit(REVIEWS_PAGE)
        .abortSignal(signal)
        .throwOnError()
      return data
    },
    getNextPageParam: (last: Review[]) => nextKey(REVIEWS_PAGE)(last),
    select: uniqueRows,
  })

/** How often a person was given how many stars, and what they come to: of the reviews that everybody can read. */
export const reviewSummaryQuery = (id: string) =>
  queryOptions({
    queryKey: ['reviews', id, 'summary'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('review_counts', { person: id }).abortSignal(signal).throwOnError()
      const total = data.reduce((sum, { count }) => sum + count, 0)
      const stars = data.reduce((sum, row) => sum + row.stars * row.count, 0)
      return {
        total,
        average: total === 0 ? 0 : stars / total,
        rows: [5, 4, 3, 2, 1].map((count) => ({
          stars: count,
          count: data.find((row) => row.stars === count)?.count ?? 0,
        })),
      }
    },
  })
