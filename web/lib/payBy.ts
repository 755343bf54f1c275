// Until when an accepted booking is to be paid; the database ends it then. The twin of private.pay_by().
import { addDays, addHours, max, min } from 'date-fns'

/** 14 days after it was accepted, and before the work begins; at least two hours. Null before it is accepted. */
export function payBy(acceptedAt: string | null, scheduledDate: string | null): Date | null {
  if (acceptedAt === null) return null
  const latest = addDays(acceptedAt, 14)
  return scheduledDate === null ? latest : min([latest, max([scheduledDate, addHours(acceptedAt, 2)])])
}
