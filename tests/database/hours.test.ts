// The hours that taskers save: their rules, who reads them, and what remains after an account is deleted.
import { beforeEach, describe, expect, it } from 'vitest'
import { refusal, tryInsert } from './lives.ts'
import { as, asApplication, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const SAVE = 'select public.save_hours($1, $2, $3, $4, $5)'
const values = (hours: unknown, more: { zone?: string; buffer?: number | null } = {}) => [
  JSON.stringify(hours),
  more.zone ?? 'America/Regina',
  more.buffer === undefined ? 30 : more.buffer,
  true,
  true,
]
const save = (hours: unknown, more = {}) => as(db, 'theo')(SAVE, values(hours, more))

const week = async () =>
  (
    await as(
      db,
      'theo',
    )(
      `select weekday, to_char(starts, 'HH24:MI') || '-' || to_char(ends, 'HH24:MI') as span from public.working_hours order by 1, starts`,
    )
  ).rows.map(({ weekday, span }) => `${weekday} ${span}`)

const on = (weekday: number | string, starts: string, ends: string) => ({ weekday, starts, ends })

beforeEach(async () => {
  await owner(db)('select private.erase_hours($1)', [cast.theo])
})

describe('the hours of a week', () => {
  it('are saved in place of those before, several a day, until midnight', async () => {
    await save([on(1, '09:00', '12:00'), on(1, '12:00', '17:00'), on(6, '20:30', '24:00')])
    expect(await week()).toEqual(['1 09:00-12:00', '1 12:00-17:00', '6 20:30-24:00'])
    await save([on(7, '00:00', '24:00')], { buffer: 0, zone: 'America/Edmonton' })
    expect(await week()).toEqual(['7 00:00-24:00'])
    const { rows } = await as(
      db,
      'theo',
    )('select time_zone, buffer_minutes, closed_on_holidays, shows_slots from public.schedule_settings')
    expect(rows).toEqual([
      { time_zone: 'America/Edmonton', buffer_minutes: 0, closed_on_holidays: true, shows_slots: true },
    ])
    await save([])
    expect(await week()).toEqual([])
  })

  it('do not overlap, and end after they start; a refusal keeps those before', async () => {
    await save([on(2, '09:00', '12:00')])
    const overlap = 'Hours of the same day must not overlap'
    expect(await refusal(save([on(2, '09:00', '12:00'), on(2, '11:59', '15:00')]))).toBe(overlap)
    expect(await refusal(save([on(2, '09:00', '12:00'), on(2, '09:00', '12:00')]))).toBe(overlap)
    expect(await refusal(save([on(2, '09:00', '18:00'), on(2, '10:00', '11:00')]))).toBe(overlap)
    for (const ends of ['08:00', '09:00', '00:00'])
      expect(await refusal(save([on(2, '09:00', ends)]))).toBe('The end must be later than the start')
    expect(await week()).toEqual(['2 09:00-12:00'])
  })

  it.each([
    ['no list', {}],
    ['null', null],
    ['a list of others', [1, null, 'x', []]],
    ['weekday 0', [on(0, '09:00', '12:00')]],
    ['weekday 8', [on(8, '09:00', '12:00')]],
    ['weekday 1.5', [on('1.5', '09:00', '12:00')]],
    ['9 o’clock', [on(1, '9:00', '12:00')]],
    ['a start at 24:00', [on(1, '24:00', '24:00')]],
    ['25 hours', [on(1, '09:00', '25:00')]],
    ['60 minutes', [on(1, '09:60', '12:00')]],
    ['no end', [{ weekday: 1, starts: '09:00' }]],
  ])('are refused: %s', async (_what, hours) => {
    expect(await refusal(save(hours))).toBe('Hours need a weekday from 1 to 7 and times such as 09:00')
  })

  it('are limited to six spans a day', async () => {
    const spans = (count: number) =>
      Array.from({ length: count }, (_, n) => on(3, `${10 + n}:00`, `${10 + n}:30`))
    await save(spans(6))
    expect(await refusal(save(spans(7)))).toBe('Too many hours on one day')
  })

  it('need a clock of the marketplace’s places and a buffer up to four hours', async () => {
    expect(await refusal(save([], { zone: 'Europe/Berlin' }))).toBe('Unknown time zone')
    expect(await refusal(save([], { zone: '' }))).toBe('Unknown time zone')
    const out = 'The time between jobs must be between 0 and 240 minutes'
    for (const buffer of [-1, 241, null]) expect(await refusal(save([], { buffer }))).toBe(out)
    await save([], { buffer: 240 })
  })

  it('are those of taskers, for themselves', async () => {
    expect(await refusal(as(db, 'grace')(SAVE, values([])))).toBe('Only taskers have working hours')
    await expect(as(db, 'anonymous')(SAVE, values([]))).rejects.toThrow(/permission denied/)
    expect(await refusal(asApplication(db, 'theo', { hook: false })(SAVE, values([])))).toBe(
      'An application may not do this for a person',
    )
  })

  it('are saved one after the other when two tabs save at once', async () => {
    await Promise.all(
      [...Array(6).keys()].map((n) => save([on(1, `0${n}:00`, '12:00'), on(2, `0${n}:00`, '12:00')])),
    )
    const saved = await week()
    expect(saved).toHaveLength(2)
    expect(saved[0]?.slice(2)).toBe(saved[1]?.slice(2))
  })
})

describe('all hours', () => {
  it('are removed by the tasker, with the settings and days that differ, and can be saved again', async () => {
    await save([on(1, '09:00', '12:00')])
    await as(db, 'theo')('insert into public.hours_exceptions (day) values (current_date)')
    expect(
      (await owner(db)('select 1 from public.free_slots($1, 60)', [cast.theo])).rowCount,
    ).toBeGreaterThan(0)
    await as(db, 'theo')('select public.remove_hours()')
    for (const table of ['schedule_settings', 'working_hours', 'hours_exceptions'])
      expect((await as(db, 'theo')(`select 1 from public.${table}`)).rowCount).toBe(0)
    expect((await owner(db)('select 1 from public.free_slots($1, 60)', [cast.theo])).rowCount).toBe(0)
    await as(db, 'theo')('select public.remove_hours()')
    await save([on(2, '09:00', '12:00')])
    expect(await week()).toEqual(['2 09:00-12:00'])
  })

  it('are those of the caller: nobody else removes them', async () => {
    await save([on(1, '09:00', '12:00')])
    await as(db, 'sam')('select public.remove_hours()')
    await expect(as(db, 'anonymous')('select public.remove_hours()')).rejects.toThrow(/permission denied/)
    expect(await refusal(asApplication(db, 'theo', { hook: false })('select public.remove_hours()'))).toBe(
      'An application may not do this for a person',
    )
    expect(await week()).toEqual(['1 09:00-12:00'])
  })
})

describe('days that differ', () => {
  const add = (day: string, starts: string | null = null, ends: string | null = null) =>
    as(db, 'theo')(
      'insert into public.hours_exceptions (day, starts, ends) values (current_date + $1::integer, $2, $3)',
      [day, starts, ends],
    )

  it('have other hours or none, and one row for each day', async () => {
    await add('1')
    await add('2', '10:00', '24:00')
    await expect(add('2')).rejects.toThrow(/hours_exceptions_pkey/)
    const wrong = 'The end must be later than the start'
    expect(await refusal(add('3', '10:00', '10:00'))).toBe(wrong)
    expect(await refusal(add('3', '10:00', null))).toBe(wrong)
    expect(await refusal(add('3', null, '10:00'))).toBe(wrong)
  })

  it('are from today to two years from now', async () => {
    const out = 'Choose a day from today to two years from now'
    expect(await refusal(add('-2'))).toBe(out)
    expect(await refusal(add('732'))).toBe(out)
    await add('-1')
    await add('731')
  })

  it('are at most two hundred', async () => {
    await owner(db)(
      'insert into public.hours_exceptions (user_id, day) select $1, current_date + n from generate_series(1, 200) n',
      [cast.theo],
    )
    expect(await refusal(add('300'))).toMatch(/^You have too many special days/)
  })

  it('are deleted once they are over by each clock', async () => {
    await owner(db)(
      `set local session_replication_role = replica;
       insert into public.hours_exceptions (user_id, day) select '${cast.theo}', current_date + n from generate_series(-3, 1) n`,
    )
    const { rows } = await owner(db)(`select command from cron.job where jobname = 'forget-past-days'`)
    await owner(db)(rows[0].command)
    const left = await owner(db)('select day - current_date as n from public.hours_exceptions order by 1')
    expect(left.rows.map(({ n }) => n)).toEqual([-1, 0, 1])
  })

  it('belong to the person', async () => {
    expect(await tryInsert(db, 'sam', 'hours_exceptions', { user_id: cast.theo, day: new Date() })).toMatch(
      /row-level security/,
    )
  })
})

it('Of an account that is deleted but stays as an anchor, no hours remain', async () => {
  await save([on(1, '09:00', '12:00')])
  await as(db, 'theo')('insert into public.hours_exceptions (day) values (current_date)')
  await owner(db)('select private.erase_hours($1)', [cast.theo])
  for (const table of ['schedule_settings', 'working_hours', 'hours_exceptions'])
    expect((await owner(db)(`select 1 from public.${table}`)).rowCount).toBe(0)
})
