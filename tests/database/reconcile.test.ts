// npm run reconcile: the ledger compared with the payment provider's reports, every difference by name.
import { expect, it } from 'vitest'
import { reconcile } from '../../scripts/reconcile.mjs'
import { type Booking, bookingAt, cancel, paymentOf, report, settleWithProvider } from './lives.ts'
import { cast, databaseWithCast } from './personas.ts'

const db = databaseWithCast()

async function* listed(objects: object[]) {
  yield* objects
}
const differences = async (objects: object[]) =>
  (await reconcile(db.database.pool, listed(objects) as never)).differences

/** The provider's list of this booking's money, in cents. */
async function provider(booking: Booking) {
  const { id, total, payout_amount, refund_amount } = await paymentOf(db, booking)
  const metadata = { payment_id: id }
  const cents = (dollars: string) => Math.round(Number(dollars) * 100)
  const charge = { id: 'ch', object: 'charge', amount: cents(total), status: 'succeeded', metadata }
  const transfer = {
    id: 'tr',
    object: 'transfer',
    amount: cents(payout_amount),
    amount_reversed: 0,
    metadata,
  }
  const refund = { id: 're', object: 'refund', amount: cents(refund_amount), status: 'succeeded', metadata }
  return { id, charge, transfer, refund }
}

it('names a charge that no webhook reported, a refund, a transfer and a reversal that are not booked', async () => {
  const booking = await bookingAt(db, 'in_progress', { amount: 100 })
  await cancel(db, booking, cast.grace)
  await settleWithProvider(db, booking)
  const { id, charge, transfer, refund } = await provider(booking)
  expect(await differences([charge, transfer, refund])).toEqual([])
  expect(await differences([transfer, refund])).toEqual([
    `payment ${id}: charged $120.00 here, $0.00 at the provider`,
  ])
  expect(await differences([charge, { ...charge, id: 'ch2' }, transfer, refund])).toEqual([
    `payment ${id}: charged $120.00 here, $240.00 at the provider`,
  ])
  expect(await differences([charge, { ...transfer, amount_reversed: 100 }, refund])).toEqual([
    `payment ${id}: paid out $4.00 here, $3.00 at the provider`,
  ])
  expect(await differences([charge, transfer, { ...refund, status: 'failed' }])).toEqual([
    `payment ${id}: refunded $115.00 here, $0.00 at the provider`,
  ])
  expect(await differences([charge, transfer, refund, { ...refund, id: 're_stray', metadata: {} }])).toEqual([
    're_stray: $115.00 belong to no payment here',
  ])
  await report(db, 'charge.dispute.funds_withdrawn', {
    id: 'dp',
    object: 'dispute',
    amount: 12_000,
    payment_intent: `pi_${id}`,
    status: 'needs_response',
  })
  const dispute = { id: 'dp', object: 'dispute', amount: 12_000, payment_intent: `pi_${id}`, status: 'lost' }
  const withdrawn = { ...dispute, balance_transactions: [{ amount: -12_000 }] }
  expect(await differences([charge, transfer, refund, withdrawn])).toEqual([])
  const returned = { ...dispute, balance_transactions: [{ amount: -12_000 }, { amount: 12_000 }] }
  expect(await differences([charge, transfer, refund, returned])).toEqual([
    `payment ${id}: charged back $120.00 here, $0.00 at the provider`,
  ])
})
