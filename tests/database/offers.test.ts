// Offers of another price: their limits, the one counter-offer, the price that binds, and the end of each step.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  balances,
  bookingAt,
  cancel,
  move,
  openPayoutAccount,
  pay,
  paymentOf,
  postTask,
  refusal,
  release,
  settleWithProvider,
} from './lives.ts'
import {
  acceptCounter,
  acceptOption,
  bookingOf,
  change,
  counter,
  declineCounter,
  inHours,
  offer,
  passHours,
} from './offers.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()
let una: string

beforeAll(async () => {
  una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
})

const keysOf = async (person: string, booking: { taskId: string }) => {
  const { rows } = await owner(db)(
    `select n.key from public.notifications n where n.user_id = $1 and (n.link like '%' || $2 || '%' or n.link like '%' || (
       select max(id::text) from public.bookings where task_id = $2::uuid) || '%') order by n.created_at, n.key`,
    [person, booking.taskId],
  )
  return rows.map(({ key }) => key)
}
const runScheduled = async () => {
  while ((await asService(db)('select public.run_scheduled() as done')).rows[0].done > 0);
}
const taskTime = async (task: string) =>
  (await owner(db)('select scheduled_date, status from public.tasks where id = $1', [task])).rows[0]

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
    expect(await keysOf(cast.grace, booking)).toEqual(['offers_received'])
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
    expect(await keysOf(cast.grace, await offer(db, task, [{ amount: 80 }]))).toEqual(['offer_received'])
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
    const posted = (await taskTime(task)).scheduled_date
    const at = inHours(30)
    const booking = await offer(db, task, [{ amount: 80, starts_at: at }])
    await acceptOption(db, booking, 1, 80)
    expect((await taskTime(task)).scheduled_date.toISOString()).toBe(at)
    const { period } = await bookingOf(db, booking)
    expect(period).toContain(at.slice(0, 10))
    await cancel(db, booking, cast.theo)
    expect(await taskTime(task)).toEqual({ scheduled_date: posted, status: 'open' })
  })

  it('of a task at any time returns to none', async () => {
    const task = await postTask(db)
    const booking = await offer(db, task, [{ amount: 80, starts_at: inHours(30) }])
    await acceptOption(db, booking, 1, 80)
    await pay(db, booking)
    const { listing } = await cancel(db, booking, cast.theo)
    expect([listing, await taskTime(task)]).toEqual([
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

describe('a counter-offer', () => {
  const offered = async (options: object[] = [{ amount: 80 }], task?: string) =>
    offer(db, task ?? (await postTask(db, { amount: 60 })), options)

  it('is made once, by the giver, within the limits', async () => {
    const booking = await offered()
    expect(await refusal(change(db, booking, cast.theo, { counter_amount: 70 }))).toBe(
      'Only the giver of the task can make a counter-offer',
    )
    for (const [amount, message] of [
      [24.99, 'An offered price must be at least $25'],
      [100_000.01, 'An offered price can be at most $100000'],
      ['NaN', 'An offered price can be at most $100000'],
      [70.001, 'An offered price can have two decimals at most'],
      [null, 'An offered price must be at least $25'],
    ] as const) {
      const refused = change(db, booking, cast.grace, { counter_amount: amount, counter_message: 'No' })
      await expect(refused).rejects.toMatchObject({ message, hint: 'counter_amount' })
    }
    expect(await refusal(counter(db, booking, 70, inHours(-1)))).toBe('The offered time has passed')
    expect(
      await refusal(
        change(db, booking, cast.grace, { counter_amount: 70, counter_message: 'x'.repeat(501) }),
      ),
    ).toBe('Message too long (max 500 characters)')
    expect(await refusal(change(db, booking, cast.grace, { counter_state: 'open' }))).toBe(
      'Only the tasker can decline an open counter-offer',
    )
    await counter(db, booking, 70)
    const stored = await bookingOf(db, booking)
    expect(stored).toMatchObject({ counter_state: 'open', agreed: 80, status: 'pending' })
    expect(stored.hours_left).toBeCloseTo(48, 1)
    expect(await refusal(counter(db, booking, 75))).toBe('There can be one counter-offer only')
    expect(await keysOf(cast.theo, booking)).toEqual(['counter_received'])
  })

  it('replaces the offer until it is answered', async () => {
    const booking = await offered()
    await counter(db, booking, 70)
    expect(await refusal(acceptOption(db, booking, 1, 80))).toBe(
      'The tasker has your counter-offer: wait for their answer or decline',
    )
    await declineCounter(db, booking)
    expect((await bookingOf(db, booking)).hours_left).toBeCloseTo(48, 1)
    expect(await refusal(acceptCounter(db, booking, 70))).toBe(
      'You cannot change this booking from pending to accepted',
    )
    expect(await refusal(counter(db, booking, 75))).toBe('There can be one counter-offer only')
    await acceptOption(db, booking, 1, 80)
    expect((await bookingOf(db, booking)).agreed).toBe(80)
    expect(await keysOf(cast.grace, booking)).toEqual(['offer_received', 'counter_declined'])
  })

  it('binds once the tasker accepts what they saw', async () => {
    const task = await postTask(db, { amount: 60, scheduled: '5 days' })
    const booking = await offered([{ amount: 80 }, { amount: 75 }], task)
    const at = inHours(40)
    await counter(db, booking, 70, at)
    for (const amount of [60, 80, 69.99]) {
      expect(await refusal(acceptCounter(db, booking, amount))).toBe(
        'This offer is $70.00. Please look at it again.',
      )
    }
    expect(await refusal(change(db, booking, cast.grace, { status: 'accepted', agreed_amount: 70 }))).toMatch(
      /wait for their answer/,
    )
    await acceptCounter(db, booking, 70)
    expect(await bookingOf(db, booking)).toMatchObject({
      agreed: 70,
      counter_state: 'accepted',
      accepted_option: null,
      status: 'accepted',
    })
    expect((await taskTime(task)).scheduled_date.toISOString()).toBe(at)
    expect(await keysOf(cast.grace, booking)).toEqual(['offers_received', 'counter_accepted'])
    await pay(db, booking)
    expect(Number((await paymentOf(db, booking)).total)).toBe(84)
    expect(await keysOf(cast.theo, booking)).not.toContain('application_accepted')
  })

  it('is neither accepted nor made while the giver is suspended or the task hidden', async () => {
    const booking = await offered()
    await counter(db, booking, 70)
    await owner(db)(`update public.tasks set hidden_for = 'suspension' where id = $1`, [booking.taskId])
    expect(await refusal(acceptCounter(db, booking, 70))).toBe('This task is no longer open')
    await owner(db)('update public.tasks set hidden_for = null where id = $1', [booking.taskId])
    await acceptCounter(db, booking, 70)
  })

  it('can be answered in one way: by the tasker, or by declining the application', async () => {
    const booking = await offered()
    await counter(db, booking, 70)
    expect(await refusal(change(db, booking, cast.grace, { counter_state: 'declined' }))).toBe(
      'Only the tasker can decline an open counter-offer',
    )
    for (const state of ['accepted', 'lapsed', null]) {
      expect(await refusal(change(db, booking, cast.theo, { counter_state: state }))).toBe(
        'Only the tasker can decline an open counter-offer',
      )
    }
    await move(db, booking, cast.grace, 'rejected')
    expect(await refusal(acceptCounter(db, booking, 70))).toMatch(/cannot change this booking from rejected/)
    expect(await refusal(declineCounter(db, booking))).toBe(
      'Only the tasker can decline an open counter-offer',
    )
  })

  it('and another acceptance at the same moment: one of them counts', async () => {
    const task = await postTask(db)
    const [first, second] = [
      await offered([{ amount: 80 }], task),
      await offer(db, task, [{ amount: 90 }], { tasker: una }),
    ]
    await counter(db, first, 70)
    const outcomes = await Promise.allSettled([acceptCounter(db, first, 70), acceptOption(db, second, 1, 90)])
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(1)
    expect(String((refused[0] as PromiseRejectedResult).reason.message)).toMatch(
      /being decided|no longer open|cannot change this booking from rejected/,
    )
    const { rows } = await owner(db)(
      `select status from public.bookings where task_id = $1 order by status`,
      [task],
    )
    expect(rows.map(({ status }) => status)).toEqual(['accepted', 'rejected'])
  })
})

describe('time that passes', () => {
  it('ends an offer after 72 hours, and the tasker may apply again', async () => {
    const booking = await offer(db, await postTask(db), [{ amount: 80 }])
    await passHours(db, booking, 71)
    await runScheduled()
    expect((await bookingOf(db, booking)).status).toBe('pending')
    await passHours(db, booking, 1)
    for (const answer of [() => acceptOption(db, booking, 1, 80), () => counter(db, booking, 70)]) {
      expect(await refusal(answer())).toBe('The time to answer is over')
    }
    await runScheduled()
    expect((await bookingOf(db, booking)).status).toBe('cancelled')
    expect(await keysOf(cast.theo, booking)).toEqual(['offer_lapsed'])
    await offer(db, booking.taskId, [{ amount: 75 }])
  })

  it('ends a counter-offer after 48 hours, and the offer a day later', async () => {
    const booking = await offer(db, await postTask(db), [{ amount: 80 }])
    await counter(db, booking, 70)
    await passHours(db, booking, 48)
    // Before the schedule runs it counts as lapsed already.
    expect(await refusal(acceptCounter(db, booking, 70))).toBe('The time to answer is over')
    expect(await refusal(declineCounter(db, booking))).toBe('The time to answer is over')
    await runScheduled()
    const lapsed = await bookingOf(db, booking)
    expect([lapsed.counter_state, lapsed.status]).toEqual(['lapsed', 'pending'])
    expect(lapsed.hours_left).toBeCloseTo(24, 1)
    expect(await keysOf(cast.grace, booking)).toEqual(['offer_received', 'counter_lapsed'])
    await passHours(db, booking, 24)
    await runScheduled()
    expect((await bookingOf(db, booking)).status).toBe('cancelled')
  })

  it('lets the giver accept as soon as the counter-offer lapsed', async () => {
    const booking = await offer(db, await postTask(db), [{ amount: 80 }])
    await counter(db, booking, 70)
    await passHours(db, booking, 48)
    await acceptOption(db, booking, 1, 80)
    expect(await bookingOf(db, booking)).toMatchObject({
      agreed: 80,
      counter_state: 'lapsed',
      status: 'accepted',
    })
  })

  it('leaves the giver a day after a declined counter-offer', async () => {
    const booking = await offer(db, await postTask(db), [{ amount: 80 }])
    await counter(db, booking, 70)
    await passHours(db, booking, 47)
    await declineCounter(db, booking)
    expect((await bookingOf(db, booking)).hours_left).toBeCloseTo(24, 1)
  })
})

it('the texts of an offer are erased with the accounts of their authors', async () => {
  const booking = await offer(db, await postTask(db, { giver: cast.sam }), [{ amount: 80 }], { tasker: una })
  await change(db, booking, cast.sam, { counter_amount: 70, counter_message: 'It is a small drive.' })
  await acceptCounter(db, booking, 70)
  await pay(db, booking)
  await move(db, booking, una, 'completed')
  await release(db, booking)
  await openPayoutAccount(db, una)
  await settleWithProvider(db, booking)
  expect(await bookingOf(db, booking)).toMatchObject({
    offer_reason: 'It takes two hours longer.',
    counter_message: 'It is a small drive.',
  })
  for (const person of [una, cast.sam]) await owner(db)('select private.erase_person($1)', [person])
  expect(await bookingOf(db, booking)).toMatchObject({ offer_reason: null, counter_message: null })
})
