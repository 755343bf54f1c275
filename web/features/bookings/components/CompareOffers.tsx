// The undecided applications for one task, price by price in one table: a giver compares and accepts from there. On a phone each
// row is a card with its labels.
import { Scale } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatDateTime, formatKilometres, formatNumber } from '../../../lib/format.ts'
import type { OfferOption } from '../../../lib/offers.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Money } from '../../../ui/Money.tsx'
import { Stars } from '../../../ui/Stars.tsx'
import { VerifiedMark } from '../../../ui/VerifiedMark.tsx'
import type { Booking } from '../api/queries.ts'
import { BookingExpenses } from './BookingExpenses.tsx'
import { Decision } from './Decision.tsx'

type CompareProps = { bookings: [Booking, ...Booking[]]; onAccepted: () => void }

export function CompareOffers({ bookings, onAccepted }: CompareProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const { task } = bookings[0]
  const columns = ['tasker', 'pays', 'when', 'distance', 'rating', 'alike'] as const
  const heading = (column: (typeof columns)[number]) =>
    t(`bookings.compare.${column}`, { category: categoryText(t, task.category) })
  return (
    <>
      <Button variant="secondary" size="sm" onClick={() => setOpen(true)}>
        <Scale aria-hidden />
        <span>{t('bookings.compare.open')}</span>
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={t('bookings.compare.title')}
        description={task.title}
        size="xl"
      >
        <table className="w-full border-collapse text-start max-sm:block">
          <thead className="max-sm:sr-only">
            <tr>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className="px-2 pb-2 text-start text-sm font-medium text-ink-soft"
                >
                  {heading(column)}
                </th>
              ))}
              <th>
                <span className="sr-only">{t('bookings.accept')}</span>
              </th>
            </tr>
          </thead>
          <tbody className="max-sm:block">
            {rowsOf(bookings).map((row) => (
              <Row
                key={`${row.booking.id} ${row.number}`}
                row={row}
                heading={heading}
                onAccepted={onAccepted}
              />
            ))}
          </tbody>
        </table>
      </Dialog>
    </>
  )
}

/** A price of an application; `number` is that of its option, from 1, or 0 at the posted price; null for the giver's own counter-offer. */
type PriceRow = { booking: Booking; option: OfferOption; number: number | null }

/** The counter-offer that the tasker is to answer; the prices of the offer wait meanwhile. */
function counterOf({ counter_state, counter_amount, counter_starts_at }: Booking): OfferOption | null {
  if (counter_state !== 'open' || counter_amount === null) return null
  return { amount: counter_amount, starts_at: counter_starts_at }
}

/** Every price that can be agreed now, the lowest first. */
function rowsOf(bookings: Booking[]): PriceRow[] {
  return bookings
    .flatMap((booking): PriceRow[] => {
      const counter = counterOf(booking)
      if (counter) return [{ booking, option: counter, number: null }]
      return booking.offer_options
        ? booking.offer_options.map((option, at) => ({ booking, option, number: at + 1 }))
        : [{ booking, option: { amount: booking.agreed_amount, starts_at: null }, number: 0 }]
    })
    .sort((one, other) => one.option.amount - other.option.amount)
}

type RowProps = {
  row: PriceRow
  heading: (column: 'tasker' | 'pays' | 'when' | 'distance' | 'rating' | 'alike') => string
  onAccepted: () => void
}

function Row({ row: { booking, option, number }, heading, onAccepted }: RowProps) {
  const { t } = useTranslation()
  const { doer, task } = booking
  const at = option.starts_at ?? task.scheduled_date
  const reviews = doer?.total_reviews ?? 0
  return (
    <tr className="border-t border-line align-top max-sm:mb-3 max-sm:block max-sm:rounded-md max-sm:border max-sm:p-3">
      <Cell heading={heading('tasker')}>
        <span className="flex flex-wrap items-center gap-x-2 font-semibold">
          <bdi>{doer?.full_name ?? t('ui.deletedUser')}</bdi>
          <VerifiedMark person={doer} />
        </span>
      </Cell>
      <Cell heading={heading('pays')}>
        <span className="flex flex-col max-sm:items-end">
          <Money amount={priceOf(option.amount).total} exact className="font-semibold" />
          <span className="flex flex-wrap gap-x-1 text-ink-soft max-sm:justify-end">
            <span>{t('ui.price.taskAmount')}</span>
            <Money amount={option.amount} exact />
          </span>
          <BookingExpenses booking={booking} side="giver" className="max-sm:text-end" />
        </span>
      </Cell>
      <Cell heading={heading('when')}>
        <span>{at ? formatDateTime(at, clockOf(task)) : t('tasks.anyTime')}</span>
      </Cell>
      <Cell heading={heading('distance')}>
        <span>
          {booking.tasker_km === null ? t('bookings.compare.unknown') : formatKilometres(booking.tasker_km)}
        </span>
      </Cell>
      <Cell heading={heading('rating')}>
        {reviews > 0 ? (
          <Stars rating={doer?.rating ?? 0} count={reviews} />
        ) : (
          <span>{t('bookings.noReviews')}</span>
        )}
      </Cell>
      <Cell heading={heading('alike')}>
        <span>{formatNumber(booking.jobs_alike ?? 0)}</span>
      </Cell>
      <td className="py-2.5 ps-2 max-sm:block max-sm:ps-0">
        {number === null ? (
          <span className="text-sm text-ink-soft">{t('bookings.offer.yourCounter')}</span>
        ) : (
          <Decision
            booking={booking}
            onAccepted={onAccepted}
            {...(number > 0 && { terms: { option: number, amount: option.amount } })}
            onlyAccept
          />
        )}
      </td>
    </tr>
  )
}

function Cell({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <td className="px-2 py-2.5 text-sm max-sm:flex max-sm:items-baseline max-sm:justify-between max-sm:gap-3 max-sm:px-0 max-sm:py-1">
      <span aria-hidden className="max-w-1/2 shrink-0 text-ink-soft sm:hidden">
        {heading}
      </span>
      {children}
    </td>
  )
}
