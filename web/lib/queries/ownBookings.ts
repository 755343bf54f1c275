// The rows that concern a person on either side, for screens that show bookings and their money (lib/live.ts).
import type { Watch } from '../live.ts'

const SHOWN = [['bookings'], ['contacts'], ['payments'], ['tasks']]

/** Bookings of a person with their payments, complaints and proposals, as giver and as tasker. */
export function ownBookings(userId: string): Watch[] {
  return [
    { table: 'bookings', rows: `task_giver_id=eq.${userId}`, refresh: SHOWN },
    { table: 'bookings', rows: `task_doer_id=eq.${userId}`, refresh: SHOWN },
    { table: 'payments', rows: `payer_id=eq.${userId}`, refresh: SHOWN },
    { table: 'payments', rows: `payee_id=eq.${userId}`, refresh: SHOWN },
    { table: 'complaints', rows: `giver_id=eq.${userId}`, refresh: SHOWN },
    { table: 'complaints', rows: `tasker_id=eq.${userId}`, refresh: SHOWN },
    { table: 'no_shows', rows: `task_giver_id=eq.${userId}`, refresh: SHOWN },
    { table: 'no_shows', rows: `task_doer_id=eq.${userId}`, refresh: SHOWN },
    { table: 'booking_changes', rows: `task_giver_id=eq.${userId}`, refresh: SHOWN },
    { table: 'booking_changes', rows: `task_doer_id=eq.${userId}`, refresh: SHOWN },
    { table: 'time_proposals', rows: `task_giver_id=eq.${userId}`, refresh: SHOWN },
    { table: 'time_proposals', rows: `task_doer_id=eq.${userId}`, refresh: SHOWN },
  ]
}
