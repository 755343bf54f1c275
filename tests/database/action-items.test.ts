// Each person's pending items, as the dashboard lists them: my_action_items() during a whole job, and people who see
// none of them.
import { describe, expect, it } from 'vitest'
import {
  apply,
  approve,
  bookingAt,
  handIn,
  move,
  openPayoutAccount,
  postTask,
  release,
  tryInsert,
} from './lives.ts'
import { counter, declineCounter, offer } from './offers.ts'
import { as, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast({ fresh: true })

async function items(person: Persona | (string & {})) {
  const { rows } = await as(db, person)('select * from public.my_action_items()')
  return rows
}
const kinds = async (person: Persona | (string & {})) => (await items(person)).map(({ kind }) => kind)

describe('pending items', () => {
  it('follows a job from the application to the payout', async () => {
    await approve(db)
    expect([await kinds('grace'), await kinds('theo')]).toEqual([[], []])

    const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    const task = await postTask(db)
    const booking = await apply(db, task)
    await apply(db, task, una)
    expect(await items('grace')).toMatchObject([
      { kind: 'choose', count: 2, title: 'Clear the driveway', task_id: task },
    ])
    expect(await kinds('theo')).toEqual([])

    await move(db, booking, 'grace', 'accepted')
    expect(await items('grace')).toMatchObject([
      {
        kind: 'pay',
        person: 'Theo Tasker',
        amount: '100.00',
        booking_id: booking.id,
        due_at: expect.any(Date),
      },
    ])
    expect(await kinds('theo')).toEqual([])

    const paid = await bookingAt(db, 'in_progress', { amount: 50 })
    expect(await items('theo')).toMatchObject([
      { kind: 'finish', person: 'Grace Giver', booking_id: paid.id, amount: '40.00' },
    ])
    await move(db, paid, 'theo', 'completed')
    expect(await kinds('theo')).toEqual([])
    expect((await items('grace'))[0]).toMatchObject({ kind: 'confirm', booking_id: paid.id, count: 1 })

    await release(db, paid)
    const spent = await as(db, 'grace')('select public.my_spending() as dollars')
    expect(spent.rows).toEqual([{ dollars: '60.00' }])
    expect(await kinds('grace')).toEqual(['pay', 'review'])
    expect(await items('theo')).toMatchObject([
      { kind: 'payout_account', amount: '40.00' },
      { kind: 'review' },
    ])
    await openPayoutAccount(db)
    await tryInsert(db, 'theo', 'reviews', { booking_id: paid.id, reviewer_id: cast.theo, rating: 5 })
    expect(await kinds('theo')).toEqual([])
    expect(await kinds('grace')).toEqual(['pay', 'review'])
  })

  it('tells both of work in the coming week, and the tasker to finish it afterwards', async () => {
    await approve(db)
    const soon = await bookingAt(db, 'in_progress', { scheduled: '20 hours', minutes: 60 })
    await bookingAt(db, 'in_progress', { scheduled: '8 days', minutes: 60 })
    expect(await items('theo')).toMatchObject([
      { kind: 'work_ahead', booking_id: soon.id, person: 'Grace Giver' },
    ])
    expect(await items('grace')).toMatchObject([
      { kind: 'work_ahead', booking_id: soon.id, person: 'Theo Tasker' },
    ])
    await owner(db)(`update public.tasks set scheduled_date = now() - interval '1 hour' where id = $1`, [
      soon.taskId,
    ])
    expect(await kinds('theo')).toEqual(['finish'])
    expect(await kinds('grace')).toEqual([])
  })

  it('asks the tasker for an answer and the admin for a decision on a complaint', async () => {
    await approve(db)
    const booking = await bookingAt(db, 'completed')
    await tryInsert(db, 'grace', 'complaints', { booking_id: booking.id, reason: 'The walk was left out.' })
    expect(await kinds('grace')).toEqual([])
    expect(await items('theo')).toMatchObject([{ kind: 'answer_complaint', person: 'Grace Giver' }])
    expect(await items('ada')).toMatchObject([{ kind: 'decide_complaints', count: 1 }])
    await as(db, 'theo')(`update public.complaints set answer = 'It snowed again.' where booking_id = $1`, [
      booking.id,
    ])
    expect(await kinds('theo')).toEqual([])
  })

  it('asks the tasker for a payout account after a split, too', async () => {
    await approve(db)
    await owner(db)('delete from public.payout_accounts where user_id = $1', [cast.theo])
    const booking = await bookingAt(db, 'completed')
    await tryInsert(db, 'grace', 'complaints', { booking_id: booking.id, reason: 'The walk was left out.' })
    await as(db, 'theo')(`update public.complaints set answer = 'It snowed again.' where booking_id = $1`, [
      booking.id,
    ])
    await as(db, 'ada')(
      `select public.decide_complaint(id, 'split', 40) from public.complaints where booking_id = $1`,
      [booking.id],
    )
    expect(await items('theo')).toMatchObject([
      { kind: 'payout_account', amount: '48.00' },
      { kind: 'review', booking_id: booking.id },
    ])
  })

  it('asks the tasker for an answer to a counter-offer, and not the giver meanwhile', async () => {
    await approve(db)
    const booking = await offer(db, await postTask(db), [{ amount: 80 }])
    expect(await kinds('grace')).toEqual(['choose'])
    await counter(db, booking, 70)
    expect(await kinds('grace')).toEqual([])
    expect(await items('theo')).toMatchObject([
      { kind: 'answer_counter', amount: '70.00', booking_id: booking.id, person: 'Grace G.' },
    ])
    await declineCounter(db, booking)
    expect([await kinds('grace'), await kinds('theo')]).toEqual([['choose'], []])
  })

  it('tells a tasker who is asked first, until they apply', async () => {
    await approve(db)
    const { rows } = await as(db, 'grace')(
      `insert into public.tasks (task_giver_id, asked_tasker_id, title, description, category, location, pay_amount, status)
       values ($1, $2, 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 80, 'open')
       returning id`,
      [cast.grace, cast.theo],
    )
    expect(await items('theo')).toMatchObject([
      { kind: 'asked', person: 'Grace G.', task_id: rows[0].id, due_at: expect.any(Date) },
    ])
    await apply(db, rows[0].id)
    expect(await kinds('theo')).toEqual([])
    expect(await kinds('grace')).toEqual(['choose'])
  })

  it('asks a tasker for a verification, and again after a rejection', async () => {
    expect(await kinds('theo')).toEqual(['get_verified'])
    await handIn(db)
    // There is nothing to do but wait.
    expect(await kinds('theo')).toEqual([])
    expect(await items('ada')).toMatchObject([{ kind: 'decide_verifications', count: 1 }])
    await as(db, 'ada')(
      `update public.verifications set verification_status = 'rejected', refusal_reason = 'Not readable.' where user_id = $1`,
      [cast.theo],
    )
    expect(await kinds('theo')).toEqual(['verification_rejected'])
    expect(await kinds('ada')).toEqual([])
  })

  it("is nobody else's", async () => {
    await bookingAt(db, 'completed')
    expect(await kinds('sam')).toEqual([])
    await expect(items('anonymous')).rejects.toThrow('permission denied for function my_action_items')
  })
})
