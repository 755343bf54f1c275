// Open tasks near a point: distance, order, pages and conditions.
import { beforeAll, expect, it } from 'vitest'
import { postTask, refusal } from './lives.ts'
import { as, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const SASKATOON = { latitude: 52.13, longitude: -106.67 }

type Row = Record<
  'id' | 'location' | 'created_at' | 'pay_amount' | 'public_latitude' | 'public_longitude',
  string
>

async function near(options: object = {}, person = 'sam'): Promise<Row[]> {
  const values: Record<string, unknown> = { ...SASKATOON, radius_km: 200, max_results: 100, ...options }
  const names = Object.keys(values)
  const { rows } = await as(db, person)(
    `select id, location, created_at::text, pay_amount, public_latitude, public_longitude
     from public.nearby_tasks(${names.map((name, n) => `${name} => $${n + 1}`).join(', ')})`,
    Object.values(values),
  )
  return rows
}

const places = async (options: object = {}) => (await near(options)).map(({ location }) => location)

beforeAll(async () => {
  const task = await postTask(db)
  await owner(db)('delete from public.tasks where id = $1', [task])
  for (const [nth, location] of [
    'Regina',
    'Warman',
    'Saskatoon',
    'Estevan',
    'Nutana, Saskatoon',
    'Nowhere',
  ].entries()) {
    const id = await postTask(db, { amount: 100 + nth })
    await as(db, 'grace')('update public.tasks set location = $2 where id = $1', [id, location])
  }
})

it('lists the nearest first, up to the radius', async () => {
  expect((await places()).slice(-1)).toEqual(['Warman'])
  expect((await places()).toSorted()).toEqual(['Nutana, Saskatoon', 'Saskatoon', 'Warman'])
  expect(await places({ radius_km: 10 })).not.toContain('Warman')
  expect(await places({ latitude: 50.45, longitude: -104.61, radius_km: 10 })).toEqual(['Regina'])
})

it('sorts by pay and by newest', async () => {
  expect(await places({ sort: 'pay' })).toEqual(['Nutana, Saskatoon', 'Saskatoon', 'Warman'])
  expect(await places({ sort: 'newest' })).toEqual(['Nutana, Saskatoon', 'Saskatoon', 'Warman'])
})

it('combines distance with words, category, pay and days', async () => {
  expect(await places({ query: 'warman' })).toEqual(['Warman'])
  expect(await places({ query: 'driveway nutana' })).toEqual(['Nutana, Saskatoon'])
  expect(await places({ query: 'piano' })).toEqual([])
  expect(await places({ category: 'Moving' })).toEqual([])
  expect(await places({ category: 'Snow Removal', min_pay: 104 })).toEqual(['Nutana, Saskatoon'])
  expect(await places({ max_pay: 101 })).toEqual(['Warman'])
  expect(await places({ first_day: '2000-01-01' })).toEqual([])
})

it.each(['distance', 'newest', 'pay'])('pages by %s show each task once', async (sort) => {
  await owner(db)(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, created_at)
     select task_giver_id, title, description, category, (array['Saskatoon', 'Warman', 'Martensville'])[1 + n % 3], 30 + n % 4,
       now() - (n / 5) * interval '1 minute'
     from (select * from public.tasks where location = 'Saskatoon' limit 1) t, generate_series(1, 40) n`,
  )
  const all = await near({ sort })
  const pages: Row[] = []
  for (;;) {
    const last = pages.at(-1)
    const page = await near({ sort, max_results: 7, after: last ? JSON.stringify(last) : null })
    pages.push(...page)
    if (page.length < 7) break
  }
  expect(pages).toEqual(all)
  expect(new Set(pages.map(({ id }) => id)).size).toBe(all.length)
  await owner(db)(`delete from public.tasks where pay_amount < 100`)
})

it('recommends the nearer of equal scores to a tasker with a travel area, and the newest first to others', async () => {
  const recommended = async (person: string) =>
    (await as(db, person)('select location from public.recommended_tasks()')).rows.map(
      ({ location }) => location,
    )
  const newestFirst = ['Nowhere', 'Nutana, Saskatoon', 'Estevan', 'Saskatoon', 'Warman', 'Regina']
  expect(await recommended('theo')).toEqual(newestFirst)
  await as(db, 'theo')(`insert into public.travel_areas (place_id, radius_km) values ('estevan', 50)`)
  expect((await recommended('theo')).filter((_, nth) => ![2, 3].includes(nth))).toEqual([
    'Estevan',
    'Regina',
    'Warman',
    'Nowhere',
  ])
  expect(await recommended('sam')).toEqual(newestFirst)
})

it('counts what it finds', async () => {
  const { rows } = await as(db, 'anonymous')('select public.count_nearby_tasks(52.13, -106.67, 200) as count')
  expect(rows).toEqual([{ count: 3 }])
})

it('leaves out hidden and closed tasks', async () => {
  const [first, second] = await near()
  await owner(db)(`update public.tasks set hidden_for = 'report' where id = $1`, [first?.id])
  await as(db, 'grace')(`update public.tasks set status = 'cancelled' where id = $1`, [second?.id])
  expect(await near()).toHaveLength(1)
})

it('says what is wrong with a point, a radius, an order or a page', async () => {
  const cases: [object, string | RegExp][] = [
    [{ latitude: 'NaN' }, 'A position needs a latitude and a longitude in degrees'],
    [{ longitude: 'Infinity' }, 'A position needs a latitude and a longitude in degrees'],
    [{ latitude: null }, 'A position needs a latitude and a longitude in degrees'],
    [{ latitude: 'north' }, /invalid input syntax for type double precision/],
    [{ radius_km: 4 }, 'Choose a distance between 5 and 200 km'],
    [{ radius_km: 201 }, 'Choose a distance between 5 and 200 km'],
    [{ sort: 'random' }, 'Sort must be distance, newest or pay'],
    [{ after: '{"id": 1}' }, /are given together/],
    [{ after: '[]' }, /are given together/],
  ]
  for (const [options, message] of cases) expect(await refusal(near(options))).toMatch(message)
})
