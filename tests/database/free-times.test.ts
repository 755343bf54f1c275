// Free times of taskers: hours without bookings and buffers, by clocks with and without daylight saving; and clashes on acceptance.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { apply, bookingAt, list, move, postTask, refusal } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast()
let una: string

beforeAll(async () => {
  una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  await list(db)
  await list(db, una)
})

beforeEach(async () => {
  await owner(db)('select private.erase_hours($1), private.erase_hours($2)', [cast.theo, una])
  await owner(db)('delete from public.bookings')
})

const DAILY = [1, 2, 3, 4, 5, 6, 7]
type Settings = { zone?: string; buffer?: number; holidays?: boolean; shown?: boolean; tasker?: string }

/** Saves the same hours for the weekdays, such as '09:00-12:00 13:00-17:00'. */
async function work(spans: string, days = DAILY, settings: Settings = {}) {
  const { zone = 'America/Regina', buffer = 0, holidays = false, shown = true, tasker = cast.theo } = settings
  const hours = days.flatMap((weekday) =>
    spans.split(' ').map((span) => ({ weekday, starts: span.slice(0, 5), ends: span.slice(6) })),
  )
  await as(db, tasker)('select public.save_hours($1, $2, $3, $4, $5)', [
    JSON.stringify(hours),
    zone,
    buffer,
    holidays,
    shown,
  ])
}

/** Free times of Theo as if it were `at`: '2026-12-01 09:00 – 12:00' by UTC. */
async function slots(at: string, days: number, { minutes = 60, first = null as string | null } = {}) {
  const { rows } = await owner(db)(
    `select to_char(starts_at at time zone 'UTC', 'MM-DD HH24:MI') || ' – ' || to_char(ends_at at time zone 'UTC', 'DD HH24:MI') as slot
     from public.schedule_settings s
     cross join lateral private.find_free_slots(s, $3, $4::date, $5, $2) where s.user_id = $1`,
    [cast.theo, at, minutes, first, days],
  )
  return rows.map(({ slot }) => slot)
}

/** An accepted booking of Theo from a moment on. */
async function book(from: string, minutes: number) {
  const booking = await bookingAt(db, 'accepted')
  await owner(db)(
    `update public.bookings set period = tstzrange($2::timestamptz, $2::timestamptz + make_interval(mins => $3)) where id = $1`,
    [booking.id, from, minutes],
  )
}

