// Rules of offers that hold even where another rule would refuse the same: each is tried alone.
import { describe, expect, it } from 'vitest'
import { postTask, refusal } from './lives.ts'
import { bookingOf, change, counter, offer } from './offers.ts'
import { as, cast, databaseWithCast } from './personas.ts'

const db = databaseWithCast()
const offered = async () => offer(db, await postTask(db, { amount: 60 }), [{ amount: 80 }, { amount: 90 }])

describe('an offer', () => {
  it('needs a reason', async () => {
    const task = await postTask(db)
    for (const reason of [null, '', ' \n '])
      await expect(offer(db, task, [{ amount: 80 }], { reason })).rejects.toMatchObject({
        message: 'Give a reason for another price',
        hint: 'offer_reason',
      })
  })

  it('is at the price of its first option, if it says a price', async () => {
    const insert = (task: string, amount: number) =>
      as(db, 'theo')(
        `insert into public.bookings (task_id, task_doer_id, status, offer_options, offer_reason, agreed_amount)
         values ($1, $2, 'pending', '[{"amount": 80}, {"amount": 90}]', 'It takes two hours longer.', $3) returning agreed_amount::float`,
        [task, cast.theo, amount],
      )
    const task = await postTask(db, { amount: 60 })
    for (const amount of [60, 90, 79.99])
      await expect(insert(task, amount)).rejects.toMatchObject({
        message: 'This offer is $80.00. Please look at it again.',
        hint: 'agreed_amount',
      })
    expect((await insert(task, 80)).rows).toEqual([{ agreed_amount: 80 }])
  })
})

describe('a counter-offer', () => {
  it('is not made to an offer that was declined, nor together with an answer', async () => {
    const booking = await offered()
    for (const status of ['accepted', 'rejected'])
      await expect(
        change(db, booking, cast.grace, { status, counter_amount: 70, agreed_amount: 80 }),
      ).rejects.toThrow()
    expect(await bookingOf(db, booking)).toMatchObject({ status: 'pending', counter_amount: null })
    await change(db, booking, cast.grace, { status: 'rejected' })
    await expect(counter(db, booking, 70)).rejects.toMatchObject({
      message: 'This offer no longer waits for an answer',
      hint: 'status',
    })
    expect(await bookingOf(db, booking)).toMatchObject({ status: 'rejected', counter_amount: null })
  })

  it('changes neither the price of the booking nor chooses an option', async () => {
    const booking = await offered()
    await expect(
      change(db, booking, cast.grace, { counter_amount: 70, agreed_amount: 75 }),
    ).rejects.toMatchObject({
      message: 'The price of a booking stays as it was agreed',
      hint: 'agreed_amount',
    })
    await expect(
      change(db, booking, cast.grace, { counter_amount: 70, accepted_option: 1 }),
    ).rejects.toMatchObject({
      message: 'One of the prices is chosen when an offer is accepted',
      hint: 'accepted_option',
    })
    expect(await bookingOf(db, booking)).toMatchObject({
      agreed: 80,
      accepted_option: null,
      counter_state: null,
    })
  })

  it('is declined without another price or an option', async () => {
    const booking = await offered()
    await counter(db, booking, 70)
    const decline = (more: Record<string, unknown>) =>
      change(db, booking, cast.theo, { counter_state: 'declined', ...more })
    expect(await refusal(decline({ agreed_amount: 75 }))).toBe(
      'The price of a booking stays as it was agreed',
    )
    expect(await refusal(decline({ accepted_option: 1 }))).toBe(
      'One of the prices is chosen when an offer is accepted',
    )
    expect(await bookingOf(db, booking)).toMatchObject({
      agreed: 80,
      accepted_option: null,
      counter_state: 'open',
    })
    expect(await decline({})).toBe(1)
  })

  it('is accepted without an option of the offer', async () => {
    const booking = await offered()
    await counter(db, booking, 70)
    const accept = (more: Record<string, unknown>) =>
      change(db, booking, cast.theo, { status: 'accepted', agreed_amount: 70, ...more })
    expect(await refusal(accept({ accepted_option: 1 }))).toBe(
      'One of the prices is chosen when an offer is accepted',
    )
    expect(await accept({})).toBe(1)
    expect(await bookingOf(db, booking)).toMatchObject({ agreed: 70, accepted_option: null })
  })

  it('is not made by somebody who is suspended', async () => {
    const booking = await offered()
    await as(db, 'ada')('select public.suspend_person($1, $2)', [cast.grace, 'Spam in chats'])
    expect(await refusal(counter(db, booking, 70))).toMatch(/suspended/)
    await as(db, 'ada')('select public.lift_suspension($1)', [cast.grace])
    await counter(db, booking, 70)
  })
})
