// One receipt or statement with the state of its money; the database shows it to its person and to admins.
import { queryOptions } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'
import { z } from '../../../lib/zod.ts'

const issuerSchema = z.object({
  name: z.string(),
  address: z.string().nullable(),
  gst_number: z.string().nullable(),
})

export type Receipt = NonNullable<Awaited<ReturnType<typeof readReceipt>>>

/** Null when there is none of that id, or when it is somebody else's. */
async function readReceipt(id: string, signal: AbortSignal) {
  if (!z.guid().safeParse(id).success) return null
  const { data } = await supabase
    .from('receipts')
    .select(
      `id, kind, number, issued_at, issuer, task_title, person_id, person_name, other_name, basis, amount, platform_fee, gst,
      platform_fee_percent, gst_percent, total, card_brand, card_last4,
      payment:payments!inner(escrow_status, payout_status, payout_amount, refund_status, refund_amount, cancellation_fee,
        lost_amount, total, open_disputes, unsettled_loss, released_at, refunded_at, complaint:complaints(decision))`,
    )
    .eq('id', id)
    .abortSignal(signal)
    .maybeSingle()
    .throwOnError()
  if (!data) return null
  return {
    ...inCents(data, 'amount', 'platform_fee', 'gst', 'total'),
    issuer: issuerSchema.parse(data.issuer),
    payment: inCents(
      data.payment,
      'payout_amount',
      'refund_amount',
      'cancellation_fee',
      'lost_amount',
      'total',
      'unsettled_loss',
    ),
  }
}

export const receiptQuery = (id: string) =>
  queryOptions({ queryKey: ['receipt', id], queryFn: ({ signal }) => readReceipt(id, signal) })
