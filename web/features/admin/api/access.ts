// Whether the back office opens to an admin.
import type { Session } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import { assuranceLevel } from '../../../lib/secondStep.ts'
import { supabase } from '../../../lib/supabase.ts'

/** Whether this admin has to set up a second factor first; asked anew once the session has proved one. */
export const secondFactorQuery = (session: Session | null) =>
  queryOptions({
    queryKey: ['secondFactorDemanded', session?.user.id, session && assuranceLevel(session.access_token)],
    queryFn: async ({ signal }) =>
      (await supabase.rpc('second_factor_demanded').abortSignal(signal).throwOnError()).data,
  })
