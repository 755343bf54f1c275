// Transfers to taskers and refunds to givers: recorded once, whoever says so first, and owed again when they come back.
import { describe, expect, it } from 'vitest'
import {
  type Booking,
  balances,
  bookingAt,
  cancel,
  openPayoutAccount,
  paymentOf,
  queued,
  refusal,
  report,
  settleWithProvider,
} from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()
let booking: Booking

describe('payouts', () => {
  it('wait for a payout account and go on when it becomes active', async () => {
    const nell = await signUp(db, { name: 'Nell Newcomer', role: 'task_doer' })
    booking = await bookingAt(db, 'released', { tasker: nell, amount: 50 })
    const payment = await paymentOf(db, booking)
    expect(payment.payout_status).toBe('waiting')
    expect(await queued(db, payment.id)).toEqual([])

    await as(db, nell)(
      `insert into public.payout_accounts (user_id, stripe_account_id, bank_last4, account_status, account_type)
       values ($1, 'acct_of_someone_else', '6789', 'pending', 'manual')`,
      [nell],
    )
    const { rows } = await as(db, nell)('select stripe_account_id from public.payout_accounts')
    expect(rows[0].stripe_account_id).toBe(`manual_${nell.replaceAll('-', '')}`)
    for (const column of [`account_status = 'active'`, `account_status = 'restricted'`]) {
      expect(await refusal(as(db, nell)(`update public.payout_accounts set ${column}`))).toMatch(
        /becomes active when/,
      )
    }
    await asService(db)(
      `update public.payout_accounts set stripe_account_id = 'acct_nell' where user_id = $1`,
      [nell],
    )

    const account = {
      id: 'acct_nell',
      object: 'account',
      payouts_enabled: true,
      capabilities: { transfers: 'active' },
    }
    await report(db, 'account.updated', account)
    expect((await paymentOf(db, booking)).payout_status).toBe('queued')
    expect(await queued(db, payment.id)).toEqual(['release-payout'])
    const { rows: begun } = await asService(db)('select public.begin_payout($1) as order', [payment.id])
    expect(begun[0].order).toMatchObject({
      action: 'send',
      amount_cents: 4000,
      destination: 'acct_nell',
      transfer_group: booking.id,
      idempotency_key: `payout-${payment.id}`,
    })
  })

  it('ignore older news of an account', async () => {
    const account = await openPayoutAccount(db)
    const news = (created: number, enabled: boolean) =>
      asService(db)('select public.record_stripe_event($1)', [
        JSON.stringify({
          id: `evt_account_${created}`,
          type: 'account.updated',
          created,
          data: { object: { id: account, object: 'account', payouts_enabled: enabled } },
        }),
      ])
    await news(2_000_000_002, true)
    await news(2_000_000_001, false)
    const { rows } = await owner(db)('select account_status from public.payout_accounts where user_id = $1', [
      cast.theo,
    ])
    expect(rows[0].account_status).toBe('active')
  })

  it('are recorded once by whoever says so first: the function, the retry, the event', async () => {
    await openPayoutAccount(db)
    booking = await bookingAt(db, 'released', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    const transfer = {
      id: `tr_${id}`,
      object: 'transfer',
      amount: 8000,
      amount_reversed: 0,
      metadata: { payment_id: id },
    }
    await Promise.all([
      report(db, 'transfer.created', transfer),
      asService(db)('select public.finish_payout($1, $2)', [id, transfer.id]),
      report(db, 'transfer.created', transfer),
    ])
    expect(await paymentOf(db, booking)).toMatchObject({
      payout_status: 'sent',
      stripe_transfer_id: transfer.id,
    })
    expect((await balances(db, booking)).tasker).toBeUndefined()
    expect(await refusal(asService(db)(`select public.finish_payout($1, 'tr_another')`, [id]))).toBe(
      'This payment has no payout to record',
    )
    await report(db, 'transfer.reversed', { ...transfer, amount_reversed: 3000 })
    await report(db, 'transfer.reversed', { ...transfer, amount_reversed: 3000 })
    expect((await balances(db, booking)).tasker).toBe(-3000)
    await report(db, 'transfer.reversed', { ...transfer, amount_reversed: 8000, reversed: true })
    expect((await balances(db, booking)).tasker).toBe(-8000)
    expect((await paymentOf(db, booking)).payout_status).toBe('reversed')
  })

  it('that are refused get another key, and the tasker is notified once', async () => {
    await openPayoutAccount(db)
    booking = await bookingAt(db, 'released', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    const begin = async () =>
      (await asService(db)('select public.begin_payout($1) as order', [id])).rows[0].order
    const fail = (key: string) =>
      asService(db)(`select public.fail_payout($1, 'Insufficient funds', $2)`, [id, key])
    await Promise.all([fail(`payout-${id}`), fail(`payout-${id}`), fail(`payout-${id}`)])
    expect((await begin()).idempotency_key).toBe(`payout-${id}-2`)
    await fail(`payout-${id}`) // a late job of the first key
    expect((await begin()).idempotency_key).toBe(`payout-${id}-2`)
    await fail(`payout-${id}-2`)
    expect((await begin()).idempotency_key).toBe(`payout-${id}-3`)
    const { rows } = await owner(db)(
      `select count(*)::int as n from public.notifications where key = 'payout_failed' and user_id = $1`,
      [cast.theo],
    )
    expect(rows[0].n).toBe(1)
    await settleWithProvider(db, booking)
    expect(await begin()).toEqual({ action: 'none', reason: 'already sent' })
  })

  it('that are refused say why in our words and what to do, once for each reason', async () => {
    await openPayoutAccount(db)
    booking = await bookingAt(db, 'released', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    let tries = 0
    const fail = (code: string | null) =>
      asService(db)('select public.fail_payout($1, $2, $3, $4)', [
        id,
        'The words of the provider',
        `payout-${id}${tries++ > 0 ? `-${tries}` : ''}`,
        code,
      ])
    const said = async () =>
      (
        await owner(db)(
          `select params ->> 'reason' as reason, message, link from public.notifications
           where key = 'payout_failed' and user_id = $1 and created_at >= (select updated_at from public.tasks where id = $2)
           order by created_at`,
          [cast.theo, booking.taskId],
        )
      ).rows
    await fail('balance_insufficient')
    await fail('insufficient_funds') // the same reason
    await fail('insufficient_capabilities_for_transfer')
    await fail('a_code_of_tomorrow')
    await fail(null)
    const reasons = await said()
    expect(reasons).toMatchObject([
      { reason: expect.stringMatching(/^Our own balance .* is too low/), link: '/profile?tab=payout' },
      { reason: expect.stringMatching(/^Your payout account cannot take money yet/) },
      { reason: expect.stringMatching(/^The payment provider did not take it/) },
    ])
    for (const { message, reason } of reasons) expect(message).toContain(reason)
    const { rows } = await as(db, 'theo')(
      'select message, code from public.payment_failures where payment_id = $1',
      [id],
    )
    expect(rows).toEqual([{ message: 'The words of the provider', code: null }])
  })

  it.each([
    ['a_code_of_tomorrow', /not tried by itself any more\. An administrator looks into it and sends it\./],
    ['transfers_not_allowed', /not tried by itself any more\. Your payout account cannot take money yet\./],
  ])(
    'that failed for the last time with %s say whose turn it is, and no longer that we try again',
    async (code, words) => {
      await openPayoutAccount(db)
      booking = await bookingAt(db, 'released', { amount: 100 })
      const { id } = await paymentOf(db, booking)
      const refuse = (key: string) =>
        asService(db)(`select public.fail_payout($1, 'Refused', $2, $3)`, [id, key, code])
      await refuse(`payout-${id}`)
      const { rows: effects } = await owner(db)(
        `update pgmq.q_effects set read_ct = 25 where message ->> 'key' = $1 returning msg_id`,
        [`payout-${id}`],
      )
      await asService(db)(`select public.fail_effect($1, 'It answered 502')`, [effects[0].msg_id])
      const { rows: told } = await as(
        db,
        'theo',
      )(
        `select message, link from public.notifications where key = 'payout_given_up' order by created_at desc limit 1`,
      )
      expect(told).toEqual([{ message: expect.stringMatching(words), link: '/profile?tab=payout' }])
      const failure = async () =>
        (await as(db, 'theo')('select given_up from public.payment_failures where payment_id = $1', [id]))
          .rows
      expect(await failure()).toEqual([{ given_up: true }])
      // Tried again, by an admin or because the account can take money now.
      await refuse(`payout-${id}-2`)
      expect(await failure()).toEqual([{ given_up: false }])
    },
  )

  it('to an account that the provider has closed wait for another one', async () => {
    const closed = await openPayoutAccount(db)
    booking = await bookingAt(db, 'released', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    const prepared = async () =>
      (await as(db, 'theo')('select public.prepare_payout_account() as it')).rows[0].it
    expect(await prepared()).toMatchObject({ account_id: closed })
    await asService(db)(`select public.fail_payout($1, 'No such destination', $2, 'account_invalid')`, [
      id,
      `payout-${id}`,
    ])
    // Opened anew, with a key that the closed one did not have.
    expect(await prepared()).toMatchObject({
      account_id: null,
      idempotency_key: `payout-account-${cast.theo}-${closed}`,
    })
    const { rows } = await asService(db)('select public.begin_payout($1) as order', [id])
    expect(rows[0].order).toMatchObject({ action: 'none', reason: 'waiting for an active payout account' })
    await asService(db)('select public.record_payout_account($1, now(), $2)', [
      { id: `${closed}_next`, payouts_enabled: true, capabilities: { transfers: 'active' } },
      cast.theo,
    ])
    expect((await paymentOf(db, booking)).payout_status).toBe('queued')
    await openPayoutAccount(db)
  })

  it('and refunds are for the secret key alone', async () => {
    const { id } = await paymentOf(db, booking)
    for (const call of [
      'begin_payout($1)',
      `finish_payout($1, 'x')`,
      `fail_payout($1, 'x', 'x')`,
      'begin_refund($1)',
      `finish_refund($1, 'x')`,
      `fail_refund($1, 'x', 'x')`,
      `attach_payment_intent($1, 'x')`,
    ]) {
      await expect(as(db, 'grace')(`select public.${call}`, [id])).rejects.toThrow(/permission denied/)
      await expect(as(db, 'ada')(`select public.${call}`, [id])).rejects.toThrow(/permission denied/)
    }
  })
})

describe('refunds', () => {
  const refundOf = (id: string, status = 'succeeded') => ({
    id: `re_${id}`,
    object: 'refund',
    amount: 11_500,
    status,
    payment_intent: `pi_${id}`,
    metadata: { payment_id: id },
  })

  it('are recorded once by whoever says so first', async () => {
    booking = await bookingAt(db, 'in_progress', { amount: 100 })
    await cancel(db, booking, cast.grace)
    const { id } = await paymentOf(db, booking)
    await Promise.all([
      report(db, 'refund.created', refundOf(id)),
      asService(db)('select public.finish_refund($1, $2)', [id, `re_${id}`]),
      report(db, 'refund.updated', refundOf(id)),
    ])
    expect(await paymentOf(db, booking)).toMatchObject({ refund_status: 'sent', refunded_amount: '115.00' })
    expect((await balances(db, booking)).giver).toBeUndefined()
    // A job that runs once more, perhaps after the provider has forgotten the key, sends nothing.
    const { rows } = await asService(db)('select public.begin_refund($1) as order', [id])
    expect(rows[0].order).toEqual({ action: 'none', reason: 'already sent' })
  })

  it('that come back are owed again, also when the failure arrives first', async () => {
    booking = await bookingAt(db, 'in_progress', { amount: 100 })
    await cancel(db, booking, cast.grace)
    const { id } = await paymentOf(db, booking)
    await report(db, 'refund.failed', refundOf(id, 'failed'))
    await report(db, 'refund.created', refundOf(id))
    await asService(db)('select public.finish_refund($1, $2)', [id, `re_${id}`])
    await report(db, 'refund.failed', refundOf(id, 'failed'))
    expect(await paymentOf(db, booking)).toMatchObject({ refund_status: 'failed', refunded_amount: '0.00' })
    expect((await balances(db, booking)).giver).toBe(-11_500)
    const { rows } = await asService(db)('select public.begin_refund($1) as order', [id])
    expect(rows[0].order.idempotency_key).toBe(`refund-${id}-2`)
    await asService(db)(`select public.finish_refund($1, 're_second')`, [id])
    expect((await balances(db, booking)).giver).toBeUndefined()
  })

  it('that nobody asked for are left for a person to look at', async () => {
    booking = await bookingAt(db, 'in_progress', { amount: 100 })
    const { id } = await paymentOf(db, booking)
    expect((await report(db, 'refund.created', refundOf(id))).note).toBe(
      'a refund that was not asked for here',
    )
  })
})
