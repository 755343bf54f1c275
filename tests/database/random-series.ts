// Series in random lives: the acts, and what each does to a visit or its series by the calls of the app.
import type { TestDatabase } from '../support/database.ts'
import { photosOf } from './days.ts'
import { type Booking, paidIntent, report } from './lives.ts'
import { as, asService, owner } from './personas.ts'
import type { Provider } from './provider.ts'
import { inDays, postRepeat, previewStop, stop } from './series.ts'

export const seriesActs = [
  'skip visit',
  'stop series',
  'agree to charges',
  'charge visit',
  'report snow',
] as const
export type SeriesAct = (typeof seriesActs)[number]

const REPEATS = [
  { every: 'weekly', count: 4 },
  { every: 'biweekly', count: 3 },
  { every: 'monthly', count: 2 },
  { every: 'snowfall', cm: 5, count: 30, until: inDays(300).slice(0, 10) },
]

/** Posts a task that repeats; returns its id. */
export function postAnyRepeat(db: TestDatabase, giver: string, n: number, days: number): Promise<string> {
  const repeats = REPEATS[n % REPEATS.length]
  const at = repeats?.every === 'snowfall' ? null : inDays(days)
  return postRepeat(db, repeats, { giver, amount: 25 + n, at, minutes: 30 })
}

/** The visits that acceptances and snow have made, except those that are known. */
export async function newVisits(db: TestDatabase, known: Booking[]): Promise<Booking[]> {
  const { rows } = await owner(db)(
    `select id, task_id as "taskId", task_giver_id as giver, task_doer_id as tasker from public.bookings
     where series_id is not null and id <> all($1) order by created_at, visit_number`,
    [known.map(({ id }) => id)],
  )
  return rows
}

export async function changeSeries(
  db: TestDatabase,
  provider: Provider,
  booking: Booking,
  act: SeriesAct,
  n: number,
): Promise<void> {
  const side = n % 2 ? booking.giver : booking.tasker
  if (act === 'skip visit') await as(db, side)('select public.skip_visit($1)', [booking.id])
  if (act === 'charge visit') await charge(db, provider, booking, n)
  const { rows } = await owner(db)('select series_id from public.bookings where id = $1', [booking.id])
  const series = rows[0].series_id
  if (!series) return
  if (act === 'stop series') await stopWithIntents(db, provider, series, side, n % 3 === 0)
  if (act === 'agree to charges')
    await as(db, booking.giver)('select public.set_series_auto_pay($1, $2)', [series, n % 8 > 0])
  if (act === 'report snow') await reportSnow(db, series, booking.tasker, n)
}

/** As the function stop-series does: open intents are closed first. */
async function stopWithIntents(
  db: TestDatabase,
  provider: Provider,
  series: string,
  person: string,
  paidToo: boolean,
): Promise<void> {
  const open = await as(db, person)('select * from public.open_intents_of_series($1)', [series])
  for (const { payment_id, payment_intent_id: id } of open.rows) {
    if (!provider.close(id)) return // it was charged: its event is on its way
    const intent = JSON.stringify({ id, status: 'canceled' })
    await asService(db)('select public.record_payment_intent($1, $2)', [payment_id, intent])
  }
  const seen = await previewStop(db, series, person)
  await stop(db, series, person, paidToo, [
    seen.dropped.length,
    paidToo ? seen.fee_cents : 0,
    paidToo ? seen.refund_cents : 0,
  ])
}

/** As the function charge-visit does; every fourth card is refused. */
async function charge(db: TestDatabase, provider: Provider, { id }: Booking, n: number): Promise<void> {
  const { rows } = await asService(db)('select public.begin_visit_charge($1) as due', [id])
  const { action, payment_id, total_cents, idempotency_key } = rows[0].due
  if (action !== 'charge') return
  const intent = `pi_${idempotency_key}`
  await asService(db)('select public.attach_payment_intent($1, $2)', [payment_id, intent])
  if (n % 4 === 0) {
    await asService(db)(`select public.fail_visit_charge($1, 'Your card was declined.', 'card_declined')`, [
      id,
    ])
    return
  }
  if (!provider.charge(intent, payment_id, total_cents)) return
  await report(db, 'payment_intent.succeeded', paidIntent(payment_id, intent, total_cents))
}

/** An earlier report of today becomes one of a day before, so that a series has more than one visit. */
async function reportSnow(db: TestDatabase, series: string, tasker: string, n: number): Promise<void> {
  const { rows } = await owner(db)(
    `with latest as (
       update public.snow_reports set day = (select min(day) - 1 from public.snow_reports where series_id = $1)
       where series_id = $1 and day = (select max(day) from public.snow_reports where series_id = $1))
     select id from public.bookings where series_id = $1 and visit_number = 0`,
    [series],
  )
  if (!rows[0]) return
  const photos = await photosOf(db, rows[0], tasker)
  const startsAt = new Date(Date.now() + (10 + n) * 60_000)
  await as(db, tasker)('select public.report_snow($1, $2, $3, $4)', [series, 4 + (n % 7), photos, startsAt])
}
