// Further filters of the search of tasks: kinds, days, counts.
import { beforeAll, describe, expect, it } from 'vitest'
import { taskKinds } from '../../shared/taskKinds.ts'
import { refusal } from './lives.ts'
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
})

const found = async (person: string, call: string, values: unknown[] = []) =>
  (await as(db, person)(`select title from public.${call}`, values)).rows.map((row) => row.title)

describe('search by kind, by day, and counting', () => {
  it('knows the kinds of the categories page as the app does', async () => {
    const { rows } = await owner(db)('select * from private.task_kinds()')
    expect(rows).toEqual(taskKinds)
  })

  it('finds a kind by its categories and by the words that people use for it', async () => {
    expect(await found('anonymous', `search_tasks(category => 'Painting')`)).toEqual([
      'Paint the fence 100% white',
      'Mend a wardrobe',
    ])
    expect(await found('sam', `search_tasks(category => 'Moving & Delivery')`)).toEqual(['Carry a piano'])
    expect(await found('sam', `search_tasks(category => 'Home Repairs')`)).toEqual([
      'Paint the fence 100% white',
      'Mend a wardrobe',
    ])
    expect(await found('sam', `search_tasks('regina', 'Painting', min_pay => 60)`)).toEqual([])
    expect(await found('sam', `search_tasks(category => 'Tutoring')`)).toEqual([])
    // Other names are words.
    expect(await found('sam', `search_tasks(category => 'piano')`)).toEqual(['Carry a piano'])
    expect(await found('sam', `search_tasks(category => $1)`, [`x' or true --`])).toEqual([])
  })

  it('narrows to days of Saskatchewan; what suits at any time has none', async () => {
    await owner(db)(`update public.tasks set scheduled_date = null where status = 'open'`)
    const at = (title: string, time: string) =>
      owner(db)('update public.tasks set scheduled_date = $2 where title = $1', [title, time])
    await at('Rake the leaves', '2031-05-02 05:59Z') // 1 May, 23:59
    await at('Carry a piano', '2031-05-02 06:00Z') // 2 May, 00:00
    expect(await found('sam', `search_tasks(first_day => '2031-05-01', last_day => '2031-05-01')`)).toEqual([
      'Rake the leaves',
    ])
    expect(await found('sam', `search_tasks(first_day => '2031-05-02')`)).toEqual(['Carry a piano'])
    expect(await found('sam', `search_tasks('leaves', last_day => '2031-05-02', sort => 'soonest')`)).toEqual(
      ['Rake the leaves'],
    )
  })

  it('counts what it finds, by the same filters, up to 100', async () => {
    const count = async (call: string) =>
      (await as(db, 'anonymous')(`select public.${call} as n`)).rows.map((row) => row.n)[0]
    expect(await count('count_tasks()')).toBe(4)
    expect(await count(`count_tasks('regina')`)).toBe(2)
    expect(await count(`count_tasks(category => 'Painting', location => 'Regina')`)).toBe(2)
    expect(await count(`count_tasks(first_day => '2031-05-02')`)).toBe(1)
    expect(await count(`count_tasks('nothing like it')`)).toBe(0)
    await db.database.transaction(async (client) => {
      await client.query(`insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
        select '${cast.grace}', 'Walk the dog', 'Every morning, around the lake.', 'Pet Care', 'Regina', 40
        from generate_series(1, 120)`)
      expect((await client.query('select public.count_tasks() as n')).rows).toEqual([{ n: 100 }])
      await client.query('rollback; begin')
    })
  })
})

describe('taskers, narrowed', () => {
  beforeAll(async () => {
    const olga = await signUp(db, { name: 'Olga Other', role: 'task_doer' })
    await owner(db)(`update public.profiles set id_verified = true, rating = 4.9 where id = $1`, [olga])
    await owner(db)(`update public.profiles set id_verified = true, rating = 4.5 where id = $1`, [cast.theo])
  })

  it('narrows to a city, a category, a rate and who is available', async () => {
    await owner(db)(
      `update public.profiles set city = 'Saskatoon', preferred_categories = '{Moving}', hourly_rate = 30
      where id = $1`,
      [cast.theo],
    )
    const names = async (filters: string) =>
      (await as(db, 'anonymous')(`select full_name from public.search_taskers(${filters})`)).rows.map(
        (r) => r.full_name,
      )
    expect(await names(`city => ' saskatoon'`)).toEqual(['Theo T.'])
    expect(await names(`city => 'Regina'`)).toEqual([])
    expect(await names(`category => 'Moving'`)).toEqual(['Theo T.'])
    expect(await names(`category => 'Cleaning'`)).toEqual([])
    // Olga names no rate.
    expect(await names('max_rate => 30')).toEqual(['Theo T.'])
    expect(await names('max_rate => 29.99')).toEqual([])
    await owner(db)(`update public.profiles set availability_status = 'busy' where id = $1`, [cast.theo])
    expect(await names(`availability => 'available'`)).toEqual(['Olga O.'])
    expect(await names(`'theo', availability => 'busy', city => 'SASKATOON', category => 'Moving'`)).toEqual([
      'Theo T.',
    ])
    expect(await refusal(names(`availability => 'asleep'`))).toBe(
      'Availability must be available, busy or unavailable',
    )
    const { rows } = await as(
      db,
      'anonymous',
    )(`select public.count_taskers() as everyone, public.count_taskers(availability => 'busy') as busy`)
    expect(rows).toEqual([{ everyone: 2, busy: 1 }])
  })

  it('lists in the order of find_taskers, page by page', async () => {
    const names = async (call: string) =>
      (await as(db, 'anonymous')(`select full_name from public.${call}`)).rows.map((row) => row.full_name)
    const listed = await names('find_taskers()')
    expect(listed).toHaveLength(2)
    expect(await names('search_taskers()')).toEqual(listed)
    const { rows } = await as(db, 'anonymous')('select id, rating, total_reviews from public.find_taskers()')
    const following = ({ rating, total_reviews: reviews, id }: (typeof rows)[number]) =>
      `after_rating => ${rating}, after_reviews => ${reviews}, after_id => '${id}'`
    for (const search of ['find_taskers', 'search_taskers']) {
      expect(await names(`${search}(max_results => 1)`)).toEqual([listed[0]])
      expect(await names(`${search}(max_results => 1, ${following(rows[0])})`)).toEqual([listed[1]])
      expect(await names(`${search}(${following(rows[1])})`)).toEqual([])
    }
    // Equals follow by their ids, none twice and none left out.
    await owner(db)(`update public.profiles set rating = 4.5, total_reviews = 3 where id = any ($1)`, [
      rows.map(({ id }) => id),
    ])
    const equals = (await as(db, 'anonymous')('select id, rating, total_reviews from public.find_taskers()'))
      .rows
    const rest = await as(db, 'anonymous')(
      `select id from public.search_taskers('o', 5, null, null, null, null, $1, $2, $3)`,
      [equals[0].rating, equals[0].total_reviews, equals[0].id],
    )
    expect(rest.rows).toEqual([{ id: equals[1].id }])
    expect(await refusal(names(`search_taskers(after_id => '${rows[0].id}')`))).toBe(
      "The last tasker's rating, number of reviews and id are given together",
    )
    await owner(db)(`update public.profiles set id_verified = false where id = $1`, [cast.theo])
    expect(await names(`search_taskers(city => 'Saskatoon')`)).toEqual([])
  })
})
