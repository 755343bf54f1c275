// Saved searches: who reads and writes them, which new tasks alert whom, how often, and what a person has seen already.
import { beforeEach, describe, expect, it } from 'vitest'
import { apply, list, postTask, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

type Search = Partial<
  Record<
    | 'words'
    | 'category'
    | 'location'
    | 'place_id'
    | 'first_day'
    | 'last_day'
    | 'pace'
    | 'latitude'
    | 'longitude',
    string
  > &
    Record<'min_pay' | 'max_pay' | 'radius_km', number>
>
const save = (person: keyof typeof cast, search: Search, user: string = cast[person]) =>
  tryInsert(db, person, 'saved_searches', { user_id: user, ...search })

async function runScheduled() {
  while ((await asService(db)('select public.run_scheduled() as done')).rows[0].done > 0);
}
/** Titles and messages of the person's alerts, after everything that is due was done. */
async function alerts(person: keyof typeof cast): Promise<string[]> {
  await runScheduled()
  const { rows } = await as(
    db,
    person,
  )(`select message from public.notifications where key = 'search_matched' order by created_at, id`)
  return rows.map((row) => row.message)
}
/** The daily e-mails that wait to be sent to the person. */
const mailed = async (person: keyof typeof cast) =>
  (
    await owner(db)(
      `select params - 'ids' as params from private.email_events where key = 'searches_matched' and person_id = $1 order by created_at`,
      [cast[person]],
    )
  ).rows.map((row) => row.params)
/** The matches are a day old, so that the hour of the daily e-mail has passed. */
const dayPasses = () =>
  owner(db)(
    `update private.task_alerts set matched_at = matched_at - interval '1 day', sent_at = sent_at - interval '1 day'`,
  )

beforeEach(() =>
  owner(db)('update auth.users set email_confirmed_at = now() where email_confirmed_at is null'),
)

describe('a saved search', () => {
  it('belongs to one person, who reads, changes and removes it', async () => {
    expect(await save('theo', { words: 'driveway' })).toBe(null)
    for (const person of ['grace', 'ada', 'sam'] as const) {
      expect((await as(db, person)('select id from public.saved_searches')).rows).toEqual([])
      expect((await as(db, person)(`update public.saved_searches set pace = 'daily'`)).rowCount).toBe(0)
      expect((await as(db, person)('delete from public.saved_searches')).rowCount).toBe(0)
    }
    await expect(as(db, 'anonymous')('select from public.saved_searches')).rejects.toThrow(
      /permission denied/,
    )
    await expect(as(db, 'theo')(`update public.saved_searches set user_id = $1`, [cast.sam])).rejects.toThrow(
      /permission denied/,
    )
    expect((await as(db, 'theo')(`update public.saved_searches set pace = 'daily'`)).rowCount).toBe(1)
    expect(await save('theo', { words: 'snow' }, cast.sam)).toBe('You can only save searches for yourself')
  })

  it.each<[Search, RegExp]>([
    [{}, /Search for something/],
    [{ words: '   ' }, /Search for something/],
    [{ words: 'a'.repeat(201) }, /200 characters/],
    [{ location: 'a'.repeat(101) }, /100 characters/],
    [{ category: 'Baking' }, /category does not exist/],
    [{ min_pay: -1 }, /lowest pay/],
    [{ min_pay: Number.NaN }, /lowest pay/],
    [{ min_pay: 1_000_000 }, /lowest pay/],
    [{ max_pay: -1 }, /highest pay/],
    [{ max_pay: Number.NaN }, /highest pay/],
    [{ min_pay: 60, max_pay: 59.99 }, /not be below the lowest/],
    [{ first_day: 'infinity' }, /Choose a day/],
    [{ last_day: '100000-01-01' }, /Choose a day/],
    [{ first_day: '2031-05-02', last_day: '2031-05-01' }, /not be before the first/],
    [{ place_id: 'regina' }, /between 5 and 200 km/],
    [{ place_id: 'regina', radius_km: 4 }, /between 5 and 200 km/],
    [{ place_id: 'regina', radius_km: 201 }, /between 5 and 200 km/],
    [{ place_id: 'atlantis', radius_km: 25 }, /Choose a place from the list/],
    [{ radius_km: 25 }, /latitude and a longitude/],
    [{ latitude: '52.13', radius_km: 25 }, /latitude and a longitude/],
    [{ latitude: 'NaN', longitude: '-106.67', radius_km: 25 }, /latitude and a longitude/],
    [{ latitude: '52.13', longitude: 'Infinity', radius_km: 25 }, /latitude and a longitude/],
    [
      { latitude: 'north', longitude: '-106.67', radius_km: 25 },
      /invalid input syntax for type double precision/,
    ],
    [{ latitude: '43.65', longitude: '-79.38', radius_km: 25 }, /outside/i],
    [{ location: 'Regina', place_id: 'regina', radius_km: 25 }, /in a place or near one/],
  ])('is refused with the rule it breaks: %o', async (search, rule) => {
    expect(await save('theo', search)).toMatch(rule)
  })

  it('is saved once, however it is written', async () => {
    expect(await save('theo', { words: 'driveway', location: 'Regina' })).toBe(null)
    expect(await save('theo', { words: ' Drivéway ', location: 'regina', pace: 'daily' })).toBe(
      'You have saved this search already',
    )
    expect(await save('theo', { words: 'driveway' })).toBe(null)
    expect(await save('sam', { words: 'driveway' })).toBe(null)
  })

  it('near a device stores the centre of the cell only, and is the same search from all of the cell', async () => {
    const near = { latitude: '52.1157', longitude: '-106.6571', radius_km: 25 }
    expect(await save('theo', near)).toBe(null)
    const { rows } = await as(
      db,
      'theo',
    )('select latitude, longitude, public.place_name(s) as place from public.saved_searches s')
    const cell = await owner(db)('select * from private.public_point(52.1157, -106.6571)')
    expect(rows).toEqual([{ ...cell.rows[0], place: 'Nutana, Saskatoon' }])
    expect(rows[0].latitude).not.toBe(52.1157)
    expect(await save('theo', { ...near, latitude: '52.1158' })).toBe('You have saved this search already')
    expect(await save('theo', { ...near, radius_km: 50 })).toBe(null)
  })

  it('near a place stays near its point when the place is gone', async () => {
    expect(await save('theo', { place_id: 'saskatoon', radius_km: 25 })).toBe(null)
    await owner(db)(`delete from public.places where id = 'saskatoon'`)
    const { rows } = await as(db, 'theo')('select place_id, radius_km from public.saved_searches')
    expect(rows).toEqual([{ place_id: null, radius_km: 25 }])
    await owner(db)(`update public.places set name = 'Saskatoon' where id = 'warman'`)
    await owner(db)('select private.load_place_names()')
    await postTask(db)
    expect(await alerts('theo')).toHaveLength(1)
  })

  it('follows its place when the place moves', async () => {
    expect(await save('theo', { place_id: 'saskatoon', radius_km: 25 })).toBe(null)
    await owner(db)('update public.saved_searches set latitude = 49')
    await owner(db)('select private.load_places()')
    const { rows } = await as(db, 'theo')('select latitude from public.saved_searches')
    expect(rows).toEqual([{ latitude: expect.closeTo(52.13, 1) }])
  })

  it('is one of twenty at most', async () => {
    for (let nth = 1; nth <= 20; nth++) expect(await save('theo', { words: `word ${nth}` })).toBe(null)
    expect(await save('theo', { words: 'one more' })).toBe(
      'You can save at most 20 searches. Remove one first.',
    )
  })
})

describe('a new task', () => {
  it.each<[Search, boolean]>([
    [{ words: 'driveway' }, true],
    [{ words: 'DRÍVEWAY two' }, true],
    [{ words: 'driveway fence' }, false],
    [{ category: 'Snow Removal' }, true],
    [{ category: 'Cleaning' }, false],
    [{ category: 'Outdoor Help' }, false],
    [{ location: 'saskat' }, true],
    [{ location: 'Regina' }, false],
    [{ min_pay: 100 }, true],
    [{ min_pay: 100.01 }, false],
    [{ words: 'driveway', category: 'Snow Removal', location: 'Saskatoon', min_pay: 25 }, true],
    [{ words: '%' }, false],
    [{ words: '"two cars"' }, true],
    [{ words: '"cars two"' }, false],
  ])('alerts by the rules of the search: %o, %s', async (search, matches) => {
    await save('theo', search)
    await postTask(db)
    // The search itself finds the same.
    const found = await as(db, 'theo')(
      'select id from public.search_tasks($1, $2, location => $3, min_pay => $4)',
      [search.words ?? '', search.category ?? null, search.location ?? null, search.min_pay ?? null],
    )
    expect([found.rows.length > 0, (await alerts('theo')).length > 0]).toEqual([matches, matches])
  })

  it('alerts a person once, however many searches match, and not its giver', async () => {
    await save('theo', { words: 'driveway' })
    await save('theo', { category: 'Snow Removal', pace: 'daily' })
    await save('grace', { words: 'driveway' })
    await postTask(db)
    expect(await alerts('theo')).toEqual([
      '"Clear the driveway" in Saskatoon pays $100.00 and matches a search that you saved.',
    ])
    expect(await alerts('grace')).toEqual([])
    await dayPasses()
    await runScheduled()
    expect(await mailed('theo')).toEqual([])
  })

  it('alerts nobody who has seen it, applied or cannot take it any more', async () => {
    for (const person of ['theo', 'sam'] as const) await save(person, { words: 'driveway' })
    const task = await postTask(db)
    await as(db, 'theo')('select public.note_seen_task($1)', [task])
    expect(await alerts('theo')).toEqual([])
    expect(await alerts('sam')).toHaveLength(1)
    const withdrawn = await postTask(db)
    await as(db, 'grace')(`update public.tasks set status = 'cancelled' where id = $1`, [withdrawn])
    const hidden = await postTask(db)
    await owner(db)(`update public.tasks set hidden_for = 'report' where id = $1`, [hidden])
    await apply(db, await postTask(db))
    expect(await alerts('theo')).toEqual([])
  })

  it('for one tasker alerts others once it is open to everyone, and nobody before', async () => {
    await list(db)
    await save('sam', { words: 'driveway' })
    const { rows } = await as(db, 'grace')(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, status, asked_tasker_id)
       values ($1, 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 60, 'open', $2)
       returning id, status`,
      [cast.grace, cast.theo],
    )
    expect(rows[0].status).toBe('asked')
    expect(await alerts('sam')).toEqual([])
    await as(db, 'theo')('select public.decline_request($1)', [rows[0].id])
    expect(await alerts('sam')).toHaveLength(1)
  })

  it('is one of ten alerts a day at most; the rest come by e-mail the next morning', async () => {
    await save('theo', { words: 'driveway' })
    for (let nth = 1; nth <= 12; nth++) await postTask(db)
    expect(await alerts('theo')).toHaveLength(10)
    expect(await mailed('theo')).toEqual([])
    await dayPasses()
    await runScheduled()
    expect(await mailed('theo')).toEqual([{ number: 2, tasks: '"Clear the driveway", "Clear the driveway"' }])
  })
})

describe('the daily e-mail', () => {
  it('is one, names five tasks, leaves out what was seen, and needs no bell', async () => {
    await save('theo', { words: 'driveway', pace: 'daily' })
    const posted = []
    for (let nth = 1; nth <= 7; nth++) posted.push(await postTask(db))
    await as(db, 'theo')('select public.note_seen_task($1)', [posted[0]])
    await runScheduled()
    expect(await mailed('theo')).toEqual([])
    await dayPasses()
    await runScheduled()
    const five = Array.from({ length: 5 }, () => '"Clear the driveway"').join(', ')
    expect(await mailed('theo')).toEqual([{ number: 6, tasks: five }])
    expect(await alerts('theo')).toEqual([])
  })

  /** The e-mails that are sent now, by their keys and values. */
  const sent = async () => {
    await owner(db)('update private.email_events set due_at = now() where email_id is null')
    const { rows } = await asService(db)('select public.begin_emails(10) as emails')
    return rows[0].emails.flatMap(({ events }: { events: { key: string; params: object }[] }) =>
      events.map(({ key, params }) => ({ key, ...params })),
    )
  }
  const hide = (task: string | undefined) =>
    owner(db)(`update public.tasks set hidden_for = 'report' where id = $1`, [task])

  it('does not name a task that was hidden while it waited or between two tries', async () => {
    await save('theo', { words: 'driveway', pace: 'daily' })
    const tasks = [await postTask(db), await postTask(db), await postTask(db)]
    await dayPasses()
    await runScheduled()
    expect(await mailed('theo')).toMatchObject([{ number: 3 }])
    await hide(tasks[0])
    const one = '"Clear the driveway"'
    expect(await sent()).toEqual([{ key: 'searches_matched', number: 2, tasks: `${one}, ${one}` }])
    const tryAgain = () => owner(db)('update private.emails set taken_until = null')
    await tryAgain()
    await hide(tasks[1])
    expect(await sent()).toEqual([{ key: 'searches_matched', number: 1, tasks: one }])
    await tryAgain()
    await hide(tasks[2])
    expect(await sent()).toEqual([])
  })

  it('is not sent after the search was removed, nor for a task that no longer matches', async () => {
    await save('theo', { words: 'driveway', pace: 'daily' })
    await save('sam', { words: 'driveway', pace: 'daily' })
    const task = await postTask(db)
    await as(db, 'theo')('delete from public.saved_searches')
    await dayPasses()
    await runScheduled()
    expect([await mailed('theo'), await mailed('sam')]).toMatchObject([[], [{ number: 1 }]])
    await as(db, 'grace')(
      `update public.tasks set title = 'Clear the walk', description = $2 where id = $1`,
      [task, 'From the door to the street, every day.'],
    )
    expect(await sent()).toEqual([])
  })

  it('is not sent to a person who turned it off', async () => {
    await save('theo', { words: 'driveway', pace: 'daily' })
    await as(db, 'theo')(
      `insert into public.notification_preferences (user_id, kind, email) values ($1, 'alerts', false)`,
      [cast.theo],
    )
    await postTask(db)
    await dayPasses()
    await runScheduled()
    expect(await mailed('theo')).toEqual([])
  })
})

it('meets ten thousand saved searches in one statement', async () => {
  await owner(db)(
    `with people as (insert into private.profiles (id, full_name)
       select gen_random_uuid(), 'Searcher ' || n from generate_series(1, 500) n returning id)
     insert into public.saved_searches (user_id, words, category, location, min_pay)
     select id, (array['driveway', 'fence paint', 'couch move', 'cat'])[1 + n % 4], case when n % 3 = 0 then 'Cleaning' end,
       case when n % 5 = 0 then 'Regina' else '' end, n * 10 from people, generate_series(1, 20) n`,
  )
  const task = await postTask(db)
  const { rows } = await owner(db)(
    `select count(*)::int from public.saved_searches where matched_words <> '{}'`,
  )
  expect(rows[0].count).toBe(10_000)
  // Each person has a search for a driveway without a condition that fails.
  const matched = await owner(db)('select count(*)::int from private.task_alerts where task_id = $1', [task])
  expect(matched.rows[0].count).toBe(500)
})
