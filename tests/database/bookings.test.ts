// A booking's life: every (from, to, actor) is tried, and what follows each step is looked at.
import { beforeAll, describe, expect, it } from 'vitest'
import { apply, bookingAt, cancel, move, pay, postTask, refusal, release } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()
let una: string

beforeAll(async () => {
  una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
})

const statuses = ['pending', 'accepted', 'in_progress', 'completed', 'rejected', 'cancelled'] as const
type Status = (typeof statuses)[number]

/** Row updates that a person may make; all others must fail. */
const allowed: Record<string, string> = {
  'pending → accepted': 'giver',
  'pending → rejected': 'giver',
  'pending → cancelled': 'tasker',
  'accepted → cancelled': 'giver, tasker',
  'in_progress → completed': 'tasker',
  'rejected → pending': 'giver',
}

describe('every (from, to, actor)', () => {
  const actors = { giver: cast.grace, tasker: cast.theo, admin: cast.ada, stranger: cast.sam } as const
  for (const from of statuses) {
    for (const to of statuses.filter((status) => status !== from)) {
      it(`${from} → ${to}`, async () => {
        for (const [actor, id] of Object.entries(actors)) {
          const booking = await bookingAt(db, from)
          const changed = await move(db, booking, id, to).catch(() => 0)
          const may = allowed[`${from} → ${to}`]?.split(', ').includes(actor) ?? false
          expect(`${actor}: ${changed}`).toBe(`${actor}: ${may ? 1 : 0}`)
          expect(await statusOf(booking.id)).toBe(may ? to : from)
        }
        const booking = await bookingAt(db, from)
        await expect(
          asService(db)('update public.bookings set status = $2 where id = $1', [booking.id, to]),
        ).rejects.toThrow(/You cannot change this booking|handle-cancellation/)
        await expect(as(db, 'anonymous')('update public.bookings set status = $1', [to])).rejects.toThrow(
          /permission denied/,
        )
      })
    }
  }

  it('lets each actor take the steps of the table, and no more', async () => {
    const { rows: table } = await owner(db)(
      'select from_status, to_status, actor from private.booking_transitions',
    )
    const listed = new Set(table.map((row) => `${row.from_status} → ${row.to_status} by ${row.actor}`))
    const own = ['payment', 'cancellation', 'choice', 'schedule', 'giver', 'tasker']
    const done = new Set<string>()
    for (const from of statuses) {
      const booking = await bookingAt(db, from)
      for (const to of statuses.filter((status) => status !== from)) {
        for (const actor of own) {
          const client = await db.database.pool.connect()
          try {
            await client.query('begin')
            await client.query('select private.set_actor($1)', [actor])
            await client.query('update public.bookings set status = $2 where id = $1', [booking.id, to])
            done.add(`${from} → ${to} by ${actor}`)
          } catch (error) {
            const step = `${from} → ${to} by ${actor}`
            const { message } = error as Error
            if (step === 'pending → accepted by tasker')
              done.add(step) // of a counter-offer only: offers.test.ts
            else if (listed.has(step)) expect([step, message]).toEqual([step, 'The payment is not held yet'])
            else expect(message).toMatch(/You cannot change this booking|handle-cancellation/)
          } finally {
            await client.query('rollback')
            client.release()
          }
        }
      }
    }
    expect([...done].filter((step) => !listed.has(step))).toEqual([])
    expect(done.size).toBe(listed.size - 3) // the application itself, a visit of a series, and in progress without money
  })

  it('says in words what was refused', async () => {
    const booking = await bookingAt(db, 'accepted')
    expect(await refusal(move(db, booking, cast.theo, 'in_progress'))).toBe(
      'You cannot change this booking from accepted to in progress',
    )
    const paid = await bookingAt(db, 'in_progress')
    expect(await refusal(move(db, paid, cast.grace, 'cancelled'))).toBe(
      'A paid booking is cancelled through handle-cancellation',
    )
  })

  it('is exactly the rows of the table', async () => {
    const { rows } = await owner(db)(
      `select coalesce(from_status::text, '–') || ' → ' || to_status || ' by ' || actor as step
       from private.booking_transitions order by from_status nulls first, to_status, actor`,
    )
    expect(rows.map((row) => row.step)).toEqual([
      '– → pending by tasker',
      '– → accepted by schedule',
      'pending → accepted by tasker',
      'pending → accepted by giver',
      'pending → rejected by giver',
      'pending → rejected by choice',
      'pending → cancelled by tasker',
      'pending → cancelled by schedule',
      'accepted → in_progress by payment',
      'accepted → cancelled by tasker',
      'accepted → cancelled by giver',
      'accepted → cancelled by schedule',
      'in_progress → completed by tasker',
      'in_progress → cancelled by payment',
      'in_progress → cancelled by cancellation',
      'rejected → pending by giver',
    ])
  })
})

