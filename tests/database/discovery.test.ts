// Search, recommendation and find-taskers: what they find, in which order, and that nothing else leaks through them.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { searchText } from '../../shared/searchText.ts'
import { apply, bookingAt, move, postTask, refusal } from './lives.ts'
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

describe('search by several words', () => {
  it('wants every word, wherever it is; a quoted phrase is one word', async () => {
    expect(await found('sam', `search_tasks('regina paint')`)).toEqual([
      'Paint the fence 100% white',
      'Mend a wardrobe',
    ])
    expect(await found('sam', `search_tasks('wardrobe  DRYWALL other')`)).toEqual(['Mend a wardrobe'])
    expect(await found('sam', `search_tasks('wardrobe fence')`)).toEqual([])
    expect(await found('sam', `search_tasks('"two coats" regina')`)).toEqual(['Paint the fence 100% white'])
    expect(await found('sam', `search_tasks('"coats two"')`)).toEqual([])
    expect(await found('sam', `search_tasks('"two')`)).toEqual([])
    expect(await found('sam', `search_tasks('white handyman')`)).toHaveLength(1)
    expect(await found('sam', `search_tasks('whiteTwo')`)).toEqual([])
  })

  it('narrows to a place and to a range of pay', async () => {
    await owner(db)(`update public.tasks set pay_amount = 80 where title = 'Mend a wardrobe'`)
    expect(await found('sam', `search_tasks(location => 'regi')`)).toHaveLength(2)
    expect(await found('sam', `search_tasks('paint', location => 'Regina', min_pay => 60)`)).toEqual([
      'Mend a wardrobe',
    ])
    expect(await found('sam', `search_tasks(min_pay => 50, max_pay => 79.99)`)).toHaveLength(3)
    expect(await found('sam', `search_tasks('piano', location => 'Regina')`)).toEqual([])
  })

  it('sorts by date of posting, by pay, by date of the work, a page at a time', async () => {
    await owner(db)(
      `update public.tasks set scheduled_date = now() + interval '2 days' where title = 'Carry a piano'`,
    )
    await owner(db)(
      `update public.tasks set scheduled_date = now() + interval '1 day' where title = 'Rake the leaves'`,
    )
    const all = await found('sam', 'search_tasks()')
    expect(await found('sam', `search_tasks(sort => 'pay')`)).toEqual(['Mend a wardrobe', ...all.slice(0, 3)])
    expect(await found('sam', `search_tasks(sort => 'soonest')`)).toEqual([
      'Rake the leaves',
      'Carry a piano',
      'Paint the fence 100% white',
      'Mend a wardrobe',
    ])
    for (const query of ['', 'e']) {
      const pages = await Promise.all(
        [0, 2, 4].map((skip) =>
          found('sam', `search_tasks($1, max_results => 2, skip => $2)`, [query, skip]),
        ),
      )
      expect(pages).toEqual([all.slice(0, 2), all.slice(2), []])
    }
    expect(await refusal(found('sam', `search_tasks(sort => 'random()')`))).toBe(
      'Sort must be newest, pay or soonest',
    )
    expect(await refusal(found('sam', `search_tasks(sort => null)`))).toMatch(/Sort must be/)
  })

  it('finds what a reader would find, whatever is typed', async () => {
    const { rows: open } = await owner(db)(
      `select * from public.tasks where status = 'open' order by created_at desc, id`,
    )
    const texts = open.map((t) => [t.title, t.description, t.category, t.location].map(searchText))
    const letters = 'paintregio %_\\\'"\n()[]é'
    const word = fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(word, fc.constantFrom('paint', 'the', 'regina', 'a')), { maxLength: 4 }),
        async (typed) => {
          const query = typed.join(' ').replaceAll('"', '')
          const words = query.split(/\s+/).filter(Boolean).slice(0, 8).map(searchText)
          const expected = open.filter((_, n) =>
            words.every((w) => texts[n]?.some((text) => text.includes(w))),
          )
          expect(await found('sam', 'search_tasks($1)', [query])).toEqual(expected.map((t) => t.title))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('takes the first taskers in order where a word is everybody’s, and does not sort them all', async () => {
    const client = await db.database.pool.connect()
    try {
      await client.query('begin')
      await client.query('set local session_replication_role = replica')
      await client.query(`insert into private.profiles (id, full_name, roles, id_verified, rating, skills)
        select gen_random_uuid(), 'Tasker ' || n, '{task_doer}', true, n % 500 / 100.0, '{Drywall}' from generate_series(1, 3000) n`)
      await client.query('analyze private.profiles')
      const { rows } = await client.query(`explain select id from private.listed_taskers p
        where private.tasker_text(p.full_name, p.skills, p.bio) ilike '%drywall%' order by rating desc, total_reviews desc, id limit 24`)
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toContain('using profiles_taskers on')
      expect(plan).not.toContain('Sort')
    } finally {
      await client.query('rollback')
      client.release()
    }
  })

  it('reads the trigram index for what is rare, and that of people', async () => {
    const client = await db.database.pool.connect()
    try {
      await client.query('begin')
      // On so few rows the planner would rather read them all.
      await client.query('set local enable_seqscan = off')
      await client.query('set local enable_indexscan = off')
      await client.query(`drop index public.tasks_open_newest, public.tasks_open_category, public.tasks_open_pay,
        public.tasks_open_soonest, public.tasks_open_of_giver, public.tasks_overdue, public.tasks_open_nearest,
        public.tasks_open_nearest_pay, public.tasks_open_of_place, private.profiles_taskers`)
      const plan = async (text: string) =>
        (await client.query(`explain ${text}`)).rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(await plan(`select id from private.open_tasks where words ilike '%zamboni%'`)).toContain(
        'tasks_open_text',
      )
      expect(
        await plan(`select id from private.profiles p where p.id_verified and 'task_doer' = any (p.roles)
        and private.tasker_text(p.full_name, p.skills, p.bio) ilike '%zamboni%'`),
      ).toContain('profiles_taskers_text')
    } finally {
      await client.query('rollback')
      client.release()
    }
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

describe('the recommendation’s score', () => {
  /** The title that comes first of two tasks: the older named by `older`, the newer by `newer`. */
  async function first(older: [title: string, category: string], newer: [title: string, category: string]) {
    return db.database.transaction(async (client) => {
      await client.query('delete from public.tasks')
      for (const [n, [title, category]] of [older, newer].entries()) {
        await client.query(
          `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, created_at)
           values ($1, $2, 'Whatever the title says, nothing else.', $3, 'Regina', 40, now() - $4 * interval '1 hour')`,
          [cast.grace, title, category, 2 - n],
        )
      }
      await client.query(
        `update public.profiles set preferred_categories = '{Moving}', skills = '{one,two,three}' where id = $1`,
        [cast.theo],
      )
      await client.query(`set local role authenticated`)
      const claims = JSON.stringify({ role: 'authenticated', sub: cast.theo })
      await client.query(`select set_config('request.jwt.claims', $1, true)`, [claims])
      const { rows } = await client.query('select title from public.recommended_tasks()')
      await client.query('rollback; begin')
      return rows.map((row) => row.title)[0]
    })
  }

  it('weighs a preferred category as much as two skills, more than one, less than three', async () => {
    const preferred = 'Carry it over'
    expect(await first([preferred, 'Moving'], ['Just one of them', 'Other'])).toBe(preferred)
    // As much: the newer comes first, whichever it is.
    expect(await first([preferred, 'Moving'], ['Just one, two of them', 'Other'])).toBe(
      'Just one, two of them',
    )
    expect(await first(['Just one, two of them', 'Other'], [preferred, 'Moving'])).toBe(preferred)
    expect(await first(['All one, two, three', 'Other'], [preferred, 'Moving'])).toBe('All one, two, three')
    expect(await first(['Just one of them', 'Moving'], ['Just one, two of them', 'Other'])).toBe(
      'Just one of them',
    )
  })
})

describe('the score of a task', () => {
  const task = { title: 'Walk a dog', category: 'Other', description: 'Nothing that the title does not say.' }
  const cases: [string, Partial<typeof task>, number][] = [
    ['nothing that was named', {}, 0],
    ['a preferred category', { category: 'Handyman' }, 10],
    ['a skill in the title, case ignored', { title: 'DRYWALL in the basement' }, 5],
    ['two skills in the description', { description: 'Some tiling, then drywall, all in a week.' }, 10],
    ['a skill that is named twice', { title: 'drywall, and drywall again', category: 'Handyman' }, 15],
  ]

  it.each(cases)('counts %s', async (_what, change, score) => {
    await owner(db)(
      `update public.profiles set preferred_categories = '{Handyman}', skills = '{Drywall," tiling ",""}' where id = $1`,
      [cast.theo],
    )
    const { title, category, description } = { ...task, ...change }
    const { rows } = await as(db, 'theo')(
      `select public.recommendation_score(jsonb_populate_record(null::public.tasks, $1))`,
      [{ title, category, description }],
    )
    expect(rows).toEqual([{ recommendation_score: score }])
  })

  it('is 0 for people who have named nothing, and hidden from strangers', async () => {
    const asked = 'select public.recommendation_score(jsonb_populate_record(null::public.tasks, $1))'
    expect((await as(db, 'sam')(asked, [task])).rows).toEqual([{ recommendation_score: 0 }])
    await expect(as(db, 'anonymous')(asked, [task])).rejects.toThrow(/permission denied/)
  })
})

describe('the number of applications for a task', () => {
  const counted = async (person: string, id: string) =>
    (await as(db, person)('select public.applications_count(t) as n from public.tasks t where id = $1', [id]))
      .rows[0]?.n

  it('is of those that wait for an answer, and read by anybody', async () => {
    const taskId = await postTask(db)
    expect(await counted('anonymous', taskId)).toBe(0)
    const theos = await apply(db, taskId)
    const other = await apply(db, taskId, await signUp(db, { name: 'Una Other', role: 'task_doer' }))
    for (const person of ['anonymous', 'sam', 'theo', 'grace', 'ada'])
      expect(await counted(person, taskId)).toBe(2)
    await move(db, other, cast.grace, 'rejected')
    expect(await counted('anonymous', taskId)).toBe(1)
    await owner(db)(`update public.tasks set hidden_for = 'report' where id = $1`, [taskId])
    expect(await counted('grace', taskId)).toBe(0)
    await owner(db)('update public.tasks set hidden_for = null where id = $1', [taskId])
    await move(db, theos, cast.theo, 'cancelled')
    expect(await counted('anonymous', taskId)).toBe(0)
  })
})

describe('find taskers', () => {
  it('lists verified taskers, best first, by name, skill or bio', async () => {
    const olga = await signUp(db, { name: 'Olga Other', role: 'task_doer' })
    await signUp(db, { name: 'Vera Verified-Not', role: 'task_doer' })
    const nameless = await signUp(db, { name: 'No Name', role: 'task_doer' })
    await owner(db)(
      `update public.profiles set id_verified = true, full_name = null, deleted_at = now() where id = $1`,
      [nameless],
    )
    await owner(db)(
      `update public.profiles set id_verified = true, rating = 4.5, skills = '{Snow removal}' where id = $1`,
      [cast.theo],
    )
    await owner(db)(`update public.profiles set id_verified = true, bio = 'Likes snow' where id = $1`, [olga])
    await owner(db)(`update public.profiles set rating = 4.9 where id = $1`, [olga])
    await owner(db)(`update public.profiles set id_verified = true where id = $1`, [cast.grace]) // gives, does not do
    await owner(db)(`update public.profiles set rating = 4.5 where id = $1`, [cast.theo])
    const names = async (query: string) =>
      (await as(db, 'anonymous')('select full_name from public.find_taskers($1)', [query])).rows.map(
        (r) => r.full_name,
      )
    expect(await names('')).toEqual(['Olga O.', 'Theo T.'])
    expect(await names('SNOW')).toEqual(['Olga O.', 'Theo T.'])
    expect(await names('removal')).toEqual(['Theo T.'])
    expect(await names('olga')).toEqual(['Olga O.'])
    expect(await names('grace')).toEqual([])
    await as(db, 'theo')(`update public.profiles set bio = 'Rakes, too' where id = $1`, [cast.theo])
    expect(await names('rakes')).toEqual(['Theo T.'])
  })
})
