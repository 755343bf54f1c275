// Changing a task while it is open: who hears what, what an application stays at, and from when on it stays as it is.
import { beforeEach, expect, it } from 'vitest'
import { apply, type Booking, bookingAt, move, postTask, refusal } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

beforeEach(async () => {
  await owner(db)('truncate public.notifications')
})

const change = (task: string, what: string, person = 'grace') =>
  as(db, person)(`update public.tasks set ${what} where id = $1`, [task])
const heard = async (person: string) => {
  const { rows } = await as(
    db,
    person,
  )('select key, message, link from public.notifications order by created_at')
  return rows
}

it('tells everyone who waits what is different, and at which price their application stays', async () => {
  const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  const booking = await bookingAt(db, 'pending', { amount: 60 })
  const task = booking.taskId
  await change(task, 'pay_amount = 80')
  await apply(db, task, una)
  await owner(db)('truncate public.notifications')
  await change(
    task,
    `pay_amount = 90.5, location = 'Regina', scheduled_date = '2099-01-02 20:00+00', duration_minutes = 90`,
  )
  const rest =
    '; the time is now Friday, January 2, 2:00 p.m., Saskatchewan time; the place is now Regina; how long it takes. ' +
    'If that does not suit you, you can withdraw your application.'
  for (const [person, agreed] of [
    ['theo', '60.00'],
    [una, '80.00'],
  ] as const)
    expect(await heard(person)).toEqual([
      {
        key: 'task_changed',
        link: `/task/${task}`,
        message: `Grace G. changed "Clear the driveway": the price is now $90.50; your application stays at $${agreed}${rest}`,
      },
    ])
  const { rows } = await owner(db)('select agreed_amount::int as agreed from public.bookings where id = $1', [
    booking.id,
  ])
  expect(rows).toEqual([{ agreed: 60 }])
})

it('says nothing about unchanged fields, or to people who were declined or withdrew', async () => {
  const { taskId } = await bookingAt(db, 'pending')
  const declined = await bookingAt(db, 'rejected')
  const withdrawn = await bookingAt(db, 'cancelled')
  await owner(db)('truncate public.notifications')
  await change(taskId, 'pay_amount = pay_amount, title = title')
  for (const booking of [declined, withdrawn]) await change(booking.taskId, `location = 'Regina'`)
  expect(await heard('theo')).toEqual([])
  await change(taskId, `scheduled_date = now() + interval '3 days'`)
  await as(db, 'theo')('update public.notifications set read = true')
  await change(taskId, 'scheduled_date = null, tools_provided = true')
  expect((await heard('theo')).map(({ message }) => message)).toEqual([
    expect.stringContaining('": the time is now '),
    expect.stringContaining('": any time suits now; the tools. If'),
  ])
})

it('of a task that one tasker is asked to do: they hear, and have at most half of the time that is left', async () => {
  const { rows } = await as(db, 'grace')(
    `insert into public.tasks (task_giver_id, asked_tasker_id, title, description, category, location, pay_amount)
     values ($1, $2, 'Clear the driveway', 'Two cars wide, and the walk.', 'Snow Removal', 'Saskatoon', 60) returning id`,
    [cast.grace, cast.theo],
  )
  await owner(db)('truncate public.notifications')
  await change(rows[0].id, `scheduled_date = now() + interval '2 hours'`)
  expect(await heard('theo')).toMatchObject([
    { key: 'asked_task_changed', message: expect.stringMatching(/asked to do: the time is now .+ time\.$/) },
  ])
  const { rows: asked } = await owner(db)(
    `select extract(epoch from asked_until - now())::int between 3000 and 3600 as soon from public.tasks where id = $1`,
    [rows[0].id],
  )
  expect(asked).toEqual([{ soon: true }])
})

it('is over once a tasker is accepted, the work is done or the task is closed', async () => {
  const agreed = 'This task is agreed with its tasker and stays as it is'
  const lives: [Booking, string][] = [
    [await bookingAt(db, 'accepted'), agreed],
    [await bookingAt(db, 'in_progress'), agreed],
    [await bookingAt(db, 'released'), 'This task is done and stays as it is'],
  ]
  for (const [booking, message] of lives)
    for (const what of ['pay_amount = 70', `title = 'Something else'`, `location = 'Moon'`])
      expect(await refusal(change(booking.taskId, what))).toBe(message)
  const task = await postTask(db)
  expect(await refusal(change(task, `status = 'cancelled', pay_amount = 70`))).toBe(
    'A task is changed or closed, not both at once',
  )
  await change(task, `status = 'cancelled'`)
  expect(await refusal(change(task, 'pay_amount = 70'))).toBe('This task is closed. You can post it again.')
  // Cancelled before it was paid, the booking lets go of its task.
  const [[first] = []] = lives
  if (first) await move(db, first, cast.theo, 'cancelled')
  expect((await change(first?.taskId ?? '', 'pay_amount = 70')).rowCount).toBe(1)
  for (const person of ['theo', 'sam', 'ada'])
    expect((await change(first?.taskId ?? '', 'pay_amount = 71', person)).rowCount).toBe(0)
})

it('an address is taken back only while nobody was promised it', async () => {
  const booking = await bookingAt(db, 'pending')
  const remove = (person: string) =>
    as(db, person)('delete from public.task_addresses where task_id = $1', [booking.taskId])
  const add = () =>
    as(db, 'grace')(`insert into public.task_addresses (task_id, address) values ($1, 'Second Street 2')`, [
      booking.taskId,
    ])
  await add()
  expect((await remove('theo')).rowCount).toBe(0)
  expect((await remove('grace')).rowCount).toBe(1)
  await add()
  await move(db, booking, cast.grace, 'accepted')
  expect((await remove('grace')).rowCount).toBe(0)
})
