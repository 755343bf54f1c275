// Points: the place that a task names, its exact point for the people of the job, and the centre of a cell for all others.
import { expect, it } from 'vitest'
import map from '../../shared/map/province.json' with { type: 'json' }
import { isInProvince } from '../../shared/provinceArea.ts'
import data from '../../supabase/places.json' with { type: 'json' }
import { apply, move, postTask, refusal, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

/** Grace's point in Saskatoon, on Broadway Avenue. */
const exact = { latitude: 52.1157, longitude: -106.6571 }

const publicOf = async (task: string, person = 'sam') =>
  (
    await as(db, person)(
      'select place_id, public_latitude, public_longitude from public.tasks where id = $1',
      [task],
    )
  ).rows[0]

const pointsOf = async (person: string, task: string) =>
  (await as(db, person)('select latitude, longitude from public.task_points where task_id = $1', [task])).rows

const placed = async (location: string) => {
  const task = await postTask(db)
  await as(db, 'grace')('update public.tasks set location = $2 where id = $1', [task, location])
  return (await publicOf(task)).place_id
}

it('matches the text of a task with a place', async () => {
  for (const [location, place] of Object.entries({
    Regina: 'regina',
    'nutana, SASKATOON': 'saskatoon-nutana',
    'Saskatoon, Nutana': 'saskatoon-nutana',
    Nutana: 'saskatoon-nutana',
    'a farm near Maple Creek': 'maple-creek',
    'Battleford Avenue, North Battleford': 'north-battleford',
    'Unity Street 5, Regina': 'regina',
    'Fort Qu’Appelle': 'fort-qu-appelle',
    'S4P 1Y1': 'regina',
    Reginald: null,
    'Somewhere else': null,
    'حي في مدينة': null,
  }))
    expect({ location, place: await placed(location) }).toEqual({ location, place })
})

it('takes a town or village only where a text means the place, not a street or a common word', async () => {
  for (const [location, place] of Object.entries({
    Unity: 'unity',
    'UNITY SK': 'unity',
    'Unity Saskatchewan, Canada': 'unity',
    '12 Main Street Unity': 'unity',
    '12 Main Street Unity SK S0K 4L0': 'unity',
    '12 Main Street Unity S0K4L0': 'unity',
    '12 Main Street, Unity': 'unity',
    'Co-op, Unity (north side)': 'unity',
    'Box 14 - Unity - behind the rink': 'unity',
    'Main Street\nUnity\nsecond floor': 'unity',
    'Unity north end': 'unity',
    'near Unity by the elevator': 'unity',
    '8 miles north of Unity on Highway 21': 'unity',
    'in a spirit of unity and peace': null,
    '5 Unity Street': null,
    'the outlook is good today': null,
    '12 Assiniboia Ave': null,
    '12 Assiniboia Ave, Yorkton': 'yorkton',
    'unity and peace in Saskatoon today': 'saskatoon',
    '3 Kindersley Crescent, Nutana': 'saskatoon-nutana',
    'Unity, then 40 km to Kindersley': 'kindersley',
  }))
    expect({ location, place: await placed(location) }).toEqual({ location, place })
})

it('finds the place that a text names for everyone, and no row for none', async () => {
  const find = async (person: string, text: string) =>
    (await as(db, person)('select id from public.find_place($1)', [text])).rows
  for (const person of ['anonymous', 'sam'])
    expect(await find(person, 'a farm near Maple Creek')).toEqual([{ id: 'maple-creek' }])
  expect(await find('sam', 'Somewhere else')).toEqual([])
})

it('shows a task at the centre of the cell of its place, and nowhere without a place', async () => {
  const task = await postTask(db)
  const { public_latitude, public_longitude } = await publicOf(task)
  expect(public_latitude).toBeCloseTo(52.13, 1)
  expect(public_longitude).toBeCloseTo(-106.67, 1)
  await as(db, 'grace')(`update public.tasks set location = 'Somewhere else' where id = $1`, [task])
  expect(await publicOf(task)).toEqual({ place_id: null, public_latitude: null, public_longitude: null })
})

it('keeps the exact point for the giver, the accepted tasker and admins', async () => {
  const task = await postTask(db)
  expect(await tryInsert(db, 'grace', 'task_points', { task_id: task, ...exact })).toBeNull()
  const booking = await apply(db, task)
  for (const person of ['anonymous', 'sam', 'theo'])
    expect(await pointsOf(person, task).catch(() => []), person).toEqual([])
  await move(db, booking, cast.grace, 'accepted')
  for (const person of ['grace', 'theo', 'ada']) expect(await pointsOf(person, task), person).toEqual([exact])
  expect(await pointsOf('sam', task)).toEqual([])
})

it('shows the same for each point of a cell, so many changes tell no more than one', async () => {
  const task = await postTask(db)
  await tryInsert(db, 'grace', 'task_points', { task_id: task, ...exact })
  const seen = await publicOf(task)
  expect(seen).not.toMatchObject({ public_latitude: exact.latitude })
  for (let nth = 0; nth < 20; nth++) {
    await as(db, 'grace')('update public.task_points set latitude = $2, longitude = $3 where task_id = $1', [
      task,
      seen.public_latitude + (nth / 20 - 0.5) * 0.004,
      seen.public_longitude + (nth / 20 - 0.5) * 0.004,
    ])
    expect(await publicOf(task)).toEqual(seen)
  }
})

it('uses the cell of the place again once the exact point is removed', async () => {
  const task = await postTask(db)
  const ofPlace = await publicOf(task)
  await tryInsert(db, 'grace', 'task_points', { task_id: task, ...exact })
  expect(await publicOf(task)).not.toEqual(ofPlace)
  await as(db, 'grace')(`update public.tasks set location = 'Nutana, Saskatoon' where id = $1`, [task])
  const moved = await publicOf(task)
  await as(db, 'grace')('delete from public.task_points where task_id = $1', [task])
  expect(await publicOf(task)).toMatchObject({ place_id: 'saskatoon-nutana' })
  expect(moved.public_latitude).not.toBeNull()
})

it('makes every cell contain many addresses: 1 km in cities, otherwise all that is around a place', async () => {
  const { rows } = await owner(db)(
    `select count(*)::int as cells, count(*) filter (where exists (select from public.places p where p.population >= 10000
       and p.kind <> 'neighbourhood' and private.km_between(p.latitude, p.longitude, c.latitude, c.longitude)
         <= sqrt(p.population) / 100))::int as in_cities,
       min((select min(private.km_between(c.latitude, c.longitude, o.latitude, o.longitude)) from private.cells o
         where (o.latitude, o.longitude) <> (c.latitude, c.longitude))) as nearest
     from private.cells c`,
  )
  expect(rows[0].cells).toBeGreaterThan(200)
  expect(rows[0].in_cities).toBeGreaterThan(150)
  expect(rows[0].nearest).toBeGreaterThan(0.9)
})

it('refuses points that are not numbers of degrees, and points outside the province', async () => {
  const task = await postTask(db)
  const insert = (latitude: unknown, longitude: unknown) =>
    tryInsert(db, 'grace', 'task_points', { task_id: task, latitude, longitude })
  for (const [latitude, longitude] of [
    ['NaN', -106],
    [52, 'NaN'],
    ['Infinity', -106],
    [91, -106],
    [52, -181],
  ])
    expect(await insert(latitude, longitude)).toBe('A position needs a latitude and a longitude in degrees')
  expect(await insert('north', -106)).toMatch(/invalid input syntax for type double precision/)
  // Calgary, Winnipeg, Montana and the equator.
  for (const [latitude, longitude] of [
    [51.05, -114.07],
    [49.9, -97.14],
    [48.5, -105],
    [0, 0],
  ])
    expect(await insert(latitude, longitude)).toBe('This position is outside the province')
  // Alberta's half of Lloydminster, then the far north.
  expect(await insert(53.28, -110.03)).toBeNull()
  await as(db, 'grace')(
    'update public.task_points set latitude = 59.5, longitude = -108 where task_id = $1',
    [task],
  )
  expect(await publicOf(task)).not.toMatchObject({ public_latitude: 59.5 })
})

it('lets nobody else set or change a point', async () => {
  const task = await postTask(db)
  expect(await tryInsert(db, 'sam', 'task_points', { task_id: task, ...exact })).toMatch(/row-level security/)
  await tryInsert(db, 'grace', 'task_points', { task_id: task, ...exact })
  for (const person of ['sam', 'theo']) {
    await as(db, person)('update public.task_points set latitude = 50 where task_id = $1', [task])
    await as(db, person)('delete from public.task_points where task_id = $1', [task])
  }
  expect(await pointsOf('grace', task)).toEqual([exact])
  expect(
    await refusal(as(db, 'grace')('update public.tasks set public_latitude = 50 where id = $1', [task])),
  ).toMatch(/permission denied/)
})

it('stores of a travel area only its cell, for nobody but its tasker', async () => {
  expect(await tryInsert(db, 'theo', 'travel_areas', { ...exact, radius_km: 25 })).toBeNull()
  const { rows } = await as(db, 'theo')('select latitude, longitude, radius_km from public.travel_areas')
  expect(rows[0]).toMatchObject({ radius_km: 25 })
  expect(rows[0].latitude).not.toBe(exact.latitude)
  for (const person of ['grace', 'sam'])
    expect((await as(db, person)('select * from public.travel_areas')).rows, person).toEqual([])
  expect(await tryInsert(db, 'sam', 'travel_areas', { user_id: cast.grace, ...exact })).toMatch(
    /row-level security/,
  )
})

it('takes the place of a travel area, and refuses unknown places and distances', async () => {
  const change = (values: string) => as(db, 'theo')(`update public.travel_areas set ${values}`)
  await change(`place_id = 'regina'`)
  const { rows } = await as(db, 'theo')('select latitude from public.travel_areas')
  expect(rows[0].latitude).toBeCloseTo(50.45, 1)
  expect(await refusal(change(`place_id = 'atlantis'`))).toBe('Choose a place from the list')
  for (const km of [4, 201, -1])
    expect(await refusal(change(`radius_km = ${km}`))).toBe('Choose a distance between 5 and 200 km')
  expect(await refusal(change(`place_id = null, latitude = 'NaN'`))).toMatch(/in degrees/)
})

it('follows the places when they change, and keeps exact points', async () => {
  const [named, pinned] = [await postTask(db), await postTask(db)]
  await tryInsert(db, 'grace', 'task_points', { task_id: pinned, ...exact })
  const before = await publicOf(pinned)
  await owner(db)(`update public.tasks set place_id = null, public_latitude = 1 where id in ($1, $2)`, [
    named,
    pinned,
  ])
  await owner(db)('select private.load_places()')
  expect(await publicOf(named)).toMatchObject({ place_id: 'saskatoon' })
  expect(await publicOf(pinned)).toEqual(before)
})

it('is in the province or next to one of its places, for the database as for the app', async () => {
  const named = {
    Saskatoon: [52.13, -106.67],
    'Lake Athabasca': [59.2, -109.5],
    'the western half of Lloydminster': [53.28, -110.05],
    Calgary: [51.05, -114.07],
    Winnipeg: [49.9, -97.14],
    Vermilion: [53.35, -110.85],
    'North Dakota': [48.5, -103.5],
  } as const
  const degrees = (from: number, to: number, step: number) =>
    Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step)
  const grid = degrees(48.6, 60.4, 0.4).flatMap((north) =>
    degrees(-111.1, -100.7, 0.4).map((east) => [north, east] as const),
  )
  // A tenth of a kilometre inside and outside of the distance at which a place counts.
  const around = data.places.flatMap(({ latitude, longitude }) =>
    [5.9, 6.1].flatMap((km) => {
      const north = km / 111.2
      const east = north / Math.cos((latitude * Math.PI) / 180)
      return [
        [latitude + north, longitude],
        [latitude - north, longitude],
        [latitude, longitude + east],
        [latitude, longitude - east],
      ] as const
    }),
  )
  const positions = [...Object.values(named), ...grid, ...around]
  const inApp = positions.map(([latitude, longitude]) =>
    isInProvince({ latitude, longitude }, map, data.places),
  )
  await owner(
    db,
  )(`create function pg_temp.accepts(latitude float, longitude float) returns boolean language plpgsql as $$
    begin perform private.require_point(latitude, longitude); return true; exception when others then return false; end $$`)
  const { rows } = await owner(db)(
    'select pg_temp.accepts(north, east) as accepted from unnest($1::float[], $2::float[]) with ordinality p(north, east, i) order by i',
    [positions.map(([north]) => north), positions.map(([, east]) => east)],
  )
  const inDatabase = rows.map(({ accepted }) => accepted)
  expect(positions.filter((_, i) => inApp[i] !== inDatabase[i])).toEqual([])
  expect(inApp.slice(0, Object.keys(named).length)).toEqual([true, true, true, false, false, false, false])
})
