// The back office's figures: stored sums equal counting the rows, before and after the clock summed them.
import { expect, it } from 'vitest'
import { apply, approve, bookingAt, cancel, move, postTask } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast({ fresh: true })
const sql = async (text: string) => (await owner(db)(text)).rows
const shown = async (period: string) =>
  (await as(db, 'ada')('select * from public.admin_figures($1, 6)', [period])).rows

/** The same, by reading every row; `hours` as the figures round them. */
const counted = async (period: string) =>
  (
    await owner(db)(
      `with slots as (select s::date as day from generate_series(
        date_trunc($1, now() at time zone 'America/Regina') - 5 * ('1 ' || $1)::interval,
        now() at time zone 'America/Regina', ('1 ' || $1)::interval) s)
      select day as starts_on,
        (select count(*) from public.tasks where pg_temp.day($1, created_at) = day) as tasks,
        (select count(*) from public.bookings where pg_temp.day($1, created_at) = day and accepted_at is not null) as bookings,
        (select count(*) from private.profiles where pg_temp.day($1, created_at) = day and deleted_at is null) as sign_ups,
        (select coalesce(-sum(amount), 0) from public.ledger_entries where pg_temp.day($1, created_at) = day
          and account = 'escrow' and kind = 'charge') as held,
        (select coalesce(-sum(amount), 0) from public.ledger_entries where pg_temp.day($1, created_at) = day
          and account = 'tasker' and kind not in ('payout', 'payout_reversed')) as released,
        (select coalesce(-sum(amount), 0) from public.ledger_entries where pg_temp.day($1, created_at) = day
          and account = 'platform_fees') as fees,
        (select percentile_disc(0.5) within group (order by case when h < 10 then round(h, 1) else round(h) end)
          from (select extract(epoch from decided_at - terms_accepted_at) / 3600 as h from public.verifications
            where pg_temp.day($1, decided_at) = day and terms_accepted_at is not null) took) as verification_hours
      from slots order by day`,
      [period],
    )
  ).rows

const plain = (rows: Record<string, unknown>[]) =>
  rows.map(({ starts_on, ...row }) => [
    String(starts_on),
    ...Object.values(row).map((value) => (value === null ? null : Number(value))),
  ])

async function expectTheSame() {
  await sql(`create or replace function pg_temp.day(period text, moment timestamptz) returns date language sql as
    $$ select date_trunc(period, moment at time zone 'America/Regina')::date $$`)
  for (const period of ['week', 'month'])
    expect(plain(await shown(period)), period).toEqual(plain(await counted(period)))
  expect((await as(db, 'ada')('select account, amount::float from public.money_balances()')).rows).toEqual(
    await sql(`select account, (case when account in ('provider', 'disputes') then 1 else -1 end * coalesce(
      (select sum(amount) from public.ledger_entries e where e.account = a.account), 0))::float as amount
      from unnest(enum_range(null::public.ledger_account)) a (account)`),
  )
}

it('are what counting says, whatever happens and whenever the clock sums them', async () => {
  await bookingAt(db, 'released', { amount: 200 })
  await cancel(db, await bookingAt(db, 'in_progress', { amount: 80 }), cast.grace)
  const applied = await apply(db, await postTask(db))
  await approve(db)
  await expectTheSame()
  expect(plain(await shown('week')).at(-1)).not.toContain(null)

  await sql('select private.sum_figures()')
  expect(await sql('select * from private.figure_changes')).toEqual([])
  await expectTheSame()

  // Rows that are already summed change: accepted since, moved to another month, taken back, deleted.
  await move(db, applied, cast.grace, 'accepted')
  await sql(`update public.tasks set created_at = created_at - interval '40 days'`)
  await sql(`update public.verifications set decided_at = decided_at - interval '9 days',
    terms_accepted_at = terms_accepted_at - interval '9 days 31 hours 20 minutes'`)
  await postTask(db)
  await expectTheSame()
  await sql('select private.sum_figures()')
  await sql('select private.sum_figures()')
  await expectTheSame()
  await sql('delete from public.verifications')
  await sql(`update private.profiles set deleted_at = now() where id = '${cast.sam}'`)
  await expectTheSame()
})

it('take the median of verifications, and count anew what was written without triggers', async () => {
  for (const [n, minutes] of [6, 27, 95, 700, 4000].entries()) {
    const person = await signUp(db, { name: `Theo${n}`, role: 'task_doer' })
    await sql(`set session_replication_role = replica; insert into public.verifications
      (user_id, legal_name, date_of_birth, id_type, verification_status, terms_accepted_at, decided_at)
      values ('${person}', 'Theo', '1990-01-01', 'passport', 'verified', now() - interval '${minutes} minutes', now());
      reset session_replication_role`)
  }
  expect((await shown('month')).at(-1)?.verification_hours).toBe(null)
  await sql('select private.rebuild_figures()')
  expect(Number((await shown('month')).at(-1)?.verification_hours)).toBe(1.6)
  await expectTheSame()
})

it('keep the median of what is summed, also while more was decided and taken back', async () => {
  await approve(db)
  const decide = (hours: number | null) =>
    sql(
      `update public.verifications set terms_accepted_at = decided_at - ${hours} * interval '1 hour' where user_id = '${cast.theo}'`,
    )
  await decide(5)
  await sql('select private.sum_figures()')
  const kept = () =>
    sql(`select amount::float from private.figures where period = 'week' and kind = 'verification_hours'`)
  expect(await kept()).toEqual([{ amount: 5 }])
  await expectTheSame()
  // A median that was taken while a change waited is taken again once that change is summed, even together with its opposite.
  await decide(7)
  await sql('select private.update_medians(array(select distinct starts_on from private.figures))')
  expect(await kept()).toEqual([{ amount: 7 }])
  await decide(5)
  await expectTheSame()
  await sql('select private.sum_figures()')
  expect(await kept()).toEqual([{ amount: 5 }])
  await decide(null)
  await sql('select private.sum_figures()')
  expect(await kept()).toEqual([])
  await expectTheSame()
})

it('are summed once by two clocks, while a third person writes', async () => {
  await bookingAt(db, 'released')
  const [first, second] = [await db.database.pool.connect(), await db.database.pool.connect()]
  try {
    await first.query('begin; select private.sum_figures()')
    const waiting = second.query('select private.sum_figures()')
    // Appends a row: it waits for neither.
    await postTask(db)
    await first.query('commit')
    await waiting
  } finally {
    first.release()
    second.release()
  }
  await expectTheSame()
})

it('are summed by the clock', async () => {
  expect(await sql(`select command, active from cron.job where jobname = 'figures'`)).toEqual([
    { command: 'select private.sum_figures()', active: true },
  ])
})
