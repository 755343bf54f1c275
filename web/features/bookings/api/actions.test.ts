// The cost of a cancellation is written in the reader's language.
import i18next from 'i18next'
import { expect, onTestFinished, test } from 'vitest'
import { cents } from '../../../../shared/money.ts'
import { startI18n } from '../../../i18n/index.ts'
import { outcomeText } from './actions.ts'

test.each([
  ['en', 'A cancellation fee of $5.00 applies; $115.00 will be refunded within 5 to 10 business days.'],
  [
    'de',
    'Es fällt eine Stornogebühr von 5,00\u00a0$ an; 115,00\u00a0$ werden innerhalb von 5 bis 10 Werktagen erstattet.',
  ],
] as const)('the cost of a cancellation in %s', async (language, text) => {
  await startI18n('en')
  await i18next.changeLanguage(language)
  onTestFinished(async () => void (await i18next.changeLanguage('en')))
  const cancelled = {
    outcome: 'fee',
    feeCents: cents(500),
    refundCents: cents(11_500),
    listing: null,
  } as const
  expect(outcomeText(cancelled)).toBe(text)
})
