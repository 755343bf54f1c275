// Amounts as people type them, in every language: accepted forms, and ambiguous ones that are refused.
import { describe, expect, test } from 'vitest'
import { numberFormat } from '../../shared/formats.ts'
import { localeOf } from '../../shared/locale.ts'
import { cents } from '../../shared/money.ts'
import { rules } from '../../shared/rules.ts'
import { centsFrom, plainAmount } from './amounts.ts'

test.each([
  ['$1,200.50', '1200.50'],
  [' $ 1,200.50 ', '1200.50'],
  ['CA$ 1,200', '1200'],
  ['1,200', '1200'],
  ['100,000.01', '100000.01'],
  ['25,50', '25.50'],
  ['25.', '25'],
  ['.5', '.5'],
  ['1.200,5', '1200.5'],
  ['1.250.000', '1250000'],
  ['1,25,000', '125000'],
  ['12,34,567.80', '1234567.80'],
  ['1 250', '1250'],
  ['1\u202f250,50 $', '1250.50'],
  ['1\u00a0250', '1250'],
  ["1'250.50", '1250.50'],
  ['٢٥٫٥٠', '25.50'],
  ['١٬٢٠٠', '1200'],
  ['۱٬۲۵۰٫۵۰', '1250.50'],
  ['१,२५,०००', '125000'],
  ['１，２５０', '1250'],
  ['\u20671,250\u2069', '1250'],
  ['-5', '-5'],
  ['\u22125', '-5'],
  ['0.125', '0.125'],
  ['60.005', '60.005'],
  ['1250.500', '1250.500'],
])('%s is the amount %s', (typed, amount) => {
  expect(plainAmount(typed, 'en')).toBe(amount)
})

test.each([
  'a lot',
  '1e3',
  '12x',
  '1 2',
  '25 50',
  '1,2,3',
  '1.2.3',
  '1,250,00',
  '1.250 000',
  '12,5000',
  '--5',
])('%s is no amount', (typed) => {
  for (const language of rules.languages) expect(centsFrom(typed, language)).toBeNull()
})

describe.each(rules.languages)('in %s', (language) => {
  // As the screens write it, and as the language's countries do.
  const locales = [localeOf(language), language, ...(language === 'es' ? ['es-ES', 'es-MX'] : [])]

  test.each([1250, 1250.5, 25.5, 12_500, 100_000, 99_999.99])('%d is read as it is written', (dollars) => {
    for (const locale of locales)
      for (const useGrouping of ['always', false] as const) {
        const typed = numberFormat(locale, { useGrouping, maximumFractionDigits: 2 }).format(dollars)
        expect(centsFrom(typed, language), typed).toBe(Math.round(dollars * 100))
      }
  })
})

test('1.250 is a thousand and more where a point groups thousands, and is not guessed where it begins decimals', () => {
  for (const language of ['de', 'es', 'fr', 'id', 'pt', 'ru'] as const)
    expect(centsFrom('1.250', language)).toBe(cents(125_000))
  for (const language of ['ar', 'en', 'hi', 'zh'] as const) {
    expect(centsFrom('1,250', language)).toBe(cents(125_000))
    expect(centsFrom('1.250', language)).toBeNull()
  }
  expect(centsFrom('1,250', 'es')).toBe(cents(125_000))
  expect(centsFrom('1,250', 'de')).toBeNull()
})
