// Visits of a series whose two people agree on another time.
import { describe, expect, it } from 'vitest'
import { apply, move } from './lives.ts'
import { inHours, runScheduled } from './offers.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { accept, propose } from './proposals.ts'
import { inDays, postRepeat, seriesOf, type Visit, visitsOf } from './series.ts'

const db = databaseWithCast()
const startsOf = (all: Visit[]) => all.map(({ starts_at }) => starts_at?.toISOString())

it.each([0, 1])('visit %i moves to the agreed time, and the others stay', async (nth) => {
  const all = await seriesOf(db, { every: 'weekly', count: 3 }, { at: inDays(30 + 60 * nth) })
  const visit = all[nth] as Visit
  const at = new Date(inDays(300 + nth)).toISOString()
  expect(await accept(db, await propose(db, visit, cast.grace, at), cast.theo)).toBe(1)
  const moved = startsOf(all)
  moved[nth] = at
  expect(startsOf(await visitsOf(db, visit))).toEqual(moved)
})

it('the time to pay a visit that moved closer counts from the agreement', async () => {
  const all = await seriesOf(db, { every: 'weekly', count: 2 }, { at: inDays(200) })
  const visit = all[1] as Visit
  await accept(db, await propose(db, visit, cast.grace, inHours(6)), cast.theo)
  await runScheduled(db)
  expect((await visitsOf(db, visit)).map(({ status }) => status)).toEqual(['accepted', 'accepted'])
})

it('the agreement on a snowfall task has no time to move', async () => {
  const snow = { every: 'snowfall', cm: 5, until: inDays(120).slice(0, 10), count: 2 }
  const booking = await apply(db, await postRepeat(db, snow, { at: null }))
  await move(db, booking, booking.giver, 'accepted')
  await expect(propose(db, booking, cast.grace, 48)).rejects.toMatchObject({
    message: 'Another time can be proposed from acceptance until the work is done',
    hint: 'booking_id',
  })
})

describe('the agreement', () => {
  it.each([
    ['weekly', { every: 'weekly', count: 3 }, 'Saskatoon', 40],
    ['until a day', { every: 'weekly', until: inDays(34).slice(0, 10) }, 'Saskatoon', 40],
    ['with a day left out', { every: 'weekly', count: 4, except: [inDays(27).slice(0, 10)] }, 'Saskatoon', 3],
    ['where clocks change', { every: 'weekly', count: 4 }, 'Lloydminster', 40],
  ])('stays when the first visit moves: %s', async (_, repeats, location, days) => {
    const tasker = await signUp(db, { role: 'task_doer' })
    const booking = await apply(db, await postRepeat(db, repeats, { at: inDays(20), location }), tasker)
    const posted = await timesOf(booking.taskId)
    await move(db, booking, booking.giver, 'accepted')
    const [first] = (await visitsOf(db, booking)) as [Visit]
    const before = await agreed(cast.grace, first)
    expect(before).toMatchObject({ starts_at: posted?.[0], visits: posted?.length, planned_times: posted })
    const at = inDays(20 + days).replace('T16', 'T19')
    expect(await accept(db, await propose(db, first, tasker, at), cast.grace)).toBe(1)
    expect(startsOf(await visitsOf(db, first))[0]).toBe(at)
    for (const person of [cast.grace, tasker, cast.ada]) expect(await agreed(person, first)).toEqual(before)
    expect(await agreed(cast.sam, first)).toBeUndefined()
    expect(await timesOf(booking.taskId)).toBeNull()
  })
})

/** The series as that person reads it; undefined for none. */
async function agreed(person: string, { series_id }: Visit) {
  const { rows } = await as(db, person)(
    `select starts_at, ends_on::text, visits, public.planned_times(s) as planned_times
     from public.task_series s where id = $1`,
    [series_id],
  )
  return rows[0]
}

async function timesOf(task: string): Promise<Date[] | null> {
  const { rows } = await owner(db)(
    'select public.repeat_times(t) as times from public.tasks t where id = $1',
    [task],
  )
  return rows[0].times
}
