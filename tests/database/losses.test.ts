// Money that was returned in part outside of the app: an admin's decision on the rest, and the part still to be sent.
// Also refunds made at the provider itself, and the payment that an event of the provider belongs to.
import { beforeAll, describe, expect, it } from 'vitest'
import { bankOf, dispute, undecided } from './bank.ts'
import {
  balances,
  bookingAt,
  cancel,
  openPayoutAccount,
  paymentOf,
  refusal,
  release,
  report,
  settleWithProvider,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'
import { brokenRules } from './rules.ts'

const db = databaseWithCast()
const { open, win, lose, paidBooking, complained, decideLoss, keysOf, stateOf } = bankOf(db)

describe('a chargeback that is lost in part', () => {
  const part = { cents: 11_999 }
  const lostInPart = async (state: 'in_progress' | 'completed') => {
    const paid = await paidBooking(state)
    await open(paid.id, part)
    await lose(paid.id, part)
    return paid
  }

  it('leaves the rest frozen for an admin, and nobody is notified that it was won', async () => {
    const { booking, id } = await lostInPart('completed')
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'frozen', unsettled_loss: '119.99' })
    expect(await refusal(release(db, booking))).toBe(undecided)
    expect((await keysOf('theo')).at(-1)).toBe('payment_lost_in_part')
    expect((await keysOf('ada')).slice(-2)).toContain('loss_to_decide')
    await owner(db)(`update public.bookings set completed_at = now() - interval '8 days' where id = $1`, [
      booking.id,
    ])
    await asService(db)('select public.run_scheduled()')
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'frozen' })
    for (const person of ['grace', 'theo', 'sam'] as const)
      expect(await refusal(as(db, person)(`select public.decide_loss($1, 'carry_on')`, [id]))).toBe(
        'Only admins can decide about a payment',
      )
    expect(await refusal(decideLoss(id, 'split', 100))).toMatch(/less than the task amount/)
  })

  it('carries on when the platform bears the loss, and is paid and booked as agreed', async () => {
    const { booking, id } = await lostInPart('in_progress')
    expect(await refusal(decideLoss(id, 'split', 40))).toBe(
      'Only done work that is not paid out yet can be split',
    )
    await decideLoss(id, 'carry_on')
    expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: 'held', unsettled_loss: '0.00' })
    await as(db, 'theo')(`update public.bookings set status = 'completed' where id = $1`, [booking.id])
    await release(db, booking)
    await settleWithProvider(db, booking)
    expect(await paymentOf(db, booking)).toMatchObject({ payout_amount: '80.00', refund_amount: '0.00' })
    // The card holder's bank has 119.99, the tasker 80.00, GST 10.00: the platform is 89.99 out of pocket.
    expect(await balances(db, booking)).toEqual({ provider: -7999, gst: -1000, platform_fees: 8999 })
    expect(await brokenRules(db)).toEqual([])
  })

  it('is cancelled later for no more than is left', async () => {
    const { booking, id } = await paidBooking('in_progress')
    await open(id, { cents: 6000 })
    await lose(id, { cents: 6000 })
    await decideLoss(id, 'carry_on')
    expect(await cancel(db, booking, cast.grace)).toMatchObject({ fee_cents: 500, refund_cents: 5500 })
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({ provider: 100, gst: -25, platform_fees: -75 })
    expect(await brokenRules(db)).toEqual([])
  })

  it('ends when the admin sends back the rest', async () => {
    for (const state of ['in_progress', 'completed'] as const) {
      const { booking, id } = await lostInPart(state)
      expect(await decideLoss(id, 'refund')).toEqual({ payout_cents: 0, refund_cents: 1 })
      expect(await stateOf(booking)).toEqual(
        state === 'completed'
          ? { status: 'completed', task: 'completed' }
          : { status: 'cancelled', task: 'cancelled' },
      )
      await settleWithProvider(db, booking)
      expect(await balances(db, booking)).toEqual({})
    }
    expect((await keysOf('theo')).at(-1)).toBe('loss_decided')
    expect(await brokenRules(db)).toEqual([])
  })

  it('is split, and what the bank returned counts towards what goes back', async () => {
    const { booking, id } = await paidBooking('completed')
    await open(id, { cents: 3000 })
    await lose(id, { cents: 3000 })
    // The task counts for 60: fees of 12, the tasker gets 48, 48 go back, 30 of them are back already.
    expect(await decideLoss(id, 'split', 40)).toMatchObject({ refund_cents: 1800 })
    expect(await paymentOf(db, booking)).toMatchObject({ payout_amount: '48.00', refund_amount: '18.00' })
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({ provider: 2400, gst: -600, platform_fees: -1800 })
    expect(await brokenRules(db)).toEqual([])
  })

  it('is settled with the complaint that is open about it', async () => {
    const { booking, complaint } = await complained(100)
    const { id } = await paymentOf(db, booking)
    await open(id, { cents: 3000 })
    await lose(id, { cents: 3000 })
    expect(await refusal(decideLoss(id, 'carry_on'))).toMatch(/Decide the complaint/)
    const { rows } = await as(db, 'ada')(`select public.decide_complaint($1, 'refund') as sent`, [complaint])
    expect(rows[0].sent).toEqual({ payout_cents: 0, refund_cents: 9000 })
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({})
    expect(await brokenRules(db)).toEqual([])
  })

  it('is decided by another admin than the two of the booking', async () => {
    const booking = await bookingAt(db, 'completed', { giver: cast.ada, amount: 100 })
    const { id } = await paymentOf(db, booking)
    await open(id, part)
    await lose(id, part)
    expect(await refusal(decideLoss(id, 'refund'))).toBe(
      'Another admin decides about the payment of your own booking',
    )
  })
})

