// Receipts of what a giver has paid.
import { infiniteQueryOptions } from '@tanstack/react-query'
import { cents } from '../../../../shared/money.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'

const PAGE = 10

/** The giver's own, newest first, with what of each went back or is going back. */
export const receiptsQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: ['payments', 'receipts', userId],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await supabase
        .from('receipts')
        .select(
          'id, kind, number, issued_at, task_title, total, payment:payments!inner(refund_amount, refund_status, lost_amount)',
        )
        .eq('person_id', userId)
        .eq('kind', 'receipt')
        .order('issued_at', { ascending: false })
        .order('id')
        .range(pageParam, pageParam + PAGE - 1)
        .abortSignal(signal)
        .throwOnError()
      return data.map((row) => {
        const priced = inCents({ ...row, ...row.payment }, 'total', 'refund_amount', 'lost_amount')
        const isSent = priced.refund_status === 'sent'
        const returned = Math.min(priced.lost_amount + (isSent ? priced.refund_amount : 0), priced.total)
        return { ...priced, returned: cents(returned), returning: isSent ? cents(0) : priced.refund_amount }
      })
    },
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
  })
