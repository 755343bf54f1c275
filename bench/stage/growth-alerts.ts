// Ten thousand saved searches, and the cost that they add to posting a task.

import pg from 'pg'
import { type Figure, median } from '../../packages/server/bench/stage/figure.ts'
import type { Stage } from '../../packages/server/bench/stage/stage.ts'
import { GRACE } from './growth-rows.ts'

/** The first word of each figure. */
export const ALERTS = 'alerts'

const TRIES = 15
const BOUND_MS = 50

/** Some are in the task below, some share three letters with it, some are in no task or have no three Latin letters. */
const WORDS = [
  ...['snow', 'driveway', 'walk', 'shovel', 'sidewalk', 'steps', 'ice', 'garage', 'car', 'sand'],
  ...['sofa', 'couch', 'piano', 'drywall', 'fence', 'lawn', 'hedge', 'gutter', 'furnace', 'shelf'],
  ...['dog', 'cat', 'grocery', 'laptop', 'printer', 'tv', 'wi-fi', 'déménagement', 'яблоко', 'walker'],
  ...['"two cars"', '"snow removal"', 'snow driveway', 'paint fence', 'move couch', 'clean oven', 'window'],
]

const PEOPLE = `
insert into private.profiles (id, full_name, email, roles)
select md5('searcher ' || n)::uuid, 'Searcher ' || n, 'searcher' || n || '@example.com', '{task_doer}' from generate_series(0, 1999) n`

/**
 * Five each, saved through the triggers. The remainders mix each part of a search with each of the others. Plans made while the
 * table is empty would read all of it for each row.
 */
const SEARCHES = `set enable_seqscan = off;
insert into public.saved_searches (user_id, words, category, location, place_id, radius_km, min_pay, max_pay, first_day, last_day, pace)
select md5('searcher ' || n % 2000)::uuid,
  case when n % 5 < 4 then words[1 + n % cardinality(words)] else '' end,
  case when n % 7 < 3 then kinds[1 + n % cardinality(kinds)] end,
  case when n % 4 = 0 then cities[1 + n / 4 % cardinality(cities)] else '' end,
  case when n % 4 > 1 then places[1 + n % cardinality(places)] end,
  case when n % 4 > 1 then (array[5, 25, 50, 100, 200])[1 + n / 4 % 5] end,
  20 + n % 101, case when n % 6 = 0 then 200 + n % 89 end,
  case when n % 9 = 0 then '2031-05-01'::date + n % 20 end, case when n % 9 = 0 then '2031-05-21'::date + n % 20 end,
  case when n % 3 = 0 then 'daily' else 'at_once' end::public.alert_pace
from generate_series(0, 9999) n,
  (select array_agg(id order by id) || array_fill('saskatoon'::text, array[60]) || array_fill('regina'::text, array[60]) as places
    from public.places) p,
  (select array_agg(name order by name) as kinds from private.task_kinds()) k,
  (select array['Regina', 'Saskatoon', 'Saskatoon', 'Prince', 'Moose Jaw', 'Nutana'] as cities, array[${WORDS.map(pg.escapeLiteral)}] as words) c`

const TASK = `
insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date)
values ('${GRACE}', 'Clear the driveway', $1, 'Snow Removal', 'Nutana, Saskatoon', 90, '2031-05-12 18:00Z') returning id`

const TEXT = `Two cars wide, and the walk to the door. The plow leaves a ridge at the end, which is the hard part.
Please bring a shovel; sand for the steps is in the garage. About an hour, any time before noon. `
/** As long as a description can be. */
const LONGEST = TEXT.repeat(26).slice(0, 5000)

/** Measures posting without saved searches, then saves ten thousand and measures again. Each task is undone. */
export async function* measureAlerts(
  stage: Stage,
  database: string,
  client: pg.Client,
): AsyncGenerator<Figure> {
  const without = await medianOf(client, posting)
  stage.log('saving 10,000 searches')
  await stage.sql(database, PEOPLE)
  await stage.sql(database, SEARCHES)
  await stage.sql(database, 'vacuum analyze public.saved_searches')
  for (const [length, text] of [
    ['', TEXT],
    [' with the longest text', LONGEST],
  ] as const)
    yield {
      name: `${ALERTS}, a new task${length} meets 10,000 saved searches`,
      ours: await medianOf(client, () => alerting(client, text)),
      against: 'limit',
      theirs: BOUND_MS,
      unit: 'ms',
      bound: { atMost: 1 },
    }
  yield {
    name: `${ALERTS}, posting while 10,000 searches are saved`,
    ours: await medianOf(client, posting),
    against: 'without saved searches',
    theirs: without,
    unit: 'ms',
  }
}

/** Milliseconds of the middle try; two go before. */
async function medianOf(client: pg.Client, attempt: (client: pg.Client) => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let n = -2; n < TRIES; n++) {
    await client.query('begin')
    const took = await attempt(client)
    await client.query('rollback')
    if (n >= 0) times.push(took)
  }
  return median(times)
}

async function posting(client: pg.Client): Promise<number> {
  const began = performance.now()
  await client.query(TASK, [TEXT])
  return performance.now() - began
}

/** Of what a new task does only the alerts. */
async function alerting(client: pg.Client, text: string): Promise<number> {
  await client.query('set local session_replication_role = replica')
  const { rows } = await client.query(TASK, [text])
  await client.query(
    `update public.tasks set (place_id, public_latitude, public_longitude) = (select 'saskatoon-nutana', latitude, longitude
      from private.public_point_of(null, 'saskatoon-nutana')) where id = $1`,
    [rows[0].id],
  )
  await client.query('set local session_replication_role = origin')
  const began = performance.now()
  await client.query('select private.alert_searchers(t) from public.tasks t where id = $1', [rows[0].id])
  return performance.now() - began
}
