// Amounts of a price with a part that has no fees.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { type Price, priceOf } from '../../shared/fees.ts'
import { cents } from '../../shared/money.ts'
import { startI18n } from '../i18n/index.ts'
import { PriceSplit } from './PriceSplit.tsx'

/** The lines as they are read: 'You pay $96.00'. */
function linesOf(price: Price, side: 'giver' | 'tasker') {
  const page = renderToStaticMarkup(<PriceSplit price={price} side={side} other="Theo" unfolded />)
  return [...page.matchAll(/<dt[^>]*>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g)].map(
    ([, name, sum]) => `${name} ${sum}`,
  )
}

test('expenses are a line without fees, apart from the amount that the fees are on', async () => {
  await startI18n('en')
  const task = priceOf(cents(9000))
  const expenses = cents(3250)
  const price = {
    ...task,
    amount: cents(task.amount + expenses),
    total: cents(task.total + expenses),
    payout: cents(task.payout + expenses),
    feeFree: expenses,
  }
  expect(linesOf(price, 'giver').slice(3, 8)).toEqual([
    'Task amount $90.00',
    'Platform fee (15%) $13.50',
    'GST (5%) $4.50',
    'Expenses, without a fee $32.50',
    'You pay $140.50',
  ])
  expect(linesOf(price, 'tasker').slice(3, 8)).toContain('Task amount $90.00')
})

test('an expense or a tip alone is what one pays and the other gets, without fees of zero', async () => {
  await startI18n('en')
  const tip = cents(1500)
  const none = cents(0)
  const price = { amount: tip, platformFee: none, gst: none, total: tip, payout: tip, feeFree: tip }
  expect(linesOf(price, 'giver')).toEqual(['Theo gets $15.00', 'You pay $15.00'])
  expect(linesOf(price, 'tasker')).toEqual(['Theo pays $15.00', 'You get $15.00'])
})
