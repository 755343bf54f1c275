// Whether the signed-in person came by the word of a provider and has still to choose what they are here for.
import type { User } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../supabase.ts'

export const unfinishedAccountKey = (userId: string | undefined) => ['unfinishedAccount', userId] as const

/** Asked of the database only for people who may have come so: everybody else filled in the form. */
export const unfinishedAccountQuery = (user: User | null) =>
  queryOptions({
    queryKey: unfinishedAccountKey(user?.id),
    enabled: (user?.app_metadata.providers ?? []).some((name: string) => !['email', 'phone'].includes(name)),
    queryFn: async ({ signal }) =>
      (await supabase.rpc('account_unfinished').abortSignal(signal).throwOnError()).data,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
  })
