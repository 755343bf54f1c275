// Searching for taskers who are free, page by page.
import { expect, it } from 'vitest'
import { list } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

it('The search for free taskers finds one behind hundreds who are better rated and not free, up to the two thousandth', async () => {
  await list(db)
  const week = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, starts: '00:00', ends: '24:00' }))
  await as(db, 'theo')(`select public.save_hours($1, 'America/Regina', 0, false, true)`, [
    JSON.stringify(week),
  ])
  await owner(db)(`update private.profiles set rating = 1 where id = $1`, [cast.theo])
  const ahead = (count: number) =>
    owner(db)(
      `set local session_replication_role = replica;
         insert into private.profiles (id, full_name, email, role, roles, id_verified, rating)
         select md5('ahead ' || n)::uuid, 'Tasker ' || n, 'ahead' || n || '@example.com', 'task_doer', '{task_doer}', true, 4
         from generate_series(1, ${count}) n on conflict do nothing`,
    )
  const at = `now() + interval '3 days'`
  const found = async () =>
    (await owner(db)(`select id from public.search_taskers(free_at => ${at})`)).rows.map(({ id }) => id)
  const others = (await owner(db)('select count(*)::int as n from private.listed_taskers')).rows[0].n - 1
  for (const [count, expected] of [
    [199, [cast.theo]],
    [200, [cast.theo]],
    [1100, [cast.theo]],
    [1999 - others, [cast.theo]],
    [2000, []],
  ] as const) {
    await ahead(count)
    expect(await found()).toEqual(expected)
  }
  await owner(db)(`delete from private.profiles where email like 'ahead%'`)
})
