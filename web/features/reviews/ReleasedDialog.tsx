// The last step of releasing the money: it is the tasker's now, and how did they do?
import { CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Cents } from '../../../shared/money.ts'
import { formatDate, formatMoney } from '../../lib/format.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Scene } from '../../ui/horizon/Scene.tsx'
import { type ReviewableBooking, reviewing } from './api/queries.ts'
import { ReviewForm } from './components/ReviewForm.tsx'

type ReleasedDialogProps = {
  booking: ReviewableBooking & { payment: { payout_amount: Cents } | null }
  onClose: () => void
}

export function ReleasedDialog({ booking, onClose }: ReleasedDialogProps) {
  const { t } = useTranslation()
  const { otherName, mine, theirs, until } = reviewing(booking, 'giver')
  const name = otherName ?? t('ui.deletedUser')
  const payout = booking.payment && formatMoney(booking.payment.payout_amount, { exact: true })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={mine ? t('reviews.thanks') : t('reviews.releasedTitle', { name })}
      description={!mine && payout && t('reviews.releasedBody', { payout, name })}
    >
      <div className="relative -mx-5 -mt-5 mb-5 h-36">
        <Scene fit="strip" singing />
      </div>
      {mine ? (
        <div role="status" className="flex flex-col items-center gap-3 text-center">
          <CircleCheck aria-hidden className="size-12 text-success" strokeWidth={1.5} />
          {!theirs && until && (
            <p className="text-ink-soft">{t('reviews.blind', { name, date: formatDate(until) })}</p>
          )}
          <Button autoFocus onClick={onClose} className="mt-2">
            {t('reviews.done')}
          </Button>
        </div>
      ) : (
        <div className="flex flex-col gap-2">
          <ReviewForm booking={booking} side="giver" whole />
          <Button variant="ghost" onClick={onClose} className="-ms-4 self-start">
            {t('reviews.notNow')}
          </Button>
        </div>
      )}
    </Dialog>
  )
}
