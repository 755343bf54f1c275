// Queries of the bell and the messages button on every page, for a person with 100,000 notifications and 10,000
// messages: an index finds each answer, and unread counts are right.
import { beforeAll, expect, it } from 'vitest'
import { type Booking, bookingAt } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()
let booking: Booking

beforeAll(async () => {
  booking = await bookingAt(db, 'accepted')
  const write = owner(db)
  await write('alter table public.messages disable trigger user')
  await write('delete from public.notifications')
  await write(
    `insert into public.notifications (user_id, title, message, key, params, read, created_at)
    select case when n % 2 = 0 then $1::uuid else $2::uuid end, 'New message', 'Hello', 'message_received',
      jsonb_build_object('booking', gen_random_uuid()), n > 20, now() - n * interval '1 minute'
    from generate_series(1, 200000) n`,
    [cast.grace, cast.theo],
  )
  await write(
    `insert into public.messages (booking_id, sender_id, receiver_id, message, created_at, status, read_at)
    select $1, $2, $3, 'Message ' || n, now() - n * interval '1 minute',
      case when n > 12 then 'read'::public.message_status else 'sent' end, case when n > 12 then now() end
    from generate_series(1, 10000) n`,
    [booking.id, cast.theo, cast.grace],
  )
  await write('alter table public.messages enable trigger user')
  await write('analyze public.notifications, public.messages')
})

/** The tables that a query of Grace's reads from end to end. */
async function readWhole(sql: string, values: unknown[]): Promise<string[]> {
  const { rows } = await as(db, 'grace')(`explain (format json) ${sql}`, values)
  return JSON.stringify(rows[0]).match(/"Seq Scan"[^{}]*?"Relation Name":"(\w+)"/g) ?? []
}

const grace = cast.grace
const NEWEST = 'order by created_at desc, id limit'

it.each([
  [
    'the unread count',
    'select count(*) from public.notifications where user_id = $1 and not read',
    [grace],
    '10',
  ],
  [
    'unread messages',
    'select count(*) from public.messages where receiver_id = $1 and read_at is null',
    [grace],
    '12',
  ],
])('%s', async (_what, sql, values, count) => {
  expect((await as(db, 'grace')(sql, values)).rows[0].count).toBe(count)
  expect(await readWhole(sql, values)).toEqual([])
})

it('the newest ten notifications', async () => {
  expect(
    await readWhole(`select * from public.notifications where user_id = $1 ${NEWEST} 10`, [grace]),
  ).toEqual([])
})

it('unread messages by booking, to whom they were written', async () => {
  const sql = 'select booking_id, unread_count from public.unread_conversations'
  expect((await as(db, 'grace')(sql)).rows).toEqual([{ booking_id: booking.id, unread_count: 12 }])
  for (const person of ['theo', 'sam', 'ada']) expect((await as(db, person)(sql)).rows).toEqual([])
  expect(await readWhole(sql, [])).toEqual([])
})

it('the conversations, and a page of one', async () => {
  const list = await readWhole('select * from public.conversations', [])
  expect(list.filter((found) => /"(messages|notifications)"/.test(found))).toEqual([])
  const page = `select * from public.messages where booking_id = $1 and created_at <= now() - interval '5 days'
    ${NEWEST} 31`
  expect(await readWhole(page, [booking.id])).toEqual([])
})

it('the notice of a message, among all that are unread', async () => {
  const sql = `select from public.notifications where user_id = $1 and not read and key = 'message_received'
    and params ->> 'booking' = $2`
  expect(await readWhole(sql, [grace, booking.id])).toEqual([])
})
