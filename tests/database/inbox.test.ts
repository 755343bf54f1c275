// The drawer's list of conversations, and notices of messages that wait.
import { expect, it } from 'vitest'
import { type Booking, bookingAt, move, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const write = (booking: Booking, from: 'grace' | 'theo', message: string) =>
  tryInsert(db, from, 'messages', {
    booking_id: booking.id,
    sender_id: cast[from],
    receiver_id: from === 'grace' ? cast.theo : cast.grace,
    message,
  })
const list = async (person: string) =>
  (
    await as(
      db,
      person,
    )(
      'select booking_id, other_name, task_title, last_message, unread_count, status from public.conversations',
    )
  ).rows
const notices = async (person: string) =>
  (
    await as(
      db,
      person,
    )(`select read, message from public.notifications where key = 'message_received' order by created_at`)
  ).rows

it('lists bookings that are accepted or in progress, newest message first, silent ones last', async () => {
  await bookingAt(db, 'pending')
  const gone = await bookingAt(db, 'accepted')
  await move(db, gone, cast.grace, 'cancelled')
  const silent = await bookingAt(db, 'accepted')
  const early = await bookingAt(db, 'in_progress')
  const late = await bookingAt(db, 'in_progress')
  await write(early, 'grace', 'First')
  await write(late, 'grace', 'Second')
  await write(late, 'grace', 'Third')
  // Both go on writing about what is completed, from the booking itself.
  const over = await bookingAt(db, 'completed')
  expect(await write(over, 'grace', 'You left your gloves')).toBe(null)
  const read = (person: string) =>
    as(db, person)('select message from public.messages where booking_id = $1', [over.id])
  for (const person of ['grace', 'theo'])
    expect((await read(person)).rows).toEqual([{ message: 'You left your gloves' }])
  expect((await read('sam')).rows).toEqual([])
  expect(
    (await list('theo')).map((row) => [row.booking_id, row.last_message, row.unread_count, row.status]),
  ).toEqual([
    [late.id, 'Third', 2, 'in_progress'],
    [early.id, 'First', 1, 'in_progress'],
    [silent.id, null, 0, 'accepted'],
  ])
  expect((await list('theo')).map((row) => row.other_name)).toEqual(Array(3).fill('Grace Giver'))
  const grace = await list('grace')
  expect(grace.map((row) => row.unread_count)).toEqual([0, 0, 0])
  expect(grace[0]).toMatchObject({ other_name: 'Theo Tasker', task_title: 'Clear the driveway' })
  for (const person of ['sam', 'ada']) expect(await list(person)).toEqual([])
})

it('announces a message once per conversation, and reading settles it', async () => {
  const booking = await bookingAt(db, 'accepted')
  await write(booking, 'grace', 'Are you there?')
  await write(booking, 'grace', 'Hello?')
  expect(await notices('theo')).toEqual([{ read: false, message: 'Grace Giver: Are you there?' }])
  await as(
    db,
    'theo',
  )(`update public.messages set status = 'read', read_at = now() where receiver_id = auth.uid()`)
  expect(await notices('theo')).toEqual([{ read: true, message: 'Grace Giver: Are you there?' }])
  // Theo is there: he just read.
  await write(booking, 'grace', 'Good.')
  expect(await notices('theo')).toHaveLength(1)
  await owner(db)(
    `update public.messages set read_at = now() - interval '3 minutes' where read_at is not null`,
  )
  await write(booking, 'grace', 'One more thing')
  expect(await notices('theo')).toHaveLength(2)
})
