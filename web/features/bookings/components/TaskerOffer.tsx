// A tasker's own offer: its prices, and the giver's counter-offer to accept or decline.
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import type { Cents } from '../../../../shared/money.ts'
import { formatList, formatMoney, formatNearDateTime } from '../../../lib/format.ts'
import type { OfferOption } from '../../../lib/offers.ts'
import { Button } from '../../../ui/Button.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { decideApplication, declineCounter } from '../api/actions.ts'
import type { Booking } from '../api/queries.ts'
import { BookingExpenses } from './BookingExpenses.tsx'
import { OfferLine } from './OfferTerms.tsx'

type TaskerOfferProps = { booking: Booking; options: OfferOption[]; onAccepted: () => void }

export function TaskerOffer({ booking, options, onAccepted }: TaskerOfferProps) {
  const { t } = useTranslation()
  const { counter_amount, counter_state, answer_by } = booking
  if (counter_state === 'open' && counter_amount !== null)
    return <Counter booking={booking} options={options} amount={counter_amount} onAccepted={onAccepted} />
  return (
    <div className="flex flex-col gap-3">
      <p className="font-semibold">{t('bookings.offer.yours')}</p>
      <ul className="flex flex-col gap-3">
        {options.map((option) => (
          <li key={`${option.amount} ${option.starts_at}`}>
            <OfferLine option={option} booking={booking} side="tasker" />
          </li>
        ))}
      </ul>
      <BookingExpenses booking={booking} side="tasker" />
      {booking.offer_reason && (
        <Quote by={t('bookings.offer.yourReason')} className="mt-0">
          {booking.offer_reason}
        </Quote>
      )}
      {answer_by && (
        <p className="text-sm text-ink-soft">
          {t('bookings.offer.openUntil', { at: formatNearDateTime(answer_by) })}
        </p>
      )}
    </div>
  )
}

type CounterProps = TaskerOfferProps & { amount: Cents }

function Counter({ booking, options, amount, onAccepted }: CounterProps) {
  const { t } = useTranslation()
  const { task, counter_starts_at, counter_message, answer_by } = booking
  const giver = task.giver?.full_name ?? t('ui.deletedUser')
  const accepting = useAction(decideApplication(booking.id, { amount }), {
    onSuccess: () => {
      toast.success(t('bookings.offer.counterAccepted'))
      onAccepted()
    },
    onError: t('bookings.error'),
  })
  const declining = useAction(declineCounter(booking.id), {
    onSuccess: () => toast.success(t('bookings.offer.counterDeclined')),
    onError: t('bookings.error'),
  })
  return (
    <div className="flex flex-col gap-4">
      <p className="font-semibold">{t('bookings.offer.theirs', { name: giver })}</p>
      <OfferLine option={{ amount, starts_at: counter_starts_at }} booking={booking} side="tasker" />
      <PriceSplit price={priceOf(amount)} side="tasker" other={giver} />
      <BookingExpenses booking={booking} side="tasker" />
      {counter_message && (
        <Quote by={t('bookings.offer.messageOf', { name: giver })} className="mt-0">
          {counter_message}
        </Quote>
      )}
      {answer_by && (
        <p className="text-sm text-ink-soft">
          {t('bookings.offer.answerBy', { at: formatNearDateTime(answer_by) })}
        </p>
      )}
      <p className="text-sm text-ink-soft">
        {t('bookings.offer.stays', {
          amounts: formatList(options.map((option) => formatMoney(option.amount, { exact: true }))),
          name: giver,
        })}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          className="flex-auto"
          loading={accepting.isPending}
          disabled={declining.isPending}
          onClick={() => accepting.mutate('accepted')}
        >
          {t('bookings.offer.accept', { amount: formatMoney(amount, { exact: true }) })}
        </Button>
        <Button
          variant="secondary"
          className="flex-auto"
          loading={declining.isPending}
          disabled={accepting.isPending}
          onClick={() => declining.mutate()}
        >
          {t('bookings.decline')}
        </Button>
      </div>
    </div>
  )
}
