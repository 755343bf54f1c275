// A task alerts the people whose saved searches list it, and nobody else: random searches and tasks, compared with the lists.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSoak } from '../../packages/server/tests/support/soak.ts'
import { cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 2 })
const WORDS = [
  'driveway',
  'DRÍVE',
  'way',
  'ca',
  'fence',
  '"two cars"',
  '100%',
  'cars_',
  'snow regina',
  'яблоко',
  'wi-fi',
]
const PLACES = ['regina', 'saskatoon', 'saskatoon-nutana', 'warman', 'lloydminster', 'estevan']
const DAYS = ['2031-05-01', '2031-05-02', '2031-05-09']
const pay = fc.constantFrom(25, 60, 60.5, 100, 500)
const point = fc.record({
  latitude: fc.double({ min: 50, max: 52.5, noNaN: true }),
  longitude: fc.double({ min: -107, max: -104, noNaN: true }),
})
const near = fc.record({
  at: fc.oneof(
    fc.constantFrom(...PLACES).map((place_id) => ({ place_id })),
    point,
  ),
  radius_km: fc.constantFrom(5, 8, 20, 21, 120, 200),
})

const search = fc
  .record({
    words: fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom(...WORDS) },
    ),
    category: maybe(
      fc.constantFrom('Snow Removal', 'Moving', 'Outdoor Help', 'Painting', 'Moving & Delivery'),
    ),
    min_pay: maybe(pay),
    max_pay: maybe(pay),
    first_day: maybe(fc.constantFrom(...DAYS)),
    last_day: maybe(fc.constantFrom(...DAYS)),
    near: maybe(near),
    location: fc.constantFrom('', '', 'regi', 'Saskatoon', 'regina SK', 'nutana, saskatoon', 'Nutana', 'S4P'),
  })
  .map(({ near, location, ...rest }) => ({
    ...rest,
    ...(near ? { ...near.at, radius_km: near.radius_km } : { location }),
  }))
  // The others are refused (saved-searches.test.ts).
  .filter(
    ({ min_pay, max_pay, first_day, last_day, ...rest }) =>
      (min_pay ?? 0) <= (max_pay ?? 1000) &&
      (first_day ?? '') <= (last_day ?? '9') &&
      [min_pay, max_pay, first_day, last_day, ...Object.values(rest)].some(
        (value) => value !== null && value !== '',
      ),
  )

const task = fc.record({
  title: fc.constantFrom(
    'Clear the driveway',
    'Paint the fence',
    'Carry a sofa',
    'Fix the wi-fi, 100% today',
  ),
  description: fc.constantFrom(
    'Two cars wide, and the walk to the door.',
    'Snow and яблоко on the lawn, two cars_ away.',
  ),
  category: fc.constantFrom('Snow Removal', 'Moving', 'Delivery', 'Gardening', 'Other'),
  location: fc.constantFrom(
    'Regina',
    'Saskatoon',
    'Nutana, Saskatoon',
    'nutana',
    'Saskatoon Drive, Regina',
    'Warman',
    'Estevan',
    'S4P 1Y1',
    'Somewhere',
  ),
  pay_amount: pay,
  scheduled_date: maybe(fc.constantFrom('2031-05-02 05:59Z', '2031-05-02 06:00Z', '2031-05-10 05:59:59Z')),
})

const insert = (table: string, row: object) =>
  owner(db)(
    `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row).map((_, n) => `$${n + 1}`)}) returning *`,
    Object.values(row),
  )

it('alerts exactly the people whose search lists the task', async () => {
  const seed = isSoak ? Date.now() : 20261121
  const searches = fc.sample(search, { numRuns: 150, seed })
  const { rows: people } = await owner(db)(
    `insert into private.profiles (id, full_name) select gen_random_uuid(), 'Searcher ' || n from generate_series(1, $1) n returning id`,
    [searches.length],
  )
  const saved = []
  for (const [n, each] of searches.entries())
    saved.push((await insert('public.saved_searches', { user_id: people[n].id, ...each })).rows[0])
  for (const each of fc.sample(task, { numRuns: 80, seed }))
    await insert('public.tasks', { task_giver_id: cast.grace, ...each })

  let matches = 0
  for (const one of saved) {
    const conditions = `query => $1, category => $2, min_pay => $3, max_pay => $4, first_day => $5, last_day => $6, max_results => 100`
    const values = [one.words, one.category, one.min_pay, one.max_pay, one.first_day, one.last_day]
    const listed = one.radius_km
      ? await owner(db)(`select id from public.nearby_tasks($7, $8, $9, ${conditions})`, [
          ...values,
          one.latitude,
          one.longitude,
          one.radius_km,
        ])
      : await owner(db)(`select id from public.search_tasks(location => $7, ${conditions})`, [
          ...values,
          one.location,
        ])
    const alerted = await owner(db)('select task_id as id from private.task_alerts where person_id = $1', [
      one.user_id,
    ])
    const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort()
    expect({ seed, one, ids: ids(alerted.rows) }).toEqual({ seed, one, ids: ids(listed.rows) })
    matches += alerted.rows.length
  }
  expect(matches).toBeGreaterThan(100)
})
