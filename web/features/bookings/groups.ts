// How My Bookings is ordered: tabs by status; in sections, what needs this side, waits for an answer, is under way or past;
// applications under their task.
import { addHours, isBefore } from 'date-fns'
import type { ActionItem } from '../../lib/queries/actionItems.ts'
import type { Booking, Side } from './api/queries.ts'
import { isMissing } from './dayOfWork.ts'
import { proposalToAnswer } from './proposals.ts'

export const TABS = ['all', 'pending', 'accepted', 'in_progress', 'completed', 'rejected'] as const
export type Tab = (typeof TABS)[number]
/** The tab that shows a booking in addition to 'all'. Cancelled ones are only under 'all'. */
export const tabOf = ({ status }: Booking): Tab => (status === 'cancelled' ? 'all' : status)
export const inTab = (bookings: Booking[], tab: Tab) =>
  bookings.filter(({ status }) => tab === 'all' || status === tab)

export const SECTIONS = ['needsYou', 'waiting', 'underWay', 'past'] as const
export type Section = (typeof SECTIONS)[number]

/** The group of a booking for this side at the moment `now`. */
export function sectionOf(booking: Booking, side: Side, now = new Date()): Section {
  const { status, payment, complaint, task } = booking
  const held = payment?.escrow_status === 'held'
  const frozen = payment?.escrow_status === 'frozen'
  if (proposalToAnswer(booking, side, now) || isMissing(booking, side)) return 'needsYou'
  switch (status) {
    case 'rejected':
    case 'cancelled':
      return 'past'
    case 'pending':
      // A counter-offer waits for the tasker.
      return (side === 'giver') === (booking.counter_state !== 'open') ? 'needsYou' : 'waiting'
    case 'accepted':
      return side === 'giver' && isPaymentDue(booking, now) ? 'needsYou' : 'underWay'
    case 'in_progress': {
      if (held && waitsForChange(booking, side)) return 'needsYou'
      const due = task.scheduled_date === null || isBefore(task.scheduled_date, now)
      return side === 'tasker' && due && !frozen ? 'needsYou' : 'underWay'
    }
    case 'completed':
      if (held) return side === 'giver' ? 'needsYou' : 'underWay'
      if (!frozen) return 'past'
      return side === 'tasker' && complaint && !complaint.answered_at && !complaint.decided_at
        ? 'needsYou'
        : 'underWay'
  }
}

/** Whether a change of the price waits for this side's answer or payment. */
function waitsForChange({ changes, ...booking }: Booking, side: Side): boolean {
  const own = side === 'giver' ? booking.task_giver_id : booking.task_doer_id
  return changes.some(
    ({ kind, state, proposed_by }) =>
      (state === 'proposed' && proposed_by !== own) ||
      (state === 'accepted' && side === 'giver' && kind !== 'tip'),
  )
}

/**
 * Pending items other than those of the booking cards, and the next work, which is only announced. The cards are
 * right even if the items were read a moment earlier.
 */
export function waitingBesides(
  items: ActionItem[],
  bookings: Booking[],
  side: Side,
): { asked: ActionItem[]; next?: ActionItem } {
  const besides = items.filter((item) => {
    const own = bookings.filter(({ id, task_id }) =>
      item.booking_id ? item.booking_id === id : item.task_id === task_id,
    )
    return own.length === 0 || own.some((booking) => hasNoCardFor(item.kind, booking, side))
  })
  return {
    asked: besides.filter(({ kind }) => kind !== 'work_ahead'),
    next: besides.find(({ kind }) => kind === 'work_ahead'),
  }
}

/** Whether this is to be done all the same, though the booking's card neither asks for it nor says otherwise. */
function hasNoCardFor(kind: ActionItem['kind'], { status, ...booking }: Booking, side: Side): boolean {
  if (kind === 'work_ahead') return status === 'in_progress'
  // An application of earlier days was withdrawn, or declined.
  if (kind === 'asked') return status === 'rejected' || status === 'cancelled'
  const own = side === 'giver' ? booking.task_giver_id : booking.task_doer_id
  return kind === 'review' && status === 'completed' && !booking.reviews.some((r) => r.reviewer_id === own)
}

/** Whether the giver is asked to pay this accepted booking now. The twin of private.is_payment_due(). */
function isPaymentDue({ series, visit_number, task }: Booking, now: Date): boolean {
  if (!series || visit_number === null || visit_number === 1) return true
  if (visit_number === 0 || task.scheduled_date === null) return false
  return !isBefore(addHours(now, series.auto_pay_since ? 47 : 72), task.scheduled_date)
}

/** The section of each booking; the visits of a series are together in the first one that one of them is in. */
export function sectionsOf(bookings: Booking[], side: Side, now = new Date()): Map<string, Section> {
  const rank = (section: Section) => SECTIONS.indexOf(section)
  const ofSeries = new Map<string, Section>()
  for (const booking of bookings) {
    if (!booking.series_id) continue
    const own = sectionOf(booking, side, now)
    const known =
      ofSeries.get(booking.series_id) ?? (booking.series?.status === 'active' ? 'underWay' : 'past')
    ofSeries.set(booking.series_id, rank(own) < rank(known) ? own : known)
  }
  return new Map(
    bookings.map((booking) => [
      booking.id,
      ofSeries.get(booking.series_id ?? '') ?? sectionOf(booking, side, now),
    ]),
  )
}

/** How many entries a list has: a series counts once. */
export const countOf = (bookings: Booking[]) =>
  new Set(bookings.map(({ id, series_id }) => series_id ?? id)).size

/** The visit of a series that is shown first: what needs this side, else the next one, else the last one. */
export function nextVisit(visits: [Booking, ...Booking[]], side: Side, now = new Date()): Booking {
  const inSection = (section: Section) => visits.filter((visit) => sectionOf(visit, side, now) === section)
  const underWay = inSection('underWay')
  return (
    inSection('needsYou')[0] ??
    underWay.find(({ visit_number }) => visit_number !== 0) ??
    underWay[0] ??
    visits.at(-1) ??
    visits[0]
  )
}

/** A unit of the list: a booking, the visits of a series, or the undecided applications for one task, in the order of the first. */
export type Entry =
  | { kind: 'booking'; booking: Booking }
  | { kind: 'applications'; taskId: string; bookings: [Booking, ...Booking[]] }
  | { kind: 'series'; seriesId: string; bookings: [Booking, ...Booking[]] }

/** Bookings with the visits of a series together, and a giver's with the applications of one task; a single one stays a booking. */
export function entriesOf(bookings: Booking[], side: Side): Entry[] {
  const pending = bookings.filter(({ status }) => side === 'giver' && status === 'pending')
  const visitsOf = (seriesId: string) =>
    bookings
      .filter(({ series_id }) => series_id === seriesId)
      .sort((one, next) => (one.visit_number ?? 0) - (next.visit_number ?? 0))
  return bookings.flatMap((booking): Entry[] => {
    if (booking.series_id) {
      const isFirst = bookings.find(({ series_id }) => series_id === booking.series_id) === booking
      const visits = isFirst ? visitsOf(booking.series_id) : []
      return visits.length > 0
        ? [{ kind: 'series', seriesId: booking.series_id, bookings: visits as [Booking, ...Booking[]] }]
        : []
    }
    const [first, ...others] = pending.filter(({ task_id }) => task_id === booking.task_id)
    if (booking.status !== 'pending' || !first || others.length === 0) return [{ kind: 'booking', booking }]
    return first === booking
      ? [{ kind: 'applications', taskId: booking.task_id, bookings: [first, ...others] }]
      : []
  })
}
