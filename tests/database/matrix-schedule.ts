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
  no_shows: {
    authenticated: {
      select: true,
      insert: ['id', 'booking_id', 'reported_by', 'words', 'photos'],
      update: ['state', 'answer', 'answer_photos'],
    },
    // The one booking of the matrix has no time, so nobody can have missed it: no-shows.test.ts has reports.
    row: `booking_id = ${booking}`,
    reads: '',
    writes: { state: [`'confirmed'`, ''], answer: [`'I was there.'`, ''], answer_photos: [`'{}'`, ''] },
    inserts: [{ booking_id: booking, reported_by: id('grace'), words: `'I waited for an hour.'` }, ''],
  },
}
