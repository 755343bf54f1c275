// The sum that this side finally paid or received for a booking; the task's amount if nothing was paid.
import { useTranslation } from 'react-i18next'
import { cents } from '../../../../shared/money.ts'
import { Money } from '../../../ui/Money.tsx'
import type { Booking, Side } from '../api/queries.ts'

export function MovedMoney({ booking: { payment, agreed_amount }, side }: { booking: Booking; side: Side }) {
  const { t } = useTranslation()
  const moved = payment !== null && ['released', 'refunded'].includes(payment.escrow_status)
  const stays = moved ? cents(Math.max(payment.total - payment.refund_amount - payment.lost_amount, 0)) : null
  const gives = side === 'giver'
  return (
    <span className="inline-flex flex-wrap justify-end gap-x-1.5">
      <span>{t(!moved ? 'ui.price.taskAmount' : gives ? 'ui.price.youPaid' : 'ui.price.youGet')}</span>
      <Money
        amount={!moved ? agreed_amount : gives ? (stays ?? cents(0)) : payment.payout_amount}
        exact={moved}
      />
    </span>
  )
}
