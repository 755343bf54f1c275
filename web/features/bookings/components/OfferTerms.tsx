// The prices of an offer: as a choice for the giver, as a list for its tasker.
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import type { OfferOption } from '../../../lib/offers.ts'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import type { Booking, Side } from '../api/queries.ts'

/** When the work begins at a price: its time, or else that of the task. */
function useTimeText(task: Booking['task']) {
  const { t } = useTranslation()
  return (startsAt: string | null) =>
    startsAt
      ? formatDateTime(startsAt, clockOf(task))
      : task.scheduled_date
        ? t('bookings.offer.postedTime', { at: formatDateTime(task.scheduled_date, clockOf(task)) })
        : t('tasks.anyTime')
}

/** The line below a price: what this side pays or receives in all, and when. */
function useTermsText(task: Booking['task'], side: Side) {
  const { t } = useTranslation()
  const timeText = useTimeText(task)
  return ({ amount, starts_at }: OfferOption) => {
    const price = priceOf(amount)
    return t(side === 'giver' ? 'bookings.offer.youPay' : 'bookings.offer.youGet', {
      sum: formatMoney(side === 'giver' ? price.total : price.payout, { exact: true }),
      when: timeText(starts_at),
    })
  }
}

type ChoiceProps = {
  booking: Booking
  options: OfferOption[]
  /** From 1; 0 while none is chosen. */
  chosen: number
  onChoose: (option: number) => void
}

/** The giver's choice among the prices; a single one is only shown. */
export function OfferChoice({ booking, options, chosen, onChoose }: ChoiceProps) {
  const { t } = useTranslation()
  const termsText = useTermsText(booking.task, 'giver')
  const [first] = options
  if (options.length === 1 && first) return <OfferLine option={first} booking={booking} side="giver" />
  return (
    <RadioCards
      legend={t('bookings.offer.choose')}
      name={`option-${booking.id}`}
      value={String(chosen)}
      onChange={(event) => onChoose(Number(event.target.value))}
      options={options.map((option, at) => ({
        value: String(at + 1),
        title: formatMoney(option.amount, { exact: true }),
        hint: termsText(option),
      }))}
    />
  )
}

/** One price with what it means for this side. */
export function OfferLine({ option, booking, side }: { option: OfferOption; booking: Booking; side: Side }) {
  const termsText = useTermsText(booking.task, side)
  return (
    <p className="flex flex-col">
      <span translate="no" className="tabular font-display text-xl font-bold">
        {formatMoney(option.amount, { exact: true })}
      </span>
      <span className="text-sm text-ink-soft">{termsText(option)}</span>
    </p>
  )
}
