// How far taskers are from tasks, and what givers learn about a travel area.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { apply, list, postTask, refusal } from './lives.ts'
import { as, asApplication, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const livesIn = (city: string | null) =>
  as(db, 'theo')('update public.profiles set city = $1 where id = auth.uid()', [city])

beforeAll(() => list(db))

describe('the distance of an applicant', () => {
  let task: string
  beforeAll(async () => {
    task = await postTask(db)
    await apply(db, task)
  })

  const km = async (person: string) =>
    (await as(db, person)('select b.tasker_km from public.bookings b where task_id = $1', [task])).rows.map(
      ({ tasker_km }) => tasker_km,
    )

  it('goes from the place of the profile to the public point of the task', async () => {
    await as(db, 'grace')(`update public.tasks set location = 'Saskatoon' where id = $1`, [task])
    await livesIn('Warman, SK')
    const [fromWarman] = await km('grace')
    expect(fromWarman).toBeGreaterThan(15)
    expect(fromWarman).toBeLessThan(25)
    expect(await km('theo')).toEqual([fromWarman])
    await livesIn('Saskatoon')
    expect(await km('grace')).toEqual([0])
    await livesIn('Regina')
    expect((await km('grace'))[0]).toBeCloseTo(235, -1)
  })

  it('is null without a known place, and nobody else reads it', async () => {
    await livesIn('the farm by the elevator')
    expect(await km('grace')).toEqual([null])
    await livesIn(null)
    expect(await km('grace')).toEqual([null])
    expect(await km('sam')).toEqual([])
  })

  it('is not that of an exact point: one in the same cell changes nothing', async () => {
    await livesIn('Warman')
    const before = await km('grace')
    await as(db, 'grace')(
      `insert into public.task_points (task_id, latitude, longitude)
       select id, public_latitude + 0.001, public_longitude from public.tasks where id = $1`,
      [task],
    )
    expect(await km('grace')).toEqual(before)
  })
})

describe('the travel area of an asked tasker', () => {
  const asked = async (person: string, location: string) =>
    (await as(db, person)('select * from public.tasker_distance($1, $2)', [cast.theo, location])).rows

  beforeEach(async () => {
    await livesIn('Saskatoon')
    await owner(db)('delete from public.travel_areas')
  })

  const travels = (place: string, km: number) =>
    as(db, 'theo')('insert into public.travel_areas (place_id, radius_km) values ($1, $2)', [place, km])

  it('is unknown if there is none, and the distance goes from the profile’s place', async () => {
    expect(await asked('grace', 'Nowhere')).toEqual([])
    expect(await asked('grace', 'Saskatoon')).toEqual([{ city: 'Saskatoon', km: 0, reach: 'unknown' }])
    const [regina] = await asked('grace', '12 Main Street, Regina')
    expect(regina).toEqual({ city: 'Saskatoon', km: expect.any(Number), reach: 'unknown' })
    expect(regina.km).toBeCloseTo(235, -1)
  })

  it('is within or beyond for each place', async () => {
    await travels('saskatoon', 50)
    const reach = async (place: string) => (await asked('grace', place))[0]?.reach
    expect(await reach('Saskatoon')).toBe('within')
    expect(await reach('Warman')).toBe('within')
    expect(await reach('Regina')).toBe('beyond')
  })

  it('answers the same for all neighbourhoods of a city', async () => {
    await travels('saskatoon-nutana', 5)
    const { rows } = await owner(db)(`select name from public.places where city = 'Saskatoon'`)
    expect(rows.length).toBeGreaterThan(20)
    const answers = await Promise.all(
      rows.map(async ({ name }) => (await asked('grace', `${name}, Saskatoon`))[0]?.reach),
    )
    expect(new Set(answers)).toEqual(new Set(['within']))
  })

  it('is answered to givers alone, and not about hidden profiles', async () => {
    await travels('saskatoon', 50)
    expect((await asked('theo', 'Warman'))[0]?.reach).toBe('unknown')
    expect((await asked('ada', 'Warman'))[0]?.reach).toBe('unknown')
    await expect(asked('anonymous', 'Warman')).rejects.toThrow(/permission denied/)
    expect((await asked('sam', 'Warman'))[0]?.reach).toBe('within')
    await as(db, 'theo')(`update public.profiles set visibility = 'hidden' where id = auth.uid()`)
    expect(await asked('sam', 'Warman')).toEqual([])
    await as(db, 'theo')(`update public.profiles set visibility = 'public' where id = auth.uid()`)
    const app = asApplication(db, 'grace', { hook: false })
    expect(await refusal(app('select public.tasker_distance($1, $2)', [cast.theo, 'Warman']))).toBe(
      'An application may not do this for a person',
    )
  })

  it('can be asked so many times an hour, about one tasker fewer times', async () => {
    await travels('saskatoon', 50)
    await owner(
      db,
    )(`update private.activity_limits set new_per_hour = case action when 'travel_asked' then 4 else 2 end
      where action in ('travel_asked', 'same_tasker_travel_asked')`)
    await owner(db)(`delete from private.activity_counts`)
    await asked('sam', 'Warman')
    await asked('sam', 'Regina')
    expect(await refusal(asked('sam', 'Estevan'))).toMatch(/^A new account can do this 2 times an hour/)
    await owner(db)(
      `update private.activity_limits set new_per_hour = 9 where action = 'same_tasker_travel_asked'`,
    )
    await asked('sam', 'Warman')
    await asked('sam', 'Warman')
    expect(await refusal(asked('sam', 'Warman'))).toMatch(/^A new account can do this 4 times an hour/)
  })
})
