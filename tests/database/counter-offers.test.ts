// The one counter-offer to an offer, its answer, and the end of each step.
import { beforeAll, describe, expect, it } from 'vitest'
import {
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
  keysOf,
  offer,
  passHours,
  runScheduled,
  timeOfTask,
} from './offers.ts'
import { cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()
let una: string

beforeAll(async () => {
  una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
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
    expect(await keysOf(db, cast.theo, booking)).toEqual(['counter_received'])
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
    expect(await keysOf(db, cast.grace, booking)).toEqual(['offer_received', 'counter_declined'])
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
    expect((await timeOfTask(db, task)).scheduled_date.toISOString()).toBe(at)
    expect(await keysOf(db, cast.grace, booking)).toEqual(['offers_received', 'counter_accepted'])
    await pay(db, booking)
    expect(Number((await paymentOf(db, booking)).total)).toBe(84)
    expect(await keysOf(db, cast.theo, booking)).not.toContain('application_accepted')
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
    await runScheduled(db)
    expect((await bookingOf(db, booking)).status).toBe('pending')
    await passHours(db, booking, 1)
    for (const answer of [() => acceptOption(db, booking, 1, 80), () => counter(db, booking, 70)]) {
      expect(await refusal(answer())).toBe('The time to answer is over')
    }
    await runScheduled(db)
    expect((await bookingOf(db, booking)).status).toBe('cancelled')
    expect(await keysOf(db, cast.theo, booking)).toEqual(['offer_lapsed'])
    await offer(db, booking.taskId, [{ amount: 75 }])
  })

  it('ends a counter-offer after 48 hours, and the offer a day later', async () => {
    const booking = await offer(db, await postTask(db), [{ amount: 80 }])
    await counter(db, booking, 70)
    await passHours(db, booking, 48)
    // Before the schedule runs it counts as lapsed already.
    expect(await refusal(acceptCounter(db, booking, 70))).toBe('The time to answer is over')
    expect(await refusal(declineCounter(db, booking))).toBe('The time to answer is over')
    await runScheduled(db)
    const lapsed = await bookingOf(db, booking)
    expect([lapsed.counter_state, lapsed.status]).toEqual(['lapsed', 'pending'])
    expect(lapsed.hours_left).toBeCloseTo(24, 1)
    expect(await keysOf(db, cast.grace, booking)).toEqual(['offer_received', 'counter_lapsed'])
    await passHours(db, booking, 24)
    await runScheduled(db)
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
