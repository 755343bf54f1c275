// What the sign-in screen reads of the auth service.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'

/** Whether the link in an e-mail that led here was not taken (expired, used before). */
export const linkFailedQuery = queryOptions({
  queryKey: ['auth', 'linkError'],
  queryFn: async () => (await supabase.auth.initialize()).error !== null,
  staleTime: Number.POSITIVE_INFINITY,
})
