// The record of a person: each part by its rule, and never drifting from the events it is made of.
import { describe, expect, it } from 'vitest'
import { apply, type Booking, bookingAt, cancel, move, postTask, release, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const record = async (person: keyof typeof cast) =>
  (
    await owner(db)(
      `select rating::float8, total_reviews, completed_tasks, response_rate, on_time_rate, trust_score
       from public.profiles where id = $1`,
      [cast[person]],
    )
  ).rows[0]

/** People whose copy differs from what their events say. */
const drifted = async () =>
  (
    await owner(db)(
      `select p.full_name from public.profiles p, private.reputation(p.id) r
       where (p.rating, p.total_reviews, p.completed_tasks, p.response_rate, p.on_time_rate, p.trust_score)
         is distinct from (r.rating, r.total_reviews, r.completed_tasks, r.response_rate, r.on_time_rate, r.trust_score)`,
    )
  ).rows

async function reviewed(stars: number): Promise<void> {
  const booking = await bookingAt(db, 'released')
  await tryInsert(db, 'grace', 'reviews', { booking_id: booking.id, reviewer_id: cast.grace, rating: stars })
  await tryInsert(db, 'theo', 'reviews', { booking_id: booking.id, reviewer_id: cast.theo, rating: 5 })
}

const write = (booking: Booking, from: 'grace' | 'theo') =>
  tryInsert(db, from, 'messages', {
    booking_id: booking.id,
    sender_id: cast[from],
    receiver_id: from === 'grace' ? cast.theo : cast.grace,
    message: 'Hello',
  })

const moveQuestion = (booking: Booking) =>
  owner(db)(
    `update public.messages set created_at = created_at - interval '24 hours 1 minute' where booking_id = $1`,
    [booking.id],
  )

async function runScheduled(): Promise<void> {
  while ((await asService(db)('select public.run_scheduled() as done')).rows[0].done > 0);
}

/** The schedule's work 24 hours after the question about this booking. */
async function afterADay(booking: Booking): Promise<void> {
  await moveQuestion(booking)
  await owner(db)('update private.pending_recounts set due_at = now() where booking_id = $1', [booking.id])
  await runScheduled()
}

describe('the trust score', () => {
  it('starts at 50 and moves by its formula', async () => {
    expect((await record('theo')).trust_score).toBe(50)
    await reviewed(5)
    // (5 − 3) · 10 · 1/5 for one review, +1 for the job
    expect(await record('theo')).toMatchObject({
      rating: 5,
      total_reviews: 1,
      completed_tasks: 1,
      trust_score: 55,
    })
    await reviewed(1)
    expect(await record('theo')).toMatchObject({
      rating: 3,
      total_reviews: 2,
      completed_tasks: 2,
      trust_score: 52,
    })
    for (let n = 0; n < 3; n++) await reviewed(5)
    // rating 4.2: 1.2 · 10, five jobs
    expect(await record('theo')).toMatchObject({ rating: 4.2, total_reviews: 5, trust_score: 67 })
    await as(db, 'ada')('update public.profiles set verified_by_admin = true where id = $1', [cast.theo])
    expect((await record('theo')).trust_score).toBe(82)
    expect(await drifted()).toEqual([])
  })
})

describe('the response rate', () => {
  it('of a giver counts applications answered within 24 hours', async () => {
    const quick = await bookingAt(db, 'pending')
    await move(db, quick, cast.grace, 'rejected')
    expect((await record('grace')).response_rate).toBe(100)
    const slow = await bookingAt(db, 'pending')
    await owner(db)(`update public.bookings set created_at = now() - interval '25 hours' where id = $1`, [
      slow.id,
    ])
    await move(db, slow, cast.grace, 'accepted')
    expect(await record('grace')).toMatchObject({ response_rate: 50, trust_score: 45 })
    const withdrawn = await bookingAt(db, 'pending')
    await move(db, withdrawn, cast.theo, 'cancelled')
    expect((await record('grace')).response_rate).toBe(50)
    expect(await drifted()).toEqual([])
  })

  it('of a tasker counts the giver’s first messages answered within 24 hours, or never', async () => {
    const answered = await bookingAt(db, 'accepted')
    await write(answered, 'grace')
    await write(answered, 'theo')
    expect((await record('theo')).response_rate).toBe(100)
    const silent = await bookingAt(db, 'accepted')
    await write(silent, 'grace')
    expect((await record('theo')).response_rate).toBe(100)
    await move(db, silent, cast.grace, 'cancelled')
    await afterADay(silent)
    expect((await record('theo')).response_rate).toBe(50)
    expect(await drifted()).toEqual([])
  })

  it('counts a question that a job’s quick end left unanswered only after 24 hours', async () => {
    const job = await bookingAt(db, 'in_progress')
    await write(job, 'grace')
    await move(db, job, cast.theo, 'completed')
    await release(db, job)
    expect((await record('theo')).response_rate).toBe(100)
    expect(await drifted()).toEqual([])
    await runScheduled()
    expect((await record('theo')).response_rate).toBe(100)
    await afterADay(job)
    expect((await record('theo')).response_rate).toBe(0)
    expect(await drifted()).toEqual([])
  })

  it('counts at once a question that was unanswered for a day before the job ended', async () => {
    const job = await bookingAt(db, 'accepted')
    await write(job, 'grace')
    await moveQuestion(job)
    await move(db, job, cast.grace, 'cancelled')
    expect((await record('theo')).response_rate).toBe(0)
    expect(await drifted()).toEqual([])
  })
})

it('an answer that comes late is counted when it comes, not at the booking’s next step', async () => {
  const late = await bookingAt(db, 'accepted')
  await write(late, 'grace')
  await owner(db)(`update public.messages set created_at = now() - interval '24 hours 1 minute'`)
  await write(late, 'theo')
  expect((await record('theo')).response_rate).toBe(0)
  const prompt = await bookingAt(db, 'accepted')
  await write(prompt, 'grace')
  await owner(db)(
    `update public.messages set created_at = now() - interval '23 hours 59 minutes' where booking_id = $1`,
    [prompt.id],
  )
  await write(prompt, 'theo')
  expect((await record('theo')).response_rate).toBe(50)
  expect(await drifted()).toEqual([])
})

describe('the on-time rate', () => {
  it('counts what was done late, and what the tasker cancelled after acceptance', async () => {
    await bookingAt(db, 'completed', { scheduled: '-1 hour', minutes: 30 })
    expect((await record('theo')).on_time_rate).toBe(100)
    await bookingAt(db, 'completed', { scheduled: '-4 hours', minutes: 60 })
    expect(await record('theo')).toMatchObject({ on_time_rate: 50, trust_score: 40 })
    await cancel(db, await bookingAt(db, 'in_progress'), cast.theo)
    expect((await record('theo')).on_time_rate).toBe(33)
    await cancel(db, await bookingAt(db, 'in_progress'), cast.grace)
    await move(db, await apply(db, await postTask(db)), cast.theo, 'cancelled')
    expect((await record('theo')).on_time_rate).toBe(33)
    expect(await drifted()).toEqual([])
  })
})

describe('badges', () => {
  it('follow from the record', async () => {
    const badges = async () =>
      (
        await as(db, 'grace')('select badge from public.badges where user_id = $1 order by 1', [cast.theo])
      ).rows.map((row) => row.badge)
    expect(await badges()).toEqual([])
    for (let n = 0; n < 5; n++) await reviewed(5)
    expect(await badges()).toEqual(['always_on_time', 'first_job', 'quick_to_respond', 'top_rated'])
    await owner(db)(
      `update public.profiles set completed_tasks = 50, insured = true, id_verified = true where id = $1`,
      [cast.theo],
    )
    expect(
      (await owner(db)('select completed_tasks from public.profiles where id = $1', [cast.theo])).rows[0],
    ).toEqual({
      completed_tasks: 5, // a recount follows every change of verification
    })
    await owner(db)('update public.profiles set completed_tasks = 50 where id = $1', [cast.theo])
    expect(await badges()).toEqual([
      'always_on_time',
      'fifty_jobs',
      'first_job',
      'insured',
      'quick_to_respond',
      'ten_jobs',
      'top_rated',
      'verified',
    ])
  })
})

describe('each badge', () => {
  const earned = async (facts: string) => {
    await owner(db)(`update public.profiles set ${facts} where id = $1`, [cast.theo])
    const { rows } = await as(db, 'theo')('select badge from public.badges where user_id = $1', [cast.theo])
    return rows.map((row) => row.badge)
  }

  it('is earned at its boundary and not before', async () => {
    const boundaries: [badge: string, before: string, at: string][] = [
      ['first_job', 'completed_tasks = 0', 'completed_tasks = 1'],
      ['ten_jobs', 'completed_tasks = 9', 'completed_tasks = 10'],
      ['fifty_jobs', 'completed_tasks = 49', 'completed_tasks = 50'],
      ['top_rated', 'rating = 4.79, total_reviews = 5', 'rating = 4.8'],
      ['top_rated', 'rating = 4.8, total_reviews = 4', 'total_reviews = 5'],
      ['quick_to_respond', 'response_rate = 94, completed_tasks = 3', 'response_rate = 95'],
      ['quick_to_respond', 'response_rate = 95, completed_tasks = 2', 'completed_tasks = 3'],
      ['always_on_time', 'on_time_rate = 99, completed_tasks = 3', 'on_time_rate = 100'],
      ['always_on_time', 'on_time_rate = 100, completed_tasks = 2', 'completed_tasks = 3'],
      ['verified', 'id_verified = false', 'id_verified = true'],
      ['insured', 'insured = false', 'insured = true'],
    ]
    for (const [badge, before, at] of boundaries) {
      expect([before, await earned(before)]).toEqual([before, expect.not.arrayContaining([badge])])
      expect([at, await earned(at)]).toEqual([at, expect.arrayContaining([badge])])
    }
  })
})

describe('counting', () => {
  it('survives releases of one pair of people at the same moment', async () => {
    const bookings = await Promise.all([1, 2, 3, 4].map(() => bookingAt(db, 'completed')))
    await Promise.all(bookings.map((booking) => release(db, booking)))
    expect((await record('theo')).completed_tasks).toBe(4)
    expect(await drifted()).toEqual([])
  })
})
