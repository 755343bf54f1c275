// Proposals of another time for a booking, and its day, in the policy matrix.
import type { Rules } from './matrix-rules.ts'
import { cast } from './personas.ts'

const id = (person: keyof typeof cast) => `'${cast[person]}'`
const booking = '(select id from subject where name = $$booking$$)'

export const scheduleTables: Record<string, Rules> = {
  time_proposals: {
    authenticated: {
      select: true,
      insert: ['id', 'booking_id', 'proposed_by', 'starts_at', 'message'],
      update: ['state', 'starts_at'],
    },
    row: `booking_id = ${booking}`,
    reads: { posted: '', accepted: 'grace theo ada' },
    writes: {
      state: [`'declined'`, { accepted: 'grace', completed: '' }],
      // The time as it is; another one is refused.
      starts_at: ['starts_at', { accepted: 'grace theo' }],
    },
    // One is open, until the work is done.
    inserts: [{ booking_id: booking, proposed_by: id('grace'), starts_at: `now() + interval '9 hours'` }, ''],
  },
}
