// Random repeats and single jobs across a year's end and Lloydminster's clock changes, accepted, skipped, cancelled and stopped from many
// connections at once. Active bookings of a tasker never overlap, a series has all of its visits or none, and visits keep their time of day.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { amount } from '../../packages/server/tests/support/soak.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { previewStop, stop } from './series.ts'

const db = databaseWithCast()
const MINUTE_MS = 60_000
const JOBS = 12
const ROUNDS = amount({ gate: 4, soak: 2000 })

/** Year's end, and the days around which Lloydminster's clocks change. */
const MOMENTS = ['2026-12-24T14:00Z', '2027-03-06T08:00Z', '2027-10-30T07:00Z'].map(Date.parse)

const job = fc.record({
  quarter: fc.integer({ min: 0, max: 4 * 24 * 14 }),
  minutes: fc.integer({ min: 15, max: 600 }),
  place: fc.constantFrom('Saskatoon', 'Lloydminster'),
  every: fc.constantFrom('once', 'weekly', 'biweekly', 'monthly'),
  count: fc.integer({ min: 2, max: 10 }),
  later: fc.constantFrom('keep', 'skip', 'cancel', 'stop'),
  person: fc.constantFrom('giver', 'tasker'),
})
const round = fc.record({
  moment: fc.constantFrom(...MOMENTS),
  buffer: fc.constantFrom(0, 30, 240),
  jobs: fc.array(job, { minLength: JOBS, maxLength: JOBS }),
})
type Round = typeof round extends fc.Arbitrary<infer T> ? T : never
type Job = Round['jobs'][number]

const BUSY =
  /^(This tasker already has a booking at that time|(This tasker has|You have) other work at the time of these visits: .+)$/

/** Grace posts the job, and the tasker applies; null if other work refuses that. */
async function applyFor({ quarter, minutes, place, every, count }: Job, moment: number, tasker: string) {
  const { rows } = await owner(db)(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes, repeats)
     values ($1, 'Clean the office', 'Three rooms, the kitchen and the floor.', 'Cleaning', $2, 40, $3, $4, $5) returning id`,
    [
      cast.grace,
      place,
      new Date(moment + quarter * 15 * MINUTE_MS),
      minutes,
      every === 'once' ? null : JSON.stringify({ every, count }),
    ],
  )
  return as(db, tasker)(
    `insert into public.bookings (task_id, task_doer_id, status) values ($1, $2, 'pending') returning id`,
    [rows[0].id, tasker],
  ).then((made) => made.rows[0].id as string, refusedAsBusy)
}

const accept = (id: string) =>
  as(db, 'grace')(`update public.bookings set status = 'accepted' where id = $1`, [id]).then(
    () => id,
    refusedAsBusy,
  )

function refusedAsBusy(error: Error): null {
  expect(error.message).toMatch(BUSY)
  return null
}

/** Ends a visit or the series, as that person. */
async function endLater({ later, person }: Job, id: string, tasker: string): Promise<void> {
  const who = person === 'giver' ? cast.grace : tasker
  const { rows } = await owner(db)('select series_id from public.bookings where id = $1', [id])
  if (later === 'cancel')
    await as(db, who)(`update public.bookings set status = 'cancelled' where id = $1`, [id])
  if (!rows[0].series_id) return
  if (later === 'skip') await as(db, who)('select public.skip_visit($1)', [id])
  if (later === 'stop') {
    const seen = await previewStop(db, rows[0].series_id, who)
    await stop(db, rows[0].series_id, who, true, [seen.dropped.length, seen.fee_cents, seen.refund_cents])
  }
}

/** Active bookings that are nearer to each other than the tasker's buffer allows. */
const tooNear = async (tasker: string) =>
  (
    await owner(db)(
      `select a.period as one, b.period as other from public.bookings a join public.bookings b
         on b.task_doer_id = a.task_doer_id and b.id > a.id and b.status in ('accepted', 'in_progress')
       join public.schedule_settings s on s.user_id = a.task_doer_id
       where a.task_doer_id = $1 and a.status in ('accepted', 'in_progress')
         and greatest(lower(b.period) - upper(a.period), lower(a.period) - upper(b.period)) < make_interval(mins => s.buffer_minutes)`,
      [tasker],
    )
  ).rows

/** Series of the tasker that lack visits, or whose visits differ in their time of day at the place or in the agreed period. */
const brokenSeries = async (tasker: string) =>
  (
    await owner(db)(
      `select s.repeats, s.time_zone, s.visits, count(*)::int as made,
         array_agg(distinct (t.scheduled_date at time zone s.time_zone)::time) as times
       from public.task_series s join public.bookings b on b.series_id = s.id join public.tasks t on t.id = b.task_id
       where s.tasker_id = $1 group by s.id
       having count(*) <> s.visits or bool_or(b.period is distinct from private.task_period(t))
         -- An hour that daylight saving skips is an hour later.
         or count(distinct (t.scheduled_date at time zone s.time_zone)::time) filter (
           where (t.scheduled_date at time zone s.time_zone)::time not between '02:00' and '04:00') > 1`,
      [tasker],
    )
  ).rows

async function live({ moment, buffer, jobs }: Round): Promise<void> {
  const tasker = await signUp(db, { role: 'task_doer' })
  await as(db, tasker)('select public.save_hours($1, $2, $3, false, true)', ['[]', 'America/Regina', buffer])
  for (const half of [jobs.slice(0, JOBS / 2), jobs.slice(JOBS / 2)]) {
    const applied = await Promise.all(half.map((one) => applyFor(one, moment, tasker)))
    const accepted = await Promise.all(applied.map((id) => (id ? accept(id) : null)))
    expect(await tooNear(tasker)).toEqual([])
    expect(await brokenSeries(tasker)).toEqual([])
    await Promise.all(half.map((one, nth) => accepted[nth] && endLater(one, accepted[nth], tasker)))
  }
  expect(await tooNear(tasker)).toEqual([])
  const { rows } = await owner(db)(
    `select t.status from public.bookings b join public.tasks t on t.id = b.task_id
     where b.task_doer_id = $1 and b.series_id is not null and b.status = 'cancelled' and t.status <> 'cancelled'`,
    [tasker],
  )
  expect(rows).toEqual([])
}

it(`lives of ${ROUNDS * JOBS} jobs`, async () => {
  await fc.assert(fc.asyncProperty(round, live), { numRuns: ROUNDS, endOnFailure: true })
}, 3_600_000)