describe('money that has left escrow but was not sent', () => {
  it('waits while a bank decides, and is not refunded twice', async () => {
    const { booking, id } = await paidBooking('in_progress')
    await cancel(db, booking, cast.theo)
    await open(id)
    const { rows } = await asService(db)('select public.begin_refund($1) as due', [id])
    expect(rows[0].due).toMatchObject({ action: 'none', reason: 'waiting for the end of a chargeback' })
    await lose(id)
    expect(await paymentOf(db, booking)).toMatchObject({ refund_amount: '0.00', refund_status: 'none' })
    expect(await balances(db, booking)).toEqual({})
    const other = await paidBooking('in_progress')
    await cancel(db, other.booking, cast.theo)
    await open(other.id)
    await win(other.id)
    await settleWithProvider(db, other.booking)
    expect(await paymentOf(db, other.booking)).toMatchObject({
      refund_status: 'sent',
      refunded_amount: '120.00',
    })
    expect(await balances(db, other.booking)).toEqual({})
    expect(await brokenRules(db)).toEqual([])
  })

  it('is paid out after a loss only when an admin says so', async () => {
    for (const decision of ['carry_on', 'refund']) {
      const { booking, id } = await paidBooking('released')
      await open(id)
      await lose(id)
      await settleWithProvider(db, booking)
      expect(await paymentOf(db, booking)).toMatchObject({
        stripe_transfer_id: null,
        unsettled_loss: '120.00',
      })
      expect((await keysOf('ada')).slice(-2)).toContain('loss_to_decide')
      await decideLoss(id, decision)
      await settleWithProvider(db, booking)
      expect(await paymentOf(db, booking)).toMatchObject(
        decision === 'refund'
          ? { payout_amount: '0.00', stripe_transfer_id: null }
          : { payout_status: 'sent', payout_amount: '80.00' },
      )
    }
    expect(await brokenRules(db)).toEqual([])
  })
})

describe('a payout that was on its way when the bank took the money back', () => {
  beforeAll(() => openPayoutAccount(db, cast.theo))

  /** The provider has the transfer, but its reply arrives only after the loss. */
  const lostUnderWay = async () => {
    const { booking, id } = await paidBooking('released')
    const { rows } = await asService(db)('select public.begin_payout($1) as due', [id])
    expect(rows[0].due).toMatchObject({ action: 'send', amount_cents: 8000 })
    await open(id)
    await lose(id)
    return {
      booking,
      id,
      arrives: () => asService(db)('select public.finish_payout($1, $2)', [id, `tr_${id}`]),
    }
  }
  const spent = {
    payout_status: 'sent',
    payout_amount: '80.00',
    unsettled_loss: '0.00',
    escrow_status: 'released',
  }

  it('is the loss of the platform, and nothing is left to decide', async () => {
    const { booking, id, arrives } = await lostUnderWay()
    await arrives()
    expect(await paymentOf(db, booking)).toMatchObject(spent)
    expect(await refusal(decideLoss(id, 'refund'))).toMatch(/nothing/i)
    expect(await brokenRules(db)).toEqual([])
  })

  it('is the loss of the platform after a refund by hand, too', async () => {
    const { booking, id } = await paidBooking('released')
    await asService(db)('select public.begin_payout($1)', [id])
    const refund = { id: `re_${id}`, object: 'refund', amount: 3000, status: 'succeeded' }
    await report(db, 'refund.created', { ...refund, payment_intent: `pi_${id}` })
    expect(await paymentOf(db, booking)).toMatchObject({ payout_status: 'queued', unsettled_loss: '30.00' })
    await asService(db)('select public.finish_payout($1, $2)', [id, `tr_${id}`])
    expect(await paymentOf(db, booking)).toMatchObject(spent)
    for (const decision of ['refund', 'carry_on'])
      expect(await refusal(decideLoss(id, decision))).toMatch(/nothing/i)
    expect(await brokenRules(db)).toEqual([])
  })

  it('is booked as sent even if an admin decided to keep it in between', async () => {
    for (const known of ['reply', 'event']) {
      const { booking, id, arrives } = await lostUnderWay()
      await decideLoss(id, 'refund')
      expect(await paymentOf(db, booking)).toMatchObject({ payout_status: 'none', payout_amount: '0.00' })
      const transfer = { id: `tr_${id}`, amount: 8000, metadata: { payment_id: id } }
      if (known === 'reply') await arrives()
      else expect(await report(db, 'transfer.created', transfer)).toMatchObject({ note: null })
      expect(await paymentOf(db, booking)).toMatchObject(spent)
      expect(await balances(db, booking)).toMatchObject({ provider: -8000 })
      expect(await brokenRules(db)).toEqual([])
    }
  })
})

