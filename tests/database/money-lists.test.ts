// Money as the back office looks through it, the audit log's list, and the figures: found, narrowed, paged, summed; for admins alone.
import { expect, it } from 'vitest'
import { bookingAt, cancel, pay, paymentOf, refusal } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const ask = async (sql: string, values: unknown[] = [], by: Persona = 'ada') =>
  (await as(db, by)(sql, values)).rows
const find = (kind: string, state = 'all', query = '') =>
  ask('select id, stuck, failure from public.find_payments($1, $2, $3)', [kind, state, query])

it('is nobody’s but the admins’', async () => {
  for (const call of ['find_payments()', 'money_balances()', 'find_audit_entries()', 'admin_figures()'])
    for (const person of ['grace', 'theo', 'sam', 'anonymous'] as const)
      expect(await refusal(ask(`select * from public.${call}`, [], person))).toMatch(
        /^Only admins|permission denied/,
      )
})

it('finds payments by kind, state, ids of either side and words of a person', async () => {
  const pending = await bookingAt(db, 'accepted')
  await as(db, 'grace')('select public.prepare_payment($1)', [pending.id])
  const held = await bookingAt(db, 'in_progress')
  const released = await bookingAt(db, 'released')
  const cancelled = await bookingAt(db, 'in_progress')
  await cancel(db, cancelled, cast.theo)
  const of = async (booking: typeof held) => (await paymentOf(db, booking)).id
  const ids = async (...given: Parameters<typeof find>) => (await find(...given)).map((row) => row.id).sort()
  const all = [await of(pending), await of(held), await of(released), await of(cancelled)].sort()
  expect(await ids('payments')).toEqual(all)
  expect(await ids('payments', 'held')).toEqual([await of(held)])
  expect(await ids('payouts')).toEqual([await of(released)])
  expect(await ids('refunds')).toEqual([await of(cancelled)])
  for (const query of [held.id, held.taskId, await of(held), `pi_${await of(held)}`])
    expect(await ids('payments', 'all', query)).toEqual([await of(held)])
  for (const query of ['grace', 'theo@example', cast.theo])
    expect(await ids('payments', 'all', query)).toEqual(all)
  expect(await ids('payments', 'all', 'sam')).toEqual([])
  expect(await refusal(find('wishes'))).toMatch(/^Kind must be/)
  expect(await refusal(find('payouts', 'held'))).toBe('There is no such state')

  // Stuck payments, and the reasons.
  expect(await ids('payments', 'stuck')).toEqual([])
  await owner(db)(`update public.payments set payout_status = 'failed' where id = $1`, [await of(released)])
  await owner(db)(`select private.record_failure($1, 'payout', 'The bank said no')`, [await of(released)])
  const stuck = { id: await of(released), stuck: true }
  expect(await find('payouts', 'stuck')).toEqual([{ ...stuck, failure: 'The bank said no' }])
  await owner(db)(`select private.record_failure($1, 'payout', 'Too little money', 'balance_insufficient')`, [
    await of(released),
  ])
  expect(await find('payouts', 'stuck')).toEqual([
    { ...stuck, failure: 'Too little money (balance_insufficient)' },
  ])

  // Page by page, each once.
  const seen: string[] = []
  for (let last: { id: string; created_at: string } | undefined; ; ) {
    const page = await ask(
      `select id, created_at::text from public.find_payments('payments', 'all', '', $1, $2, 3)`,
      [last?.created_at ?? null, last?.id ?? null],
    )
    seen.push(...page.map((row) => row.id))
    last = page.at(-1) as typeof last
    if (page.length < 3) break
  }
  expect(seen.sort()).toEqual(all)
})

it('sums what the ledger says, and counts by week what happened', async () => {
  await bookingAt(db, 'in_progress', { amount: 100 })
  await bookingAt(db, 'released', { amount: 200 })
  const rows = await ask('select account, amount::float as amount from public.money_balances()')
  const balance = Object.fromEntries(rows.map((row) => [row.account, row.amount]))
  expect(balance).toMatchObject({ escrow: 120, tasker: 160, giver: 0, disputes: 0 })
  expect(balance.provider).toBe(balance.escrow + balance.tasker + balance.platform_fees + balance.gst)
  const figures = await ask('select * from public.admin_figures($1, 4)', ['week'])
  expect(figures).toHaveLength(4)
  expect(figures.at(-1)).toMatchObject({ tasks: '2', bookings: '2', sign_ups: '4', verification_hours: null })
  expect(Number(figures.at(-1)?.held)).toBe(360)
  expect(Number(figures.at(-1)?.released)).toBe(160)
  expect(Number(figures.at(-1)?.fees)).toBe(balance.platform_fees)
  expect(await ask('select * from public.admin_figures($1)', ['month'])).toHaveLength(12)
  expect(await refusal(ask('select * from public.admin_figures($1)', ['day']))).toMatch(/^Period must be/)
})

it('lists the audit log by record, actor, person and admins, page by page', async () => {
  const booking = await bookingAt(db, 'accepted')
  await pay(db, booking)
  await as(db, 'ada')(`select public.suspend_person($1, 'Spam in chats')`, [cast.sam])
  const entries = (filter: string) =>
    ask(`select id::int, table_name, actor_id, by_admin, subjects from public.find_audit_entries(${filter})`)
  const byAdmins = await entries('admins_only => true')
  expect(byAdmins.map((row) => row.table_name).sort()).toEqual(['profiles', 'suspensions'])
  for (const row of byAdmins)
    expect(row).toMatchObject({
      actor_id: cast.ada,
      by_admin: true,
      subjects: [{ id: cast.sam, name: 'Sam Stranger' }],
    })
  expect((await entries(`about_table => 'payments', person => '${cast.theo}'`)).length).toBeGreaterThan(1)
  // Each leads to what it is about.
  const titled = await ask(
    `select distinct table_name, task_title from public.find_audit_entries(max_results => 100) order by table_name`,
  )
  expect(titled).toEqual(
    expect.arrayContaining([
      { table_name: 'payments', task_title: 'Clear the driveway' },
      { table_name: 'profiles', task_title: null },
    ]),
  )
  expect(await entries(`about_table => 'payments', person => '${cast.sam}'`)).toEqual([])
  expect((await entries(`actor => '${cast.grace}'`)).every((row) => !row.by_admin)).toBe(true)
  const all = (await entries('max_results => 100')).map((row) => row.id)
  const paged = await entries(`max_results => 2, before_id => ${all[1]}`)
  expect(paged.map((row) => row.id)).toEqual(all.slice(2, 4))
})
