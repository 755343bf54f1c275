// Stopping a series: which visits end, and what that costs, before it is confirmed.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { formatDateTime, formatMoney, formatNumber } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { AmountLines } from '../../../ui/AmountLines.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import type { Booking, Side } from '../api/queries.ts'
import { type StopPreview, stopPreviewQuery, stopSeries } from '../api/series.ts'

type StopDialogProps = { series: NonNullable<Booking['series']>; side: Side; onClose: () => void }

/** Loaded when it is first opened: import it with `lazy(() => import('./StopDialog.tsx'))`. */
export default function StopDialog({ series, side, onClose }: StopDialogProps) {
  const { t } = useTranslation()
  const [cancelPaid, setCancelPaid] = useState(false)
  const preview = useQuery(stopPreviewQuery(series.id))
  const stopping = useAction(stopSeries(series.id), {
    onSuccess: ({ outcome }) => {
      onClose()
      toast.success(t(outcome === 'stopped' ? 'repeats.stoppedToast' : 'repeats.alreadyOver'))
    },
  })
  const seen = preview.data
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !stopping.isPending && onClose()}
      title={t('repeats.stopTitle')}
      description={
        preview.error ? (
          <ErrorState error={preview.error} onRetry={preview.refetch} />
        ) : seen ? (
          <Dropped seen={seen} />
        ) : (
          <Skeleton className="h-12" />
        )
      }
      confirmLabel={t('repeats.stop')}
      cancelLabel={t('repeats.keepAll')}
      onConfirm={() => seen && stopping.mutate({ cancelPaid, seen })}
      loading={stopping.isPending || !seen}
      problem={stopping.error && errorText(stopping.error)}
      size="md"
      danger
    >
      {seen && seen.paid.length > 0 && (
        <Paid
          seen={seen}
          timeZone={series.time_zone}
          side={side}
          cancelPaid={cancelPaid}
          onChoose={setCancelPaid}
        />
      )}
    </AlertDialog>
  )
}

function Dropped({ seen }: { seen: StopPreview }) {
  const { t } = useTranslation()
  const count = seen.dropped.length
  if (count + seen.paid.length === 0) return <p>{t('repeats.stopNone')}</p>
  return <p>{t('repeats.stopDropped', { number: formatNumber(count) })}</p>
}

type PaidProps = {
  seen: StopPreview
  timeZone: string
  side: Side
  cancelPaid: boolean
  onChoose: (cancel: boolean) => void
}

/** The choice about paid visits; the sums are exact, and stopping is refused if they changed meanwhile. */
function Paid({ seen, timeZone, side, cancelPaid, onChoose }: PaidProps) {
  const { t } = useTranslation()
  const money = (amount: StopPreview['fee_cents']) => formatMoney(amount, { exact: true })
  return (
    <div className="flex flex-col gap-3">
      <RadioCards
        legend={t('repeats.stopPaid', { number: formatNumber(seen.paid.length) })}
        name="paid-visits"
        value={cancelPaid ? 'cancel' : 'keep'}
        onChange={({ target }) => onChoose(target.value === 'cancel')}
        options={[
          { value: 'keep', title: t('repeats.keepPaid'), hint: t('repeats.keepPaidHint') },
          {
            value: 'cancel',
            title: t('repeats.cancelPaid'),
            hint:
              side === 'giver'
                ? t('repeats.cancelPaidHint', {
                    fee: money(seen.fee_cents),
                    refund: money(seen.refund_cents),
                  })
                : t('bookings.cancelByTasker'),
          },
        ]}
      />
      {cancelPaid && (
        <>
          <ul className="text-sm text-ink-soft">
            {seen.paid.map(({ starts_at, fee_cents, refund_cents }) => (
              <li key={starts_at}>
                {t('repeats.paidLine', {
                  at: formatDateTime(starts_at, timeZone),
                  fee: money(fee_cents),
                  refund: money(refund_cents),
                })}
              </li>
            ))}
          </ul>
          <AmountLines
            lines={[
              ...(side === 'giver' ? [{ label: t('repeats.sumFee'), amount: seen.fee_cents }] : []),
              { label: t('repeats.sumBack'), amount: seen.refund_cents, total: true },
            ]}
          />
        </>
      )}
    </div>
  )
}