describe('a refund made at the provider itself', () => {
  const refund = (payment: string, cents: number, nth = 1, status = 'succeeded') => ({
    id: `re_${nth}_${payment}`,
    object: 'refund',
    amount: cents,
    payment_intent: `pi_${payment}`,
    status,
  })

  it('of all ends the booking; of a part, an admin decides; and several add up', async () => {
    const whole = await paidBooking('in_progress')
    await report(db, 'refund.created', refund(whole.id, 12_000))
    expect(await stateOf(whole.booking)).toEqual({ status: 'cancelled', task: 'cancelled' })
    expect(await balances(db, whole.booking)).toEqual({})
    expect((await keysOf('theo')).at(-1)).toBe('payment_sent_back')

    const { booking, id } = await paidBooking('completed')
    for (const nth of [1, 2, 1, 2]) await report(db, 'refund.created', refund(id, 3000, nth))
    expect(await refusal(release(db, booking))).toBe(undecided)
    expect(await paymentOf(db, booking)).toMatchObject({ lost_amount: '60.00', escrow_status: 'frozen' })
    await report(db, 'refund.failed', refund(id, 3000, 1, 'failed'), undefined, 4_000_000_000)
    await report(db, 'refund.updated', refund(id, 3000, 1)) // older
    expect(await paymentOf(db, booking)).toMatchObject({ lost_amount: '30.00' })
    await decideLoss(id, 'refund')
    await settleWithProvider(db, booking)
    expect(await balances(db, booking)).toEqual({})
    expect(await brokenRules(db)).toEqual([])
  })

  it('next to one of the app is not mistaken for it, even with the same sum', async () => {
    const { booking, id } = await paidBooking('in_progress')
    await cancel(db, booking, cast.grace)
    await settleWithProvider(db, booking)
    await report(db, 'refund.created', refund(id, 11_500))
    expect((await balances(db, booking)).disputes).toBe(11_500)
    expect(await brokenRules(db)).toEqual([])
  })
})

describe('reports of the provider', () => {
  it('is about the payment that the intent pays, whatever the metadata says', async () => {
    const [mine, other] = [await paidBooking('in_progress'), await paidBooking('in_progress')]
    const forged = { ...dispute(mine.id, 'needs_response'), metadata: { payment_id: other.id } }
    const { payment_id } = await report(db, 'charge.dispute.created', forged)
    expect(payment_id).toBe(mine.id)
    expect(await paymentOf(db, other.booking)).toMatchObject({ escrow_status: 'held' })
    const stray = { ...forged, id: 'du_stray', charge: 'ch_stray', payment_intent: 'pi_stray' }
    expect(await report(db, 'charge.dispute.created', stray)).toMatchObject({ note: 'no payment of ours' })
    expect(await paymentOf(db, other.booking)).toMatchObject({ escrow_status: 'held' })
  })

  it('about disputes is read by admins alone, and written by nobody', async () => {
    const { id } = await paidBooking('in_progress')
    await open(id)
    for (const person of ['grace', 'theo', 'sam'] as const)
      expect((await as(db, person)('select id from public.disputes')).rows).toEqual([])
    for (const query of [as(db, 'ada'), asService(db), as(db, 'grace')]) {
      expect(await refusal(query(`update public.disputes set status = 'won'`))).toMatch(/permission denied/)
      expect(await refusal(query(`delete from public.disputes`))).toMatch(/permission denied/)
      expect(
        await refusal(
          query(
            `insert into public.disputes (id, payment_id, amount, status, status_at) values ('du', $1, 1, 'won', now())`,
            [id],
          ),
        ),
      ).toMatch(/permission denied/)
    }
  })
})