describe('applying', () => {
  it('is for task doers, for themselves, on open tasks of others', async () => {
    const task = await postTask(db)
    for (const person of [cast.sam, cast.ada])
      expect(await refusal(apply(db, task, person))).toBe('Access Denied: Only task doers can apply to tasks')
    const insert = `insert into public.bookings (task_id, task_doer_id, status) values ($1, $2, $3)`
    expect(await refusal(as(db, 'sam')(insert, [task, cast.theo, 'pending']))).toBe(
      'You can only apply for yourself',
    )
    expect(await refusal(as(db, 'theo')(insert, [task, cast.theo, 'accepted']))).toBe(
      'An application starts as pending',
    )
    await bookingAt(db, 'accepted')
    const taken = await bookingAt(db, 'accepted', { tasker: una })
    expect(await refusal(apply(db, taken.taskId))).toBe('This task is no longer open')
    expect(await refusal(apply(db, '00000000-0000-4000-8000-ffffffffffff'))).toBe('Task not found')
  })

  it('refuses the own task, also to someone who both gives and does', async () => {
    const both = await signUp(db, { name: 'Bo Both', role: 'task_giver' })
    await owner(db)(`insert into public.user_roles (user_id, role) values ($1, 'task_doer')`, [both])
    const task = await postTask(db, { giver: both })
    expect(await refusal(apply(db, task, both))).toBe('You cannot apply to your own task')
  })

  it('happens once per tasker and task; withdrawn ones may come back, declined ones not', async () => {
    const booking = await bookingAt(db, 'pending')
    expect(await refusal(apply(db, booking.taskId))).toBe('You have already applied to this task')
    await move(db, booking, cast.theo, 'cancelled')
    const again = await apply(db, booking.taskId)
    await move(db, again, cast.grace, 'rejected')
    expect(await refusal(apply(db, booking.taskId))).toBe('You have already applied to this task')
  })

  it('lets parallel tries through once', async () => {
    const task = await postTask(db)
    const tries = await Promise.allSettled([apply(db, task), apply(db, task), apply(db, task)])
    expect(tries.filter((t) => t.status === 'fulfilled')).toHaveLength(1)
    for (const failed of tries.filter((t) => t.status === 'rejected')) {
      expect(failed.reason.message).toBe('You have already applied to this task')
    }
  })

  it('keeps the giver of the task, whatever is sent', async () => {
    await expect(
      as(db, 'theo')(
        `insert into public.bookings (task_id, task_doer_id, task_giver_id, status) values ($1, $2, $2, 'pending')`,
        [await postTask(db), cast.theo],
      ),
    ).rejects.toThrow(/permission denied/)
  })
})

