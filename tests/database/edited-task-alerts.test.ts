// Alerts of saved searches after a task was changed: people whose searches find it only now.
import { beforeEach, expect, it } from 'vitest'
import { postTask, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const save = async (person: keyof typeof cast, search: object) =>
  expect(await tryInsert(db, person, 'saved_searches', { user_id: cast[person], ...search })).toBe(null)

const edit = (task: string, change: string) =>
  as(db, 'grace')(`update public.tasks set ${change} where id = $1`, [task])

async function alerted(person: keyof typeof cast): Promise<number> {
  while ((await asService(db)('select public.run_scheduled() as done')).rows[0].done > 0);
  const { rows } = await as(
    db,
    person,
  )(`select count(*)::int as n from public.notifications where key = 'search_matched'`)
  return rows[0].n
}

beforeEach(() =>
  owner(db)('update auth.users set email_confirmed_at = now() where email_confirmed_at is null'),
)

it.each([
  [{ words: 'gutters' }, `title = 'Clear the driveway and the gutters'`],
  [{ words: 'gutters' }, `description = 'Two cars wide, and the gutters as well.'`],
  [{ category: 'Gardening' }, `category = 'Gardening'`],
  [{ location: 'Regina' }, `location = 'Lakeview, Regina'`],
  [{ place_id: 'regina', radius_km: 25 }, `location = 'Regina'`],
  [{ min_pay: 150 }, 'pay_amount = 150'],
  [{ last_day: '2031-05-01' }, `scheduled_date = '2031-05-01 12:00-06'`],
])('a change makes the task match %o', async (search, change) => {
  await save('theo', search)
  const task = await postTask(db)
  expect(await alerted('theo')).toBe(0)
  await edit(task, change)
  expect(await alerted('theo')).toBe(1)
})

it('an exact point on the map makes the task match a place near it', async () => {
  await save('theo', { place_id: 'saskatoon-willowgrove', radius_km: 5 })
  const task = await postTask(db)
  expect(await alerted('theo')).toBe(0)
  await tryInsert(db, 'grace', 'task_points', { task_id: task, latitude: 52.1468, longitude: -106.5547 })
  expect(await alerted('theo')).toBe(1)
})

it('alerts nobody twice, nobody of a hidden or withdrawn task, and nobody who has seen it', async () => {
  await save('theo', { words: 'driveway' })
  await save('sam', { words: 'gutters' })
  const task = await postTask(db)
  expect(await alerted('theo')).toBe(1)
  await as(db, 'sam')('select public.note_seen_task($1)', [task])
  await edit(task, `title = 'Clear the driveway and the gutters'`)
  await edit(task, `title = 'Clear the driveway'`)
  const [hidden, withdrawn] = [await postTask(db), await postTask(db)]
  await owner(db)(
    `update public.tasks set hidden_for = 'report', title = 'Clear the gutters' where id = $1`,
    [hidden],
  )
  await owner(db)(`update public.tasks set status = 'cancelled', title = 'Clear the gutters' where id = $1`, [
    withdrawn,
  ])
  const { rows } = await owner(db)('select task_id from private.task_alerts where person_id = $1', [cast.sam])
  expect(rows).toEqual([{ task_id: task }])
  expect([await alerted('theo'), await alerted('sam')]).toEqual([1, 0])
})

it('searches only after a change of what searches look for', async () => {
  const task = await postTask(db)
  const searched = (change: string) =>
    db.database.transaction(async (client) => {
      await client.query(`set local track_functions = 'all'`)
      const calls = async () =>
        (
          await client.query(
            `select coalesce(sum(calls), 0)::int as n from pg_stat_xact_user_functions where funcname = 'searches_finding'`,
          )
        ).rows[0].n
      const before = await calls()
      await client.query(`update public.tasks set ${change} where id = $1`, [task])
      return (await calls()) - before
    })
  for (const change of [
    `tools_provided = true`,
    `duration_minutes = 60`,
    `title = title`,
    `status = 'cancelled'`,
  ])
    expect(await searched(change), change).toBe(0)
  await owner(db)(`update public.tasks set status = 'open' where id = $1`, [task])
  expect(await searched(`title = 'Clear the walk'`)).toBe(1)
})
