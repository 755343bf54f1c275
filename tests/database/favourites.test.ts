// Favourites: whom a person has saved, read by nobody else; and what a person's badges are in lists.
import { beforeEach, describe, expect, it } from 'vitest'
import { list, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const save = (person: 'grace' | 'sam' | 'theo', tasker: string, user: string = cast[person]) =>
  tryInsert(db, person, 'favourites', { user_id: user, tasker_id: tasker })
const saved = async (person: string) =>
  (await as(db, person)('select tasker_id from public.favourites')).rows.map((row) => row.tasker_id)

beforeEach(() => list(db))

describe('a saved tasker', () => {
  it('is on the own list alone, also for the tasker and for admins', async () => {
    expect(await save('grace', cast.theo)).toBe(null)
    expect(await saved('grace')).toEqual([cast.theo])
    for (const person of ['sam', 'theo', 'ada']) expect(await saved(person)).toEqual([])
    await expect(as(db, 'anonymous')('select from public.favourites')).rejects.toThrow(/permission denied/)
    expect((await as(db, 'sam')('delete from public.favourites')).rowCount).toBe(0)
    await expect(as(db, 'grace')('update public.favourites set created_at = now()')).rejects.toThrow(
      /permission denied/,
    )
    expect((await as(db, 'grace')('delete from public.favourites')).rowCount).toBe(1)
  })

  it('is a tasker, saved for oneself, once', async () => {
    expect(await save('grace', cast.sam)).toBe('Only a tasker can be saved')
    // An id that somebody came by tells nothing of whose it is.
    const unlisted = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    expect(await save('grace', unlisted)).toBe('Only a tasker can be saved')
    expect(await save('theo', cast.theo)).toBe('Only a tasker can be saved')
    expect(await save('grace', cast.theo, cast.sam)).toBe('You can only save taskers for yourself')
    await save('grace', cast.theo)
    expect(await save('grace', cast.theo)).toMatch(/duplicate key/)
  })

  it('is one of 500 at most', async () => {
    await owner(db)(
      `with people as (insert into private.profiles (id, full_name)
         select gen_random_uuid(), 'Tasker ' || n from generate_series(1, 500) n returning id),
       roles as (insert into public.user_roles (user_id, role) select id, 'task_doer' from people)
       select count(*) from people`,
    )
    await owner(db)(
      `insert into public.favourites (user_id, tasker_id)
       select $1, id from private.profiles where full_name like 'Tasker %' limit 500`,
      [cast.grace],
    )
    expect(await save('grace', cast.theo)).toBe('You can save at most 500 taskers. Remove one first.')
    expect(await save('sam', cast.theo)).toBe(null)
  })

  it('is forgotten when either of the two leaves', async () => {
    const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    await list(db, una)
    await save('grace', cast.theo)
    await save('grace', una)
    await save('sam', una)
    await owner(db)('delete from auth.users where id = $1', [una])
    expect([await saved('grace'), await saved('sam')]).toEqual([[cast.theo], []])
    await owner(db)('delete from auth.users where id = $1', [cast.grace])
    expect((await owner(db)('select from public.favourites')).rowCount).toBe(0)
    expect(await save('grace', cast.theo)).not.toBe(null) // with a token that outlives the account
  })
})

it('badges are listed with the other facts of a person, as the view of badges has them', async () => {
  await owner(db)(
    'update private.profiles set completed_tasks = 10, rating = 4.9, total_reviews = 5 where id = $1',
    [cast.theo],
  )
  const { rows } = await as(
    db,
    'anonymous',
  )(
    `select public.earned_badges(f) as badges,
       (select array_agg(badge order by badge) from public.badges where user_id = f.id) as same
     from public.find_taskers() f`,
  )
  expect(rows).toEqual([{ badges: rows[0].same, same: rows[0].same }])
  expect(rows[0].badges).toEqual(expect.arrayContaining(['verified', 'ten_jobs', 'top_rated']))
  const sam = await as(db, 'sam')(
    'select public.earned_badges(p) as badges from public.public_profiles p where id = $1',
    [cast.sam],
  )
  expect(sam.rows).toEqual([{ badges: [] }])
})
