// The counts of the categories page: kept sums say what counting says, whatever happens to tasks and whenever the clock sums them.
import { expect, it } from 'vitest'
import { taskKinds } from '../../shared/taskKinds.ts'
import { apply, move } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })
const sql = async (text: string, values: unknown[] = []) => (await owner(db)(text, values)).rows

/** Posts a task as Grace, or as `giver`; returns its id. */
async function post(title: string, category: string, giver: string = cast.grace): Promise<string> {
  const { rows } = await as(db, giver)(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, status)
    values ($1, $2, 'Some time this week, if you can.', $3, 'Regina', 50, 'open') returning id`,
    [giver, title, category],
  )
  return rows[0].id
}

const counts = async () =>
  Object.fromEntries(
    (await as(db, 'anonymous')('select * from public.task_kind_counts()')).rows.map((r) => [r.name, r.count]),
  )

/** The counts, after checking that a count of all tasks gives the same. */
async function trueCounts() {
  const kept = await counts()
  const counted: Record<string, number> = {}
  for (const { name, categories, words } of taskKinds) {
    const [row] = await sql(
      `select count(*)::int as n from public.tasks where status = 'open' and hidden_for is null and (category = any ($1)
        or concat_ws(E'\\n', title, description, category, location) ilike any ($2))`,
      [categories, words.map((word) => `%${word}%`)],
    )
    counted[name] = row.n
  }
  expect(kept).toEqual(counted)
  return kept
}

it('are true after tasks are posted, edited, taken, cancelled, hidden, shown again and deleted', async () => {
  const change = (id: string, set: string) =>
    as(db, 'grace')(`update public.tasks set ${set} where id = $1`, [id])
  const fence = await post('PAINT the fence and the yard', 'Handyman')
  const dog = await post('Walk the dog', 'Pet Care')
  const photos = await post('Photos of a computer', 'Other', cast.sam)
  await post('Something else', 'Other')
  expect(await trueCounts()).toMatchObject({
    Painting: 1,
    'Home Repairs': 1,
    'Outdoor Help': 1,
    'Pet Care': 1,
    Photography: 1,
    'Tech Support': 1,
    Tutoring: 0,
  })
  await sql('select private.sum_figures()')
  expect(await sql('select * from private.kind_changes')).toEqual([])

  await change(fence, `title = 'Repair the fence', description = 'Then a math lesson, an hour of it.'`)
  await change(dog, `category = 'Cleaning'`)
  await change(dog, `pay_amount = 60`)
  expect(await trueCounts()).toMatchObject({ Painting: 0, 'Home Repairs': 1, Tutoring: 1, Cleaning: 1 })

  await as(db, 'ada')(`select public.suspend_person($1, 'Spam')`, [cast.sam])
  expect(await trueCounts()).toMatchObject({ Photography: 0, 'Tech Support': 0 })
  await sql('select private.sum_figures()')
  expect(await trueCounts()).toMatchObject({ Photography: 0, Tutoring: 1 })
  await sql('update public.tasks set hidden_for = null where id = $1', [photos])
  expect(await trueCounts()).toMatchObject({ Photography: 1, 'Tech Support': 1 })

  await change(dog, `status = 'cancelled'`)
  expect(await trueCounts()).toMatchObject({ Cleaning: 0, 'Pet Care': 0 })
  await sql(`update public.profiles set is_verified = true, id_verified = true where id = $1`, [cast.theo])
  await move(db, await apply(db, fence), cast.grace, 'accepted')
  expect(await trueCounts()).toMatchObject({ 'Home Repairs': 0, Tutoring: 0 })
  await sql('delete from public.tasks where id = $1', [photos])
  expect(Object.values(await trueCounts()).every((n) => n === 0)).toBe(true)
  await sql('select private.sum_figures()')
  await trueCounts()
})

it('go on beyond a page, and are counted anew after triggers were off', async () => {
  await sql(`set session_replication_role = replica;
    insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
    select '${cast.grace}', 'Walk the dog', 'Every morning, around the lake.', 'Pet Care', 'Regina', 40 from generate_series(1, 120);
    reset session_replication_role`)
  expect(await counts()).toMatchObject({ 'Pet Care': 0 })
  await sql('select private.rebuild_figures()')
  expect(await trueCounts()).toMatchObject({ 'Pet Care': 120 })
})

it('are the same while tasks are posted and two clocks sum at once', async () => {
  await post('Paint the hall', 'Other')
  const [first, second] = [await db.database.pool.connect(), await db.database.pool.connect()]
  try {
    await first.query('begin; select private.sum_figures()')
    const waiting = second.query('select private.sum_figures()')
    // Appends a row: it waits for neither.
    await post('Paint the shed', 'Other')
    expect(await trueCounts()).toMatchObject({ Painting: 2 })
    await first.query('commit')
    await waiting
  } finally {
    first.release()
    second.release()
  }
  expect(await trueCounts()).toMatchObject({ Painting: 2 })
})
