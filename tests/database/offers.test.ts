// Offers of another price: their limits, the price that binds, and the time that becomes the task's.
import { describe, expect, it } from 'vitest'
import {
  balances,
  bookingAt,
  cancel,
  move,
  pay,
  paymentOf,
  postTask,
  refusal,
  release,
  tryInsert,
} from './lives.ts'
import { acceptOption, bookingOf, change, counter, inHours, keysOf, offer, timeOfTask } from './offers.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

describe('an offer', () => {
  it.each([
    ['a text', 'none', 'An offer has one to 3 prices, each an amount and a time or none'],
    ['no price', [], 'An offer has one to 3 prices, each an amount and a time or none'],
    [
      'four prices',
      [30, 31, 32, 33].map((amount) => ({ amount })),
      'An offer has one to 3 prices, each an amount and a time or none',
    ],
    [
      'an amount as text',
      [{ amount: '80' }],
      'An offer has one to 3 prices, each an amount and a time or none',
    ],
    ['a number alone', [80], 'An offer has one to 3 prices, each an amount and a time or none'],
    ['null alone', [null], 'An offer has one to 3 prices, each an amount and a time or none'],
    [
      'another field',
      [{ amount: 80, fee: 0 }],
      'An offer has one to 3 prices, each an amount and a time or none',
    ],
    [
      '31 February',
      [{ amount: 80, starts_at: '2027-02-31T10:00:00Z' }],
      'An offer has one to 3 prices, each an amount and a time or none',
    ],
    [
      'tomorrow in words',
      [{ amount: 80, starts_at: 'tomorrow' }],
      'An offer has one to 3 prices, each an amount and a time or none',
    ],
    [
      'a time without its offset',
      [{ amount: 80, starts_at: '2027-02-01T10:00:00' }],
      'An offer has one to 3 prices, each an amount and a time or none',
    ],
    ['$24.99', [{ amount: 24.99 }], 'An offered price must be at least $25'],
    ['a negative amount', [{ amount: -80 }], 'An offered price must be at least $25'],
    ['$100,000.01', [{ amount: 100_000.01 }], 'An offered price can be at most $100000'],
    ['half a cent', [{ amount: 80.005 }], 'An offered price can have two decimals at most'],
    [
      'the second one below the floor',
      [{ amount: 80 }, { amount: 1 }],
      'An offered price must be at least $25',
    ],
    ['a time that has passed', [{ amount: 80, starts_at: inHours(-1) }], 'The offered time has passed'],
    [
      'a time in 13 months',
      [{ amount: 80, starts_at: inHours(24 * 390) }],
      'An offered time can be at most 365 days ahead',
    ],
    [
      'a price twice',
      [{ amount: 80 }, { amount: 80.0, starts_at: null }],
      'Two of the offered prices are the same',
    ],
  ])('with %s is refused', async (_, options, message) => {
    const task = await postTask(db)
    await expect(offer(db, task, options)).rejects.toMatchObject({ message, hint: 'offer_options' })
  })

  it('has one to three prices within the limits, in one form, and a reason', async () => {
    const task = await postTask(db, { amount: 60 })
    for (const reason of [null, '  ']) {
      await expect(offer(db, task, [{ amount: 80 }], { reason })).rejects.toMatchObject({
        hint: 'offer_reason',
      })
    }
    expect(await refusal(offer(db, task, [{ amount: 80 }], { reason: 'x'.repeat(501) }))).toBe(
      'Reason too long (max 500 characters)',
    )
    const at = inHours(30)
    const booking = await offer(
      db,
      task,
      [{ amount: 25 }, { amount: 80, starts_at: at }, { amount: 100_000 }],
      {
        reason: ` ${'x'.repeat(500)} `,
      },
    )
    const stored = await bookingOf(db, booking)
    expect(stored.offer_options).toEqual([
      { amount: 25, starts_at: null },
      { amount: 80, starts_at: at.replace('.000', '') },
      { amount: 100_000, starts_at: null },
    ])
    expect([stored.agreed, stored.offer_reason.length]).toEqual([25, 500])
    expect(stored.hours_left).toBeCloseTo(72, 1)
    expect(await keysOf(db, cast.grace, booking)).toEqual(['offers_received'])
  })

  it('needs a task that allows it, and prices with its reason', async () => {
    const task = await postTask(db)
    await as(db, 'grace')('update public.tasks set offers_allowed = false where id = $1', [task])
    await expect(offer(db, task, [{ amount: 80 }])).rejects.toMatchObject({
      message: 'This task takes no offers: apply at the posted price',
      hint: 'offer_options',
    })
    await expect(offer(db, task, null)).rejects.toMatchObject({ hint: 'offer_options' })
    await as(db, 'grace')('update public.tasks set offers_allowed = true where id = $1', [task])
    expect(await keysOf(db, cast.grace, await offer(db, task, [{ amount: 80 }]))).toEqual(['offer_received'])
    await expect(
      as(db, 'grace')('update public.tasks set offers_allowed = null where id = $1', [task]),
    ).rejects.toMatchObject({ message: 'offers_allowed must be true or false', hint: 'offers_allowed' })
  })

  it('is not changed after it was made', async () => {
    const booking = await offer(db, await postTask(db), [{ amount: 80 }])
    for (const column of ['offer_options', 'offer_reason', 'answer_by', 'posted_date']) {
      const written = change(db, booking, cast.theo, { [column]: null })
      expect([column, await refusal(written)]).toEqual([column, expect.stringMatching(/permission denied/)])
    }
    for (const person of [cast.theo, cast.grace]) {
      expect(await refusal(change(db, booking, person, { agreed_amount: 90 }))).toBe(
        'The price of a booking stays as it was agreed',
      )
      expect(await refusal(change(db, booking, person, { accepted_option: 1 }))).toBe(
        'One of the prices is chosen when an offer is accepted',
      )
    }
    expect(await change(db, booking, cast.sam, { counter_amount: 90 })).toBe(0)
  })
})

