// Work that waits for an admin, by kind, with the age of the oldest (the database's admin_overview).
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../../../lib/supabase.ts'

const KINDS = [
  'verifications',
  'complaints',
  'reports',
  'losses',
  'chargebacks',
  'not_sent',
  'failed_effects',
  'suspended',
] as const

export type Waiting = { kind: (typeof KINDS)[number]; count: number; oldest: string | null }

export const overviewQuery = queryOptions({
  queryKey: ['admin', 'overview'],
  refetchInterval: 60_000,
  queryFn: async ({ signal }): Promise<Waiting[]> => {
    const { data } = await supabase.rpc('admin_overview').abortSignal(signal).throwOnError()
    return KINDS.map((kind) => {
      const found = data.find((row) => row.kind === kind)
      return { kind, count: found?.count ?? 0, oldest: found?.oldest ?? null }
    })
  },
})
