// People who leave are no longer customers at the payment provider, whether or not money records stay.
import { expect, it } from 'vitest'
import { bookingAt, openPayoutAccount, paymentOf } from './lives.ts'
import { asService, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

it.each([false, true])('the provider deletes the customer; had moved money: %s', async (moved) => {
  const leaver = await signUp(db, { name: 'Someone Leaving', role: 'task_giver' })
  const customer = `cus_${leaver.slice(0, 8)}`
  await asService(db)('select public.record_payment_customer($1, $2)', [leaver, customer])
  if (moved) {
    const booking = await bookingAt(db, 'released', { giver: leaver, amount: 40 })
    await openPayoutAccount(db)
    const { id } = await paymentOf(db, booking)
    await asService(db)('select public.finish_payout($1, $2)', [id, `tr_${id}`])
  }
  const closing = async () =>
    (
      await owner(db)(
        `select 1 from pgmq.q_effects where message ->> 'function' = 'close-payment-customer'
         and message -> 'body' ->> 'customer' = $1`,
        [customer],
      )
    ).rowCount
  expect(await closing()).toBe(0)
  await owner(db)('delete from auth.users where id = $1', [leaver])
  expect(await closing()).toBe(1)
  const { rows } = await owner(db)('select 1 from private.payment_customers where user_id = $1', [leaver])
  expect(rows).toEqual([])
})
