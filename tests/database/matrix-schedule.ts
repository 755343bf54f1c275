// Bookings, proposals of another time, and reports that somebody did not come, in the policy matrix.
import { photoOfGrace } from './matrix-columns.ts'
import type { Rules } from './matrix-rules.ts'
import { cast } from './personas.ts'

const id = (person: keyof typeof cast) => `'${cast[person]}'`
const openTask = '(select id from subject where name = $$open task$$)'
const booking = '(select id from subject where name = $$booking$$)'

export const scheduleTables: Record<string, Rules> = {
  bookings: {
    authenticated: {
      select: true,
      insert: [
        ...['id', 'task_id', 'task_doer_id', 'message', 'status', 'agreed_amount'],
        ...['offer_options', 'offer_reason', 'expense_limit'],
      ],
      update: [
        ...['status', 'completion_notes', 'completion_photos', 'cancellation_reason', 'agreed_amount'],
        ...['arrives_from', 'arrives_until', 'arrived_at', 'before_photos'],
        ...['accepted_option', 'counter_amount', 'counter_starts_at', 'counter_message', 'counter_state'],
      ],
    },
    row: `id = ${booking}`,
    reads: { posted: '', applied: 'grace theo ada' },
    writes: {
      status: [
        `(case status when 'pending' then 'accepted' when 'accepted' then 'cancelled' else 'cancelled' end)::public.booking_status`,
        { posted: '', applied: 'grace', accepted: 'grace theo', completed: '' },
      ],
      completion_notes: [`'Notes'`, ''],
      completion_photos: [`array['${photoOfGrace}']`, ''],
      // Paid work, of which the stages here have none: arrivals.test.ts.
      arrives_from: ['now()', ''],
      arrives_until: ['now()', ''],
      arrived_at: ['now()', ''],
      before_photos: [`array['${photoOfGrace}']`, ''],
      cancellation_reason: [`'Reason'`, ''],
      // Of an application at the posted price; offers.test.ts has those of an offer.
      agreed_amount: ['99', ''],
      accepted_option: ['1', ''],
      counter_amount: ['99', ''],
      counter_starts_at: [`now() + interval '9 days'`, ''],
      counter_message: [`'Less'`, ''],
      counter_state: [`'open'`, ''],
    },
    inserts: [{ task_id: openTask, task_doer_id: id('theo'), status: `'pending'` }, 'theo'],
  },
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
