// Amounts of a change of the price, as each side reads them.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { cents } from '../../../shared/money.ts'
import { startI18n } from '../../i18n/index.ts'
import type { ChangeKind } from '../../lib/queries/changes.ts'
import { ChangeAmounts } from './components/ChangeAmounts.tsx'

/** The lines as they are read. */
function linesOf(kind: ChangeKind, side: 'giver' | 'tasker', name: string) {
  const page = renderToStaticMarkup(
    <ChangeAmounts change={{ kind, amount: cents(1000) }} side={side} name={name} />,
  )
  return [...page.matchAll(/<dt[^>]*>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g)].map(
    ([, label, sum]) => `${label} ${sum}`,
  )
}

test('a lower price goes back to the giver, and the tasker gets less: nobody pays it', async () => {
  await startI18n('en')
  expect(linesOf('decrease', 'giver', 'Theo')).toEqual([
    'Theo gets less $8.00',
    'Less fee and GST $4.00',
    'Goes back to you $12.00',
  ])
  expect(linesOf('decrease', 'tasker', 'Grace')).toEqual([
    'Goes back to Grace $12.00',
    'Less fee and GST \u2212$4.00',
    'You get less $8.00',
  ])
})

test('an increase has its fees, an expense none', async () => {
  await startI18n('en')
  expect(linesOf('increase', 'giver', 'Theo')).toContain('You pay $12.00')
  expect(linesOf('expense', 'giver', 'Theo')).toEqual(['Theo gets $10.00', 'You pay $10.00'])
})
