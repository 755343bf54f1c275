// A refund that was refused or came back, sent again by an admin; and what its giver hears once it is no longer tried by itself.
import { beforeEach, expect, it } from 'vitest'
import { bankOf } from './bank.ts'
import { type Booking, balances, bookingAt, cancel, paymentOf, refusal, report } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast()
let booking: Booking
let id: string
/** Theo has cancelled paid work: $120.00 goes back to Grace. */
beforeEach(async () => {
  booking = await bookingAt(db, 'in_progress', { amount: 100 })
  await cancel(db, booking, cast.theo)
  id = (await paymentOf(db, booking)).id
})

const retry = (person: Persona = 'ada') => as(db, person)('select public.retry_refund($1)', [id])
const refuse = (key: string) => asService(db)(`select public.fail_refund($1, 'Refused', $2)`, [id, key])
const begin = async () => (await asService(db)('select public.begin_refund($1) as due', [id])).rows[0].due
const state = async () => (await paymentOf(db, booking)).refund_status
const queued = async () =>
  (await owner(db)(`select msg_id from pgmq.q_effects where message ->> 'key' = $1`, [`refund-${id}`])).rows
const failedEffects = async () =>
  (await as(db, 'ada')('select payment_id from public.find_failed_effects(true)')).rows.filter(
    ({ payment_id }) => payment_id === id,
  ).length
const told = async (key: string) =>
  (
    await as(db, 'grace')('select message from public.notifications where key = $1 and link = $2', [
      key,
      `/bookings?booking=${booking.id}`,
    ])
  ).rows.map(({ message }) => message)
/** Its last try fails, as run-effects says it. */
async function giveUp() {
  const [effect] = await queued()
  await owner(db)('update pgmq.q_effects set read_ct = 25 where msg_id = $1', [effect.msg_id])
  await asService(db)(`select public.fail_effect($1, 'It answered 502')`, [effect.msg_id])
}
const refund = (status: string, name: string) => ({
  id: `re_${name}_${id}`,
  object: 'refund',
  amount: 12_000,
  status,
  failure_reason: status === 'failed' ? 'expired_or_canceled_card' : undefined,
  payment_intent: `pi_${id}`,
  metadata: { payment_id: id },
})

it('came back after it was sent: sent again under another key, once, however often it is asked for', async () => {
  await asService(db)('select public.finish_refund($1, $2)', [id, `re_first_${id}`])
  await report(db, 'refund.failed', refund('failed', 'first'))
  await owner(db)(`delete from pgmq.q_effects where message ->> 'key' = $1`, [`refund-${id}`])
  expect(await state()).toBe('failed')
  await Promise.all([retry(), retry(), retry()])
  expect([await state(), (await queued()).length]).toEqual(['queued', 1])
  expect(await begin()).toMatchObject({
    action: 'send',
    amount_cents: 12_000,
    idempotency_key: `refund-${id}-2`,
  })
  await asService(db)('select public.finish_refund($1, $2)', [id, `re_second_${id}`])
  expect(await paymentOf(db, booking)).toMatchObject({ refund_status: 'sent', refunded_amount: '120.00' })
  expect(await balances(db, booking)).toEqual({})
  expect(await refusal(retry())).toBe('This payment has no refund to send')
  const { rows } = await as(db, 'ada')(
    `select old_values, new_values from public.audit_log where by_admin and row_id = $1 and actor_id = $2`,
    [id, cast.ada],
  )
  expect(rows).toMatchObject([
    { old_values: { refund_status: 'failed' }, new_values: { refund_status: 'queued' } },
  ])
})

it('given up: its giver reads that a person sends it, and the admin’s try begins anew', async () => {
  await refuse(`refund-${id}`)
  await giveUp()
  expect(await told('refund_given_up')).toEqual([
    'Your refund of $120.00 for "Clear the driveway" still has not gone through. It is not tried by itself any more: an administrator sends it, and we tell you when it is sent. If you have a question, write to us.',
  ])
  expect([await failedEffects(), await queued()]).toEqual([1, []])
  await retry()
  expect([await failedEffects(), (await queued()).length, await state()]).toEqual([0, 1, 'queued'])
  await asService(db)('select public.finish_refund($1, $2)', [id, 're_late'])
  expect(await state()).toBe('sent')
})

it('given up without an answer of the provider: it can be sent again, too; what is on its way is left alone', async () => {
  const before = await queued()
  await retry()
  expect(await queued()).toEqual(before)
  await giveUp()
  expect([await state(), (await told('refund_given_up')).length]).toEqual(['queued', 1])
  await retry()
  expect([await failedEffects(), (await queued()).length]).toEqual([0, 1])
})

it('given up after it was sent: nobody is notified', async () => {
  await asService(db)('select public.finish_refund($1, $2)', [id, 're_first'])
  await giveUp()
  expect(await told('refund_given_up')).toEqual([])
})

it('is nobody’s but an admin’s who is not to get the money', async () => {
  await refuse(`refund-${id}`)
  for (const person of ['grace', 'theo', 'sam', 'anonymous'] as const)
    expect(await refusal(retry(person))).toMatch(/^Only admins can send a refund again$|permission denied/)
  expect(await state()).toBe('failed')
  await owner(db)(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [cast.grace])
  expect(await refusal(retry('grace'))).toBe('Another admin decides about your own refund')
  await owner(db)(`delete from public.user_roles where user_id = $1 and role = 'admin'`, [cast.grace])
  expect(await refusal(as(db, 'ada')('select public.retry_refund($1)', [cast.sam]))).toBe('Payment not found')
})

it('waits for a bank that may give the same money back, and is not for payments without one', async () => {
  await refuse(`refund-${id}`)
  await bankOf(db).open(id, { cents: 5000 })
  expect(await refusal(retry())).toMatch(/bank/)
  expect(await state()).toBe('failed')
  const held = await paymentOf(db, await bookingAt(db, 'in_progress'))
  expect(await refusal(as(db, 'ada')('select public.retry_refund($1)', [held.id]))).toBe(
    'This payment has no refund to send',
  )
})
