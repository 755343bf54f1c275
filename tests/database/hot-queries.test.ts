// The queries that people of the town send most (bench/stage/townspeople.ts): how many functions they call and how large their
// plans are, which takes PostgreSQL's time on a busy machine as on an idle one.
import { beforeAll, describe, expect, it } from 'vitest'
import { postTask } from './lives.ts'
import { cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

beforeAll(async () => {
  for (let nth = 0; nth < 24; nth++) await postTask(db, { giver: nth % 2 ? cast.grace : cast.sam })
  await owner(db)('analyze')
})

type Calls = Record<string, number>

/** How often each function is called by a statement of Grace's. */
function callsOf(sql: string): Promise<Calls> {
  return db.database.transaction(async (client) => {
    const counted = async (): Promise<Calls> => {
      const { rows } = await client.query(
        `select funcname as name, calls::int from pg_stat_xact_user_functions where schemaname = 'private'`,
      )
      return Object.fromEntries(rows.map(({ name, calls }) => [name, calls]))
    }
    await client.query(`set local track_functions = 'all'`)
    await client.query(`select set_config('request.jwt.claims', $1, true)`, [
      JSON.stringify({ sub: cast.grace, role: 'authenticated' }),
    ])
    // The counts of earlier transactions stay for up to a second.
    const before = await counted()
    await client.query('set local role authenticated')
    await client.query(sql)
    await client.query('reset role')
    const calls = Object.entries(await counted()).map(([name, count]) => [name, count - (before[name] ?? 0)])
    return Object.fromEntries(calls.filter(([, count]) => count))
  })
}

const sum = (calls: Calls) => Object.values(calls).reduce((all, one) => all + one, 0)

const tasks = (condition: string, limit: number) =>
  `select t.*, (select row_to_json(giver) from (select id, full_name, rating, avatar_url, total_reviews, bio, is_verified
     from public.public_profiles where id = t.task_giver_id limit 1) giver) as giver
   from public.tasks t where ${condition} order by created_at desc, id limit ${limit}`

describe('a list of open tasks with their givers', () => {
  it('calls a few functions, as many for 24 tasks as for one', async () => {
    const calls = await callsOf(tasks(`status = 'open'`, 24))
    expect(calls).toHaveProperty('counterparts', 1)
    expect(calls).toEqual(await callsOf(tasks(`status = 'open'`, 1)))
    expect(sum(calls)).toBeLessThanOrEqual(10)
  })

  it('has a small plan', async () => {
    const nodes = await db.database.transaction(async (client) => {
      await client.query('set local role authenticated')
      const { rows } = await client.query(`explain (format json) ${tasks(`status = 'open'`, 24)}`)
      return JSON.stringify(rows[0]).match(/"Node Type"/g)?.length
    })
    expect(nodes).toBeLessThanOrEqual(24)
  })
})

it('a list of tasks near a point is read once, and no function is called for each cell', async () => {
  const calls = await callsOf('select * from public.nearby_tasks(52.13, -106.67, 200)')
  expect(calls).toMatchObject({ nearby_task_ids: 1, cells_near: 1 })
  expect(calls).not.toHaveProperty('km_between')
})

it('posting a task calls no function that only a limit, a photo or a date needs', async () => {
  const post = () =>
    callsOf(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, status)
     values ('${cast.grace}', 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 100, 'open')`,
    )
  const calls = await post()
  expect(calls).toHaveProperty('check_at_once', 1)
  for (const name of ['is_admin', 'is_new_account', 'record_task_photos', 'schedule_task_expiry'])
    expect(calls).not.toHaveProperty(name)
  // Seven of them find its place and cell. A plan that is made anew, as after an autovacuum, calls functions as well.
  expect(Math.min(sum(calls), sum(await post()), sum(await post()))).toBeLessThanOrEqual(57)
})
