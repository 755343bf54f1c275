// The limit for expenses: set on the task in advance, binding from the application on, the same for each visit of a series, and
// afterwards only raised.
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { extra, propose, setLimit } from './changes.ts'
import { apply, type Booking, bookingAt, move, pay, postTask, refusal } from './lives.ts'
import { acceptCounter, acceptOption, counter, keysOf, offer } from './offers.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { inDays, postRepeat, visitsOf } from './series.ts'

const db = databaseWithCast()

const taskLimit = (task: string, limit: unknown, person: keyof typeof cast = 'grace') =>
  as(db, person)('update public.tasks set expense_limit = $2 where id = $1', [task, limit])

const taskWith = (expenses: number | null) => postTask(db, { expenses })

/** The limit of a booking in dollars. */
async function limitOf({ id }: Pick<Booking, 'id'>): Promise<number | null> {
  const { rows } = await owner(db)(
    'select expense_limit::float as dollars from public.bookings where id = $1',
    [id],
  )
  return rows[0].dollars
}

/** Theo (or `tasker`) applies and sends the limit that he saw. */
async function applyAt(task: string, limit: unknown, tasker: string = cast.theo): Promise<Booking> {
  const { rows } = await as(db, tasker)(
    `insert into public.bookings (task_id, task_doer_id, status, expense_limit) values ($1, $2, 'pending', $3) returning id`,
    [task, tasker, limit],
  )
  return { id: rows[0].id, taskId: task, giver: cast.grace, tasker }
}

describe('the limit of a task', () => {
  it.each([
    [0, 'The amount must be at least $1'],
    [-20, 'The amount must be at least $1'],
    [0.99, 'The amount must be at least $1'],
    [20.005, 'An amount can have two decimals at most'],
    [5000.01, 'The amount can be at most $5000 here'],
    ['NaN', 'The amount can be at most $5000 here'],
    ['Infinity', 'The amount can be at most $5000 here'],
  ])('of %s is refused, and changes nothing', async (limit, message) => {
    const task = await taskWith(50)
    await expect(taskLimit(task, limit)).rejects.toMatchObject({ message, hint: 'expense_limit' })
    await expect(
      as(db, 'grace')(
        `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, expense_limit, status)
         values ($1, 'Clear the driveway', 'Two cars wide, and the walk.', 'Snow Removal', 'Saskatoon', 50, $2, 'open')`,
        [cast.grace, limit],
      ),
    ).rejects.toMatchObject({ message, hint: 'expense_limit' })
    const { rows } = await owner(db)(
      'select expense_limit::float as dollars from public.tasks where id = $1',
      [task],
    )
    expect(rows).toEqual([{ dollars: 50 }])
  })

  it.each([1, 32.5, 5000, null])('of %s is taken, and everybody reads it', async (limit) => {
    const task = await taskWith(limit)
    for (const person of ['anonymous', 'sam', 'theo'] as const) {
      const { rows } = await as(db, person)(
        'select expense_limit::float as dollars from public.tasks where id = $1',
        [task],
      )
      expect(rows).toEqual([{ dollars: limit }])
    }
  })

  it('is changed by its giver alone, while the task is open', async () => {
    const task = await taskWith(50)
    for (const person of ['sam', 'theo'] as const) {
      expect((await taskLimit(task, 80, person)).rowCount).toBe(0)
    }
    await expect(taskLimit(task, 80, 'anonymous' as 'sam')).rejects.toMatchObject({ code: '42501' })
    const booking = await apply(db, task)
    await move(db, booking, cast.grace, 'accepted')
    expect(await refusal(taskLimit(task, 80))).toMatch(/accepted|assigned|tasker/i)
  })

  it('is named when it changes, for those who applied', async () => {
    const booking = await apply(db, await taskWith(50))
    await owner(db)('truncate public.notifications')
    await taskLimit(booking.taskId, 80)
    const { rows } = await as(db, 'theo')('select key, message from public.notifications')
    expect(rows).toEqual([
      {
        key: 'task_changed',
        message: expect.stringContaining(
          'changed "Clear the driveway": the limit for expenses of new applications. If that does not suit you',
        ),
      },
    ])
  })
})

describe('an application', () => {
  it('has the limit of the task, and keeps it after the task is edited', async () => {
    const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    const booking = await apply(db, await taskWith(50))
    expect(await limitOf(booking)).toBe(50)
    await taskLimit(booking.taskId, null)
    const later = await apply(db, booking.taskId, una)
    expect([await limitOf(booking), await limitOf(later)]).toEqual([50, null])
    await move(db, booking, cast.grace, 'accepted')
    await pay(db, booking)
    expect(await limitOf(booking)).toBe(50)
    await extra(db, booking, 'expense', 32.5)
    expect(await refusal(propose(db, booking, 'expense', 17.51))).toBe(
      'The amount can be at most $17.50 here',
    )
  })

  it('is refused when its tasker saw another limit', async () => {
    const task = await taskWith(50)
    for (const seen of [40, 60, 'NaN']) {
      await expect(applyAt(task, seen)).rejects.toMatchObject({
        message: 'The limit for expenses of this task has changed. Please look at it again before you apply.',
        hint: 'expense_limit',
      })
    }
    expect(await limitOf(await applyAt(task, 50))).toBe(50)
    const without = await taskWith(null)
    await expect(applyAt(without, 5000)).rejects.toMatchObject({ hint: 'expense_limit' })
    expect(await limitOf(await applyAt(without, null))).toBe(null)
  })

  it('with another price has the limit, too, whoever accepts which price', async () => {
    const options = [
      { amount: 120, starts_at: null },
      { amount: 140, starts_at: null },
    ]
    const offered = await offer(db, await taskWith(50), options)
    expect(await limitOf(offered)).toBe(50)
    await taskLimit(offered.taskId, 10)
    await acceptOption(db, offered, 2, 140)
    expect(await limitOf(offered)).toBe(50)
    const countered = await offer(db, await taskWith(70), options)
    await counter(db, countered, 110)
    await acceptCounter(db, countered, 110)
    expect(await limitOf(countered)).toBe(70)
  })

  it('cannot change its limit', async () => {
    const booking = await apply(db, await taskWith(50))
    for (const person of ['theo', 'grace', 'sam'] as const) {
      await expect(
        as(db, person)('update public.bookings set expense_limit = 500 where id = $1', [booking.id]),
      ).rejects.toMatchObject({ code: '42501' })
    }
    expect(await refusal(setLimit(db, booking, 80))).toMatch(/under way/)
    expect(await limitOf(booking)).toBe(50)
  })

  it('has the limit that it sent or none while the giver edits the task at the same moment', async () => {
    const task = await taskWith(50)
    const [applied] = await Promise.allSettled([applyAt(task, 50), taskLimit(task, 20)])
    const { rows } = await owner(db)(
      'select expense_limit::float as dollars from public.bookings where task_id = $1',
      [task],
    )
    expect(rows).toEqual(applied.status === 'fulfilled' ? [{ dollars: 50 }] : [])
  })
})

