// The time to which a task returns after its booking is cancelled, as private.posted_time has it.
import { expect, test } from 'vitest'
import { cents } from '../../shared/money.ts'
import { offerOptionsFrom, postedTime } from './offers.ts'

const OFFERED = '2099-07-01T15:30:00Z'
const POSTED = '2099-07-05T15:30:00Z'
const booking = {
  accepted_option: null,
  counter_starts_at: null,
  counter_state: null,
  offer_options: null,
  posted_date: null,
  proposals: [],
}

test('stored options are read in cents; an application at the posted price has none', () => {
  expect(offerOptionsFrom([{ amount: 79.99, starts_at: null }])).toEqual([
    { amount: cents(7999), starts_at: null },
  ])
  expect(offerOptionsFrom(null)).toBeNull()
})

test('a task returns to its posted time only if the offer changed it', () => {
  const offer_options = [
    { amount: cents(8000), starts_at: null },
    { amount: cents(7000), starts_at: OFFERED },
  ]
  const moved = { ...booking, offer_options, posted_date: POSTED }
  expect(postedTime(booking, OFFERED)).toBe(OFFERED)
  expect(postedTime({ ...moved, accepted_option: 1 }, POSTED)).toBe(POSTED)
  expect(postedTime({ ...moved, accepted_option: 2 }, OFFERED)).toBe(POSTED)
  expect(postedTime({ ...moved, counter_state: 'accepted', counter_starts_at: OFFERED }, OFFERED)).toBe(
    POSTED,
  )
  expect(
    postedTime(
      { ...moved, counter_state: 'declined', counter_starts_at: OFFERED, accepted_option: 1 },
      POSTED,
    ),
  ).toBe(POSTED)
  expect(postedTime({ ...moved, posted_date: null, accepted_option: 2 }, OFFERED)).toBeNull()
})

test('a task returns to the time before the first accepted proposal, or before the offer', () => {
  const proposals = [
    { state: 'declined', before_starts_at: OFFERED },
    { state: 'accepted', before_starts_at: POSTED },
    { state: 'accepted', before_starts_at: OFFERED },
  ]
  expect(postedTime({ ...booking, proposals }, OFFERED)).toBe(POSTED)
  expect(postedTime({ ...booking, proposals: proposals.slice(0, 1) }, OFFERED)).toBe(OFFERED)
  expect(
    postedTime({ ...booking, proposals: [{ state: 'accepted', before_starts_at: null }] }, OFFERED),
  ).toBeNull()
  const offer_options = [{ amount: cents(8000), starts_at: OFFERED }]
  expect(
    postedTime({ ...booking, offer_options, accepted_option: 1, posted_date: null, proposals }, OFFERED),
  ).toBeNull()
})
