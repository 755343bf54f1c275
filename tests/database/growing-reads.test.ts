// A job of two people reads as many rows among thousands of jobs of other people as it does alone.
import { openDatabase } from '@meadowlark/server/sql/database.ts'
import { expect, it } from 'vitest'
import type { TestDatabase } from '../support/database.ts'
import { apply, type Booking, bookingAt, cancel, move, pay, postTask, release } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()
/** Pairs of other people, and the jobs of each pair. */
const PAIRS = 200
const JOBS = 10

const OTHERS = `
insert into auth.users (id, email, encrypted_password, raw_user_meta_data)
select md5(side || n)::uuid, side || n || '@example.com', 'x', jsonb_build_object('full_name', initcap(side) || ' Other', 'role', role)
from (values ('grace', 'task_giver'), ('theo', 'task_doer')) people (side, role), generate_series(1, ${PAIRS}) n;
set session_replication_role = replica;
insert into public.tasks (id, task_giver_id, title, description, category, location, pay_amount, status)
select md5('job' || n || ' ' || job)::uuid, md5('grace' || n)::uuid, 'Clear the driveway', 'Two cars wide, and the walk to the door.',
  'Snow Removal', 'Saskatoon', 100, 'completed' from generate_series(1, ${PAIRS}) n, generate_series(1, ${JOBS}) job;
insert into public.bookings (id, task_id, task_giver_id, task_doer_id, status, accepted_at, completed_at)
select md5('booking' || n || ' ' || job)::uuid, md5('job' || n || ' ' || job)::uuid, md5('grace' || n)::uuid, md5('theo' || n)::uuid,
  'completed', now(), now() from generate_series(1, ${PAIRS}) n, generate_series(1, ${JOBS}) job;
insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount, escrow_status)
select id, task_id, task_giver_id, task_doer_id, 100, 15, 5, 120, 80, 'released' from public.bookings
where id in (select md5('booking' || n || ' ' || job)::uuid from generate_series(1, ${PAIRS}) n, generate_series(1, ${JOBS}) job);
insert into public.reviews (booking_id, task_id, reviewer_id, reviewee_id, rating)
select booking_id, task_id, payer_id, payee_id, 5 from public.payments where stripe_payment_intent_id is null;
insert into public.messages (booking_id, sender_id, receiver_id, message)
select booking_id, payer_id, payee_id, 'Hello' from public.payments where stripe_payment_intent_id is null;
insert into public.notifications (user_id, title, message, key)
select payer_id, 'Hello', 'Hello', 'review_received' from public.payments where stripe_payment_intent_id is null;
reset session_replication_role;
analyze`

/** Rows that sessions have read from each table so far. */
async function rowsRead(): Promise<Record<string, number>> {
  const { rows } = await owner(db)(
    `select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_user_tables
     where schemaname in ('public', 'private', 'auth', 'storage', 'pgmq')`,
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

/** How many rows of each table `act` reads. */
async function readBy(act: (db: TestDatabase) => Promise<unknown>): Promise<Record<string, number>> {
  const before = await rowsRead()
  const url = new URL(db.url)
  // Some thousand rows are still few enough for reading all of them to be a good plan.
  url.searchParams.set('options', '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off')
  const database = openDatabase(url.href, { max: 1 })
  await act({ ...db, database })
  // Otherwise a session reports what it read some time later.
  await database.pool.query('select pg_stat_force_next_flush()')
  await database.close()
  const after = await rowsRead()
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]))
}

async function write(db: TestDatabase, { id, giver, tasker }: Booking) {
  await as(db, tasker)(
    `insert into public.messages (booking_id, sender_id, receiver_id, message) values ($1, $2, $3, 'On my way')`,
    [id, tasker, giver],
  )
}

async function review(db: TestDatabase, { id, giver, tasker }: Booking) {
  for (const [from, to] of [
    [giver, tasker],
    [tasker, giver],
  ] as const)
    await as(db, from)(
      `insert into public.reviews (booking_id, reviewer_id, reviewee_id, rating, comment) values ($1, $2, $3, 5, 'Thank you')`,
      [id, from, to],
    )
}

/** Everything that a job of `giver` and `tasker` can come to. */
async function wholeJob(db: TestDatabase, { giver, tasker }: { giver: string; tasker: string }) {
  await bookingAt(db, 'rejected', { giver, tasker })
  await bookingAt(db, 'cancelled', { giver, tasker })
  const called = await bookingAt(db, 'in_progress', { giver, tasker })
  await cancel(db, called, giver)
  const booking = await apply(db, await postTask(db, { giver, scheduled: '2 days', minutes: 60 }), tasker)
  await move(db, booking, giver, 'accepted')
  await pay(db, booking)
  await write(db, booking)
  await move(db, booking, tasker, 'completed')
  await release(db, booking)
  await review(db, booking)
}

it('a job reads no more rows among many jobs of others', async () => {
  // The first one also reads what PostgreSQL and the functions keep from then on.
  await wholeJob(db, { giver: cast.grace, tasker: cast.theo })
  const alone = await readBy((db) => wholeJob(db, { giver: cast.grace, tasker: cast.theo }))
  await owner(db)(OTHERS)
  const among = await readBy((db) => wholeJob(db, { giver: cast.grace, tasker: cast.theo }))
  const grown = Object.keys(among).filter((name) => (among[name] ?? 0) - (alone[name] ?? 0) >= PAIRS)
  expect(Object.fromEntries(grown.map((name) => [name, [alone[name], among[name]]]))).toEqual({})
})
