// The actions of both sides in the panel: pay, release, set up the payout.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { startIfEarly } from '../../../lib/confirmationFrom.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { NEXT_PART, paths } from '../../../lib/paths.ts'
import type { Payment } from '../../../lib/queries/payment.ts'
import { payoutRefusal } from '../../../lib/refusals.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { releasePayment } from '../api/actions.ts'
import type { PayableBooking } from '../api/queries.ts'
import { priceOfBooking } from '../lines.ts'

export function PayButton({ booking, onPay }: { booking: PayableBooking; onPay: () => void }) {
  const { t } = useTranslation()
  return (
    <Button data-part={NEXT_PART} onClick={onPay}>
      {t('payments.pay', { total: formatMoney(priceOfBooking(booking).total, { exact: true }) })}
    </Button>
  )
}

export function ReleaseButton({ booking, onReleased }: { booking: PayableBooking; onReleased: () => void }) {
  const { t } = useTranslation()
  const [confirming, setConfirming] = useState(false)
  const early = startIfEarly(booking)
  const name = booking.doer?.full_name ?? t('payments.theTasker')
  const releasing = useAction(releasePayment(booking), {
    onSuccess: () => {
      setConfirming(false)
      toast.success(t('payments.releasedToast'), { description: t('payments.releasedToastBody', { name }) })
      onReleased()
    },
    onError: (error) => {
      setConfirming(false)
      toast.error(t('payments.error'), { description: errorText(error) })
    },
  })
  return (
    <>
      <Button data-part={NEXT_PART} onClick={() => setConfirming(true)}>
        {t('payments.confirmRelease')}
      </Button>
      <AlertDialog
        open={confirming}
        onOpenChange={(next) => !releasing.isPending && setConfirming(next)}
        title={t(early ? 'payments.releaseEarlyTitle' : 'payments.releaseTitle')}
        description={t('payments.releaseBody', { name })}
        confirmLabel={t('payments.confirmRelease')}
        cancelLabel={t('payments.notYet')}
        onConfirm={() => releasing.mutate()}
        loading={releasing.isPending}
      >
        {early && (
          <p className="mb-4">
            {t('payments.markedEarly', { at: formatDateTime(early, clockOf(booking.task)) })}
          </p>
        )}
        <PriceSplit price={priceOfBooking(booking)} side="giver" other={booking.doer?.full_name} paid />
      </AlertDialog>
    </>
  )
}

/** Explains the state of the tasker's money. */
export function PayoutNote({ payment }: { payment: Payment }) {
  const { t } = useTranslation()
  const { payout_status: status } = payment
  if (status === 'none') return null
  if (status !== 'sent' && (payment.open_disputes > 0 || payment.unsettled_loss > 0)) {
    return <p className="text-sm text-ink-soft">{t('payments.payoutWaits')}</p>
  }
  const refusal = payoutRefusal(payment.failures)
  const text =
    status === 'failed' ? t(`payments.payoutRefused.${refusal}`) : t(`payments.payoutStatus.${status}`)
  const asksForAccount = status === 'waiting' || (status === 'failed' && refusal === 'account')
  if (!asksForAccount) return <p className="text-sm text-ink-soft">{text}</p>
  return (
    <div className="flex flex-col gap-3 rounded-md bg-wheat-soft p-3">
      <p className="text-sm">{text}</p>
      <Button asChild size="sm" variant="secondary">
        <Link to={`${paths.profile}?tab=payout`}>{t('payments.setUpPayout')}</Link>
      </Button>
    </div>
  )
}
