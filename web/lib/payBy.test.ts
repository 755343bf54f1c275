// The same cases as tests/database/scheduled.test.ts has for private.pay_by().
import { expect, test } from 'vitest'
import { payBy } from './payBy.ts'

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