describe('free times', () => {
  it('are the hours of each weekday by the tasker’s clock, on quarters of an hour', async () => {
    await work('09:07-12:00 13:00-17:00', [2, 4])
    // 1 December 2026 is a Tuesday; Regina is six hours behind UTC.
    expect(await slots('2026-11-30 18:00Z', 4)).toEqual([
      '12-01 15:15 – 01 18:00',
      '12-01 19:00 – 01 23:00',
      '12-03 15:15 – 03 18:00',
      '12-03 19:00 – 03 23:00',
    ])
  })

  it('begin two hours from now or later, and are as long as the task', async () => {
    await work('09:00-12:00 13:00-17:00', [2])
    expect(await slots('2026-12-01 14:20Z', 1)).toEqual(['12-01 16:30 – 01 18:00', '12-01 19:00 – 01 23:00'])
    expect(await slots('2026-12-01 14:30Z', 1, { minutes: 90 })).toEqual([
      '12-01 16:30 – 01 18:00',
      '12-01 19:00 – 01 23:00',
    ])
    expect(await slots('2026-12-01 14:30Z', 1, { minutes: 91 })).toEqual(['12-01 19:00 – 01 23:00'])
    expect(await slots('2026-12-01 14:30Z', 1, { minutes: 241 })).toEqual([])
  })

  it('join hours that touch, also at midnight and at the end of the year', async () => {
    await work('00:00-12:00 12:00-24:00')
    expect(await slots('2026-12-31 00:00Z', 2)).toEqual(['12-31 02:00 – 01 06:00'])
    expect(await slots('2026-12-30 20:00Z', 3)).toEqual(['12-30 22:00 – 02 06:00'])
  })

  it('leave out bookings with the buffer on both sides, to the minute', async () => {
    await work('09:00-17:00', [2], { buffer: 30 })
    await book('2026-12-01 18:00Z', 60)
    expect(await slots('2026-11-30 00:00Z', 3)).toEqual(['12-01 15:00 – 01 17:30', '12-01 19:30 – 01 23:00'])
    await work('09:00-17:00', [2])
    expect(await slots('2026-11-30 00:00Z', 3)).toEqual(['12-01 15:00 – 01 18:00', '12-01 19:00 – 01 23:00'])
  })

  it('leave out the buffer of a booking that ends before the hours', async () => {
    await work('09:00-12:00', [2], { buffer: 120 })
    await book('2026-12-01 13:30Z', 60)
    expect(await slots('2026-11-30 00:00Z', 3)).toEqual(['12-01 16:30 – 01 18:00'])
  })

  it('follow days that differ instead of the week, and leave out holidays', async () => {
    await work('09:00-10:00', DAILY, { holidays: true })
    await owner(db)(
      `insert into public.hours_exceptions (user_id, day, starts, ends) values ($1, '2026-12-24', null, null), ($1, '2026-12-26', '14:00', '24:00')`,
      [cast.theo],
    )
    const days = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, n) => `12-${from + n} 15:00 – ${from + n} 16:00`)
    expect(await slots('2026-12-23 00:00Z', 6)).toEqual([
      ...days(23, 23),
      '12-26 20:00 – 27 06:00',
      ...days(27, 27),
    ])
    await work('09:00-10:00')
    expect(await slots('2026-12-25 00:00Z', 2)).toEqual(days(25, 25))
  })

  it('are worked on a holiday that a day with other hours names', async () => {
    await work('09:00-10:00', DAILY, { holidays: true })
    await owner(db)(
      `insert into public.hours_exceptions (user_id, day, starts, ends) values ($1, '2026-12-25', '10:00', '11:00')`,
      [cast.theo],
    )
    expect(await slots('2026-12-25 00:00Z', 2)).toContain('12-25 16:00 – 25 17:00')
  })

  it('begin today at the earliest, and are of at most 31 days', async () => {
    await work('09:00-10:00')
    expect(await slots('2026-12-10 00:00Z', 1, { first: '2026-12-01' })).toEqual([])
    expect(await slots('2026-12-10 00:00Z', 2, { first: '2026-12-01' })).toEqual(['12-10 15:00 – 10 16:00'])
    expect(await slots('2026-12-10 00:00Z', 400)).toHaveLength(30)
    expect(await slots('2026-12-10 00:00Z', -5)).toHaveLength(0)
  })
})

describe('daylight saving in Lloydminster', () => {
  it('skips an hour on 14 March 2027 and keeps the hours of the clock', async () => {
    await work('01:00-04:00', DAILY, { zone: 'America/Edmonton' })
    expect(await slots('2027-03-12 12:00Z', 4)).toEqual([
      '03-13 08:00 – 13 11:00',
      '03-14 08:00 – 14 10:00', // 1:00 to 4:00, of which 2:00 to 3:00 does not exist
      '03-15 07:00 – 15 10:00',
    ])
  })

  it('moves times of the hour that it skips an hour later', async () => {
    await work('02:15-02:45', [7], { zone: 'America/Edmonton' })
    expect(await slots('2027-03-07 00:00Z', 1, { minutes: 15 })).toEqual([])
    expect(await slots('2027-03-05 00:00Z', 15, { minutes: 15 })).toEqual([
      '03-07 09:15 – 07 09:45',
      '03-14 09:15 – 14 09:45',
    ])
    await work('02:15-03:00', [7], { zone: 'America/Edmonton' })
    expect(await slots('2027-03-12 00:00Z', 4, { minutes: 15 })).toEqual([])
  })

  it('works an hour longer on 1 November 2026 than the clock shows', async () => {
    await work('00:00-03:00', DAILY, { zone: 'America/Edmonton' })
    expect(await slots('2026-10-31 12:00Z', 3)).toEqual(['11-01 06:00 – 01 10:00', '11-02 07:00 – 02 10:00'])
  })

  it('changes nothing by Regina’s clock', async () => {
    await work('01:00-04:00', [7])
    expect(await slots('2027-03-12 12:00Z', 4)).toEqual(['03-14 07:00 – 14 10:00'])
    expect(await slots('2026-10-31 12:00Z', 3)).toEqual(['11-01 07:00 – 01 10:00'])
  })
})

