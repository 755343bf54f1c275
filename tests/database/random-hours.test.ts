// Random hours, buffers, times and places, with acceptances and new times from many connections at once. Accepted jobs of a tasker
// are never nearer to each other than buffer and way allow, and nothing else is refused. Every free time can be booked.
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { amount } from '../../packages/server/tests/support/soak.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { accept as acceptTime, answer, propose } from './proposals.ts'

const db = databaseWithCast()
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const sundayFrom = (day: number) => day + ((7 - new Date(day).getUTCDay()) % 7) * DAY_MS
const ROUND = 50
const ROUNDS = amount({ gate: 50, soak: 2000 })
/** New times of a round's jobs. */
const MOVES = amount({ gate: 8, soak: 50 })

/** The next year's end, and the next nights in which Lloydminster's clocks change. */
const MOMENTS = [
  (year: number) => Date.UTC(year, 11, 31, 20),
  (year: number) => sundayFrom(Date.UTC(year, 2, 8, 20)) - DAY_MS,
  (year: number) => sundayFrom(Date.UTC(year, 10, 1, 20)) - DAY_MS,
].map((momentOf) => {
  const year = new Date().getUTCFullYear()
  return [momentOf(year), momentOf(year + 1)].find((moment) => moment > Date.now() + DAY_MS) as number
})
const PLACES = ['Saskatoon', 'Warman', 'Regina', 'Lloydminster', 'the farm by the elevator']

const span = fc.tuple(
  fc.integer({ min: 1, max: 7 }),
  fc.integer({ min: 0, max: 95 }),
  fc.integer({ min: 1, max: 40 }),
)
const round = fc.record({
  moment: fc.constantFrom(...MOMENTS),
  zone: fc.constantFrom('America/Regina', 'America/Edmonton'),
  buffer: fc.constantFrom(0, 1, 15, 45, 240),
  spans: fc.array(span, { maxLength: 12 }),
  jobs: fc.array(
    fc.record({
      quarter: fc.integer({ min: 0, max: 400 }),
      minutes: fc.integer({ min: 1, max: 200 }),
      place: fc.nat(4),
    }),
    { minLength: ROUND, maxLength: ROUND },
  ),
  moves: fc.array(
    fc.record({ job: fc.nat(ROUND - 1), quarter: fc.integer({ min: 0, max: 400 }), byTasker: fc.boolean() }),
    { minLength: MOVES, maxLength: MOVES },
  ),
})
type Round = typeof round extends fc.Arbitrary<infer T> ? T : never

const clock = (quarter: number) =>
  `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`

/** The hours of a round without those that overlap others of their day. */
function hoursOf({ spans }: Round) {
  const hours: { weekday: number; starts: string; ends: string }[] = []
  for (const [weekday, from, length] of spans) {
    const [starts, ends] = [clock(from), clock(Math.min(96, from + length))]
    if (hours.every((other) => other.weekday !== weekday || other.ends <= starts || ends <= other.starts))
      hours.push({ weekday, starts, ends })
  }
  return hours
}

let tasker: string
beforeAll(async () => {
  tasker = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  // Notices and counts do not matter here, and take most of the time.
  await owner(db)('alter table public.bookings disable trigger after_booking_change')
  await owner(db)('alter table public.tasks disable trigger after_task_change')
})

/** Applications of the tasker for jobs; returns the ids of the bookings in their order. */
async function applyFor(jobs: { at: number; minutes: number; place: string }[]): Promise<string[]> {
  const { rows } = await owner(db)(
    `with actor as materialized (select private.set_actor('tasker')),
       job as (select gen_random_uuid() as id, j.* from jsonb_to_recordset($1) as j (nth integer, at timestamptz, minutes integer, place text)),
       task as (insert into public.tasks (id, task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes)
         select id, $2, 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', place, 50, at, minutes from job
         returning id)
     select job.id from job, actor where exists (select from task) order by nth`,
    [
      JSON.stringify(jobs.map((job, nth) => ({ ...job, nth, at: new Date(job.at).toISOString() }))),
      cast.grace,
    ],
  )
  const ids = rows.map(({ id }) => id as string)
  await db.database.transaction(async (client) => {
    await client.query(`select private.set_actor('tasker')`)
    await client.query(
      'insert into public.bookings (id, task_id, task_doer_id) select id, id, $2 from unnest($1::uuid[]) id',
      [ids, tasker],
    )
  })
  return ids
}

const accept = (id: string) =>
  as(db, 'grace')(`update public.bookings set status = 'accepted' where id = $1`, [id]).then(
    () => true,
    (error: Error) => {
      expect(error.message).toBe('This tasker already has a booking at that time')
      return false
    },
  )

/** Pairs of the tasker's jobs with their distance in time and the least one that is allowed. */
const pairs = async (ids: string[]) =>
  (
    await owner(db)(
      `with job as (select b.id, b.status, private.task_period(t) as period, t.public_latitude, t.public_longitude
         from public.bookings b join public.tasks t on t.id = b.task_id where b.id = any ($1))
       select a.id as one, b.id as other, a.status = 'accepted' as one_accepted, b.status = 'accepted' as other_accepted,
         greatest(lower(b.period) - upper(a.period), lower(a.period) - upper(b.period))
           >= make_interval(mins => greatest(s.buffer_minutes,
             private.travel_minutes(a.public_latitude, a.public_longitude, b.public_latitude, b.public_longitude))) as fits
       from job a join job b on a.id <> b.id join public.schedule_settings s on s.user_id = $2`,
      [ids, tasker],
    )
  ).rows as { one: string; other: string; one_accepted: boolean; other_accepted: boolean; fits: boolean }[]

