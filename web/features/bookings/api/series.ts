// Series of visits: how they are paid, skipping one, stopping all, and reporting snow.
import { queryOptions } from '@tanstack/react-query'
import type { Cents } from '../../../../shared/money.ts'
import { invokeFunction } from '../../../lib/functions.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const refresh = {
  invalidates: [['bookings'], ['contacts'], ['payments'], ['tasks'], ['stopPreview']],
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
} as const

/** Whether the reader has a default card that could be charged. */
export const hasDefaultCardQuery = (userId: string) =>
  queryOptions({
    queryKey: ['paymentMethods', userId, 'default'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('payment_methods')
        .select('id')
        .eq('is_default', true)
        .abortSignal(signal)
        .throwOnError()
      return data.length > 0
    },
  })

/** Lets the default card be charged for each visit, or not any more. */
export const setAutoPay = (seriesId: string): Action<boolean> => ({
  ...refresh,
  run: async (agreed) => {
    await supabase.rpc('set_series_auto_pay', { series_id: seriesId, agreed }).throwOnError()
  },
})

/** The same for the series that has just begun with this booking. */
export async function agreeToAutoPay(bookingId: string): Promise<void> {
  const { data } = await supabase
    .from('bookings')
    .select('series_id')
    .eq('id', bookingId)
    .single()
    .throwOnError()
  if (!data.series_id) return
  await supabase.rpc('set_series_auto_pay', { series_id: data.series_id, agreed: true }).throwOnError()
}

/** Skips an unpaid visit without a fee; a payment that was started is closed first. */
export const skipVisit = (bookingId: string): Action => ({
  ...refresh,
  run: async () => {
    await invokeFunction('handle-cancellation', { bookingId, skip: true })
  },
})

/** The consequences of stopping for the reader, in cents. */
export type StopPreview = {
  status: 'active' | 'stopped' | 'ended'
  dropped: { starts_at: string }[]
  paid: { starts_at: string; fee_cents: Cents; refund_cents: Cents }[]
  fee_cents: Cents
  refund_cents: Cents
}

export const stopPreviewQuery = (seriesId: string) =>
  queryOptions({
    queryKey: ['stopPreview', seriesId],
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('stop_series_preview', { series_id: seriesId })
        .abortSignal(signal)
        .throwOnError()
      return data as StopPreview
    },
  })

/** Stops the series, if what it costs is still what the reader saw. */
export const stopSeries = (
  seriesId: string,
): Action<{ cancelPaid: boolean; seen: StopPreview }, { outcome: 'stopped' | 'already_over' }> => ({
  ...refresh,
  run: ({ cancelPaid, seen }) =>
    invokeFunction<{ outcome: 'stopped' | 'already_over' }>('stop-series', {
      seriesId,
      cancelPaid,
      dropped: seen.dropped.length,
      feeCents: cancelPaid ? seen.fee_cents : 0,
      refundCents: cancelPaid ? seen.refund_cents : 0,
    }),
})

export type SnowReport = { cm: number; photos: string[]; startsAt: string }

/** Reports snow, which makes the visit of today. */
export const reportSnow = (seriesId: string): Action<SnowReport> => ({
  ...refresh,
  run: async ({ cm, photos, startsAt }) => {
    await supabase.rpc('report_snow', { series_id: seriesId, cm, photos, starts_at: startsAt }).throwOnError()
  },
})
