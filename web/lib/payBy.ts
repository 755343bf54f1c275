// Until when an accepted booking is to be paid; the database ends it then. The twin of private.payment_deadline().
import { addDays, addHours, max, min, subHours } from 'date-fns'

/** 14 days after it was accepted, and before the work begins; at least two hours. Null before it is accepted. */
export function payBy(acceptedAt: string | null, scheduledDate: string | null): Date | null {
  if (acceptedAt === null) return null
  const latest = addDays(acceptedAt, 14)
  return scheduledDate === null ? latest : min([latest, max([scheduledDate, addHours(acceptedAt, 2)])])
}

type Payable = {
  accepted_at: string | null
  /** The position in a series; null for other bookings. */
  visit_number: number | null
  pay_from: string | null
}

/** The same for any booking: a visit after the first is paid 12 hours before it begins. Null while nothing is to be paid. */
export function paymentDeadline(
  { accepted_at, visit_number, pay_from }: Payable,
  scheduledDate: string | null,
): Date | null {
  if (visit_number === null) return payBy(accepted_at, scheduledDate)
  if (visit_number === 1) return payBy(pay_from, scheduledDate)
  if (pay_from === null || scheduledDate === null) return null
  const late = min([scheduledDate, addHours(pay_from, 12)])
  return max([subHours(scheduledDate, 12), late, addHours(pay_from, 2)])
}
