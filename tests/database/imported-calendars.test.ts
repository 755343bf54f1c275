// Imported calendars: who adds and reads them, how their busy times take free slots away, and what happens when one cannot be read.
import { beforeEach, describe, expect, it } from 'vitest'
import { apply, list, move, postTask, refusal, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const ADDRESS = 'https://calendar.example/theo.ics'
const add = (
  address: unknown = ADDRESS,
  name: unknown = 'Family',
  person: 'theo' | 'grace' | 'sam' = 'theo',
) => tryInsert(db, person, 'imported_calendars', { user_id: cast[person], name, address })
const calendars = async () =>
  (await owner(db)('select * from public.imported_calendars order by created_at')).rows
const idOf = async () => (await calendars())[0].id as string
const begin = async (most = 10) =>
  (await asService(db)('select * from public.begin_calendar_reads($1)', [most])).rows
const finish = (id: string, busy: [string, string][] | null, etag: string | null = null) =>
  asService(db)('select public.finish_calendar_read($1, $2, $3)', [id, etag, busy && JSON.stringify(busy)])
const fail = (id: string, code = 'unreachable') =>
  asService(db)('select public.fail_calendar_read($1, $2)', [id, code])
const busy = async (person = 'theo') =>
  (await as(db, person)('select * from private.calendar_busy')).rows.length
const queued = async () =>
  (await owner(db)(`select from pgmq.q_effects where message ->> 'function' = 'read-calendars'`)).rows.length

/** In that many days at that hour in Regina. */
const at = (days: number, hour: number) => {
  const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  return new Date(Date.parse(`${day}T00:00:00Z`) + (hour + 6) * 3_600_000).toISOString()
}
const slots = async (days: number) =>
  (
    await as(db, 'anonymous')('select starts_at, ends_at from public.free_slots($1, 60, $2::date, 1)', [
      cast.theo,
      at(days, 0).slice(0, 10),
    ])
  ).rows.map(({ starts_at, ends_at }) => [starts_at, ends_at].map((moment) => new Date(moment).toISOString()))

beforeEach(async () => {
  await list(db)
  await owner(db)('delete from public.imported_calendars')
  await owner(db)('delete from public.tasks')
  await owner(db)('delete from public.notifications')
  await owner(db)('delete from pgmq.q_effects')
  await as(db, 'theo')('select public.save_hours($1, $2, 30, false, true)', [
    JSON.stringify([1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, starts: '09:00', ends: '17:00' }))),
    'America/Regina',
  ])
})

