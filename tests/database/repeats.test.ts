// Repeats: what a task may say about how it repeats, and the times of its visits across months, years and clock changes.
import { describe, expect, it } from 'vitest'
import { apply, bookingAt, move, postTask, refusal } from './lives.ts'
import { counter, offer } from './offers.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'
import { inDays, postRepeat } from './series.ts'

const db = databaseWithCast()

const WEEKLY = { every: 'weekly', count: 4 }

describe('a repeat', () => {
  it.each([
    ['a text', 'weekly', 'A repeat says how often the task is done and when that ends'],
    ['a list', [WEEKLY], 'A repeat says how often the task is done and when that ends'],
    [
      'every day',
      { every: 'daily', count: 3 },
      'A repeat says how often the task is done and when that ends',
    ],
    ['another field', { ...WEEKLY, by: 'me' }, 'A repeat says how often the task is done and when that ends'],
    [
      'a number as text',
      { every: 'weekly', count: '4' },
      'A repeat says how often the task is done and when that ends',
    ],
    [
      'half a visit',
      { every: 'weekly', count: 4.5 },
      'A repeat says how often the task is done and when that ends',
    ],
    [
      'minus four visits',
      { every: 'weekly', count: -4 },
      'A repeat says how often the task is done and when that ends',
    ],
    ['snow in a week', { ...WEEKLY, cm: 5 }, 'A repeat says how often the task is done and when that ends'],
    [
      'exceptions as text',
      { ...WEEKLY, except: '2027-01-01' },
      'A repeat says how often the task is done and when that ends',
    ],
    ['no end', { every: 'weekly' }, 'Say when the repeat ends: a last day or a number of visits'],
    [
      'two ends',
      { ...WEEKLY, until: '2027-03-30' },
      'Say when the repeat ends: a last day or a number of visits',
    ],
    ['31 February', { every: 'weekly', until: '2027-02-31' }, '2027-02-31 is not a day of the calendar'],
    ['a month 13', { every: 'weekly', until: '2027-13-01' }, '2027-13-01 is not a day of the calendar'],
    ['tomorrow in words', { every: 'weekly', until: 'tomorrow' }, 'tomorrow is not a day of the calendar'],
    ['no day as exception', { ...WEEKLY, except: ['2027-02-30'] }, '2027-02-30 is not a day of the calendar'],
    ['one visit', { every: 'weekly', count: 1 }, 'A repeat has at least two visits'],
    ['no visit', { every: 'weekly', count: 0 }, 'A repeat has at least two visits'],
    [
      'an end before its beginning',
      { every: 'weekly', until: '2020-01-01' },
      'A repeat has at least two visits',
    ],
    ['53 visits', { every: 'weekly', count: 53 }, 'A repeat has at most 52 visits'],
    ['a billion visits', { every: 'weekly', count: 999_999_999 }, 'A repeat has at most 52 visits'],
    ['14 months', { every: 'monthly', count: 15 }, 'A repeat can last at most 366 days'],
    ['an end in ten years', { every: 'monthly', until: '2036-01-01' }, 'A repeat can last at most 366 days'],
    [
      'an exception on another day',
      { ...WEEKLY, except: [inDays(15).slice(0, 10)] },
      `There is no visit on ${inDays(15).slice(0, 10)} that could be left out`,
    ],
    [
      'an exception on the first day',
      { ...WEEKLY, except: [inDays(7).slice(0, 10)] },
      `There is no visit on ${inDays(7).slice(0, 10)} that could be left out`,
    ],
    [
      'exceptions that leave one visit',
      { every: 'weekly', count: 2, except: [inDays(14).slice(0, 10)] },
      'A repeat has at least two visits',
    ],
  ])('with %s is refused', async (_, repeats, message) => {
    await expect(postRepeat(db, repeats)).rejects.toMatchObject({ message, hint: 'repeats' })
    await expect(preview(repeats)).rejects.toMatchObject({ message, hint: 'repeats' })
  })

  it('needs a first time and a duration of at most a day', async () => {
    await expect(postRepeat(db, WEEKLY, { at: null })).rejects.toMatchObject({ hint: 'scheduled_date' })
    await expect(postRepeat(db, WEEKLY, { minutes: null })).rejects.toMatchObject({
      hint: 'duration_minutes',
    })
    await expect(postRepeat(db, WEEKLY, { minutes: 1441 })).rejects.toMatchObject({
      message: 'A visit can take at most 24 hours',
      hint: 'duration_minutes',
    })
  })

  it('for snowfall has a depth, a season and a most of visits, and no date', async () => {
    const snow = { every: 'snowfall', cm: 5, until: inDays(90).slice(0, 10), count: 12 }
    const refusals: [object, object, string, string][] = [
      [
        { count: undefined },
        { at: null },
        'Say when the repeat ends: a last day or a number of visits',
        'repeats',
      ],
      [
        { until: undefined },
        { at: null },
        'Say when the repeat ends: a last day or a number of visits',
        'repeats',
      ],
      [{ cm: 0 }, { at: null }, 'Choose a depth of snow from 1 to 100 cm', 'repeats'],
      [{ cm: 2.5 }, { at: null }, 'Choose a depth of snow from 1 to 100 cm', 'repeats'],
      [{ cm: 101 }, { at: null }, 'Choose a depth of snow from 1 to 100 cm', 'repeats'],
      [{ until: '2026-01-01' }, { at: null }, 'The last day of the season has passed', 'repeats'],
      [{ until: inDays(400).slice(0, 10) }, { at: null }, 'A repeat can last at most 366 days', 'repeats'],
      [{}, {}, 'A snowfall task has no date: it is done when it snows', 'scheduled_date'],
      [{}, { at: null, minutes: null }, 'Say how long each visit takes', 'duration_minutes'],
    ]
    for (const [change, options, message, hint] of refusals)
      await expect(postRepeat(db, { ...snow, ...change }, options)).rejects.toMatchObject({ message, hint })
    const task = await postRepeat(db, snow, { at: null })
    expect(await timesOf(task)).toEqual([])
  })

  it('is stored in one form, read by everybody, and changed while the task is open', async () => {
    const days = [21, 14].map((day) => inDays(day).slice(0, 10))
    const task = await postRepeat(db, { ...WEEKLY, except: [...days, days[0]] })
    const { rows } = await as(db, 'anonymous')('select repeats, series_id from public.tasks where id = $1', [
      task,
    ])
    expect(rows[0]).toEqual({ repeats: { ...WEEKLY, except: [...days].reverse() }, series_id: null })
    expect(await timesOf(task)).toEqual([inDays(7), inDays(28)])
    const set = (repeats: unknown) =>
      as(db, 'grace')('update public.tasks set repeats = $2 where id = $1', [task, JSON.stringify(repeats)])
    await expect(set({ every: 'weekly' })).rejects.toMatchObject({ hint: 'repeats' })
    await set({ every: 'biweekly', count: 2, except: [] })
    expect(await timesOf(task)).toEqual([inDays(7), inDays(21)])
    await apply(db, task)
    await set(null)
    expect(await timesOf(task)).toBeNull()
    const { rows: told } = await owner(db)(
      `select message from public.notifications where user_id = $1 and key = 'task_changed'`,
      [cast.theo],
    )
    expect(told[0].message).toContain('how often it is done')
    expect(
      await refusal(as(db, 'grace')('update public.tasks set series_id = id where id = $1', [task])),
    ).toMatch(/permission denied/)
  })

  it('keeps its times: an offer may name another price, and no other time', async () => {
    const task = await postRepeat(db, WEEKLY)
    await expect(offer(db, task, [{ amount: 50, starts_at: inDays(8) }])).rejects.toMatchObject({
      message: 'A task that repeats keeps its times: offer another price only',
      hint: 'offer_options',
    })
    const booking = await offer(db, task, [{ amount: 50 }])
    await expect(counter(db, booking, 45, inDays(8))).rejects.toMatchObject({ hint: 'counter_starts_at' })
    await counter(db, booking, 45)
  })

  it('refuses an application to visits at which the tasker has other work, and names their days', async () => {
    const at = inDays(107)
    const other = await bookingAt(db, 'pending', { scheduled: '0 seconds', minutes: 60 })
    await owner(db)('update public.tasks set scheduled_date = $2 where id = $1', [other.taskId, inDays(114)])
    await move(db, other, other.giver, 'accepted')
    const task = await postRepeat(db, WEEKLY, { at })
    const { rows } = await as(db, 'theo')('select * from public.own_visit_clashes($1)', [task])
    expect(rows.map(({ title, visit_at }) => [title, visit_at.toISOString()])).toEqual([
      ['Clear the driveway', inDays(114)],
    ])
    expect((await as(db, 'sam')('select * from public.own_visit_clashes($1)', [task])).rows).toEqual([])
    await expect(apply(db, task)).rejects.toMatchObject({
      message: `You have other work at the time of these visits: ${inDays(114).slice(0, 10)}`,
    })
    // Two hours later there is none.
    await apply(db, await postRepeat(db, WEEKLY, { at: at.replace('T16', 'T18') }))
  })

  it('is refused at acceptance, too, for work that was agreed meanwhile', async () => {
    const booking = await apply(db, await postRepeat(db, WEEKLY, { at: inDays(207) }))
    const other = await apply(db, await postTask(db, { minutes: 90 }))
    await owner(db)('update public.tasks set scheduled_date = $2 where id = $1', [other.taskId, inDays(221)])
    await move(db, other, other.giver, 'accepted')
    await expect(move(db, booking, booking.giver, 'accepted')).rejects.toMatchObject({
      message: `This tasker has other work at the time of these visits: ${inDays(221).slice(0, 10)}`,
      hint: 'status',
    })
  })
})

