// Visits of a series whose two people agree on another time.
import { expect, it } from 'vitest'
import { apply, move } from './lives.ts'
import { inHours, runScheduled } from './offers.ts'
import { cast, databaseWithCast } from './personas.ts'
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
