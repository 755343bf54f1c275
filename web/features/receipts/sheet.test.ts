// The lines of a receipt.
import i18next from 'i18next'
import { expect, test } from 'vitest'
import { cents } from '../../../shared/money.ts'
import { startI18n } from '../../i18n/index.ts'
import type { Receipt } from './api/queries.ts'
import { sheetOf } from './sheet.ts'

const receipt = {
  kind: 'receipt',
  number: 7,
  issued_at: '2026-11-29T12:00:00Z',
  issuer: { name: 'Meadowlark', address: null, gst_number: null },
  person_name: 'Grace',
  other_name: 'Theo',
  card_last4: null,
  task_title: 'Paint the porch',
  platform_fee_percent: 15,
  gst_percent: 5,
  payment: { complaint: [], lost_amount: 0, refund_amount: 0, escrow_status: 'held' },
}

const labelsOf = (money: object) =>
  sheetOf({ ...receipt, ...money } as unknown as Receipt, i18next.t).lines.map(({ label }) => label)

test('fees are lines where there are some, and expenses and tips have none', async () => {
  await startI18n('en')
  const none = { platform_fee: cents(0), gst: cents(0) }
  expect(
    labelsOf({
      basis: 'increase',
      amount: cents(2000),
      platform_fee: cents(300),
      gst: cents(100),
      total: 2400,
    }),
  ).toEqual(['Increase of the price', 'Platform fee (15%)', 'GST (5%)', 'Paid in total'])
  expect(labelsOf({ basis: 'tip', amount: cents(1500), ...none, total: cents(1500) })).toEqual([
    'Tip',
    'Paid in total',
  ])
  expect(labelsOf({ basis: 'expense', amount: cents(3250), ...none, total: cents(3250) })).toEqual([
    'Expense',
    'Paid in total',
  ])
})
