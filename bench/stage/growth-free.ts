// Ten thousand taskers with hours, days that differ and bookings, and the searches for those who are free. Times are of the
// processor of PostgreSQL's connection, so that other work on the machine does not count.
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { type Figure, median } from '../../packages/server/bench/stage/figure.ts'
import type { Stage } from '../../packages/server/bench/stage/stage.ts'
import { people, QUICKLY } from './growth-rows.ts'
import { makeDatabase } from './tasks.ts'

/** The first word of each figure. */
export const FREE = 'free'

const TRIES = 15
const BOUND_MS = 50
const SIZES = [1_000, 10_000]

/**
 * Random weeks of every second person: five of seven days, some with a break at noon, one in twenty by another clock. Five days
 * differ. A booking on every fourth day of the next ninety, and forty that are over. Their tasks are left out: no search reads them.
 */
const hours = `${QUICKLY}
select setseed(0.5);
create temp table worker as select id, row_number() over (order by id) as n from private.profiles where role = 'task_doer';
insert into public.schedule_settings (user_id, time_zone, buffer_minutes)
select id, case when n % 20 = 0 then 'America/Edmonton' else 'America/Regina' end, 15 * (n % 5) from worker;
create temp table workday as select id, n, weekday, (random() * 12)::int * 15 as late from worker, generate_series(1, 7) weekday
where (weekday + n) % 7 > 1;
insert into public.working_hours (user_id, weekday, starts, ends)
select id, weekday, time '07:00' + late * interval '1 minute',
  case when n % 3 = 0 then time '12:00' else time '15:00' + late * interval '1 minute' end from workday;
insert into public.working_hours (user_id, weekday, starts, ends)
select id, weekday, '13:00', '18:00' from workday where n % 3 = 0;
insert into public.hours_exceptions (user_id, day, starts, ends)
select id, current_date + (nth * 12 + n % 12)::int, case when nth % 2 = 0 then time '10:00' end, case when nth % 2 = 0 then time '16:00' end
from worker, generate_series(1, 5) nth;
insert into public.bookings (id, task_id, task_doer_id, task_giver_id, agreed_amount, status, created_at, period)
select gen_random_uuid(), gen_random_uuid(), id, id, 50, case when day < 0 then 'completed' else 'accepted' end::public.booking_status,
  now(), tstzrange(at, at + interval '90 minutes')
from worker, generate_series(-40, 22) day,
  lateral (select date_trunc('day', now()) + (4 * day + n % 4) * interval '1 day' + interval '14 hours' + random() * interval '8 hours') b (at)`

/** Moments of a coming Tuesday and Sunday, which are no holidays, as strangers may not read the list of holidays. */
const MOMENTS = `
select format('%L::timestamptz', (max(day)::date + hour.starts) at time zone 'America/Regina') as at from (
  select distinct on (extract(isodow from day)) extract(isodow from day) as weekday, day
  from generate_series(current_date + 8, current_date + 60, '1 day') day where day::date <> all (private.holidays())
  order by extract(isodow from day), day) days
join (values (1, 2, interval '13:00'), (2, 2, '09:00'), (3, 2, '07:00'), (4, 7, '03:00')) hour (nth, weekday, starts) using (weekday)
group by hour.nth, hour.starts order by hour.nth`

const search = (at: string, minutes: number) =>
  `select * from public.search_taskers(max_results => 60, free_at => ${at}, free_minutes => ${minutes})`

/** `tasker` is an SQL literal, as are the moments. */
function questionsOf([noon = '', morning = '', early = '', night = '']: string[], tasker: string) {
  return {
    'the first page at noon': search(noon, 60),
    'counted at noon': `select public.count_taskers(free_at => ${noon}, free_minutes => 60)`,
    'for a whole day': search(morning, 480),
    'early, when few are': search(early, 60),
    'at night, when nobody is': search(night, 60),
    'next times of one person': `select * from public.free_slots(${tasker}, 60, null, 14)`,
    'a month of one person': `select * from public.free_slots(${tasker}, 60, null, 31)`,
  }
}

export async function* measureFree(stage: Stage): AsyncGenerator<Figure> {
  const cluster = await stage.postgres()
  for (const taskers of SIZES) {
    const database = `free_${taskers}`
    stage.log(`making the hours and bookings of ${taskers.toLocaleString('en')} taskers`)
    await makeDatabase(stage, database)
    await stage.sql(database, people(2 * taskers))
    await stage.sql(database, hours)
    await stage.sql(database, 'vacuum analyze')
    const client = new pg.Client({ connectionString: cluster.url(database) })
    await client.connect()
    stage.onEnd(() => client.end())
    const { rows: moments } = await client.query<{ at: string }>(MOMENTS)
    const questions = questionsOf(
      moments.map(({ at }) => at),
      await someTasker(client),
    )
    for (const [name, sql] of Object.entries(questions))
      yield {
        name: `${FREE}, ${name}, ${taskers.toLocaleString('en')} taskers`,
        ours: await medianOf(client, sql),
        against: 'limit',
        theirs: BOUND_MS,
        unit: 'ms',
        bound: { atMost: 1 },
      }
  }
}

/** One with a break at noon and by the clock of the marketplace. */
async function someTasker(client: pg.Client): Promise<string> {
  const { rows } = await client.query(
    `select s.user_id from public.schedule_settings s join public.working_hours w using (user_id) join private.profiles p on p.id = s.user_id
     where w.ends = '12:00' and s.time_zone = 'America/Regina' and p.visibility = 'public' order by s.user_id limit 1`,
  )
  return pg.escapeLiteral(rows[0].user_id)
}

/** Milliseconds of the processor of the middle try; two go before. Asked as a stranger asks. */
async function medianOf(client: pg.Client, sql: string): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const times: number[] = []
  for (let n = -2; n < TRIES; n++) {
    await client.query('begin; set local role anon')
    const began = processorMs(rows[0].pid)
    await client.query(sql)
    const took = processorMs(rows[0].pid) - began
    await client.query('rollback')
    if (n >= 0) times.push(took)
  }
  return median(times)
}

/** Linux counts a process's time in nanoseconds in the first field; elsewhere the clock on the wall has to do. */
function processorMs(pid: number): number {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/schedstat`, 'utf8'), 10) / 1e6
  } catch {
    return performance.now()
  }
}
