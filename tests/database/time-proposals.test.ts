// Rescheduling: who may propose, accept, decline and withdraw another time, and when it lapses.
import { beforeAll, describe, expect, it } from 'vitest'
import { bookingAt, cancel, move, pay, postTask, refusal, report, tryInsert } from './lives.ts'
import { inHours, keysOf, runScheduled, timeOfTask } from './offers.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { accept, answer, passHoursOf, proposalOf, propose } from './proposals.ts'

const db = databaseWithCast()
let una: string
/** A booking of a tasker who has no others. */
const bookingAs = async (
  state: 'accepted' | 'in_progress' | 'completed',
  scheduled: string | null = '100 hours',
) => bookingAt(db, state, { scheduled, minutes: 60, tasker: await newTasker() })
const newTasker = () => signUp(db, { meta: { full_name: 'Una Tasker', role: 'task_doer' } })
const hoursOf = async (task: string) => (await timeOfTask(db, task)).scheduled_date?.toISOString()

beforeAll(async () => {
  una = await newTasker()
})

describe('a proposal', () => {
  it('is made by the two people of an agreed booking only', async () => {
    const pending = await bookingAt(db, 'pending', { scheduled: '100 hours', tasker: una })
    const message = 'Another time can be proposed from acceptance until the work is done'
    for (const person of [pending.giver, pending.tasker])
      expect(await refusal(propose(db, pending, person, 50))).toBe(message)
    const done = await bookingAs('completed')
    expect(await refusal(propose(db, done, done.giver, 50))).toBe(message)
    const booking = await bookingAs('accepted')
    for (const person of [cast.sam, cast.ada, una])
      await expect(propose(db, booking, person, 50)).rejects.toMatchObject({
        message: 'Only the two people of a booking can propose another time',
        code: '42501',
      })
    const forged = as(db, 'sam')(
      'insert into public.time_proposals (booking_id, proposed_by, starts_at) values ($1, $2, $3)',
      [booking.id, booking.giver, inHours(50)],
    )
    await expect(forged).rejects.toMatchObject({
      message: 'You can only propose times yourself',
      code: '42501',
    })
    await expect(
      as(db, 'anonymous')('insert into public.time_proposals (booking_id) values ($1)', [booking.id]),
    ).rejects.toMatchObject({ code: '42501' })
  })

  it('fills in the people, the agreed time and the deadline, whatever is sent', async () => {
    const booking = await bookingAs('in_progress')
    const agreed = await hoursOf(booking.taskId)
    const proposal = await propose(db, booking, booking.tasker, 120, '  The ice is gone by then. ')
    const stored = await proposalOf(db, proposal)
    expect(stored).toMatchObject({
      task_giver_id: booking.giver,
      task_doer_id: booking.tasker,
      message: 'The ice is gone by then.',
      state: 'open',
      answered_at: null,
    })
    expect(stored.before_starts_at.toISOString()).toBe(agreed)
    expect(stored.hours_left).toBeCloseTo(48, 1)
    for (const column of ['state', 'task_giver_id', 'answer_by', 'before_starts_at', 'answered_at'])
      await expect(
        as(db, booking.giver)(
          `insert into public.time_proposals (booking_id, proposed_by, starts_at, ${column}) values ($1, $2, now(), null)`,
          [booking.id, booking.giver],
        ),
      ).rejects.toMatchObject({ code: '42501' })
  })

  it.each([
    ['the proposed time', '100 hours', 5, 5],
    ['the agreed time', '4 hours', 30, 4],
    ['two days', '200 hours', 150, 48],
    ['an agreed time that is over', '-2 hours', 20, 20],
    ['no agreed time', null, 100, 48],
  ])('waits for an answer no longer than: %s', async (_, scheduled, at, hours) => {
    const booking = await bookingAs('in_progress', scheduled)
    const proposal = await propose(db, booking, booking.giver, at)
    expect((await proposalOf(db, proposal)).hours_left).toBeCloseTo(hours, 1)
  })

  it.each([
    ['past', () => inHours(-1), 'The proposed time has passed'],
    ['now', () => inHours(0), 'The proposed time has passed'],
    ['more than a year ahead', () => inHours(366 * 24), 'A proposed time can be at most 365 days ahead'],
    ['the end of time', () => 'infinity', 'A proposed time can be at most 365 days ahead'],
    ['the beginning of time', () => '-infinity', 'The proposed time has passed'],
  ])('of a time that is %s is refused', async (_, at, message) => {
    const booking = await bookingAs('in_progress')
    await expect(propose(db, booking, booking.giver, at())).rejects.toMatchObject({
      message,
      hint: 'starts_at',
    })
  })

  it('of 31 February, no time or the agreed time is refused', async () => {
    const booking = await bookingAs('in_progress')
    await expect(propose(db, booking, booking.giver, '2027-02-31T10:00:00Z')).rejects.toMatchObject({
      code: '22008',
    })
    await expect(propose(db, booking, booking.giver, 'Tuesday')).rejects.toMatchObject({ code: '22007' })
    await expect(
      as(db, booking.giver)('insert into public.time_proposals (booking_id, proposed_by) values ($1, $2)', [
        booking.id,
        booking.giver,
      ]),
    ).rejects.toMatchObject({ message: 'The proposed time has passed', hint: 'starts_at' })
    expect(
      await refusal(propose(db, booking, booking.giver, (await hoursOf(booking.taskId)) as string)),
    ).toBe('That is already the agreed time')
    expect(await refusal(propose(db, booking, booking.giver, 50, 'x'.repeat(501)))).toBe(
      'Message too long (max 500 characters)',
    )
  })

  it('is one at a time, also for two at the same moment', async () => {
    const booking = await bookingAs('in_progress')
    const outcomes = await Promise.allSettled([
      propose(db, booking, booking.giver, 50),
      propose(db, booking, booking.tasker, 60),
      propose(db, booking, booking.giver, 50),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason.message).toBe(
          'Another time is proposed already: answer or withdraw that one first',
        )
  })

  it('is read by the two people and admins', async () => {
    const booking = await bookingAs('in_progress')
    const proposal = await propose(db, booking, booking.giver, 50)
    const seenBy = async (person: string) =>
      (await as(db, person)('select id from public.time_proposals where id = $1', [proposal])).rowCount
    expect(await Promise.all([booking.giver, booking.tasker, 'ada', una, 'sam'].map(seenBy))).toEqual([
      1, 1, 1, 0, 0,
    ])
  })

  it('of a suspended person is refused', async () => {
    const booking = await bookingAs('in_progress')
    await as(db, 'ada')('select public.suspend_person($1, $2)', [booking.tasker, 'Rude'])
    await expect(propose(db, booking, booking.tasker, 50)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('an answer', () => {
  it('moves task and booking when the other person accepts, not before', async () => {
    const booking = await bookingAs('in_progress')
    const before = await hoursOf(booking.taskId)
    const at = inHours(140)
    const proposal = await propose(db, booking, booking.giver, at)
    expect(await hoursOf(booking.taskId)).toBe(before)
    expect(await keysOf(db, booking.tasker, booking)).toContain('time_proposed')
    expect(await accept(db, proposal, booking.tasker)).toBe(1)
    expect(await hoursOf(booking.taskId)).toBe(at)
    const { rows } = await owner(db)(
      'select lower(period) as from, upper(period) as until from public.bookings where id = $1',
      [booking.id],
    )
    expect(rows[0].from.toISOString()).toBe(at)
    expect(rows[0].until.getTime() - rows[0].from.getTime()).toBe(3_600_000)
    expect(await keysOf(db, booking.giver, booking)).toContain('time_accepted')
    expect((await proposalOf(db, proposal)).answered_at).not.toBeNull()
    // The same request again changes nothing.
    await accept(db, proposal, booking.tasker)
    expect(await keysOf(db, booking.giver, booking)).toEqual(expect.not.arrayContaining(['time_declined']))
  })

  it('is given by the other person, and withdrawn by the proposer', async () => {
    const booking = await bookingAs('in_progress')
    const before = await hoursOf(booking.taskId)
    const proposal = await propose(db, booking, booking.giver, 50)
    for (const state of ['accepted', 'declined', 'lapsed', 'open?'])
      expect(await refusal(answer(db, proposal, booking.giver, state))).toBe(
        'You can only withdraw your own proposal: the other person accepts or declines it',
      )
    for (const state of ['withdrawn', 'lapsed', 'nonsense'])
      expect(await refusal(answer(db, proposal, booking.tasker, state))).toBe(
        'You can accept or decline a proposal of the other person',
      )
    for (const stranger of [cast.sam, una]) expect(await answer(db, proposal, stranger, 'accepted')).toBe(0)
    // An admin who is no party reads it, but cannot answer.
    expect(await answer(db, proposal, cast.ada, 'accepted')).toBe(0)
    expect(await refusal(answer(db, proposal, booking.tasker, 'accepted', inHours(55)))).toBe(
      'The proposed time is another one. Please look at it again.',
    )
    await answer(db, proposal, booking.giver, 'withdrawn')
    const closed = 'This proposal no longer waits for an answer'
    expect(await refusal(accept(db, proposal, booking.tasker))).toBe(closed)
    expect(await hoursOf(booking.taskId)).toBe(before)
    const next = await propose(db, booking, booking.tasker, 60)
    await answer(db, next, booking.giver, 'declined')
    expect(await refusal(accept(db, next, booking.giver))).toBe(closed)
    expect(await hoursOf(booking.taskId)).toBe(before)
    expect(await keysOf(db, booking.tasker, booking)).toContain('time_declined')
    const unread = await owner(db)(
      `select count(*)::int from public.notifications where key = 'time_proposed' and not read and link like '%' || $1 || '%'`,
      [booking.id],
    )
    expect(unread.rows[0].count).toBe(0)
  })

  it('to a time that has another booking by now is refused, on both sides', async () => {
    const booking = await bookingAs('in_progress')
    const other = async (hours: number) => {
      const task = await postTask(db, { giver: cast.sam, scheduled: `${hours} hours`, minutes: 60 })
      const { rows } = await as(db, booking.tasker)(
        `insert into public.bookings (task_id, task_doer_id, status) values ($1, $2, 'pending') returning id`,
        [task, booking.tasker],
      )
      await as(db, cast.sam)(`update public.bookings set status = 'accepted' where id = $1`, [rows[0].id])
    }
    await other(20)
    expect(await refusal(propose(db, booking, booking.tasker, 20.5))).toBe(
      'You have another booking at that time',
    )
    // The giver does not learn of it by proposing.
    const proposal = await propose(db, booking, booking.giver, 20.5)
    expect(await refusal(accept(db, proposal, booking.tasker))).toBe('You have another booking at that time')
    await answer(db, proposal, booking.tasker, 'declined')
    const mine = await propose(db, booking, booking.tasker, 30)
    await other(30.5)
    await expect(accept(db, mine, booking.giver)).rejects.toMatchObject({
      message: 'This tasker already has a booking at that time',
      hint: 'starts_at',
    })
    await answer(db, mine, booking.tasker, 'withdrawn')
    // An hour later than now overlaps only itself.
    const later = await propose(db, booking, booking.giver, 100.5)
    expect(await accept(db, later, booking.tasker)).toBe(1)
  })

  it('gives a booking without a time its first one', async () => {
    const booking = await bookingAs('in_progress', null)
    const at = inHours(60)
    await accept(db, await propose(db, booking, booking.tasker, at), booking.giver)
    expect(await hoursOf(booking.taskId)).toBe(at)
    await cancel(db, booking, booking.tasker)
    expect(await timeOfTask(db, booking.taskId)).toEqual({ scheduled_date: null, status: 'open' })
  })

  it('and proposal are refused while the money is frozen', async () => {
    const booking = await bookingAs('in_progress')
    const proposal = await propose(db, booking, booking.giver, 50)
    const { rows } = await owner(db)('select id from public.payments where booking_id = $1', [booking.id])
    await report(db, 'charge.dispute.created', {
      id: `dp_${rows[0].id}`,
      object: 'dispute',
      charge: `ch_${rows[0].id}`,
      amount: 12000,
      currency: 'cad',
      status: 'needs_response',
      balance_transactions: [],
    })
    const frozen = 'The payment is frozen until the bank has decided on a chargeback'
    expect(await refusal(accept(db, proposal, booking.tasker))).toBe(frozen)
    await answer(db, proposal, booking.tasker, 'declined')
    expect(await refusal(propose(db, booking, booking.giver, 50))).toBe(frozen)
  })
})

describe('the end of a proposal', () => {
  it('comes by time: the proposer is notified and nothing has moved', async () => {
    const booking = await bookingAs('in_progress')
    const before = await hoursOf(booking.taskId)
    const proposal = await propose(db, booking, booking.giver, 150)
    await passHoursOf(db, proposal, 47)
    await runScheduled(db)
    expect((await proposalOf(db, proposal)).state).toBe('open')
    await passHoursOf(db, proposal, 1)
    // Before the schedule runs it counts as lapsed already, and the other may propose.
    expect(await refusal(accept(db, proposal, booking.tasker))).toBe(
      'This proposal no longer waits for an answer',
    )
    await Promise.all([runScheduled(db), runScheduled(db)])
    expect((await proposalOf(db, proposal)).state).toBe('lapsed')
    expect(await hoursOf(booking.taskId)).toBe(before)
    expect((await keysOf(db, booking.giver, booking)).filter((key) => key === 'time_lapsed')).toHaveLength(1)
    const late = await propose(db, booking, booking.tasker, 150)
    await passHoursOf(db, late, 48)
    await propose(db, booking, booking.giver, 160)
    expect((await proposalOf(db, late)).state).toBe('lapsed')
  })

  it('comes with the end of the booking, without a word', async () => {
    for (const end of ['completed', 'cancelled'] as const) {
      const booking = await bookingAs('in_progress')
      const proposal = await propose(db, booking, booking.giver, 50)
      if (end === 'completed') await move(db, booking, booking.tasker, 'completed')
      else await cancel(db, booking, booking.giver)
      expect((await proposalOf(db, proposal)).state).toBe('lapsed')
      expect(await keysOf(db, booking.giver, booking)).not.toContain('time_lapsed')
    }
  })
})

it('the texts leave with their author, and the rows are in both exports', async () => {
  const booking = await bookingAs('in_progress')
  const proposal = await propose(db, booking, booking.tasker, 50, 'My blower is at the shop.')
  for (const person of [booking.giver, booking.tasker]) {
    const { rows } = await owner(db)('select public.data_of_person($1) as data', [person])
    expect(JSON.stringify(rows[0].data.time_proposals)).toContain(proposal)
  }
  await cancel(db, booking, booking.tasker)
  await owner(db)('select private.erase_person($1)', [booking.tasker])
  expect((await proposalOf(db, proposal)).message).toBeNull()
  await expect(tryInsert(db, booking.tasker, 'time_proposals', {})).resolves.toBeTruthy()
})

it('an open proposal is a pending item of the person who has to answer', async () => {
  const booking = await bookingAs('accepted')
  const proposal = await propose(db, booking, booking.tasker, 50)
  const items = async (person: string) =>
    (await as(db, person)('select kind, booking_id from public.my_action_items()')).rows.filter(
      ({ kind, booking_id }) => kind === 'answer_time' && booking_id === booking.id,
    )
  expect(
    [await items(booking.giver), await items(booking.tasker), await items('ada')].map((l) => l.length),
  ).toEqual([1, 0, 0])
  await answer(db, proposal, booking.giver, 'declined')
  expect(await items(booking.giver)).toEqual([])
  await pay(db, booking)
})