describe('a calendar', () => {
  it('is added by a tasker for themself, read by them alone, and read at once', async () => {
    expect(await add()).toBeNull()
    expect(await queued()).toBe(1)
    for (const [person, rows] of [
      ['theo', 1],
      ['grace', 0],
      ['ada', 0],
      ['sam', 0],
    ] as const)
      expect((await as(db, person)('select * from public.imported_calendars')).rows).toHaveLength(rows)
    expect(await add(ADDRESS, 'x', 'grace')).toBe('Only taskers import calendars')
    expect(
      await tryInsert(db, 'sam', 'imported_calendars', { user_id: cast.theo, name: 'x', address: ADDRESS }),
    ).toMatch(/calendars for yourself/)
    expect((await as(db, 'grace')('delete from public.imported_calendars')).rowCount).toBe(0)
    expect((await as(db, 'theo')('delete from public.imported_calendars')).rowCount).toBe(1)
  })

  it.each([
    ['webcal://calendar.example/a', 'https://calendar.example/a'],
    ['WEBCALS://calendar.example/a', 'https://calendar.example/a'],
    [
      '  https://calendar.google.com/calendar/ical/theo%40x.example/private-1/basic.ics ',
      'https://calendar.google.com/calendar/ical/theo%40x.example/private-1/basic.ics',
    ],
    ['https://calendar.example:8443/a@b?c=d#e', 'https://calendar.example:8443/a@b?c=d#e'],
  ])('has an address: %s', async (typed, stored) => {
    expect(await add(typed)).toBeNull()
    expect((await calendars())[0].address).toBe(stored)
  })

  it.each([
    null,
    '',
    'calendar.example',
    'http://calendar.example/',
    'ftp://calendar.example/',
    'file:///etc/passwd',
    'https://',
    'https:///a',
    'https://theo:secret@calendar.example/',
    'https://a b/',
    'https://calendar.example/a b',
    'javascript:alert(1)',
    'https://calendar.example/a\nhttps://b',
    'theo@example.com',
  ])('is refused at %j', async (address) => {
    expect(await add(address)).toBe('The address must begin with https:// or webcal://')
    expect(await calendars()).toEqual([])
  })

  it('has a name of 60 characters at most, by default that of the host, and an address of 2000', async () => {
    expect(await add('https://calendar.example/a', '  ')).toBeNull()
    expect((await calendars())[0].name).toBe('calendar.example')
    expect(await add('https://calendar.example/b', 'x'.repeat(61))).toBe('Name too long (max 60 characters)')
    const long = `https://calendar.example/${'x'.repeat(1976)}`
    expect(await add(long)).toBe('Address too long (max 2000 characters)')
    expect(await add(long.slice(0, 2000))).toBeNull()
  })

  it('is one of three at most, each once, also when added at the same moment', async () => {
    expect(await add()).toBeNull()
    expect(await add()).toBe('You have added this calendar already')
    const added = await Promise.all([1, 2, 3, 4].map((n) => add(`https://calendar.example/${n}`)))
    expect(added.filter((error) => error === null)).toHaveLength(2)
    expect(added.find(Boolean)).toBe('You can add at most 3 calendars. Remove one first.')
  })

  it('is not changed by hand, and its busy times are the function’s to write', async () => {
    await add()
    for (const set of [
      `address = 'https://b.example'`,
      'due_at = now()',
      'error = null',
      'user_id = user_id',
    ])
      await expect(as(db, 'theo')(`update public.imported_calendars set ${set}`)).rejects.toThrow(
        /permission denied/,
      )
    await expect(
      as(db, 'theo')('insert into private.calendar_busy values ($1, $2, tstzrange(now(), null))', [
        await idOf(),
        cast.theo,
      ]),
    ).rejects.toThrow(/permission denied/)
    for (const call of [
      'begin_calendar_reads(1)',
      `fail_calendar_read($$${cast.theo}$$, 'x')`,
      `finish_calendar_read($$${cast.theo}$$, null, null)`,
    ])
      await expect(as(db, 'theo')(`select public.${call}`)).rejects.toThrow(/permission denied/)
  })

  it('is read again on request, by its person alone and not twice in five minutes', async () => {
    await add()
    const id = await idOf()
    const refresh = (person: string) => as(db, person)('select public.refresh_calendar($1)', [id])
    await begin()
    expect(await begin()).toEqual([])
    expect(await refusal(refresh('theo'))).toMatch(/a moment ago/)
    await owner(db)(`update public.imported_calendars set tried_at = now() - interval '6 minutes'`)
    expect(await refusal(refresh('grace'))).toBe('You have removed this calendar')
    await refresh('theo')
    expect(await begin()).toHaveLength(1)
  })
})

describe('reading', () => {
  it('is due every hour or so, each calendar once however many read, and for whole days by the person’s clock', async () => {
    await add()
    const [first, second] = await Promise.all([begin(), begin()])
    expect([...first, ...second]).toEqual([
      { id: await idOf(), address: ADDRESS, etag: null, time_zone: 'America/Regina' },
    ])
    const { rows } = await owner(db)(
      'select extract(epoch from due_at - now()) / 60 as minutes from public.imported_calendars',
    )
    expect(Number(rows[0].minutes)).toBeGreaterThan(49)
    expect(Number(rows[0].minutes)).toBeLessThan(71)
    await owner(db)('delete from pgmq.q_effects')
    await owner(db)('select private.queue_calendar_reads()')
    expect(await queued()).toBe(0)
    await owner(db)('update public.imported_calendars set due_at = now()')
    await owner(db)('select private.queue_calendar_reads()')
    await owner(db)('select private.queue_calendar_reads()')
    expect(await queued()).toBe(1)
  })

  it('replaces the busy times, leaves them when nothing changed, and sends the tag for a day', async () => {
    await add()
    const id = await idOf()
    await begin()
    await finish(
      id,
      [
        [at(3, 10), at(3, 11)],
        [at(3, 13), at(3, 14)],
      ],
      '"1"',
    )
    expect((await calendars())[0]).toMatchObject({ busy_times: 2, error: null, failures: 0 })
    await owner(db)('update public.imported_calendars set due_at = now()')
    expect((await begin())[0].etag).toBe('"1"')
    await finish(id, null, '"1"')
    expect(await busy()).toBe(2)
    const rows = async () =>
      (await owner(db)('select ctid, period from private.calendar_busy order by period')).rows
    const [, kept] = await rows()
    const changed: [string, string][] = [
      [at(3, 13), at(3, 14)],
      [at(4, 9), at(4, 10)],
    ]
    await finish(id, changed, '"1"')
    // A row that stays is not written again.
    expect(await rows()).toEqual([kept, expect.anything()])
    await owner(db)(
      `update public.imported_calendars set due_at = now(), parsed_at = now() - interval '25 hours'`,
    )
    expect((await begin())[0].etag).toBeNull()
    await finish(id, [])
    expect([await busy(), (await calendars())[0].busy_times]).toEqual([0, 0])
  })

  it('of a calendar that was removed meanwhile changes nothing', async () => {
    await add()
    const id = await idOf()
    await as(db, 'theo')('delete from public.imported_calendars')
    await finish(id, [[at(3, 10), at(3, 11)]])
    await fail(id)
    expect(await busy()).toBe(0)
  })

  it('that fails five times in a row notifies the tasker once; the busy times count for a day', async () => {
    await add()
    const id = await idOf()
    await finish(id, [[at(3, 10), at(3, 11)]])
    for (let n = 0; n < 7; n++) await fail(id, 'too_large')
    expect((await calendars())[0]).toMatchObject({ error: 'too_large', failures: 7, busy_times: 1 })
    const { rows } = await as(db, 'theo')('select key, message, link from public.notifications')
    expect(rows).toEqual([
      {
        key: 'calendar_unread',
        message: expect.stringContaining('Family could not be read'),
        link: '/profile?tab=settings',
      },
    ])
    expect(await busy()).toBe(1)
    await owner(db)(`update public.imported_calendars set read_at = now() - interval '25 hours'`)
    await fail(id)
    expect([await busy(), (await calendars())[0].busy_times]).toEqual([0, 0])
    await finish(id, [[at(3, 10), at(3, 11)]])
    expect((await calendars())[0]).toMatchObject({ error: null, failures: 0, busy_times: 1 })
    await expect(fail(id, 'something else')).rejects.toThrow(/check constraint/)
  })
})

