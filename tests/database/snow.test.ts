// Snowfall tasks: an agreement without dates, and a visit for each day on which the tasker reports enough snow with a photo.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { apply, type Booking, balances, move, pay, postTask, refusal, release } from './lives.ts'
import { runScheduled } from './offers.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { inDays, postRepeat, previewStop, stop, visitsOf } from './series.ts'

const db = databaseWithCast()

const SNOW = { every: 'snowfall', cm: 5, until: inDays(120).slice(0, 10), count: 2 }

describe('a snowfall task', () => {
  it('is agreed without a date or a payment', async () => {
    const { agreed, tasker } = await agreement()
    expect(await visitsOf(db, agreed)).toMatchObject([
      { number: 0, status: 'accepted', task_status: 'assigned', starts_at: null },
    ])
    const { rows: series } = await as(db, 'grace')(
      `select starts_at, visits, public.planned_times(s) as planned from public.task_series s join public.bookings b on b.series_id = s.id
       where b.id = $1`,
      [agreed.id],
    )
    expect(series).toEqual([{ starts_at: null, visits: 2, planned: [] }])
    expect(await refusal(as(db, 'grace')('select public.prepare_payment($1)', [agreed.id]))).toBe(
      'There is nothing to pay until it snows',
    )
    await owner(db)(`update public.bookings set accepted_at = now() - interval '20 days' where id = $1`, [
      agreed.id,
    ])
    await runScheduled(db)
    expect(await visitsOf(db, agreed)).toMatchObject([{ number: 0, status: 'accepted' }])
    expect(
      (await as(db, 'grace')(`select * from public.my_action_items() where booking_id = $1`, [agreed.id]))
        .rows,
    ).toEqual([])
    const { rows } = await owner(db)('select key, message from public.notifications where user_id = $1', [
      tasker,
    ])
    expect(rows).toEqual([
      {
        key: 'snow_series_accepted',
        message:
          'Grace Giver accepted your application for "Clean the office": up to 2 visits, $40.00 each. Report the snow when it has fallen.',
      },
    ])
  })

  it('gets a visit today when the tasker reports enough snow with a photo', async () => {
    const { agreed, tasker } = await agreement()
    const visit = await report(agreed, tasker)
    const [, made] = await visitsOf(db, agreed)
    expect(made).toMatchObject({
      id: visit,
      number: 1,
      status: 'accepted',
      task_status: 'assigned',
      amount: 40,
    })
    for (const person of [cast.grace, tasker]) {
      const { rows } = await as(
        db,
        person,
      )('select cm, cardinality(photos) as photos, booking_id from public.snow_reports')
      expect(rows.filter(({ booking_id }) => booking_id === visit)).toEqual([
        { cm: 7, photos: 1, booking_id: visit },
      ])
    }
    expect((await as(db, 'sam')('select * from public.snow_reports')).rows).toEqual([])
    const { rows } = await owner(db)(
      `select key from public.notifications where user_id = $1 and link like '%' || $2 || '%'`,
      [cast.grace, visit],
    )
    expect(rows).toEqual([{ key: 'snow_reported' }])
    const booking = { ...agreed, id: visit, taskId: made?.taskId ?? '' }
    await pay(db, booking)
    await move(db, booking, tasker, 'completed')
    await release(db, booking)
    expect((await balances(db, booking)).escrow).toBeUndefined()
    expect((await visitsOf(db, agreed)).map(({ number, status }) => [number, status])).toEqual([
      [0, 'accepted'],
      [1, 'completed'],
    ])
  })

  it('can be refused by the giver until the visit is paid, and by nobody else in that way', async () => {
    const { agreed, tasker } = await agreement()
    const visit = await report(agreed, tasker)
    expect(await refusal(as(db, tasker)('select public.skip_visit($1)', [visit]))).toBe(
      'A visit can be skipped until 48 hours before it begins',
    )
    await as(db, 'grace')('select public.skip_visit($1)', [visit])
    expect((await visitsOf(db, agreed)).map(({ status, skipped }) => [status, skipped])).toEqual([
      ['accepted', false],
      ['cancelled', true],
    ])
    await expect(as(db, 'grace')('select public.skip_visit($1)', [agreed.id])).rejects.toMatchObject({
      message: 'This booking is not a visit of a series',
    })
  })

  it('refuses every report that was not agreed', async () => {
    const { agreed, tasker } = await agreement()
    const refused = async (change: Parameters<typeof report>[2], message: string, person = tasker) =>
      expect(await refusal(report(agreed, person, change))).toBe(message)
    await refused({ cm: 4 }, 'A visit is agreed from 5 cm of snow on')
    await refused({ cm: 101 }, 'Enter the depth of snow, from 1 to 100 cm')
    await refused({ cm: null }, 'Enter the depth of snow, from 1 to 100 cm')
    await refused({ photos: [] }, 'Add a photo of the snow')
    await refused({ photos: null }, 'Add a photo of the snow')
    await refused(
      { photos: [`${agreed.id}/${randomUUID()}.jpg`] },
      'A photo is not there any more. Please remove it and add it again.',
    )
    await refused({ at: '-2 hours' }, 'Choose a time today that has not passed')
    await refused({ at: '30 hours' }, 'Choose a time today that has not passed')
    await refused({ at: null }, 'Choose a time today that has not passed')
    await refused({}, 'Only the tasker reports snow', cast.grace)
    await refused({}, 'These visits were not found', cast.sam)
    await report(agreed, tasker)
    await refused({}, 'Snow was reported today already')
    expect(await visitsOf(db, agreed)).toHaveLength(2)
  })

  it('has at most the agreed number of visits', async () => {
    const { agreed, tasker } = await agreement()
    for (const days of [2, 1]) {
      await report(agreed, tasker)
      await owner(db)(
        `update public.snow_reports set day = day - $2::int where series_id = (select series_id from public.bookings where id = $1) and day >= current_date - 1`,
        [agreed.id, days],
      )
      await skipLast(agreed)
    }
    expect(await refusal(report(agreed, tasker))).toBe('All 2 visits of this season are used')
  })

  it('is refused at a time of other work, and in two windows at once happens once', async () => {
    const { agreed, tasker } = await agreement()
    const other = await apply(db, await postTask(db, { scheduled: '0 seconds', minutes: 3 }), tasker)
    await move(db, other, cast.grace, 'accepted')
    expect(await refusal(report(agreed, tasker))).toBe('You have other work at that time')
    await move(db, other, cast.grace, 'cancelled')
    const both = await Promise.allSettled([report(agreed, tasker), report(agreed, tasker)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('ends with its season or when it is stopped, with the agreement', async () => {
    const over = await agreement()
    await owner(db)(`update public.task_series set ends_on = current_date - 2 where tasker_id = $1`, [
      over.tasker,
    ])
    expect(await refusal(report(over.agreed, over.tasker))).toBe('These visits have ended')
    await runScheduled(db)
    expect(await visitsOf(db, over.agreed)).toMatchObject([
      { status: 'cancelled', task_status: 'cancelled', skipped: true },
    ])
    const stopped = await agreement()
    await report(stopped.agreed, stopped.tasker)
    const [{ series_id = '' } = {}] = await visitsOf(db, stopped.agreed)
    expect((await previewStop(db, series_id, cast.grace)).dropped).toHaveLength(1)
    await stop(db, series_id, cast.grace, false, [1, 0, 0])
    expect((await visitsOf(db, stopped.agreed)).map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
    ])
    expect(await refusal(report(stopped.agreed, stopped.tasker, { photos: [] }))).toBe(
      'These visits have ended',
    )
  })

  it('is closed after its season if no tasker was chosen', async () => {
    const task = await postRepeat(db, SNOW, { at: null, minutes: 30 })
    await owner(db)(`update public.tasks set repeats = repeats || '{"until": "2026-01-31"}' where id = $1`, [
      task,
    ])
    await runScheduled(db)
    expect((await owner(db)('select status from public.tasks where id = $1', [task])).rows).toEqual([
      { status: 'cancelled' },
    ])
  })

  it('takes photos of its tasker before it snows, and of nobody else', async () => {
    const { agreed, tasker } = await agreement()
    await upload(agreed, tasker)
    for (const person of [cast.grace, cast.theo])
      expect(await refusal(upload(agreed, person))).toMatch(/row-level security/)
  })
})

/** Grace and a new tasker agree on a snowfall task. */
async function agreement(): Promise<{ agreed: Booking; tasker: string }> {
  const tasker = await signUp(db, { role: 'task_doer' })
  const agreed = await apply(db, await postRepeat(db, SNOW, { at: null, minutes: 1 }), tasker)
  await move(db, agreed, cast.grace, 'accepted')
  return { agreed, tasker }
}

async function upload({ id }: Booking, person: string): Promise<string> {
  const name = `${id}/${randomUUID()}.jpg`
  await as(db, person)(
    `insert into storage.objects (bucket_id, name, owner_id) values ('booking-photos', $1, $2)`,
    [name, person],
  )
  return name
}

type Report = { cm?: number | null; photos?: string[] | null; at?: string | null }

/** The tasker reports snow; a moment from now unless `at`, an interval, says otherwise. */
async function report(
  agreed: Booking,
  person: string,
  { cm = 7, photos, at = '0 seconds' }: Report = {},
): Promise<string> {
  const shown =
    photos === undefined && person !== cast.grace && person !== cast.sam
      ? [await upload(agreed, person)]
      : (photos ?? null)
  const { rows } = await as(db, person)(
    `select public.report_snow($1, $2, $3, now() + $4::interval) as visit`,
    [
      (await owner(db)('select series_id from public.bookings where id = $1', [agreed.id])).rows[0].series_id,
      cm,
      shown,
      at,
    ],
  )
  return rows[0].visit
}

async function skipLast(agreed: Booking): Promise<void> {
  const last = (await visitsOf(db, agreed)).at(-1)
  await as(db, 'grace')('select public.skip_visit($1)', [last?.id])
}
