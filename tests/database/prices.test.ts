// The price of a booking: what the tasker saw when they applied, whatever becomes of the task's price.
import { describe, expect, it } from 'vitest'
import { apply, bookingAt, move, postTask, refusal, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

describe('an application', () => {
  it('carries the price that the tasker saw, and is refused with the new one when it changed', async () => {
    const task = await postTask(db, { amount: 60 })
    const apply = (amount?: unknown) =>
      tryInsert(db, 'theo', 'bookings', {
        task_id: task,
        task_doer_id: cast.theo,
        message: 'I have a blower.',
        status: 'pending',
        ...(amount === undefined ? {} : { agreed_amount: amount }),
      })
    await as(db, 'grace')('update public.tasks set pay_amount = 25.5 where id = $1', [task])
    for (const seen of [60, 0, 25.49, -1, 'Infinity'])
      expect(await apply(seen)).toBe(
        'The price of this task is now $25.50. Please look at it again before you apply.',
      )
    expect(await apply('25.5')).toBeNull()
    const { rows } = await owner(db)('select id, agreed_amount from public.bookings where task_id = $1', [
      task,
    ])
    expect(Number(rows[0].agreed_amount)).toBe(25.5)
    expect(await refusal(as(db, 'theo')('update public.bookings set agreed_amount = 99'))).toBe(
      'The price of a booking stays as it was agreed',
    )
    expect(
      await refusal(owner(db)('update public.bookings set agreed_amount = 99 where id = $1', [rows[0].id])),
    ).toBe('The price of a booking stays as it was agreed')
    await as(db, 'grace')('update public.tasks set pay_amount = 40 where id = $1', [task])
    const { rows: kept } = await owner(db)('select agreed_amount from public.bookings where task_id = $1', [
      task,
    ])
    expect(Number(kept[0].agreed_amount)).toBe(25.5)
  })

  it('is paid at its own price, even when somebody with all rights changed the task meanwhile', async () => {
    const booking = await bookingAt(db, 'pending', { amount: 60 }) // as plain clients apply: without a price
    await owner(db)('update public.tasks set pay_amount = 1000 where id = $1', [booking.taskId])
    await move(db, booking, cast.grace, 'accepted')
    const { rows } = await as(db, 'grace')('select public.prepare_payment($1) as due', [booking.id])
    expect(rows[0].due).toMatchObject({ amount_cents: 6000, total_cents: 7200 })
  })

  it('meets a change of the price at the same moment: one of the two comes first', async () => {
    for (let round = 0; round < 8; round++) {
      const task = await postTask(db, { amount: 60 })
      const [applied] = await Promise.allSettled([
        apply(db, task),
        as(db, 'grace')('update public.tasks set pay_amount = 25 where id = $1', [task]),
      ])
      expect(applied.status).toBe('fulfilled')
      const { rows } = await owner(db)(
        `select b.agreed_amount::int as agreed, (select count(*)::int from public.notifications n
           where n.key = 'task_changed' and n.link = '/task/' || t.id) as told
         from public.bookings b join public.tasks t on t.id = b.task_id where t.id = $1`,
        [task],
      )
      // Applicants at the old price are notified of the new one.
      expect([
        { agreed: 60, told: 1 },
        { agreed: 25, told: 0 },
      ]).toContainEqual(rows[0])
    }
  })
})
