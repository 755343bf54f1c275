// When the time for complaints, reviews and the automatic release starts. The twin of private.confirmation_from().
import { addMinutes, max } from 'date-fns'

interface CompletedBooking {
  completed_at: string | null
  task: { scheduled_date: string | null; duration_minutes: number | null }
}

/** The later of completion and the agreed end; null before completion. */
export function confirmationFrom({ completed_at, task }: CompletedBooking): Date | null {
  if (completed_at === null) return null
  const { scheduled_date, duration_minutes } = task
  return max([
    completed_at,
    scheduled_date ? addMinutes(scheduled_date, duration_minutes ?? 0) : completed_at,
  ])
}

/** The agreed start, as an ISO time, where the task was marked complete before it; else null. */
export function startIfEarly({ completed_at, task }: CompletedBooking): string | null {
  const { scheduled_date } = task
  return completed_at && scheduled_date && new Date(completed_at) < new Date(scheduled_date)
    ? scheduled_date
    : null
}
