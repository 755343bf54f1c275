// The day of a booking's work, by the clock.
import { expect, test } from 'vitest'
import { canArrive, canReportNoShow, isArrivalDay } from './dayOfWork.ts'

type Work = Parameters<typeof isArrivalDay>[0]
const START = '2026-12-01T15:00:00Z'
const work = (over: Record<string, unknown> = {}): Work =>
  ({
    status: 'in_progress',
    payment: { escrow_status: 'held' },
    arrived_at: null,
    no_shows: [],
    task: { scheduled_date: START },
    ...over,
  }) as never
const at = (time: string) => new Date(`2026-12-01T${time}:00Z`)

test('it begins twelve hours before the agreed time, and at once without one', () => {
  expect([isArrivalDay(work(), at('02:59')), isArrivalDay(work(), at('03:00'))]).toEqual([false, true])
  expect(isArrivalDay(work({ task: { scheduled_date: null } }), at('00:00'))).toBe(true)
  for (const over of [
    { status: 'accepted' },
    { status: 'completed' },
    { payment: { escrow_status: 'frozen' } },
  ])
    expect(isArrivalDay(work(over), at('15:00'))).toBe(false)
})

test('an arrival is stated once, from two hours before', () => {
  expect([canArrive(work(), at('12:59')), canArrive(work(), at('13:00'))]).toEqual([false, true])
  expect(canArrive(work({ arrived_at: START }), at('15:00'))).toBe(false)
})

test.each([
  ['a giver, half an hour after the agreed time', 'giver', null, ['15:29', '15:30']],
  [
    'a tasker, a quarter of an hour after the agreed time',
    'tasker',
    '2026-12-01T14:30:00Z',
    ['15:14', '15:15'],
  ],
  [
    'a tasker, a quarter of an hour after arriving late',
    'tasker',
    '2026-12-01T15:20:00Z',
    ['15:34', '15:35'],
  ],
] as const)('a missing person is reported by %s', (_, side, arrived_at, [early, late]) => {
  const booking = work({ arrived_at })
  expect([canReportNoShow(booking, side, at(early)), canReportNoShow(booking, side, at(late))]).toEqual([
    false,
    true,
  ])
  expect(canReportNoShow(work({ arrived_at, no_shows: [{ state: 'open' }] }), side, at('18:00'))).toBe(false)
  expect(canReportNoShow(work({ arrived_at, no_shows: [{ state: 'withdrawn' }] }), side, at('18:00'))).toBe(
    true,
  )
  expect(canReportNoShow(work({ arrived_at, task: { scheduled_date: null } }), side, at('18:00'))).toBe(false)
})

test('a tasker who has not arrived reports nobody', () => {
  expect(canReportNoShow(work(), 'tasker', at('23:00'))).toBe(false)
})
