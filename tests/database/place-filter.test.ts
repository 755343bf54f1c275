// The place of the filters: the name of a place finds tasks and taskers by place, another text finds a part of their text.
import { beforeAll, expect, it } from 'vitest'
import { refusal } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

const LOCATIONS = [
  'Saskatoon SK',
  '8th St E, Saskatoon',
  'nutana',
  'S7N 1A1',
  'Lakeview, Saskatoon',
  'Saskatoon Drive, Regina',
  'Lakeview, Regina',
  'Regina Beach',
  'the cathedral in Moose Jaw',
  'Somewhere on the prairie',
]

beforeAll(async () => {
  for (const [n, location] of LOCATIONS.entries())
    await owner(db)(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, created_at)
       values ($1, 'Rake the leaves', 'Big elm, about twelve bags.', 'Gardening', $2, 50, now() - $3 * interval '1 hour')`,
      [cast.grace, location, n],
    )
})

const inSaskatoon = LOCATIONS.slice(0, 5)

const found = async (location: string, sort = 'newest') =>
  (
    await as(db, 'anonymous')('select location from public.search_tasks(location => $1, sort => $2)', [
      location,
      sort,
    ])
  ).rows.map((row) => row.location)

it.each([
  ['Saskatoon', inSaskatoon],
  [' saskatoon, SK ', inSaskatoon],
  ['Saskatoon, Saskatchewan', inSaskatoon],
  ['Nutana, Saskatoon', ['nutana']],
  ['Saskatoon Nutana', ['nutana']],
  ['Regina', ['Saskatoon Drive, Regina', 'Lakeview, Regina']],
  ['Lakeview, Regina', ['Lakeview, Regina']],
  ['Regina Beach', ['Regina Beach']],
  ['Warman', []],
])('the place %s finds the tasks in it, however they write it', async (location, expected) => {
  for (const sort of ['newest', 'pay', 'soonest']) expect(await found(location, sort)).toEqual(expected)
})

it.each([
  ['saskat', ['Saskatoon SK', '8th St E, Saskatoon', 'Lakeview, Saskatoon', 'Saskatoon Drive, Regina']],
  // A neighbourhood without its city may mean another one.
  ['lakeview', ['Lakeview, Saskatoon', 'Lakeview, Regina']],
  ['Cathedral', ['the cathedral in Moose Jaw']],
  ['8th St E, Saskatoon', ['8th St E, Saskatoon']],
  ['S7N', ['S7N 1A1']],
  ['SK', ['Saskatoon SK', '8th St E, Saskatoon', 'Lakeview, Saskatoon', 'Saskatoon Drive, Regina']],
  ['prairie', ['Somewhere on the prairie']],
  ['Atlantis', []],
])('the text %s, which names no place, finds a part of the text', async (location, expected) => {
  expect(await found(location)).toEqual(expected)
})

it('refuses a text that is longer than any place, and takes all others literally', async () => {
  expect(await refusal(found('a'.repeat(5000)))).toBe('Location too long')
  for (const text of [
    'a'.repeat(200),
    'NaN',
    '1e999',
    '%',
    '_',
    '\\',
    "'; --",
    '{regina,warman}',
    '(',
    ', SK',
    'ﷺ',
    'حي في مدينة',
  ])
    expect(await found(text), text.slice(0, 20)).toEqual([])
  expect(await found('   ')).toEqual(LOCATIONS)
})

it('finds a part of the text once a place no longer exists, also in a saved search', async () => {
  await owner(db)(`insert into public.places (id, name, kind, latitude, longitude, time_zone)
    values ('atlantis', 'Atlantis', 'city', 52, -106, 'America/Regina')`)
  await owner(db)('select private.load_place_names()')
  await owner(db)(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
    values ($1, 'Rake the leaves', 'Big elm, about twelve bags.', 'Gardening', 'New Atlantis Road', 50)`,
    [cast.grace],
  )
  await owner(db)(`insert into public.saved_searches (user_id, location) values ($1, 'Atlantis')`, [
    cast.theo,
  ])
  const saved = async () => (await as(db, 'theo')('select matched_places from public.saved_searches')).rows
  expect([await saved(), await found('atlantis road')]).toEqual([
    [{ matched_places: ['atlantis'] }],
    ['New Atlantis Road'],
  ])
  await owner(db)('select private.load_places()')
  expect([await saved(), await found('Atlantis')]).toEqual([[{ matched_places: [] }], ['New Atlantis Road']])
  await owner(db)(`delete from public.tasks where location = 'New Atlantis Road'`)
})

it('counts by place, with words and other conditions', async () => {
  const count = async (conditions: string) =>
    (await as(db, 'sam')(`select public.count_tasks(${conditions}) as n`)).rows[0].n
  expect(await count(`location => 'Saskatoon'`)).toBe(5)
  expect(await count(`'leaves', location => 'Saskatoon', category => 'Gardening', max_pay => 50`)).toBe(5)
  expect(await count(`'snow', location => 'Saskatoon'`)).toBe(0)
  // The search box still looks for text.
  expect(await count(`'regina'`)).toBe(3)
})

it('looks up the tasks of a rare place in an index', async () => {
  const client = await db.database.pool.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    await client.query(`insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, place_id, created_at)
      select '${cast.grace}', 'Walk the dog', 'Around the lake.', 'Pet Care', 'Anywhere', 40, 'regina', now() - n * interval '1 second'
      from generate_series(1, 12000) n`)
    await client.query(
      `update public.tasks set created_at = '2020-01-01' where place_id = 'saskatoon-nutana'`,
    )
    await client.query('analyze public.tasks')
    const { rows } = await client.query(
      `explain select id from private.open_tasks where place_id = any ('{saskatoon-nutana}')`,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('tasks_open_of_place')
    const listed = await client.query(
      `select location from public.search_tasks(location => 'Nutana, Saskatoon')`,
    )
    expect(listed.rows).toEqual([{ location: 'nutana' }])
  } finally {
    await client.query('rollback')
    client.release()
  }
})

it('finds taskers whose city is the place, however they write it', async () => {
  const sam = await signUp(db, { name: 'Other Sam', role: 'task_doer' })
  await owner(db)(`update public.profiles set id_verified = true where id = any ($1)`, [[cast.theo, sam]])
  const taskers = async (theos: string, city: string) => {
    await owner(db)(
      `update public.profiles set city = case id when $1 then $2 else 'Regina' end
      where id = any (array[$1, $3]::uuid[])`,
      [cast.theo, theos, sam],
    )
    const { rows } = await as(db, 'grace')('select id from public.search_taskers(city => $1)', [city])
    return rows.map(({ id }) => id)
  }
  for (const theos of ['Saskatoon', 'saskatoon SK', 'Saskatoon, Saskatchewan', 'Nutana, Saskatoon'])
    for (const city of ['Saskatoon', 'saskatoon, sk'])
      expect(await taskers(theos, city), `${theos} by ${city}`).toEqual([cast.theo])
  expect(await taskers('Nutana, Saskatoon', 'Regina SK')).toEqual([sam])
  expect(await taskers('Saskatoon Berry Farm', 'Saskatoon')).toEqual([])
  expect(await taskers('Atlantis', 'atlantis')).toEqual([cast.theo])
  // A travel area is private: who covers a place cannot be searched for.
  await owner(db)(
    `insert into public.travel_areas (user_id, place_id, radius_km) values ($1, 'regina', 200)`,
    [cast.theo],
  )
  expect(await taskers('Saskatoon', 'Regina')).toEqual([sam])
})
