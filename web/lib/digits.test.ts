// Numbers as people type them, whatever their keyboard.
import { expect, test } from 'vitest'
import { latinDigits } from './digits.ts'

test('digits of every keyboard are the same digits', () => {
  for (const typed of ['0123456789', '٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '０１２３４５６７８９'])
    expect(latinDigits(typed)).toBe('0123456789')
  expect(latinDigits('S7K ١N١')).toBe('S7K 1N1')
})
