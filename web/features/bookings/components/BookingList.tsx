// A list of bookings, some at a time. One that leaves it under the reader's eyes says where it went.
import { ArrowRight } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import type { Booking, Side } from '../api/queries.ts'
import { type Entry, entriesOf } from '../groups.ts'
import { Applications } from './Applications.tsx'
import { BookingItem } from './BookingItem.tsx'

const SeriesGroup = lazy(() => import('./SeriesGroup.tsx'))

/** Entries. */
const PAGE_SIZE = 10

export type BookingListProps = {
  /** The bookings in this list. */
  bookings: Booking[]
  /** Everything that the person has: what left this list is among it. */
  all: Booking[]
  side: Side
  wantedId: string | null
  render: (booking: Booking, belowRow?: boolean) => ReactNode
  /** The name of the list that has a booking missing here. */
  placeOf: (booking: Booking) => string
  onShow: (booking: Booking) => void
  onAccepted: () => void
  /** In the place of a list that has nothing and that nothing has left. */
  none?: ReactNode
  /** Other lists are next to it, which say where a booking went from there. */
  besides?: boolean
  /** Lines that are close together. */
  dense?: boolean
}

export function BookingList({
  bookings,
  all,
  side,
  wantedId,
  render,
  placeOf,
  onShow,
  onAccepted,
  none,
  besides = false,
  dense = false,
}: BookingListProps) {
  const { t } = useTranslation()
  const entries = entriesOf(bookings, side)
  const holds = (entry: Entry) =>
    entry.kind === 'booking'
      ? entry.booking.id === wantedId
      : entry.bookings.some(({ id }) => id === wantedId)
  const wantedPlace = entries.findIndex(holds) + 1
  const [shown, setShown] = useState(Math.ceil(Math.max(wantedPlace, 1) / PAGE_SIZE) * PAGE_SIZE)
  const left = useLeft(bookings, all, placeOf, besides)
  if (bookings.length + left.length === 0) return none
  return (
    <>
      <ul className={classes('flex flex-col empty:hidden', dense ? 'gap-2' : 'gap-4')}>
        {left.map((booking) => (
          <li
            key={`left ${booking.id}`}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-lg border border-dashed border-line-strong/60 px-5 py-3 text-ink-soft"
          >
            <span className="min-w-0 wrap-anywhere">
              {t('bookings.movedTo', {
                title: booking.task.title,
                person:
                  (side === 'tasker' ? booking.task.giver : booking.doer)?.full_name ?? t('ui.deletedUser'),
                place: placeOf(booking),
              })}
            </span>
            <Button variant="ghost" size="sm" className="-mx-3" onClick={() => onShow(booking)}>
              <span>{t('bookings.show')}</span>
              <ArrowRight aria-hidden className="rtl:-scale-x-100" />
            </Button>
          </li>
        ))}
        {entries.slice(0, shown).map((entry) => (
          <ListEntry
            key={keyOf(entry)}
            entry={entry}
            all={all}
            side={side}
            wantedId={wantedId}
            render={render}
            onAccepted={onAccepted}
          />
        ))}
      </ul>
      {entries.length > shown && (
        <div className="mt-8 flex flex-col items-center gap-3">
          <p className="tabular text-ink-soft">
            {t('bookings.shownOf', { shown: formatNumber(shown), total: formatNumber(entries.length) })}
          </p>
          <Button variant="secondary" size="lg" onClick={() => setShown(shown + PAGE_SIZE)}>
            {t('bookings.showMore')}
          </Button>
        </div>
      )}
    </>
  )
}

const keyOf = (entry: Entry) =>
  entry.kind === 'series' ? entry.seriesId : entry.kind === 'booking' ? entry.booking.id : entry.taskId

type ListEntryProps = Pick<BookingListProps, 'all' | 'side' | 'wantedId' | 'render' | 'onAccepted'> & {
  entry: Entry
}

function ListEntry({ entry, all, side, wantedId, render, onAccepted }: ListEntryProps) {
  if (entry.kind === 'booking')
    return (
      <BookingItem booking={entry.booking} wanted={entry.booking.id === wantedId}>
        {render(entry.booking)}
      </BookingItem>
    )
  if (entry.kind === 'applications')
    return (
      <li>
        <Applications bookings={entry.bookings} wantedId={wantedId} onAccepted={onAccepted} />
      </li>
    )
  return (
    <li>
      <Suspense fallback={<Skeleton className="h-56 rounded-lg" />}>
        <SeriesGroup visits={entry.bookings} all={all} side={side} wantedId={wantedId} render={render} />
      </Suspense>
    </li>
  )
}

/**
 * Bookings that were in this list since it was opened and are elsewhere now. Where lists are next to one another, the
 * list that a booking left last says where it went. A series is named once.
 */
function useLeft(
  bookings: Booking[],
  all: Booking[],
  placeOf: BookingListProps['placeOf'],
  besides: boolean,
): Booking[] {
  /** Where each went from here; null while it is here. */
  const went = useRef(new Map<string, string | null>())
  const here = new Set(bookings.map(({ id }) => id))
  const left = all.filter((booking) => {
    const place = went.current.get(booking.id)
    if (place === undefined || here.has(booking.id)) return false
    // Where one applicant was accepted, the others have gone with it, as the sentence next to the button says.
    if (booking.passed_over) return false
    return !besides || place === null || place === placeOf(booking)
  })
  useEffect(() => {
    for (const { id } of bookings) went.current.set(id, null)
    for (const booking of left) went.current.set(booking.id, placeOf(booking))
  })
  const seriesOf = left.map(({ id, series_id }) => series_id ?? id)
  return left.filter((_, nth) => seriesOf.indexOf(seriesOf[nth] ?? '') === nth)
}