describe('the price that binds', () => {
  it('is that of the chosen option, which the giver has seen', async () => {
    const booking = await offer(db, await postTask(db, { amount: 60 }), [{ amount: 80 }, { amount: 70 }])
    for (const option of [null, 0, 3]) {
      expect(await refusal(acceptOption(db, booking, option, 80))).toBe('Choose one of the 2 prices')
    }
    expect(await refusal(acceptOption(db, booking, 2, 80))).toBe(
      'This offer is $70.00. Please look at it again.',
    )
    expect(await refusal(acceptOption(db, booking, 2, 60))).toBe(
      'This offer is $70.00. Please look at it again.',
    )
    expect(await acceptOption(db, booking, 2, 70)).toBe(1)
    await pay(db, booking)
    const payment = await paymentOf(db, booking)
    expect([payment.amount, payment.total, payment.payout_amount].map(Number)).toEqual([70, 84, 56])
    await move(db, booking, booking.tasker, 'completed')
    await release(db, booking)
    expect(await balances(db, booking)).toMatchObject({ tasker: expect.any(Number) })
    expect(await refusal(change(db, booking, cast.grace, { agreed_amount: 80 }))).toBe(
      'The price of a booking stays as it was agreed',
    )
  })

  it('of an application at the posted price stays as it is', async () => {
    const booking = await bookingAt(db, 'pending')
    for (const columns of [{ agreed_amount: 1 }, { accepted_option: 1 }]) {
      await expect(change(db, booking, cast.grace, { status: 'accepted', ...columns })).rejects.toThrow(
        /price/,
      )
    }
    expect(await refusal(counter(db, booking, 80))).toBe(
      'This application is at the posted price: accept or decline it',
    )
    expect(await refusal(move(db, booking, cast.theo, 'accepted'))).toBe(
      'You cannot change this booking from pending to accepted',
    )
    await move(db, booking, cast.grace, 'accepted')
  })

  it('with a single option needs no choice', async () => {
    const booking = await offer(db, await postTask(db), [{ amount: 80 }])
    expect(await refusal(move(db, booking, cast.theo, 'accepted'))).toBe(
      'You cannot change this booking from pending to accepted',
    )
    await move(db, booking, cast.grace, 'accepted')
    expect(await bookingOf(db, booking)).toMatchObject({ agreed: 80, accepted_option: 1 })
  })
})

describe('an offered time', () => {
  it('becomes that of the task, and the posted one returns with the task', async () => {
    const task = await postTask(db, { scheduled: '5 days', minutes: 60 })
    const posted = (await timeOfTask(db, task)).scheduled_date
    const at = inHours(30)
    const booking = await offer(db, task, [{ amount: 80, starts_at: at }])
    await acceptOption(db, booking, 1, 80)
    expect((await timeOfTask(db, task)).scheduled_date.toISOString()).toBe(at)
    const { period } = await bookingOf(db, booking)
    expect(period).toContain(at.slice(0, 10))
    await cancel(db, booking, cast.theo)
    expect(await timeOfTask(db, task)).toEqual({ scheduled_date: posted, status: 'open' })
  })

  it('of a task at any time returns to none', async () => {
    const task = await postTask(db)
    const booking = await offer(db, task, [{ amount: 80, starts_at: inHours(30) }])
    await acceptOption(db, booking, 1, 80)
    await pay(db, booking)
    const { listing } = await cancel(db, booking, cast.theo)
    expect([listing, await timeOfTask(db, task)]).toEqual([
      'listed_again',
      { scheduled_date: null, status: 'open' },
    ])
  })

  it('is refused when the tasker is busy then, or when it has passed', async () => {
    const at = inHours(200)
    const first = await offer(db, await postTask(db, { minutes: 60 }), [{ amount: 80, starts_at: at }])
    const second = await offer(db, await postTask(db, { minutes: 60 }), [{ amount: 80, starts_at: at }])
    await acceptOption(db, first, 1, 80)
    expect(await refusal(acceptOption(db, second, 1, 80))).toBe(
      'This tasker already has a booking at that time',
    )
    await owner(db)(
      `update public.bookings set offer_options = jsonb_set(offer_options, '{0,starts_at}', '"2026-01-01T10:00:00Z"') where id = $1`,
      [second.id],
    )
    expect(await refusal(acceptOption(db, second, 1, 80))).toBe('The offered time has passed')
  })
})

it('the reviewed jobs of the same kind are counted for the giver while the application waits', async () => {
  const alike = async (booking: { id: string }) =>
    (
      await as(db, 'grace')('select public.jobs_alike(b) as n from public.bookings b where id = $1', [
        booking.id,
      ])
    ).rows[0].n
  const before = await offer(db, await postTask(db), [{ amount: 80 }])
  expect(await alike(before)).toBe(0)
  const done = await bookingAt(db, 'released', { giver: cast.sam })
  for (const [reviewer, other] of [
    [cast.sam, cast.theo],
    [cast.theo, cast.sam],
  ] as const) {
    await tryInsert(db, reviewer, 'reviews', {
      booking_id: done.id,
      reviewer_id: reviewer,
      reviewee_id: other,
      rating: 5,
    })
  }
  expect(await alike(before)).toBe(1)
  await as(db, 'grace')(`update public.tasks set category = 'Moving' where id = $1`, [before.taskId])
  expect(await alike(before)).toBe(0)
  await move(db, before, cast.grace, 'rejected')
  expect(await alike(before)).toBeNull()
})
