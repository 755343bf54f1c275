// The figures of the marketing pages where they are counted: read by anybody, true as of the last count, and of no single person.
import { expect, it } from 'vitest'
import { bookingAt } from './lives.ts'
import { as, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast({ fresh: true })
const sql = async (text: string, values: unknown[] = []) => (await owner(db)(text, values)).rows
const NONE = { users: null, tasks: null, taskers: null, earnings: null, rating: null }

const figures = async () =>
  (
    await as(
      db,
      'anonymous',
    )(
      `select active_users::int as users, tasks_completed::int as tasks, active_taskers::int as taskers,
        monthly_earnings::int as earnings, rating::float from public.public_figures()`,
    )
  ).rows[0]

it('are rounded down, and none of fewer than ten people', async () => {
  expect(await figures()).toEqual(NONE)
  const rounded = await sql(
    `select n, private.rounded_down(n)::int as shown from unnest(array[0, 9, 9.9, 10, 99, 100, 1287, 2599.99, 10999, 1000000]) n`,
  )
  expect(rounded.map(({ shown }) => shown)).toEqual([
    null,
    null,
    null,
    10,
    99,
    100,
    1200,
    2500,
    10000,
    1000000,
  ])

  for (let number = 0; number < 8; number++) await signUp(db, { name: `Tasker${number}`, role: 'task_doer' })
  await sql('update private.profiles set last_active = now()')
  await bookingAt(db, 'released', { amount: 200 })
  await sql(
    `update public.payments set payout_status = 'sent', released_at = date_trunc('month', now()) - interval '10 days'`,
  )
  await sql('select private.count_public_figures()')
  // Twelve people, nine of them taskers; one job, paid to one of them.
  expect(await figures()).toEqual({ ...NONE, users: 12 })

  await signUp(db, { name: 'Tasker9', role: 'task_doer' })
  await sql(
    `update private.profiles set last_active = case when full_name = 'Theo Tasker' then now() - interval '31 days' else now() end`,
  )
  expect(await figures()).toEqual({ ...NONE, users: 12 })
  await sql('select private.count_public_figures()')
  expect(await figures()).toEqual({ ...NONE, users: 12 })
  await sql('update private.profiles set last_active = now()')
  await sql('select private.count_public_figures()')
  expect(await figures()).toEqual({ ...NONE, users: 13, taskers: 10 })
})

it('a visit reads one row, and nobody writes it or reads it otherwise', async () => {
  const [{ 'QUERY PLAN': plan }] = await sql('explain (format json) select * from private.public_figures')
  expect(JSON.stringify(plan)).toContain('public_figures')
  for (const person of ['anonymous', 'grace', 'ada'] as const) {
    await expect(as(db, person)('select * from private.public_figures')).rejects.toThrow(/permission denied/)
    await expect(as(db, person)('select private.count_public_figures()')).rejects.toThrow(/permission denied/)
  }
  expect(await sql(`select schedule from cron.job where jobname = 'public-figures'`)).toEqual([
    { schedule: '37 9 * * *' },
  ])
})
