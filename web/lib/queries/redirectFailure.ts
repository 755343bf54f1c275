// Why an address that brought somebody back here (an e-mail's link, a provider) did not do what it was for.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../supabase.ts'

/** The auth service's own code where it gave one, and its words. */
export type RedirectFailure = { code: string; message: string }

export const redirectFailureQuery = queryOptions({
  queryKey: ['auth', 'redirectFailure'],
  queryFn: async (): Promise<RedirectFailure | null> => {
    const { error } = await supabase.auth.initialize()
    if (!error) return null
    const { details } = error as { details?: { code?: string; error?: string } | null }
    // A provider's own refusal comes without a code of the service.
    const code = details?.code && details.code !== 'unspecified_code' ? details.code : (details?.error ?? '')
    return { code, message: error.message }
  },
  staleTime: Number.POSITIVE_INFINITY,
})
