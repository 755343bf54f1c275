// Numbers as people type them, whatever their keyboard.
import { expect, test } from 'vitest'
import { latinDigits, plainAmount } from './digits.ts'

test('digits of every keyboard are the same digits', () => {
  for (const typed of ['0123456789', '٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '０１２３４５６７８９'])
    expect(latinDigits(typed)).toBe('0123456789')
  expect(latinDigits('S7K ١N١')).toBe('S7K 1N1')
})

test.each([
  ['$1,200.50', '1200.50'],
  ['1,200', '1200'],
  ['100,000.01', '100000.01'],
  ['25,50', '25.50'],
  ['1.200,5', '1200.5'],
  ['٢٥٫٥٠', '25.50'],
  ['١٬٢٠٠', '1200'],
  ['-5', '-5'],
  ['a lot', 'alot'],
])('%s is the amount %s', (typed, amount) => {
  expect(plainAmount(typed)).toBe(amount)
})
