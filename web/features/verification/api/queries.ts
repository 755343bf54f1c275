// One's own verification (specification 000 §7).
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'

/** One's own record, or null before the first submission. */
export const myVerificationQuery = (userId: string) =>
  queryOptions({
    queryKey: ['verification', userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('verifications')
        .select('*')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })
