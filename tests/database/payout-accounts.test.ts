// The account behind payouts: one a person, the provider's reports on it, and the payouts to the bank behind it.
import { describe, expect, it } from 'vitest'
import { bookingAt, openPayoutAccount, paymentOf, queued, refusal, reportOf } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

const bank = { id: 'ba_1', last4: '6789', bank_name: 'STRIPE TEST BANK', default_for_currency: true }
const account = (id: string, more: object = {}) => ({
  id,
  object: 'account',
  payouts_enabled: true,
  capabilities: { transfers: 'active' },
  requirements: { currently_due: [], errors: [], disabled_reason: null },
  external_accounts: { data: [bank] },
  ...more,
})
const record = async (shown: object, at: string, person: string | null = null) =>
  (
    await asService(db)('select public.record_payout_account($1, $2, $3) as row', [
      JSON.stringify(shown),
      at,
      person,
    ])
  ).rows[0].row

describe('a payout account', () => {
  it('is prepared for people who are paid, with what they have declared, and for nobody else', async () => {
    for (const person of ['grace', 'ada']) {
      expect(await refusal(as(db, person)('select public.prepare_payout_account()'))).toBe(
        'Only taskers are paid out',
      )
    }
    await expect(as(db, 'anonymous')('select public.prepare_payout_account()')).rejects.toThrow(/permission/)
    const { rows } = await as(db, 'theo')('select public.prepare_payout_account() as p')
    expect(rows[0].p).toMatchObject({
      user_id: cast.theo,
      account_id: null,
      idempotency_key: `payout-account-${cast.theo}`,
      legal_name: null,
    })
  })

  it('is recorded by trusted code alone, once a person, and takes the place of noted bank details', async () => {
    await as(db, 'theo')(
      `insert into public.payout_accounts (user_id, stripe_account_id, bank_last4) values ($1, 'x', '1111')`,
      [cast.theo],
    )
    for (const person of ['theo', 'grace', 'ada']) {
      await expect(
        as(db, person)(`select public.record_payout_account('{"id": "acct_1"}', now(), $1)`, [cast.theo]),
      ).rejects.toThrow(/permission denied/)
    }
    await Promise.all([
      record(account('acct_one'), '2030-01-01T00:00:01Z', cast.theo),
      record(account('acct_one'), '2030-01-01T00:00:01Z', cast.theo),
    ])
    await record(account('acct_two'), '2030-01-01T00:00:02Z', cast.theo)
    const { rows } = await as(db, 'theo')('select * from public.payout_accounts')
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      stripe_account_id: 'acct_one',
      account_status: 'active',
      account_type: 'custom',
      bank_last4: '6789',
      bank_name: 'STRIPE TEST BANK',
    })
    for (const person of ['grace', 'sam', 'ada'])
      expect((await as(db, person)('select 1 from public.payout_accounts')).rows).toEqual([])
  })

  it('shows what the provider wants and why, the newest reading counts', async () => {
    const wanted = account('acct_one', {
      payouts_enabled: false,
      requirements: {
        currently_due: ['individual.address.line1'],
        errors: [{ code: 'x', requirement: 'individual.address.line1', reason: 'No such street.' }],
        disabled_reason: 'requirements.past_due',
      },
    })
    expect(await record(wanted, '2030-01-01T00:00:05Z')).toMatchObject({
      account_status: 'restricted',
      requirements: ['individual.address.line1'],
      requirement_errors: [{ requirement: 'individual.address.line1', reason: 'No such street.' }],
    })
    expect(await record(account('acct_one'), '2030-01-01T00:00:04Z')).toMatchObject({
      account_status: 'restricted',
    })
    const reviewed = account('acct_one', {
      payouts_enabled: false,
      requirements: { currently_due: [], errors: [], disabled_reason: 'under_review' },
    })
    expect(await record(reviewed, '2030-01-01T00:00:06Z')).toMatchObject({ account_status: 'pending' })
    expect(await record(account('acct_one'), '2030-01-01T00:00:07Z')).toMatchObject({
      account_status: 'active',
    })
    expect(await record(account('acct_nobodys'), '2030-01-01T00:00:07Z')).toBeNull()
  })

  it('has the bank that the provider says, whatever its owner writes', async () => {
    expect(await refusal(as(db, 'theo')(`update public.payout_accounts set bank_last4 = '9999'`))).toBe(
      'Bank details are changed with the payment provider',
    )
  })

  it('that becomes active gets what waited and what had failed', async () => {
    const nell = await signUp(db, { name: 'Nell Newcomer', role: 'task_doer' })
    const waiting = await paymentOf(db, await bookingAt(db, 'released', { tasker: nell, amount: 50 }))
    const failed = await paymentOf(db, await bookingAt(db, 'released', { tasker: nell, amount: 60 }))
    await owner(db)(`update public.payments set payout_status = 'failed' where id = $1`, [failed.id])
    await record(account('acct_nell'), '2030-01-01T00:00:01Z', nell)
    expect(await queued(db, waiting.id)).toEqual(['release-payout'])
    expect(await queued(db, failed.id)).toEqual(['release-payout'])
  })
})