describe('free times for others', () => {
  const seen = async (person: Persona, tasker = cast.theo as string, more = '') =>
    (await as(db, person)(`select * from public.free_slots($1${more})`, [tasker])).rows

  it('are the next ones of a listed tasker with hours, and their clock', async () => {
    expect(await seen('anonymous')).toEqual([])
    await work('00:00-24:00', DAILY, { zone: 'America/Edmonton' })
    for (const person of ['anonymous', 'grace', 'theo'] as const) {
      const [slot] = await seen(person)
      expect(slot.time_zone).toBe('America/Edmonton')
      expect(slot.starts_at.getTime()).toBeGreaterThanOrEqual(Date.now() + 119 * 60_000)
    }
    expect(await seen('anonymous', una)).toEqual([])
  })

  it('are none when the tasker switches it off, hides the profile or is unavailable', async () => {
    await work('00:00-24:00', DAILY, { shown: false })
    expect(await seen('anonymous')).toEqual([])
    await work('00:00-24:00')
    const set = (column: string, value: string) =>
      as(db, 'theo')(`update public.profiles set ${column} = $1 where id = auth.uid()`, [value])
    await set('visibility', 'hidden')
    expect(await seen('anonymous')).toEqual([])
    // An open task of theirs makes the name public, and nothing else.
    const task = await postTask(db)
    await owner(db)('update public.tasks set task_giver_id = $2 where id = $1', [task, cast.theo])
    expect(await seen('anonymous')).toEqual([])
    await set('visibility', 'public')
    await set('availability_status', 'unavailable')
    expect(await seen('anonymous')).toEqual([])
    await set('availability_status', 'available')
    expect(await seen('anonymous')).toHaveLength(1)
  })

  it('are refused for impossible lengths', async () => {
    for (const minutes of ['0', '10081', 'null'])
      expect(await refusal(seen('grace', cast.theo, `, ${minutes}`))).toMatch(/[Dd]uration/)
    expect(await seen('grace', cast.theo, `, 60, '9999-12-31', 1000000`)).toEqual([])
  })

  it('choose the taskers of a search, to the minute', async () => {
    const at = new Date(Date.now() + 7 * 86_400_000)
    at.setUTCHours(18, 0, 0, 0)
    const found = async (minutes: number, from = at) => {
      const named = `free_at => $1, free_minutes => $2`
      const { rows } = await as(db, 'anonymous')(`select id from public.search_taskers(${named})`, [
        from,
        minutes,
      ])
      const { rows: counted } = await as(db, 'grace')(`select public.count_taskers(${named}) as count`, [
        from,
        minutes,
      ])
      expect(counted[0].count).toBe(rows.length)
      return rows.map(({ id }) => id).sort()
    }
    expect(await found(60)).toEqual([])
    await work('12:00-14:00', DAILY, { buffer: 30 })
    await work('09:00-20:00', DAILY, { tasker: una })
    expect(await found(120)).toEqual([cast.theo, una].sort())
    expect(await found(121)).toEqual([una])
    await book(new Date(at.getTime() + 90 * 60_000).toISOString(), 60)
    expect(await found(60)).toEqual([cast.theo, una].sort())
    expect(await found(61)).toEqual([una])
    await work('09:00-20:00', DAILY, { tasker: una, shown: false })
    expect(await found(60)).toEqual([cast.theo])
    expect(await refusal(found(0))).toMatch(/[Dd]uration/)
    expect(await refusal(found(60, new Date('2199-01-01')))).toMatch(/date/)
  })
})

