// How My Bookings is ordered.
import { expect, test } from 'vitest'
import type { ActionItem } from '../../lib/queries/actionItems.ts'
import { countOf, entriesOf, nextVisit, sectionOf, sectionsOf, waitingBesides } from './groups.ts'
import { skips } from './skipping.ts'

type Booking = Parameters<typeof sectionOf>[0]
const NOW = new Date('2026-11-22T18:00:00Z')

function booking(over: Record<string, unknown>): Booking {
  return {
    id: 'b',
    task_id: 't',
    payment: null,
    complaint: null,
    changes: [],
    task: { scheduled_date: null },
    task_giver_id: 'grace',
    task_doer_id: 'theo',
    proposals: [],
    no_shows: [],
    ...over,
  } as never
}
const at = (scheduled_date: string) => ({ task: { scheduled_date } })
const proposed = (proposed_by: string, answer_by = '2026-11-23T18:00:00Z') => ({
  proposals: [{ state: 'open', proposed_by, answer_by }],
})
const money = (escrow_status: string) => ({ payment: { escrow_status } })

test.each([
  ['an application', { status: 'pending' }, 'needsYou', 'waiting'],
  ['a counter-offer', { status: 'pending', counter_state: 'open' }, 'waiting', 'needsYou'],
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
  [
    'an increase to answer',
    {
      status: 'in_progress',
      ...at('2026-11-23T15:00:00Z'),
      ...money('held'),
      changes: [{ kind: 'increase', state: 'proposed', proposed_by: 'theo' }],
    },
    'needsYou',
    'underWay',
  ],
  ['frozen in the middle', { status: 'in_progress', ...money('frozen') }, 'underWay', 'underWay'],
  [
    'with another time to answer',
    { status: 'in_progress', ...at('2026-11-23T15:00:00Z'), ...money('held'), ...proposed('theo') },
    'needsYou',
    'underWay',
  ],
  [
    'not paid, with another time to answer',
    { status: 'accepted', ...proposed('grace') },
    'needsYou',
    'needsYou',
  ],
  [
    'with another time, too late to answer',
    {
      status: 'in_progress',
      ...at('2026-11-23T15:00:00Z'),
      ...money('held'),
      ...proposed('theo', '2026-11-22T17:59:59Z'),
    },
    'underWay',
    'underWay',
  ],
  [
    'of a tasker who did not come',
    {
      status: 'in_progress',
      ...at('2026-11-23T15:00:00Z'),
      ...money('held'),
      no_shows: [{ state: 'open', reported_by: 'grace' }],
    },
    'underWay',
    'needsYou',
  ],
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

test("a giver's applications for one task are grouped at the place of the first", () => {
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

test('pending items are those of the dashboard, less those that a card next to them asks for', () => {
  const item = (kind: ActionItem['kind'], task_id = '', booking_id: string | null = null) =>
    ({ kind, task_id, booking_id }) as ActionItem
  const choose = item('choose', 'snow')
  const pay = item('pay', 'couch', 'paid')
  const work = item('work_ahead', 'fence', 'next')
  const review = item('review', 'dog', 'past')
  const bank = item('add_bank')
  const cards = [
    booking({ id: '1', task_id: 'snow', status: 'pending' }),
    booking({ id: 'paid', task_id: 'couch', status: 'accepted' }),
  ]
  expect(waitingBesides([pay, choose, work, review, bank], cards, 'giver')).toEqual({
    asked: [review, bank],
    next: work,
  })
  expect(waitingBesides([pay, choose], [], 'giver')).toEqual({ asked: [pay, choose] })
  // Of one task another booking is shown.
  const other = booking({ id: 'other', task_id: 'dog', status: 'completed' })
  expect(waitingBesides([review], [other], 'giver')).toEqual({ asked: [review] })
  const asked = item('asked', 'snow')
  const withdrawn = booking({ task_id: 'snow', status: 'cancelled' })
  expect(waitingBesides([asked], [withdrawn], 'tasker')).toEqual({ asked: [asked] })
})

test('of a line that was read before its card the card is right', () => {
  const line = (kind: ActionItem['kind']) =>
    ({ kind, task_id: 't', booking_id: kind === 'choose' ? null : 'b' }) as ActionItem
  const people = { task_giver_id: 'grace', task_doer_id: 'theo', reviews: [] as { reviewer_id: string }[] }
  const done = { status: 'completed', ...people, ...money('released') }
  const written = { ...done, reviews: [{ reviewer_id: 'grace' }] }
  for (const [kind, over, stands] of [
    ['confirm', done, false],
    ['pay', { status: 'in_progress', ...people, ...money('held') }, false],
    ['finish', done, false],
    ['answer_complaint', { ...done, complaint: { answered_at: 'x' } }, false],
    ['choose', { status: 'accepted', ...people }, false],
    ['review', done, true],
    ['review', written, false],
  ] as const)
    expect([kind, waitingBesides([line(kind)], [booking(over)], 'giver').asked.length > 0]).toEqual([
      kind,
      stands,
    ])
  expect(waitingBesides([line('review')], [booking(written)], 'tasker').asked).toHaveLength(1)
  expect(waitingBesides([line('work_ahead')], [booking(done)], 'giver').next).toBeUndefined()
})

const visit = (visit_number: number, over: Record<string, unknown>) =>
  booking({
    id: `v${visit_number}`,
    series_id: 's',
    visit_number,
    status: 'accepted',
    series: { status: 'active', auto_pay_since: null },
    snow: null,
    ...over,
  })

test('visits of a series are one entry, in the section of the most urgent one', () => {
  const visits = [
    visit(1, { status: 'completed', ...money('released') }),
    visit(2, at('2026-11-24T18:00:00Z')),
    visit(3, at('2026-12-24T18:00:00Z')),
  ]
  const all = [booking({ status: 'rejected', series_id: null }), ...visits]
  expect([...sectionsOf(all, 'giver', NOW)]).toEqual([
    ['b', 'past'],
    ['v1', 'needsYou'],
    ['v2', 'needsYou'],
    ['v3', 'needsYou'],
  ])
  expect([...sectionsOf(visits, 'tasker', NOW).values()]).toEqual(['underWay', 'underWay', 'underWay'])
  expect(countOf(all)).toBe(2)
  const entries = entriesOf([...all].reverse(), 'giver')
  expect(entries.map(({ kind }) => kind)).toEqual(['series', 'booking'])
  expect(entries[0]).toMatchObject({ seriesId: 's', bookings: [{ id: 'v1' }, { id: 'v2' }, { id: 'v3' }] })
})

test('a visit is asked to be paid three days before, or after its own charge would have been', () => {
  const auto = { series: { status: 'active', auto_pay_since: 'x' } }
  expect(sectionOf(visit(2, at('2026-11-25T17:00:00Z')), 'giver', NOW)).toBe('needsYou')
  expect(sectionOf(visit(2, at('2026-11-25T19:00:00Z')), 'giver', NOW)).toBe('underWay')
  expect(sectionOf(visit(2, { ...at('2026-11-25T17:00:00Z'), ...auto }), 'giver', NOW)).toBe('underWay')
  expect(sectionOf(visit(2, { ...at('2026-11-24T16:00:00Z'), ...auto }), 'giver', NOW)).toBe('needsYou')
  expect(sectionOf(visit(0, at(null as never)), 'giver', NOW)).toBe('underWay')
  expect(sectionOf(visit(1, at('2027-01-05T17:00:00Z')), 'giver', NOW)).toBe('needsYou')
})

test('the first visit is the one that needs this side, else the next one, else the last', () => {
  const done = visit(1, { status: 'completed', ...money('released') })
  const later = visit(3, at('2026-12-24T18:00:00Z'))
  const soon = visit(2, at('2026-12-17T18:00:00Z'))
  expect(nextVisit([done, soon, later], 'giver', NOW).id).toBe('v2')
  expect(nextVisit([visit(0, at(null as never)), later], 'giver', NOW).id).toBe('v3')
  expect(nextVisit([visit(0, at(null as never)), done], 'giver', NOW).id).toBe('v0')
  expect(nextVisit([done, visit(2, { status: 'cancelled' })], 'giver', NOW).id).toBe('v2')
})

test('an unpaid visit is skipped until two days before, one for snow by its giver at any time', () => {
  const snow = { snow: { cm: 6, photos: [] }, ...at('2026-11-22T20:00:00Z') }
  expect(skips(visit(2, at('2026-11-24T19:00:00Z')), 'tasker', NOW)).toBe('visit')
  expect(skips(visit(2, at('2026-11-24T17:00:00Z')), 'tasker', NOW)).toBeNull()
  expect(skips(visit(2, { status: 'in_progress', ...at('2026-12-24T17:00:00Z') }), 'giver', NOW)).toBeNull()
  expect(skips(visit(0, at(null as never)), 'giver', NOW)).toBeNull()
  expect([skips(visit(1, snow), 'giver', NOW), skips(visit(1, snow), 'tasker', NOW)]).toEqual(['snow', null])
})
