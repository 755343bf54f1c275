// How receipts and payout statements are called on every screen and in files, and how many somebody has.
import { queryOptions } from '@tanstack/react-query'
import type { Enums } from '../database.types.ts'
import { supabase } from '../supabase.ts'

export type ReceiptKind = Enums<'receipt_kind'>

/** 'R-12' for a receipt, 'S-12' for a statement: each kind counts by itself. */
export function receiptNumber({ kind, number }: { kind: ReceiptKind; number: number | null }): string {
  return `${kind === 'receipt' ? 'R' : 'S'}-${number}`
}

/** How many of a kind a person has, for "10 of 24". */
export const receiptCountQuery = (userId: string, kind: ReceiptKind) =>
  queryOptions({
    queryKey: ['payments', 'receiptCount', userId, kind],
    queryFn: async ({ signal }) => {
      const { count } = await supabase
        .from('receipts')
        .select('id', { count: 'exact', head: true })
        .eq('person_id', userId)
        .eq('kind', kind)
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
  })
