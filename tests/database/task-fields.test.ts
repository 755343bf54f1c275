// The lists of a task's fields in supabase/schemas are complete: whose change a notice names, what is erased with an account, and
// whose change has the rules checked.
import { expect, it } from 'vitest'
import { postTask } from './lives.ts'
import { cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

/** Their change is not in the notice of changes: a status has separate notices. */
const UNNAMED = ['photos', 'status']
/** Bookings and receipts show the title; a category is one of a list. */
const KEPT = ['category', 'title']

/** The columns of a task that its giver may change. */
const columns = async (type = '%') => {
  const { rows } = await owner(db)(
    `select c.column_name as name from information_schema.columns c
     where c.table_schema = 'public' and c.table_name = 'tasks' and c.data_type like $1
       and has_column_privilege('authenticated', 'public.tasks', c.column_name, 'update')`,
    [type],
  )
  return rows.map(({ name }) => String(name)).sort()
}

it('the change of every field has a name', async () => {
  const { rows } = await owner(db)('select distinct unnest(columns) as name from private.task_changes()')
  expect([...rows.map(({ name }) => name), ...UNNAMED].sort()).toEqual(await columns())
})

it('every text is erased with the account of its giver', async () => {
  const task = await postTask(db)
  const texts = (await columns('text')).filter((name) => !KEPT.includes(name))
  const words = 'Ring twice and ask for Grace.'
  await owner(db)(`update public.tasks set ${texts.map((name) => `${name} = $2`).join(', ')} where id = $1`, [
    task,
    words,
  ])
  await owner(db)('select private.erase_task_texts($1)', [cast.grace])
  const { rows } = await owner(db)(`select ${texts.join(', ')} from public.tasks where id = $1`, [task])
  expect(texts.filter((name) => rows[0][name] === words)).toEqual([])
})

it('the change of every field has the rules checked, and that of the status has not', async () => {
  const task = await postTask(db)
  const { rows } = await owner(db)(
    `select name, private.is_edited(jsonb_populate_record(t, jsonb_build_object(name, case
       when kind = 'ARRAY' then '["a.jpg"]' when kind = 'timestamp with time zone' then '"2030-01-01"'
       when kind = 'boolean' then (not (to_jsonb(t) ->> name)::boolean)::text when kind = 'text' then '"Other"' else '7' end::jsonb)), t) as edited
     from public.tasks t, (select column_name::text as name, data_type as kind from information_schema.columns
       where table_schema = 'public' and table_name = 'tasks' and column_name = any ($2)) fields where t.id = $1`,
    [task, (await columns()).filter((name) => name !== 'status')],
  )
  expect(rows.filter(({ edited }) => !edited)).toEqual([])
  expect(rows.length).toBeGreaterThan(9)
  const { rows: moved } = await owner(db)(
    `select private.is_edited(jsonb_populate_record(t, '{"status": "assigned"}'), t) as edited from public.tasks t where id = $1`,
    [task],
  )
  expect(moved).toEqual([{ edited: false }])
})
