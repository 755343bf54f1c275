// The day of a booking's work: when it begins, and who may report the other as missing. The twin of the rules in
// supabase/schemas/arrivals.sql and no_shows.sql.
import { addMinutes, max, subHours } from 'date-fns'
import { limits } from '../../../shared/limits.ts'
import type { Booking, Side } from './api/queries.ts'

export type NoShow = Booking['no_shows'][number]

type Work = Pick<Booking, 'status' | 'payment' | 'arrived_at' | 'no_shows'> & {
  task: Pick<Booking['task'], 'scheduled_date'>
}

/** Whether the work is paid for and not done, and nothing holds its money back. */
const isUnderWay = ({ status, payment }: Pick<Work, 'status' | 'payment'>) =>
  status === 'in_progress' && payment?.escrow_status === 'held'

/** Whether it is so many hours before the agreed time, or later; work at any time has its day every day. */
function isWithin({ task: { scheduled_date: at } }: Work, hours: number, now: Date): boolean {
  return at === null || subHours(at, hours) <= now
}

/** Whether the tasker can say now that they are on the way. */
export const isArrivalDay = (booking: Work, now = new Date()) =>
  isUnderWay(booking) && isWithin(booking, limits.arrival.hoursBefore, now)

/** Whether the tasker can state the arrival now. */
export const canArrive = (booking: Work, now = new Date()) =>
  isUnderWay(booking) &&
  booking.arrived_at === null &&
  isWithin(booking, limits.arrival.arrivalHoursBefore, now)

/** The report that waits for an answer. */
const openNoShow = ({ no_shows }: Pick<Work, 'no_shows'>) => no_shows.find(({ state }) => state === 'open')

/** Whether this side has to answer the report that it did not come. */
export function isMissing(booking: Booking, side: Side): boolean {
  const own = side === 'giver' ? booking.task_giver_id : booking.task_doer_id
  const report = booking.status === 'in_progress' ? openNoShow(booking) : undefined
  return report !== undefined && report.reported_by !== own
}

/** Whether this side can report now that the other did not come. */
export function canReportNoShow(booking: Work, side: Side, now = new Date()): boolean {
  const { arrived_at, task } = booking
  if (!isUnderWay(booking) || task.scheduled_date === null || openNoShow(booking)) return false
  if (side === 'giver') return addMinutes(task.scheduled_date, limits.noShow.taskerAfterMinutes) <= now
  return (
    arrived_at !== null &&
    addMinutes(max([task.scheduled_date, arrived_at]), limits.noShow.giverAfterMinutes) <= now
  )
}

/** The windows of arrival to choose from, each in minutes from now. */
export const WINDOWS = [
  [0, 30],
  [30, 60],
  [60, 120],
] as const