describe('accepting', () => {
  /** Grace accepts Theo for a task so many minutes from the start of the first one. */
  const accepted = async (offset: number, { minutes = 60, location = 'Saskatoon' } = {}) => {
    const task = await postTask(db, { scheduled: `${6000 + offset} minutes`, minutes })
    await owner(db)('update public.tasks set location = $2 where id = $1', [task, location])
    const booking = await apply(db, task)
    return move(db, booking, 'grace', 'accepted').then(
      () => 'accepted',
      (error: Error) => error.message,
    )
  }
  const busy = 'This tasker already has a booking at that time'
  beforeEach(async () => {
    await owner(db)(`update public.tasks set scheduled_date = null`)
  })

  it('keeps the buffer before and after, to the minute, and outside of the hours, too', async () => {
    await work('00:00-00:15', [1], { buffer: 30 })
    expect(await accepted(0)).toBe('accepted')
    expect(await accepted(-88)).toBe(busy)
    expect(await accepted(88)).toBe(busy)
    expect(await accepted(-91)).toBe('accepted')
    expect(await accepted(91)).toBe('accepted')
  })

  it('lets jobs touch without saved hours', async () => {
    expect(await accepted(0)).toBe('accepted')
    expect(await accepted(61, { location: 'Regina' })).toBe('accepted')
    expect(await accepted(59)).toBe(busy)
  })

  it('keeps the time of the way if it is longer: from Saskatoon to Regina 235 km, five hours and more', async () => {
    await work('00:00-24:00', DAILY, { buffer: 30 })
    expect(await accepted(0)).toBe('accepted')
    expect(await accepted(60 + 290, { location: 'Regina' })).toBe(busy)
    expect(await accepted(60 + 330, { location: 'Regina' })).toBe('accepted')
    expect(await accepted(-60 - 32, { location: 'Warman' })).toBe('accepted')
  })

  it('is foreseen by the tasker, who sees the own booking that clashes, and by nobody else', async () => {
    await work('00:00-24:00', DAILY, { buffer: 30 })
    expect(await accepted(0)).toBe('accepted')
    const task = await postTask(db, { scheduled: '6075 minutes', minutes: 60 })
    const later = await postTask(db, { scheduled: '6095 minutes', minutes: 60 })
    const clash = async (person: Persona, id: string) =>
      (await as(db, person)('select * from public.own_clash($1)', [id])).rows
    expect(await clash('theo', task)).toEqual([
      { title: 'Clear the driveway', starts_at: expect.any(Date), ends_at: expect.any(Date) },
    ])
    expect(await clash('theo', later)).toEqual([])
    for (const person of ['grace', 'sam', 'ada'] as const) expect(await clash(person, task)).toEqual([])
  })

  it('leaves accepted bookings as they are when the buffer grows', async () => {
    await work('00:00-24:00')
    expect(await accepted(0)).toBe('accepted')
    expect(await accepted(61)).toBe('accepted')
    await work('00:00-24:00', DAILY, { buffer: 240 })
    const { rows } = await owner(db)(`select status from public.bookings`)
    expect(rows.map(({ status }) => status)).toEqual(['accepted', 'accepted'])
  })
})

describe('asking a tasker for a time', () => {
  const ask = (at: string, person: Persona = 'grace') =>
    as(db, person)(
      `insert into public.tasks (task_giver_id, asked_tasker_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes)
       values (auth.uid(), $1, 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 100, $2, 60)
       returning id`,
      [cast.theo, at],
    )
  const inDays = (days: number, hour: number) => {
    const at = new Date(Date.now() + days * 86_400_000)
    at.setUTCHours(hour, 0, 0, 0)
    return at.toISOString()
  }
  const taken = 'This tasker is no longer free at that time. Choose another time.'

  it('is refused for a time that was taken a moment ago, buffer included', async () => {
    await work('09:00-17:00', DAILY, { buffer: 30 })
    await book(inDays(3, 18), 60)
    expect(await refusal(ask(inDays(3, 18)))).toBe(taken)
    expect(await refusal(ask(inDays(3, 19)))).toBe(taken)
    const { rows } = await ask(inDays(3, 20))
    const later = as(db, 'grace')('update public.tasks set scheduled_date = $2 where id = $1', [
      rows[0].id,
      inDays(3, 18),
    ])
    expect(await refusal(later)).toBe(taken)
  })

  it('is possible outside of the hours, and tells nothing about taskers who show no free times', async () => {
    await work('09:00-10:00', DAILY)
    await ask(inDays(4, 3))
    await book(inDays(4, 18), 60)
    await work('09:00-10:00', DAILY, { shown: false })
    await ask(inDays(4, 18))
  })
})
