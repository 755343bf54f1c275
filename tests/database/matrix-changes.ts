// The table of price changes, in the policy matrix: nobody writes it but the database's functions.
import type { Rules } from './matrix-rules.ts'

export const changeTables: Record<string, Rules> = {
  booking_changes: {
    authenticated: { select: true },
    row: 'booking_id = (select id from subject where name = $$booking$$)',
    reads: { posted: '', completed: 'grace theo ada' },
  },
}
