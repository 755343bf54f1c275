// Whether a visit of a series can be skipped without a fee; the database decides (public.skip_visit).
import { addHours, isAfter } from 'date-fns'
import type { Booking, Side } from './api/queries.ts'

const HOURS_AHEAD = 48

/** `visit` until two days before an unpaid visit; `snow` for a giver until a visit for snow is paid; else null. */
export function skips(booking: Booking, side: Side, now = new Date()): 'visit' | 'snow' | null {
  const { status, visit_number, task, snow } = booking
  if (status !== 'accepted' || !visit_number) return null
  if (snow) return side === 'giver' ? 'snow' : null
  const at = task.scheduled_date
  return at !== null && isAfter(at, addHours(now, HOURS_AHEAD)) ? 'visit' : null
}
