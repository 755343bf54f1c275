// The rows that figures are taken over: givers and their open tasks, and verified taskers, made by SQL alone.

import { preparePlatform } from '@meadowlark/server/start/platform-schema.ts'
import type { Stage } from '../../packages/server/bench/stage/stage.ts'
import { DATABASE_PLUGINS } from '../../plugins/index.ts'
import { repositoryFile } from '../../plugins/repository.ts'

/** Makes `database` with the platform and all migrations, as the server's first start does, and no demo. */
export async function makeDatabase(stage: Stage, database: string): Promise<void> {
  const cluster = await stage.postgres()
  await stage.sql('postgres', `create database ${database}`)
  await preparePlatform(cluster.url(database), {
    project: repositoryFile('supabase'),
    plugins: DATABASE_PLUGINS,
    seed: [],
  })
}

const PEOPLE = `
insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
  'grace+' || n || '@example.com', now(), '{"provider":"email","providers":["email"]}',
  json_build_object('full_name', 'Grace ' || n, 'role', 'task_giver'), now(), now()
from generate_series(1, $1::int) n`

const TASKS = `
insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, created_at)
select (array(select id from public.profiles order by id))[1 + n % (select count(*) from public.profiles)],
  'Shovel the walk of house ' || n, 'Front walk, steps and the path to the garage. About an hour of work, number ' || n,
  (array['Snow Removal', 'Cleaning', 'Moving', 'Delivery', 'Handyman', 'Gardening', 'Pet Care', 'Other'])[1 + n % 8],
  (array['Saskatoon', 'Regina', 'Prince Albert', 'Moose Jaw'])[1 + n % 4], 25 + n % 200,
  now() - n * interval '1 minute'
from generate_series(1, $1::int) n`

const TASKERS = `
with made as (
  insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, raw_app_meta_data,
    raw_user_meta_data, created_at, updated_at)
  select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
    'theo+' || n || '@example.com', now(), '{"provider":"email","providers":["email"]}',
    json_build_object('full_name', 'Theo ' || chr(65 + n % 26) || n, 'role', 'task_doer'), now(), now()
  from generate_series(1, $1::int) n
  returning id
)
select count(*) from made`

const PROFILES = `
update private.profiles set id_verified = true, city = (array['Saskatoon', 'Regina', 'Prince Albert', 'Moose Jaw'])[1 + n % 4],
  bio = 'A blower, two shovels and a van that starts at forty below. Fences and small repairs in summer.', hourly_rate = 20 + n % 20,
  skills = array['Snow removal', 'Hauling', 'Fence repair', 'Lawn care'], preferred_categories = array['Snow Removal', 'Moving']
from (select id, (row_number() over (order by id))::int as n from private.profiles where role = 'task_doer') tasker
where tasker.id = profiles.id`

/** Fills this many verified taskers in. */
export async function fillTaskers(stage: Stage, database: string, taskers: number): Promise<void> {
  await stage.sql(database, TASKERS, [taskers])
  await stage.sql(database, PROFILES)
  await stage.sql(database, 'vacuum analyze')
}

/** Fills `people` givers and `tasks` open tasks in, and lifts what limits a person; resolves with the id of one of the givers. */
export async function fillTasks(
  stage: Stage,
  database: string,
  { people, tasks }: { people: number; tasks: number },
): Promise<string> {
  await stage.sql(database, PEOPLE, [people])
  await stage.sql(database, TASKS, [tasks])
  // The load exceeds every limit. Actions are still counted, so their cost is measured.
  await stage.sql(
    database,
    `update private.activity_limits set per_hour = null, per_day = null, at_once = null,
       new_per_hour = null, new_per_day = null, new_at_once = null`,
  )
  await stage.sql(database, 'vacuum analyze')
  const [giver] = await stage.sql<{ id: string }>(
    database,
    'select id from public.profiles order by id limit 1',
  )
  return (giver as { id: string }).id
}