async function live(lived: Round): Promise<void> {
  const hours = hoursOf(lived)
  await owner(db)('delete from public.tasks where task_giver_id = $1', [cast.grace])
  await as(db, tasker)('select public.save_hours($1, $2, $3, false, true)', [
    JSON.stringify(hours),
    lived.zone,
    lived.buffer,
  ])
  const ids = await applyFor(
    lived.jobs.map(({ quarter, minutes, place }) => ({
      at: lived.moment + quarter * 15 * MINUTE_MS,
      minutes,
      place: PLACES[place] as string,
    })),
  )
  const answers = await Promise.all(ids.map(accept))
  const all = await pairs(ids)
  expect(all.filter((pair) => pair.one_accepted && pair.other_accepted && !pair.fits)).toEqual([])
  const refused = ids.filter((_id, n) => !answers[n])
  expect(
    refused.filter((id) => !all.some((pair) => pair.one === id && pair.other_accepted && !pair.fits)),
  ).toEqual([])
  await moveJobs(
    lived,
    ids.filter((_id, n) => answers[n]),
  )
  await bookFreeTimes(new Date(lived.moment - DAY_MS))
}

/** Moves accepted jobs to other times, one after the other and then all at once. */
async function moveJobs(lived: Round, ids: string[]): Promise<void> {
  const moves = lived.moves
    .map(({ job, quarter, byTasker }) => ({
      id: ids[job % ids.length] as string,
      at: lived.moment + quarter * 15 * MINUTE_MS,
      byTasker,
    }))
    .filter(({ at }) => at < Date.now() + 364 * DAY_MS)
  const half = Math.floor(moves.length / 2)
  for (const move of moves.slice(0, half)) {
    const fits = await fitsAt(move)
    expect([move, await agreeOn(move)]).toEqual([move, fits])
  }
  // Two at once may be for one job: only one of these is proposed.
  await Promise.all(moves.slice(half).map(agreeOn))
  const { rows } = await owner(db)(
    `select b.id from public.bookings b join public.tasks t on t.id = b.task_id
     where b.id = any ($1) and b.period is distinct from private.task_period(t)`,
    [ids],
  )
  expect(rows).toEqual([])
  const all = await pairs(ids)
  expect(all.filter((pair) => !pair.fits)).toEqual([])
}

type Move = { id: string; at: number; byTasker: boolean }

/** One of the two proposes the time, the other accepts it; false if it is refused for another booking, or already the agreed one. */
async function agreeOn({ id, at, byTasker }: Move): Promise<boolean> {
  const booking = { id, taskId: id, giver: cast.grace, tasker }
  const [proposer, other] = byTasker ? [tasker, cast.grace] : [cast.grace, tasker]
  let proposal = ''
  try {
    proposal = await propose(db, booking, proposer, new Date(at).toISOString())
    await acceptTime(db, proposal, other)
    return true
  } catch (error) {
    expect((error as Error).message).toMatch(
      /^(This tasker already has a booking|You have another booking) at that time$|already the agreed time|is proposed already/,
    )
    if (proposal) await answer(db, proposal, proposer, 'withdrawn')
    return false
  }
}

/** Whether the job has another time now, and at that time is far enough from all others. */
async function fitsAt({ id, at }: Move): Promise<boolean> {
  const { rows } = await owner(db)(
    `with moved as (select t.scheduled_date as before, t.public_latitude, t.public_longitude,
         tstzrange($2, $2::timestamptz + make_interval(mins => t.duration_minutes)) as period from public.tasks t where t.id = $1)
     select m.before <> $2 and not exists (
       select from public.bookings b join public.tasks t on t.id = b.task_id join public.schedule_settings s on s.user_id = b.task_doer_id
       where b.task_doer_id = $3 and b.status = 'accepted' and b.id <> $1
         and greatest(lower(b.period) - upper(m.period), lower(m.period) - upper(b.period))
           < make_interval(mins => greatest(s.buffer_minutes, private.travel_minutes(t.public_latitude, t.public_longitude,
             m.public_latitude, m.public_longitude)))) as fits
     from moved m`,
    [id, new Date(at).toISOString(), tasker],
  )
  return rows[0].fits
}

/** Books the first quarter-hour of each free time, which has no place, and finds none of them free afterwards. */
async function bookFreeTimes(at: Date): Promise<void> {
  const free = async () =>
    (
      await owner(db)(
        `select slot.starts_at from public.schedule_settings s
         cross join lateral private.find_free_slots(s, 15, $2, 7, $3) slot where s.user_id = $1`,
        [tasker, at, at],
      )
    ).rows.map(({ starts_at }) => (starts_at as Date).getTime())
  const starts = await free()
  const ids = await applyFor(starts.map((start) => ({ at: start, minutes: 15, place: 'nowhere on the map' })))
  for (const id of ids) {
    if (await accept(id)) continue
    // Two spans on one day can be nearer to each other than the buffer.
    const all = await pairs(ids)
    expect(all.some((pair) => pair.one === id && pair.other_accepted && !pair.fits)).toBe(true)
  }
  const left = new Set(await free())
  expect(starts.filter((start) => left.has(start))).toEqual([])
}

it(`never books a tasker twice or too close, in ${ROUNDS} rounds of ${ROUND} jobs and ${MOVES} new times`, async () => {
  await fc.assert(fc.asyncProperty(round, live), { numRuns: ROUNDS, endOnFailure: true })
}, 36_000_000)
