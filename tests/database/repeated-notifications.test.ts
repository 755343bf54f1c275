// Repeated events about one subject: one notification until it is read, one e-mail and one push.
import { beforeEach, describe, expect, it } from 'vitest'
import { apply, type Booking, bookingAt, cancel, list, move, postTask } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { confirmAddresses } from './sent-emails.ts'
import { subscribe } from './subscriptions.ts'

const db = databaseWithCast({ fresh: true })
beforeEach(() => confirmAddresses(db))

const sql = async (text: string, values: unknown[] = []) => (await owner(db)(text, values)).rows
const bell = (person: string) =>
  as(
    db,
    person,
  )('select key, read, message from public.notifications order by created_at, key').then(({ rows }) => rows)
const keys = async (person: string) => (await bell(person)).map(({ key }) => key)
const read = (person: string) => as(db, person)('update public.notifications set read = true')
const mails = async (person: string) =>
  (await sql('select key from private.email_events where person_id = $1 order by id', [person])).map(
    ({ key }) => key,
  )
/** Everything that waits becomes an e-mail. */
const mailOut = async () => {
  await sql(`update private.email_events set due_at = now() - interval '1 second'`)
  await asService(db)('select public.begin_emails(100)')
}
const price = (task: string, amount: number) =>
  as(db, 'grace')('update public.tasks set pay_amount = $2 where id = $1', [task, amount])

describe('applying and withdrawing ten times', () => {
  it('is one notification and two e-mails, of which the last is true', async () => {
    const task = await postTask(db)
    let booking: Booking | undefined
    for (let nth = 0; nth < 10; nth++) {
      booking = await apply(db, task)
      await mailOut()
      await cancel(db, booking, cast.theo)
      if (nth < 3) await mailOut()
    }
    booking = await apply(db, task)
    expect(await keys('grace')).toEqual(['application_received_unverified'])
    expect(await mails(cast.grace)).toEqual(['application_received_unverified', 'application_withdrawn'])
  })

  it('is news again once it was read, and another tasker is always', async () => {
    const task = await postTask(db)
    await cancel(db, await apply(db, task), cast.theo)
    await apply(db, task, await signUp(db, { name: 'Una Tasker', role: 'task_doer' }))
    expect(await keys('grace')).toEqual(['application_withdrawn', 'application_received_unverified'])
    await read('grace')
    await apply(db, task)
    expect(await bell('grace')).toMatchObject([{ read: true }, { read: true }, { read: false }])
    // Marking an older one as unread blocks nobody.
    await as(db, 'grace')('update public.notifications set read = false')
    await apply(db, await postTask(db))
    expect(await keys('grace')).toHaveLength(4)
  })

  it('by two at the same moment leaves one for each', async () => {
    const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    const task = await postTask(db)
    for (let nth = 0; nth < 4; nth++) {
      const both = await Promise.all([apply(db, task), apply(db, task, una)])
      await Promise.all(both.map((booking) => cancel(db, booking, booking.tasker)))
    }
    expect(await keys('grace')).toEqual(['application_withdrawn', 'application_withdrawn'])
  })
})

it('asking one tasker and cancelling is one notification a task', async () => {
  await list(db)
  for (let nth = 0; nth < 2; nth++) {
    const { rows } = await as(db, 'grace')(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, asked_tasker_id)
       values ($1, 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Moving', 'Regina', 50, $2)
       returning id`,
      [cast.grace, cast.theo],
    )
    await as(db, 'grace')(`update public.tasks set status = 'cancelled' where id = $1`, [rows[0].id])
  }
  expect(await keys('theo')).toEqual(['request_withdrawn', 'request_withdrawn'])
  // Nobody had mailed the asking: the withdrawing took its place.
  expect(await mails(cast.theo)).toEqual(['request_withdrawn', 'request_withdrawn'])
})

it('a price changed ten times is one notification, one e-mail and one push, with every change since', async () => {
  await subscribe(db, 'theo')
  const { taskId } = await bookingAt(db, 'pending')
  await as(db, 'grace')(`update public.tasks set location = 'Regina' where id = $1`, [taskId])
  await mailOut()
  const pushed = async () => (await asService(db)('select public.begin_push(100) as pushes')).rows[0].pushes
  expect(await pushed()).toHaveLength(1)
  for (let nth = 0; nth < 10; nth++) await price(taskId, 60 + nth)
  expect(await bell('theo')).toEqual([
    {
      key: 'task_changed',
      read: false,
      message:
        'Grace G. changed "Clear the driveway": the price is now $69.00; your application stays at $100.00; ' +
        'the place is now Regina. If that does not suit you, you can withdraw your application.',
    },
  ])
  const [{ params }] = await sql(`select params from public.notifications where key = 'task_changed'`)
  expect(params.changed).toEqual([
    { what: 'price', amount: 69 },
    { what: 'stays', amount: 100 },
    { what: 'place', place: 'Regina' },
  ])
  expect(await mails(cast.theo)).toEqual(['task_changed'])
  expect(await pushed()).toEqual([])
  await read('theo')
  await price(taskId, 80)
  expect((await bell('theo')).map(({ message }) => message)).toEqual([
    expect.stringContaining('Regina'),
    expect.stringMatching(/": the price is now \$80.00; your application stays at \$100.00\. If/),
  ])
  expect(await mails(cast.theo)).toHaveLength(2)
  expect(await pushed()).toHaveLength(1)
})

it('a push that waits for the morning says what is true then', async () => {
  await subscribe(db, 'theo')
  await sql(
    `insert into public.quiet_hours values ($1, (now() at time zone 'America/Regina' - interval '1 hour')::time,
    (now() at time zone 'America/Regina' + interval '2 hours')::time)`,
    [cast.theo],
  )
  const { taskId } = await bookingAt(db, 'pending')
  for (const amount of [70, 80]) await price(taskId, amount)
  const waiting = await sql(
    `select params ->> 'changes' as changes from private.push_messages where key = 'task_changed'`,
  )
  expect(waiting).toEqual([{ changes: 'the price is now $80.00; your application stays at $100.00' }])
})

it('declining and taking it back is one notification', async () => {
  const booking = await bookingAt(db, 'pending')
  for (let nth = 0; nth < 4; nth++) {
    await move(db, booking, cast.grace, 'rejected')
    await mailOut()
    await move(db, booking, cast.grace, 'pending')
  }
  expect(await keys('theo')).toEqual(['decline_undone'])
})

it('without the bell, what waits to be mailed is replaced', async () => {
  await as(db, 'theo')(
    `insert into public.notification_preferences (user_id, kind, bell) values ($1, 'applications', false)`,
    [cast.theo],
  )
  const { taskId } = await bookingAt(db, 'pending')
  for (let nth = 0; nth < 5; nth++) await price(taskId, 60 + nth)
  expect(await mails(cast.theo)).toEqual(['task_changed'])
})
