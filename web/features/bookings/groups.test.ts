// How My Bookings is ordered.
import { expect, test } from 'vitest'
import { entriesOf, nextWork, sectionOf } from './groups.ts'

type Booking = Parameters<typeof sectionOf>[0]
const NOW = new Date('2026-11-22T18:00:00Z')

function booking(over: Record<string, unknown>): Booking {
  return {
    id: 'b',
    task_id: 't',
    payment: null,
    complaint: null,
    task: { scheduled_date: null },
    ...over,
  } as never
}
const at = (scheduled_date: string) => ({ task: { scheduled_date } })
const money = (escrow_status: string) => ({ payment: { escrow_status } })

test.each([
  ['an application', { status: 'pending' }, 'needsYou', 'underWay'],
  ['to be paid', { status: 'accepted' }, 'needsYou', 'underWay'],
  [
    'work to come',
    { status: 'in_progress', ...at('2026-11-23T15:00:00Z'), ...money('held') },
    'underWay',
    'underWay',
  ],
  [
    'work whose time has come',
    { status: 'in_progress', ...at('2026-11-22T15:00:00Z'), ...money('held') },
    'underWay',
    'needsYou',
  ],
  ['work at any time', { status: 'in_progress', ...money('held') }, 'underWay', 'needsYou'],
  ['frozen in the middle', { status: 'in_progress', ...money('frozen') }, 'underWay', 'underWay'],
  ['to be confirmed', { status: 'completed', ...money('held') }, 'needsYou', 'underWay'],
  ['complained about', { status: 'completed', ...money('frozen'), complaint: {} }, 'underWay', 'needsYou'],
  [
    'answered',
    { status: 'completed', ...money('frozen'), complaint: { answered_at: 'x' } },
    'underWay',
    'underWay',
  ],
  ['paid out', { status: 'completed', ...money('released') }, 'past', 'past'],
  ['given back', { status: 'completed', ...money('refunded') }, 'past', 'past'],
  ['declined', { status: 'rejected' }, 'past', 'past'],
  ['cancelled', { status: 'cancelled' }, 'past', 'past'],
])('%s', (_, over, giver, tasker) => {
  expect([sectionOf(booking(over), 'giver', NOW), sectionOf(booking(over), 'tasker', NOW)]).toEqual([
    giver,
    tasker,
  ])
})

test("a giver's applications for one task stand together, where the first of them stood", () => {
  const list = [
    booking({ id: '1', task_id: 'snow', status: 'pending' }),
    booking({ id: '2', task_id: 'couch', status: 'pending' }),
    booking({ id: '3', task_id: 'snow', status: 'pending' }),
    booking({ id: '4', task_id: 'snow', status: 'rejected' }),
  ]
  const names = (side: 'giver' | 'tasker') =>
    entriesOf(list, side).map((entry) =>
      entry.kind === 'booking' ? entry.booking.id : entry.bookings.map(({ id }) => id).join('+'),
    )
  expect(names('giver')).toEqual(['1+3', '2', '4'])
  expect(names('tasker')).toEqual(['1', '2', '3', '4'])
})

test('the work that comes next is the nearest paid one within a week', () => {
  const work = (id: string, scheduled: string, status = 'in_progress') =>
    booking({ id, status, ...at(scheduled) })
  const past = work('past', '2026-11-22T15:00:00Z')
  const far = work('far', '2026-12-05T15:00:00Z')
  const unpaid = work('unpaid', '2026-11-22T20:00:00Z', 'accepted')
  const later = work('later', '2026-11-25T15:00:00Z')
  const next = work('next', '2026-11-23T15:00:00Z')
  expect(nextWork([past, far, unpaid, later, next], NOW)?.id).toBe('next')
  expect(nextWork([past, far, unpaid, booking({ status: 'in_progress' })], NOW)).toBeUndefined()
})