describe('a busy time', () => {
  beforeEach(async () => {
    await add()
    await finish(await idOf(), [[at(3, 11), at(3, 13)]])
  })

  it('is not offered as free, without the time between jobs, until the calendar is removed', async () => {
    const around = [
      [at(3, 9), at(3, 11)],
      [at(3, 13), at(3, 17)],
    ]
    expect(await slots(3)).toEqual(around)
    await as(db, 'theo')('delete from public.imported_calendars')
    expect(await slots(3)).toEqual([[at(3, 9), at(3, 17)]])
  })

  it('takes the tasker out of a search for that time, and refuses the giver’s question for it', async () => {
    await owner(db)(
      `update private.profiles set verified_by_admin = true, verified_at = now() where id = $1`,
      [cast.theo],
    )
    const free = async (hour: number) =>
      (
        await owner(db)('select private.keep_free(array[$1::uuid], tstzrange($2, $3)) as taskers', [
          cast.theo,
          at(3, hour),
          at(3, hour + 1),
        ])
      ).rows[0].taskers
    expect(await free(9)).toEqual([cast.theo])
    expect(await free(12)).toEqual([])
    const taken = async (hour: number) => {
      const { rows } = await owner(db)(
        `select private.is_slot_taken(t) as taken from (select (jsonb_populate_record(null::public.tasks, $1::jsonb)).*) t`,
        [JSON.stringify({ asked_tasker_id: cast.theo, scheduled_date: at(3, hour), duration_minutes: 60 })],
      )
      return rows[0].taken
    }
    expect([await taken(9), await taken(12)]).toEqual([false, true])
  })

  it('warns the tasker alone before applying, and refuses nothing', async () => {
    const task = await postTask(db, { scheduled: '72 hours', minutes: 60 })
    await owner(db)('update public.tasks set scheduled_date = $2 where id = $1', [task, at(3, 12)])
    const clash = async (person: string) =>
      (await as(db, person)('select * from public.own_clash($1)', [task])).rows
    expect(await clash('theo')).toEqual([
      { title: null, starts_at: new Date(at(3, 11)), ends_at: new Date(at(3, 13)) },
    ])
    expect(await clash('grace')).toEqual([])
    const booking = await apply(db, task)
    expect(await move(db, booking, 'grace', 'accepted')).toBe(1)
    // A booking is named first.
    const other = await postTask(db, { scheduled: '72 hours', minutes: 60 })
    await owner(db)('update public.tasks set scheduled_date = $2 where id = $1', [other, at(3, 12)])
    expect((await as(db, 'theo')('select title from public.own_clash($1)', [other])).rows).toEqual([
      { title: 'Clear the driveway' },
    ])
  })

  it('is read by nobody else', async () => {
    for (const person of ['grace', 'sam', 'ada']) expect(await busy(person)).toBe(0)
    expect(await busy('theo')).toBe(1)
    await expect(as(db, 'anonymous')('select * from private.calendar_busy')).rejects.toThrow(
      /permission denied/,
    )
  })

  it('is in its person’s export, and goes with the account', async () => {
    const { rows } = await owner(db)(
      `select public.data_of_person($1) -> 'imported_calendars' as calendars`,
      [cast.theo],
    )
    expect(rows[0].calendars).toMatchObject([
      { name: 'Family', address: ADDRESS, busy: [expect.any(String)] },
    ])
    await owner(db)('select private.erase_calendars($1)', [cast.theo])
    expect([(await calendars()).length, await busy()]).toEqual([0, 0])
  })
})
