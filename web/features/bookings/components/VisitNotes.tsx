// Notes that only visits have: the agreement on a snowfall task, and the snow that was reported. The default export is
// loaded with the first visit.
import { Snowflake } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { formatNumber } from '../../../lib/format.ts'
import { ExpenseTerms } from '../../../ui/ExpenseTerms.tsx'
import { PriceSplit } from '../../../ui/PriceSplit.tsx'
import { PhotoGrid } from '../../../ui/photos/PhotoGrid.tsx'
import type { Booking, Side } from '../api/queries.ts'

export default function VisitNotes({ booking, side }: { booking: Booking; side: Side }) {
  const { t } = useTranslation()
  if (booking.visit_number === 0) {
    const other = side === 'giver' ? booking.doer?.full_name : booking.task.giver?.full_name
    return (
      <div className="flex flex-col gap-3">
        <p className="font-semibold">{t('repeats.agreed')}</p>
        <p className="text-ink-soft">
          {t(side === 'giver' ? 'repeats.agreedGiver' : 'repeats.agreedTasker')}
        </p>
        <PriceSplit price={priceOf(booking.agreed_amount)} side={side} other={other} />
        <ExpenseTerms limit={booking.expense_limit} side={side} visits />
      </div>
    )
  }
  const { snow } = booking
  if (!snow) return null
  return (
    <div className="mt-3 flex flex-col gap-2">
      <p className="flex items-center gap-2">
        <Snowflake aria-hidden className="size-4 shrink-0 text-ink-faint" />
        <span>{t('repeats.snowReport', { cm: formatNumber(snow.cm) })}</span>
      </p>
      <PhotoGrid bucket="booking-photos" names={snow.photos} subject={booking.task.title} />
    </div>
  )
}
