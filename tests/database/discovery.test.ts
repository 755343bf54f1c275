// Search, recommendation and find-taskers: what they find, in which order, and that nothing else leaks through them.
import { beforeAll, describe, expect, it } from 'vitest'
import { bookingAt } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

beforeAll(async () => {
  const tasks = [
    ['Rake the leaves', 'Big elm, about twelve bags of them.', 'Gardening', 'Yorkton'],
    ['Paint the fence 100% white', 'Two coats, brush and paint are here.', 'Handyman', 'Regina'],
    ['Carry a piano', 'Upright, two steps, to Saskatoon_East.', 'Moving', 'Warman'],
    ['Mend a wardrobe', 'Drywall behind it needs painting as well.', 'Other', 'Regina'],
  ]
  for (const [n, [title, description, category, location]] of tasks.entries()) {
    await owner(db)(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, created_at)
       values ($1, $2, $3, $4, $5, 50, now() - $6 * interval '1 hour')`,
      [cast.grace, title, description, category, location, n],
    )
  }
  await bookingAt(db, 'accepted') // no longer open: never found
})

const found = async (person: string, call: string, values: unknown[] = []) =>
  (await as(db, person)(`select title from public.${call}`, values)).rows.map((row) => row.title)

describe('search', () => {
  it('looks into title, description, category and location, case ignored, newest first', async () => {
    expect(await found('anonymous', `search_tasks('REGINA')`)).toEqual([
      'Paint the fence 100% white',
      'Mend a wardrobe',
    ])
    expect(await found('sam', `search_tasks('paint')`)).toEqual([
      'Paint the fence 100% white',
      'Mend a wardrobe',
    ])
    expect(await found('sam', `search_tasks('gardening')`)).toEqual(['Rake the leaves'])
    expect(await found('sam', `search_tasks('elm')`)).toEqual(['Rake the leaves'])
    expect(await found('sam', `search_tasks(' pi ')`)).toEqual(['Carry a piano'])
    expect(await found('sam', `search_tasks('driveway')`)).toEqual([])
  })

  it('takes %, _ and \\ as they are', async () => {
    expect(await found('sam', `search_tasks('100%')`)).toEqual(['Paint the fence 100% white'])
    expect(await found('sam', `search_tasks('%')`)).toEqual(['Paint the fence 100% white'])
    expect(await found('sam', `search_tasks('n_e')`)).toEqual(['Carry a piano'])
    expect(await found('sam', `search_tasks('\\')`)).toEqual([])
  })

  it('narrows to a category and a number, and gives all that is open without a text', async () => {
    expect(await found('sam', `search_tasks('', 'Moving')`)).toEqual(['Carry a piano'])
    expect(await found('sam', `search_tasks('paint', 'Other')`)).toEqual(['Mend a wardrobe'])
    expect(await found('sam', 'search_tasks()')).toHaveLength(4)
    expect(await found('sam', `search_tasks(max_results => 2)`)).toEqual([
      'Rake the leaves',
      'Paint the fence 100% white',
    ])
    expect(await found('sam', `search_tasks(null, null, -5)`)).toEqual([])
  })
})

describe('recommendation', () => {
  it('adds 10 for a preferred category and 5 for each skill that is named', async () => {
    expect(await found('theo', 'recommended_tasks()')).toEqual([
      'Rake the leaves',
      'Paint the fence 100% white',
      'Carry a piano',
      'Mend a wardrobe',
    ])
    await as(
      db,
      'theo',
    )(
      `update public.profiles set preferred_categories = '{Moving}', skills = '{Drywall,Painting,paint}' where id = auth.uid()`,
    )
    // Wardrobe: drywall, painting and paint 15; piano: preferred 10; fence: paint 5; leaves: 0.
    expect(await found('theo', 'recommended_tasks()')).toEqual([
      'Mend a wardrobe',
      'Carry a piano',
      'Paint the fence 100% white',
      'Rake the leaves',
    ])
    expect(await found('theo', `recommended_tasks('regina')`)).toEqual([
      'Mend a wardrobe',
      'Paint the fence 100% white',
    ])
    expect(await found('theo', `recommended_tasks('', 'Moving')`)).toEqual(['Carry a piano'])
    await expect(as(db, 'anonymous')('select public.recommended_tasks()')).rejects.toThrow(
      /permission denied/,
    )
  })
})

describe('find taskers', () => {
  it('lists verified taskers, best first, by name, skill or bio', async () => {
    const olga = await signUp(db, { name: 'Olga Other', role: 'task_doer' })
    await owner(db)(
      `update public.profiles set is_verified = true, rating = 4.5, skills = '{Snow removal}' where id = $1`,
      [cast.theo],
    )
    await owner(db)(`update public.profiles set is_verified = true, bio = 'Likes snow' where id = $1`, [olga])
    await owner(db)(`update public.profiles set rating = 4.9 where id = $1`, [olga])
    await owner(db)(`update public.profiles set is_verified = true where id = $1`, [cast.grace]) // gives, does not do
    await owner(db)(`update public.profiles set rating = 4.5 where id = $1`, [cast.theo])
    const names = async (query: string) =>
      (await as(db, 'anonymous')('select full_name from public.find_taskers($1)', [query])).rows.map(
        (r) => r.full_name,
      )
    expect(await names('')).toEqual(['Olga Other', 'Theo Tasker'])
    expect(await names('SNOW')).toEqual(['Olga Other', 'Theo Tasker'])
    expect(await names('removal')).toEqual(['Theo Tasker'])
    expect(await names('olga')).toEqual(['Olga Other'])
    expect(await names('grace')).toEqual([])
  })
})