describe('the times of visits', () => {
  it.each([
    [
      'every week',
      { every: 'weekly', count: 3 },
      ['2027-03-02 09:00', '2027-03-09 09:00', '2027-03-16 09:00'],
    ],
    [
      'every two weeks across a year’s end',
      { every: 'biweekly', until: '2028-01-14' },
      ['2027-12-17 08:00', '2027-12-31 08:00', '2028-01-14 08:00'],
    ],
    [
      'each month on the 31st, on the last day of shorter months',
      { every: 'monthly', count: 5 },
      ['2027-10-31 10:00', '2027-11-30 10:00', '2027-12-31 10:00', '2028-01-31 10:00', '2028-02-29 10:00'],
    ],
    [
      'each month on 29 February of a leap year',
      { every: 'monthly', count: 13 },
      [
        '2028-02-29 10:00',
        ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(
          (month) => `2028-${String(month).padStart(2, '0')}-29 10:00`,
        ),
        '2029-01-29 10:00',
        '2029-02-28 10:00',
      ],
    ],
    [
      'into the hour that daylight saving skips in Lloydminster, which is an hour later',
      { every: 'weekly', count: 3 },
      ['2027-03-07 02:30', '2027-03-14 03:30', '2027-03-21 02:30'],
    ],
    [
      'across the end of daylight saving in Lloydminster',
      { every: 'weekly', until: '2027-11-14' },
      ['2027-10-31 09:00', '2027-11-07 09:00', '2027-11-14 09:00'],
    ],
    [
      'in the hour that Lloydminster has twice, the second one',
      { every: 'weekly', count: 2 },
      ['2027-10-31 01:30', '2027-11-07 01:30'],
    ],
  ])('%s', async (_, repeats, wall) => {
    for (const [location, zone] of [
      ['Lloydminster', 'America/Edmonton'],
      ['Regina', 'America/Regina'],
    ]) {
      const expected =
        location === 'Regina'
          ? wall.map((time) => time.replace('2027-03-14 03:30', '2027-03-14 02:30'))
          : wall
      const { rows } = await owner(db)(
        `select array(select to_char(t at time zone $3, 'YYYY-MM-DD HH24:MI')
           from private.visit_times($1, $2::timestamp at time zone $3, $3) t) as wall`,
        [JSON.stringify(repeats), wall[0], zone],
      )
      expect(rows[0].wall).toEqual(expected)
      const shown = await preview(repeats, {
        at: new Date(await instantOf(wall[0] ?? '', zone ?? '')),
        location,
      })
      expect(shown.time_zone).toBe(zone)
      expect(shown.times).toHaveLength(wall.length)
    }
  })

  it('differ in instants where the place changes its clock', async () => {
    const at = new Date(await instantOf('2027-03-08 09:00', 'America/Edmonton'))
    const hours = async (location: string) =>
      (await preview({ every: 'weekly', count: 2 }, { at, location })).times.map((time) =>
        new Date(time).getUTCHours(),
      )
    expect(await hours('Lloydminster')).toEqual([16, 15])
    expect(await hours('Saskatoon')).toEqual([16, 16])
  })
})

async function preview(
  repeats: unknown,
  { at = new Date(inDays(7)), location = 'Saskatoon' as string | undefined } = {},
) {
  const { rows } = await as(db, 'anonymous')('select public.preview_repeat($1, $2, 60, $3) as shown', [
    JSON.stringify(repeats),
    at,
    location,
  ])
  return rows[0].shown as { times: string[]; time_zone: string }
}

async function instantOf(wall: string, zone: string): Promise<string> {
  return (await owner(db)('select $1::timestamp at time zone $2 as at', [wall, zone])).rows[0].at
}

async function timesOf(task: string): Promise<string[] | null> {
  const { rows } = await as(db, 'anonymous')(
    'select public.repeat_times(t) as times from public.tasks t where id = $1',
    [task],
  )
  return rows[0].times?.map((time: Date) => time.toISOString()) ?? null
}