describe('accepting', () => {
  it('assigns the task and declines the others, who may apply again once it opens again', async () => {
    const chosen = await bookingAt(db, 'pending')
    const other = await apply(db, chosen.taskId, una)
    await move(db, chosen, cast.grace, 'accepted')
    expect(await taskStatus(chosen.taskId)).toBe('assigned')
    expect(await statusOf(other.id)).toBe('rejected')
    await move(db, chosen, cast.theo, 'cancelled')
    expect(await taskStatus(chosen.taskId)).toBe('open')
    const again = await apply(db, chosen.taskId, una)
    await move(db, again, cast.grace, 'accepted')
    expect(await statusOf(again.id)).toBe('accepted')
  })

  it('takes one of two at the same moment, without a deadlock', async () => {
    for (let round = 0; round < 10; round++) {
      const one = await bookingAt(db, 'pending')
      const two = await apply(db, one.taskId, una)
      const tries = await Promise.allSettled([
        move(db, one, cast.grace, 'accepted'),
        move(db, two, cast.grace, 'accepted'),
      ])
      const done = tries.filter((t) => t.status === 'fulfilled' && t.value === 1)
      expect(done.length).toBeGreaterThanOrEqual(1)
      for (const failed of tries.filter((t) => t.status === 'rejected')) {
        expect(failed.reason.message).toMatch(
          /being decided right now|no longer open|from rejected to accepted/,
        )
      }
      const { rows } = await owner(db)(
        'select status from public.bookings where task_id = $1 order by status',
        [one.taskId],
      )
      expect(rows.map((row) => row.status)).toEqual(['accepted', 'rejected'])
    }
  })

  it('refuses overlapping times of one tasker, also at the same moment; touching ones are fine', async () => {
    const doer = await signUp(db, { name: 'Ivo Busy', role: 'task_doer' })
    const at = (scheduled: string, minutes: number | null = 60) =>
      bookingAt(db, 'pending', { scheduled, minutes, tasker: doer })
    const first = await at('10 hours')
    const overlapping = await at('10 hours 30 minutes')
    const touching = await at('11 hours')
    const untimed = await at('10 hours', null)
    await move(db, first, cast.grace, 'accepted')
    expect(await refusal(move(db, overlapping, cast.grace, 'accepted'))).toBe(
      'This tasker already has a booking at that time',
    )
    await move(db, touching, cast.grace, 'accepted')
    await move(db, untimed, cast.grace, 'accepted')

    const later = await Promise.all([at('20 hours'), at('20 hours 30 minutes')])
    const tries = await Promise.allSettled(later.map((booking) => move(db, booking, cast.grace, 'accepted')))
    expect(tries.map((t) => t.status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

// The guards take locks, so that the app never meets these; they hold should a guard ever be wrong.
describe('behind the guards', () => {
  const past = async (insert: string, values: unknown[]) => {
    const client = await db.database.pool.connect()
    try {
      await client.query(`begin; set local session_replication_role = replica`) // no triggers
      return await refusal(client.query(insert, values))
    } finally {
      await client.query('rollback')
      client.release()
    }
  }

  it('constraints keep one active booking per task, one application per tasker, and overlaps out', async () => {
    const booking = await bookingAt(db, 'accepted', { scheduled: '300 hours', minutes: 60 })
    const insert = `insert into public.bookings (task_id, task_doer_id, status, period)
      select $1, $2, $3, case when $4 then (select period from public.bookings where id = $5) end`
    const other = await postTask(db)
    for (const status of ['accepted', 'in_progress', 'completed']) {
      expect(await past(insert, [booking.taskId, una, status, false, booking.id])).toMatch(
        /bookings_one_active_per_task/,
      )
    }
    expect(await past(insert, [booking.taskId, cast.theo, 'pending', false, booking.id])).toMatch(
      /bookings_one_application/,
    )
    expect(await past(insert, [other, cast.theo, 'accepted', true, booking.id])).toMatch(
      /one_booking_at_a_time/,
    )
  })
})

describe('withdrawing a task', () => {
  it('declines who applied; a taken task is not withdrawn', async () => {
    const booking = await bookingAt(db, 'pending')
    const withdraw = (id: string) =>
      as(db, 'grace')(`update public.tasks set status = 'cancelled' where id = $1`, [id])
    await withdraw(booking.taskId)
    expect(await statusOf(booking.id)).toBe('rejected')
    const taken = await bookingAt(db, 'accepted')
    expect(await refusal(withdraw(taken.taskId))).toBe('A task cannot go from assigned to cancelled')
  })
})

describe('completing', () => {
  it('keeps the notes, and only then', async () => {
    const booking = await bookingAt(db, 'in_progress')
    const notes = (status: string) =>
      as(db, 'theo')(
        `update public.bookings set status = $2, completion_notes = ' Salted too. ' where id = $1`,
        [booking.id, status],
      )
    expect(await refusal(notes('in_progress'))).toBe(
      'Completion notes are given when the task is marked complete',
    )
    await notes('completed')
    const { rows } = await as(db, 'grace')(
      'select completion_notes, completed_at from public.bookings where id = $1',
      [booking.id],
    )
    expect(rows[0].completion_notes).toBe('Salted too.')
    expect(rows[0].completed_at).toBeInstanceOf(Date)
  })
})

describe('cancel_booking', () => {
  it('withdraws, declines or cancels by who calls it', async () => {
    const withdrawn = await bookingAt(db, 'pending')
    expect((await cancel(db, withdrawn, cast.theo)).message).toBe('Application withdrawn.')
    expect(await statusOf(withdrawn.id)).toBe('cancelled')
    const declined = await bookingAt(db, 'pending')
    expect((await cancel(db, declined, cast.grace)).message).toBe('Application declined.')
    expect(await statusOf(declined.id)).toBe('rejected')
    const cancelled = await bookingAt(db, 'accepted')
    expect(await cancel(db, cancelled, cast.grace)).toEqual({
      outcome: 'not_paid',
      message: 'No fee applies, because nothing was paid.',
      fee_cents: 0,
      refund_cents: 0,
      listing: 'listed_again',
    })
    const { rows } = await owner(db)('select * from public.bookings where id = $1', [cancelled.id])
    expect(rows[0]).toMatchObject({ cancellation_reason: 'Plans changed', cancelled_by: cast.grace })
  })

  it('is for the two parties, once, before completion', async () => {
    const booking = await bookingAt(db, 'in_progress')
    expect(await refusal(cancel(db, booking, cast.sam))).toBe('Booking not found')
    await cancel(db, booking, cast.grace)
    expect(await refusal(cancel(db, booking, cast.grace))).toBe('This booking can no longer be cancelled')
    const done = await bookingAt(db, 'completed')
    expect(await refusal(cancel(db, done, cast.grace))).toBe('This booking can no longer be cancelled')
    expect(await taskStatus(booking.taskId)).toBe('open')
  })
})

describe('a whole life', () => {
  it('ends with the task completed, at every repetition', async () => {
    const booking = await bookingAt(db, 'completed')
    expect(await release(db, booking)).toBe(1)
    expect(await release(db, booking)).toBe(1)
    expect(await taskStatus(booking.taskId)).toBe('completed')
    await as(db, 'grace')(`update public.tasks set status = 'completed' where id = $1`, [booking.taskId])
    expect(await refusal(pay(db, booking))).toBe('This booking is already paid')
  })
})

async function statusOf(id: string): Promise<Status> {
  return (await owner(db)('select status from public.bookings where id = $1', [id])).rows[0].status
}

async function taskStatus(id: string): Promise<string> {
  return (await owner(db)('select status from public.tasks where id = $1', [id])).rows[0].status
}