describe('the limit of an agreement', () => {
  let booking: Booking

  beforeEach(async () => {
    booking = await apply(db, await taskWith(50))
    await move(db, booking, cast.grace, 'accepted')
  })

  it('is raised by its giver, never lowered or removed', async () => {
    const lowered = 'A limit for expenses can be raised, not lowered. It is now $50.00.'
    for (const amount of [49.99, 1, 0, -5, null]) {
      await expect(setLimit(db, booking, amount)).rejects.toMatchObject({ message: lowered, hint: 'amount' })
    }
    await pay(db, booking)
    expect(await refusal(setLimit(db, booking, 20))).toBe(lowered)
    for (const [amount, message] of [
      [5000.01, 'The amount can be at most $5000 here'],
      [80.005, 'An amount can have two decimals at most'],
      [Number.NaN, 'The amount can be at most $5000 here'],
    ] as const) {
      await expect(setLimit(db, booking, amount)).rejects.toMatchObject({ message, hint: 'amount' })
    }
    expect(await limitOf(booking)).toBe(50)
    await setLimit(db, booking, 80)
    await setLimit(db, booking, 80)
    expect(await limitOf(booking)).toBe(80)
    expect((await keysOf(db, cast.theo, booking)).filter((key) => key === 'expense_limit_set')).toHaveLength(
      1,
    )
    expect(await refusal(setLimit(db, booking, 50))).toContain('It is now $80.00')
  })

  it('is not for the tasker or a stranger to raise', async () => {
    expect(await refusal(setLimit(db, booking, 80, cast.theo))).toBe(
      'Only the task giver can set a limit for expenses',
    )
    expect(await refusal(setLimit(db, booking, 80, cast.sam))).toBe('Booking not found')
    expect(await limitOf(booking)).toBe(50)
  })

  it('is set once by two tabs that raise it at the same moment', async () => {
    await Promise.allSettled([setLimit(db, booking, 70), setLimit(db, booking, 90)])
    expect(await limitOf(booking)).toBe(90)
  })

  it('can be set where none was agreed', async () => {
    const other = await bookingAt(db, 'in_progress')
    await setLimit(db, other, null)
    expect(await refusal(setLimit(db, other, 0.99))).toBe('The limit must be at least $1')
    await setLimit(db, other, 20)
    expect(await limitOf(other)).toBe(20)
  })
})

describe('each visit of a series', () => {
  it('has the limit that the tasker saw, and each raises its own', async () => {
    const task = await postRepeat(db, { every: 'weekly', count: 3 }, { at: inDays(70) })
    await taskLimit(task, 40)
    const booking = await apply(db, task)
    await taskLimit(task, 15)
    await move(db, booking, cast.grace, 'accepted')
    const visits = await visitsOf(db, booking)
    expect(await Promise.all(visits.map(limitOf))).toEqual([40, 40, 40])
    const [, second] = visits
    if (!second) throw new Error('There is no second visit.')
    await setLimit(db, second, 60)
    expect(await Promise.all(visits.map(limitOf))).toEqual([40, 60, 40])
    const { rows } = await owner(db)(
      'select distinct expense_limit::float as dollars from public.tasks where id = any ($1)',
      [visits.slice(1).map(({ taskId }) => taskId)],
    )
    expect(rows).toEqual([{ dollars: 40 }])
  })

  it('for snow has the limit of the agreement', async () => {
    const snow = { every: 'snowfall', cm: 5, until: inDays(120).slice(0, 10), count: 2 }
    const tasker = await signUp(db, { name: 'Nora Tasker', role: 'task_doer' })
    const task = await postRepeat(db, snow, { at: null, minutes: 30 })
    await taskLimit(task, 25)
    const agreed = await apply(db, task, tasker)
    await move(db, agreed, cast.grace, 'accepted')
    const photo = `${agreed.id}/${randomUUID()}.jpg`
    await as(db, tasker)(
      `insert into storage.objects (bucket_id, name, owner_id) values ('booking-photos', $1, $2)`,
      [photo, tasker],
    )
    const [agreement] = await visitsOf(db, agreed)
    await as(db, tasker)('select public.report_snow($1, 8, $2, now())', [agreement?.series_id, [photo]])
    const visits = await visitsOf(db, agreed)
    expect(await Promise.all(visits.map(limitOf))).toEqual([25, 25])
  })
})
