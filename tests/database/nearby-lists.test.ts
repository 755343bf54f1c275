// Lists near a point hold the same tasks in the same order as a plain query, whichever way they are read.
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { isSoak } from '../../packages/server/tests/support/soak.ts'
import { cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

/** More than the samples that decide how a list is read. A half is in Saskatoon; each thousandth has a trombone. */
const TASKS = `
set session_replication_role = replica;
insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, created_at, scheduled_date,
  public_latitude, public_longitude)
select '${cast.grace}', (array['Clear the driveway', 'Paint the fence', 'Carry a sofa'])[1 + n % 3] || case when n % 1000 = 7 then ' and a trombone' else '' end,
  'Two cars wide, and the walk to the door.', (array['Moving', 'Delivery', 'Cleaning', 'Other'])[1 + n / 3 % 4],
  case when n % 2 = 0 then 'Saskatoon' else 'Elsewhere' end, 25 + n % 50, now() - n / 4 * interval '1 minute',
  case when n % 5 > 0 then '2031-05-01'::date + n % 70 end, c.latitude, c.longitude
from generate_series(1, 12000) n join (
  select latitude, longitude, row_number() over (order by latitude, longitude) as nth, count(*) over () as cells from private.cells) c
  on c.nth = case when n % 2 = 0 then c.cells / 2 else 1 + n * 7 % c.cells end;
reset session_replication_role;
analyze`

const SORTS = {
  distance: 'km, t.public_latitude, t.public_longitude, t.created_at desc, t.id',
  newest: 't.created_at desc, t.id',
  pay: 't.pay_amount desc, t.created_at desc, t.id',
}
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 })
const asked = fc.record({
  at: fc.constantFrom([52.13, -106.67], [50.45, -104.62], [55.1, -105.28], [51.2, -105.5]),
  radius_km: fc.constantFrom(5, 25, 100, 200),
  sort: fc.constantFrom(...(Object.keys(SORTS) as (keyof typeof SORTS)[])),
  query: fc.constantFrom('', '', 'fence', 'trombone', 'saskatoon', 'saskatoon sofa', 'xylophone'),
  category: maybe(fc.constantFrom('Moving', 'Cleaning', 'Moving & Delivery', 'Painting')),
  min_pay: maybe(fc.constantFrom(60, 74, 75)),
  max_pay: maybe(fc.constantFrom(25, 40)),
  first_day: maybe(fc.constantFrom('2031-05-03', '2031-07-08', '2032-01-01')),
  last_day: maybe(fc.constantFrom('2031-05-04', '2031-07-08')),
  max_results: fc.constantFrom(24, 100),
})

const KINDS: Record<string, string> = {
  Moving: `category = 'Moving'`,
  Cleaning: `category = 'Cleaning'`,
  'Moving & Delivery': `category in ('Moving', 'Delivery')`,
  Painting: `text like '%paint%'`,
}

type Asked = typeof asked extends fc.Arbitrary<infer One> ? One : never

const contains = (query: string) =>
  query
    .split(' ')
    .map((word) => `text like '%${word}%'`)
    .join(' and ')

/** By reading every task. */
async function plainList({ at, radius_km, sort, query, category, ...range }: Asked): Promise<string[]> {
  const conditions = [
    `km <= ${radius_km}`,
    contains(query),
    category && KINDS[category],
    range.min_pay && `pay_amount >= ${range.min_pay}`,
    range.max_pay && `pay_amount <= ${range.max_pay}`,
    range.first_day && `day >= '${range.first_day}'`,
    range.last_day && `day <= '${range.last_day}'`,
  ].filter(Boolean)
  const { rows } = await owner(db)(
    `select id from (select *, lower(concat_ws(' ', title, description, category, location)) as text,
       (scheduled_date at time zone 'America/Regina')::date as day,
       private.km_between($1, $2, public_latitude, public_longitude) as km from public.tasks) t
     where ${conditions.join(' and ')} order by ${SORTS[sort]}`,
    [...at],
  )
  return rows.map(({ id }) => id)
}

/** Through the function, page after page. */
async function pagedList({ at: [latitude, longitude], ...options }: Asked, most: number): Promise<string[]> {
  const ids: string[] = []
  for (let after: object | null = null; ids.length < most; ) {
    const named = Object.entries({ latitude, longitude, ...options, after }).filter(
      ([, value]) => value !== undefined,
    )
    const { rows } = await owner(db)(
      `select id, jsonb_build_object('id', id, 'created_at', created_at, 'pay_amount', pay_amount,
         'public_latitude', public_latitude, 'public_longitude', public_longitude) as keys
       from public.nearby_tasks(${named.map(([name], n) => `${name} => $${n + 1}`).join(', ')})`,
      named.map(([, value]) => value),
    )
    ids.push(...rows.map(({ id }) => id))
    if (rows.length < options.max_results) break
    after = rows.at(-1).keys
  }
  return ids.slice(0, most)
}

beforeAll(() => owner(db)(TASKS))

it('lists what a plain query lists, on each page', async () => {
  const seed = isSoak ? Date.now() : 20261121
  let compared = 0
  for (const one of fc.sample(asked, { numRuns: 100, seed })) {
    const most = one.max_results * 3
    const expected = (await plainList(one)).slice(0, most)
    expect({ seed, one, ids: await pagedList(one, most) }).toEqual({ seed, one, ids: expected })
    compared += expected.length
  }
  expect(compared).toBeGreaterThan(500)
})