describe('payouts to the bank', () => {
  const payout = (id: string, status: string, more: object = {}) => ({
    id,
    object: 'payout',
    amount: 4000,
    currency: 'cad',
    status,
    created: 1_900_000_000,
    arrival_date: 1_900_000_000,
    failure_code: null,
    failure_message: null,
    destination: 'ba_2',
    ...more,
  })

  it('are recorded in any order of their events, for their owner and admins', async () => {
    const tasker = await signUp(db, { role: 'task_doer' })
    const id = await openPayoutAccount(db, tasker)
    await record(
      account(id, { external_accounts: { data: [{ ...bank, id: 'ba_2' }] } }),
      '2030-01-01T00:00:00Z',
    )
    const failed = payout('po_1', 'failed', { failure_code: 'account_closed', failure_message: 'Closed.' })
    for (const [type, object] of [
      ['payout.failed', failed],
      ['payout.created', payout('po_1', 'pending')],
      ['payout.paid', payout('po_1', 'paid')],
      ['payout.updated', failed],
    ] as const)
      await reportOf(db, id, type, object)
    const mine = await as(db, tasker)('select * from public.payouts')
    expect(mine.rows).toMatchObject([
      { id: 'po_1', amount: '40.00', status: 'failed', failure_message: 'Closed.', bank_last4: '6789' },
    ])
    expect((await as(db, 'ada')(`select 1 from public.payouts where id = 'po_1'`)).rows).toHaveLength(1)
    for (const person of ['grace', 'theo', 'sam'])
      expect((await as(db, person)(`select 1 from public.payouts where id = 'po_1'`)).rows).toEqual([])
    const { rows } = await owner(db)(
      `select message, link from public.notifications where user_id = $1 and key = 'payout_returned'`,
      [tasker],
    )
    expect(rows).toEqual([
      {
        message: '$40.00 came back: The bank account has been closed. Please update your bank details.',
        link: '/profile?tab=payout',
      },
    ])
    expect((await reportOf(db, 'acct_unknown', 'payout.paid', payout('po_2', 'paid'))).note).toBe(
      'no payout account of ours',
    )
  })

  it('name the bank that they went to, though its event comes after them, or it has changed since', async () => {
    const tasker = await signUp(db, { role: 'task_doer' })
    const id = await openPayoutAccount(db, tasker)
    const banks = async () =>
      (await as(db, tasker)('select id, bank_last4 from public.payouts order by id')).rows.map(
        ({ id, bank_last4 }) => [id, bank_last4],
      )
    const heard = (banks: object[]) =>
      record(account(id, { external_accounts: { data: banks } }), new Date().toISOString())
    const old = { ...bank, id: 'ba_old', last4: '1113' }
    await heard([old])
    await reportOf(db, id, 'payout.failed', payout('po_4', 'failed', { destination: 'ba_old' }))
    await reportOf(db, id, 'payout.paid', payout('po_5', 'paid', { destination: 'ba_new' }))
    expect(await banks()).toEqual([
      ['po_4', '1113'],
      ['po_5', null],
    ])
    await heard([{ ...bank, id: 'ba_new', last4: '4242' }])
    expect(await banks()).toEqual([
      ['po_4', '1113'],
      ['po_5', '4242'],
    ])
  })

  it('forget the bank of a deleted account', async () => {
    const nell = await signUp(db, { role: 'task_doer' })
    await reportOf(db, await openPayoutAccount(db, nell), 'payout.paid', payout('po_3', 'paid'))
    await owner(db)('delete from public.payout_accounts where user_id = $1', [nell])
    const { rows } = await owner(db)(`select bank_last4 from public.payouts where id = 'po_3'`)
    expect(rows[0].bank_last4).toBeNull()
  })
})
