// The giver's answer to an application: accept it, or decline it and be able to take that back.
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatMoney } from '../../../lib/format.ts'
import { repeatsFrom } from '../../../lib/repeats.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { verifiedState } from '../../../ui/VerifiedMark.tsx'
import { decideApplication, type Terms, undoDecline } from '../api/actions.ts'
import type { Booking } from '../api/queries.ts'
import { BookingExpenses } from './BookingExpenses.tsx'

const SeriesTerms = lazy(() => import('./AutoPay.tsx'))

const UNDO_MS = 10 * 60_000

/** Whether the giver may still take the decline back, as far as this device's clock tells. */
export function canUndo({ status, passed_over, answered_at, task }: Booking): boolean {
  const fresh = answered_at !== null && Date.now() - Date.parse(answered_at) < UNDO_MS
  return status === 'rejected' && !passed_over && fresh && task.status === 'open'
}

/** The toast with the same button is soon gone. */
export function UndoDecline({ booking }: { booking: Booking }) {
  const { t } = useTranslation()
  const undoing = useAction(undoDecline(booking.id), { onError: t('bookings.error') })
  return (
    <Button
      variant="secondary"
      className="self-start"
      loading={undoing.isPending}
      onClick={() => undoing.mutate()}
    >
      {t('bookings.undo')}
    </Button>
  )
}

type DecisionProps = {
  booking: Booking
  onAccepted: () => void
  /** The chosen price of an offer; null while its counter-offer waits. Left out for an application at the posted price. */
  terms?: (Terms & { option: number }) | 'unchosen' | null
  /** Without the button to decline. */
  onlyAccept?: boolean
  /** Other answers, between the two. */
  children?: ReactNode
}

export function Decision({ booking, onAccepted, terms, onlyAccept = false, children }: DecisionProps) {
  const { t } = useTranslation()
  const [confirming, setConfirming] = useState(false)
  const [autoPay, setAutoPay] = useState(false)
  const repeats = repeatsFrom(booking.task.repeats)
  const unverified = verifiedState(booking.doer) === 'notVerifiedYet'
  const chosen = terms && terms !== 'unchosen' ? terms : undefined
  const amount = chosen?.amount ?? booking.agreed_amount
  const deciding = useAction(decideApplication(booking.id, chosen, autoPay), {
    onSuccess: (_, status) => {
      setConfirming(false)
      if (status === 'accepted') {
        toast.success(t('bookings.decided.accepted'))
        onAccepted()
      } else
        toast.success(t('bookings.decided.rejected'), {
          description: t('bookings.declinedBody'),
          action: { label: t('bookings.undo'), onClick: () => undoing.mutate() },
        })
    },
    onError: (error) => {
      setConfirming(false)
      toast.error(t('bookings.error'), { description: errorText(error) })
    },
  })
  const undoing = useAction(undoDecline(booking.id), { onError: t('bookings.error') })
  const busyWith = deciding.isPending ? deciding.variables : undefined
  return (
    <div className="flex flex-wrap gap-2">
      {repeats && terms !== null && (
        <Suspense>
          <SeriesTerms snow={repeats.every === 'snowfall'} autoPay={autoPay} onAutoPay={setAutoPay} />
        </Suspense>
      )}
      {!booking.task.on_hold && terms !== null && (
        <Button
          className="flex-auto"
          loading={busyWith === 'accepted'}
          disabled={busyWith === 'rejected'}
          onClick={() => {
            if (terms === 'unchosen') toast.error(t('bookings.offer.choose'))
            else if (unverified) setConfirming(true)
            else deciding.mutate('accepted')
          }}
        >
          {chosen
            ? t('bookings.offer.accept', { amount: formatMoney(amount, { exact: true }) })
            : t('bookings.accept')}
        </Button>
      )}
      {children}
      {!onlyAccept && (
        <Button
          variant="secondary"
          className="flex-auto"
          loading={busyWith === 'rejected'}
          disabled={busyWith === 'accepted'}
          onClick={() => deciding.mutate('rejected')}
        >
          {t('bookings.decline')}
        </Button>
      )}
      <AlertDialog
        open={confirming}
        onOpenChange={(next) => !deciding.isPending && setConfirming(next)}
        title={t('bookings.acceptUnverifiedTitle')}
        description={t('bookings.acceptUnverified', {
          name: booking.doer?.full_name ?? t('ui.deletedUser'),
        })}
        confirmLabel={t('bookings.acceptAnyway')}
        onConfirm={() => deciding.mutate('accepted')}
        loading={busyWith === 'accepted'}
      >
        <PriceSplit price={priceOf(amount)} side="giver" other={booking.doer?.full_name} />
        <BookingExpenses booking={booking} side="giver" className="mt-2" />
      </AlertDialog>
    </div>
  )
}
