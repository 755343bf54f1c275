// The same cases as tests/database/scheduled.test.ts has for private.pay_by().
import { expect, test } from 'vitest'
import { payBy, paymentDeadline } from './payBy.ts'

const ACCEPTED = '2026-11-23T18:00:00Z'

test.each([
  ['without a time: 14 days', null, '2026-12-07T18:00:00Z'],
  ['work in a month: 14 days', '2026-12-24T18:00:00Z', '2026-12-07T18:00:00Z'],
  ['work in two days: when it begins', '2026-11-25T15:00:00Z', '2026-11-25T15:00:00Z'],
  ['work in an hour: two hours', '2026-11-23T19:00:00Z', '2026-11-23T20:00:00Z'],
  ['work whose time is over: two hours', '2026-11-23T09:00:00Z', '2026-11-23T20:00:00Z'],
])('%s', (_, scheduled, due) => {
  expect(payBy(ACCEPTED, scheduled)).toEqual(new Date(due))
})

test('nothing is to be paid before it is accepted', () => {
  expect(payBy(null, '2026-11-25T15:00:00Z')).toBeNull()
})

const visit = (visit_number: number | null, pay_from: string | null = ACCEPTED) => ({
  accepted_at: ACCEPTED,
  visit_number,
  pay_from,
})

test.each([
  ['no visit: as any booking', visit(null), '2026-11-25T15:00:00Z', '2026-11-25T15:00:00Z'],
  ['the first visit: as any booking', visit(1), '2026-11-25T15:00:00Z', '2026-11-25T15:00:00Z'],
  ['a later visit: 12 hours before', visit(2), '2027-01-05T15:00:00Z', '2027-01-05T03:00:00Z'],
  ['a later visit within 12 hours: when it begins', visit(2), '2026-11-24T03:00:00Z', '2026-11-24T03:00:00Z'],
  ['a later visit within an hour: two hours', visit(2), '2026-11-23T19:00:00Z', '2026-11-23T20:00:00Z'],
])('%s', (_, booking, scheduled, due) => {
  expect(paymentDeadline(booking, scheduled)).toEqual(new Date(due))
})

test('the agreement on a snowfall task is never paid', () => {
  expect(paymentDeadline(visit(0, null), null)).toBeNull()
})
