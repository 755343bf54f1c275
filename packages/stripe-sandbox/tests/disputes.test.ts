// Disputes of the sandbox, through Stripe's own SDK, and its own way to open one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.ts'
import { failure, openDispute, stripeFor } from './stripe-sdk.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const pay = (amount: number, card = 'pm_card_visa') =>
  stripeFor(server).paymentIntents.create({ amount, currency: 'cad', confirm: true, payment_method: card })

describe('disputes', () => {
  it('several share a charge and never take more than it was', async () => {
    const stripe = stripeFor(server)
    const { id: payment_intent } = await pay(10_000)
    const part = await openDispute(server, { payment_intent, amount: '4000', reason: 'product_not_received' })
    expect(part).toMatchObject({
      amount: 4000,
      status: 'needs_response',
      reason: 'product_not_received',
      balance_transactions: [{ amount: -4000, fee: 1500 }],
    })
    await expect(openDispute(server, { payment_intent, amount: '6001' })).rejects.toThrow('$60.00')
    await stripe.disputes.update(part.id, {
      evidence: { uncategorized_text: 'winning_evidence' },
      submit: true,
    })
    const again = await openDispute(server, { payment_intent })
    expect(again.amount).toBe(10_000)
    expect(await failure(stripe.refunds.create({ payment_intent }))).toMatchObject({
      code: 'charge_disputed',
    })
    await stripe.disputes.close(again.id)
    expect(await failure(stripe.refunds.create({ payment_intent }))).toMatchObject({
      code: 'charge_disputed',
    })
    const { data } = await stripe.disputes.list({ payment_intent })
    expect(data.map(({ status, amount }) => `${status} ${amount}`)).toEqual(['lost 10000', 'won 4000'])
  })

  it('leave what they did not take to be refunded once they are decided', async () => {
    const stripe = stripeFor(server)
    const { id: payment_intent } = await pay(10_000)
    await stripe.disputes.close((await openDispute(server, { payment_intent, amount: '9999' })).id)
    expect(await stripe.refunds.create({ payment_intent })).toMatchObject({ amount: 1, status: 'succeeded' })
  })

  it('may be an inquiry, which takes nothing and can be refunded, and becomes a chargeback', async () => {
    const stripe = stripeFor(server)
    const intent = await pay(5000, 'pm_card_createDisputeInquiry')
    const [inquiry] = (await stripe.disputes.list({ payment_intent: intent.id })).data
    expect(inquiry).toMatchObject({ status: 'warning_needs_response', is_charge_refundable: true })
    const answer = (uncategorized_text: string) =>
      stripe.disputes.update(String(inquiry?.id), { evidence: { uncategorized_text }, submit: true })
    expect(await answer('It was done.')).toMatchObject({ status: 'warning_under_review' })
    expect(await answer('escalate_inquiry_evidence')).toMatchObject({
      status: 'needs_response',
      is_charge_refundable: false,
      balance_transactions: [{ amount: -5000 }],
    })
    const other = await pay(5000, 'pm_card_createDisputeInquiry')
    const { data } = await stripe.disputes.list({ payment_intent: other.id })
    expect(await stripe.disputes.close(String(data[0]?.id))).toMatchObject({ status: 'warning_closed' })
  })
})
