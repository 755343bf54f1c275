// The one sum of a booking's row: paid or received by this side, else what the tasker would get; otherwise the task's amount.
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { movedTotal, withExtras } from '../../../lib/queries/changes.ts'
import { priceOfPayment } from '../../../lib/queries/payment.ts'
import { Money } from '../../../ui/Money.tsx'
import type { Booking, Side } from '../api/queries.ts'

export function MovedMoney({ booking, side }: { booking: Booking; side: Side }) {
  const { t } = useTranslation()
  const { payment, agreed_amount, status, changes } = booking
  const moved = movedTotal(payment, changes, side)
  const gives = side === 'giver'
  const over = status === 'rejected' || status === 'cancelled'
  const offered =
    gives || over
      ? null
      : (payment ? withExtras(priceOfPayment(payment), changes) : priceOf(agreed_amount)).payout
  const label = moved !== null && gives ? 'youPaid' : (moved ?? offered) !== null ? 'youGet' : 'taskAmount'
  return (
    <span className="inline-flex flex-wrap justify-end gap-x-1.5">
      <span>{t(`ui.price.${label}`)}</span>
      <Money amount={moved ?? offered ?? agreed_amount} exact={moved !== null} />
    </span>
  )
}
