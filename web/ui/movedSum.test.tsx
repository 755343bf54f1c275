// The sum that a giver finally paid, or a tasker finally got.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { priceOf } from '../../shared/fees.ts'
import { cents } from '../../shared/money.ts'
import { startI18n } from '../i18n/index.ts'
import { movedSum } from '../lib/queries/payment.ts'
import { PriceFigure } from './PriceSplit.tsx'

const price = priceOf(cents(10_000))
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const payment = {
  total: cents(12_000),
  payout_amount: cents(8_000),
  refund_amount: cents(0),
  lost_amount: cents(0),
  escrow_status: 'held' as const,
}
const parted = {
  ...payment,
  payout_amount: cents(4_800),
  refund_amount: cents(4_800),
  escrow_status: 'refunded' as const,
}

test.each([
  ['before anything is paid', { ...payment, escrow_status: 'pending' as const }, null, null],
  ['while it is held', payment, 12_000, null],
  ['once it is released', { ...payment, escrow_status: 'released' as const }, 12_000, 8_000],
  ['after a split', parted, 7_200, 4_800],
  ['after a lost chargeback', { ...parted, refund_amount: cents(0), lost_amount: cents(13_000) }, 0, 4_800],
])('the sum that was moved, %s', (_, of, giver, tasker) => {
  expect(movedSum(of, 'giver')).toBe(giver)
  expect(movedSum(of, 'tasker')).toBe(tasker)
})

test('a figure of money that has moved says so to the giver', async () => {
  await startI18n('en')
  const figure = (reader: 'giver' | 'tasker') =>
    textOf(
      renderToStaticMarkup(
        <PriceFigure price={price} reader={reader} moved={movedSum(parted, reader)} size="large" />,
      ),
    )
  expect(figure('giver')).toBe('You paid $72 Task amount $100')
  expect(figure('tasker')).toBe('You get $48 Task amount $100')
})
