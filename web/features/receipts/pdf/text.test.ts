// Lines of text that the browser draws: no wider than the page, and nothing lost.
import { expect, test } from 'vitest'
import { isRightToLeft, turned, wrapped } from './text.ts'

const measure = (part: string) => [...part].length

test.each([
  ['short', 10, ['short']],
  ['two words here', 9, ['two words', 'here']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['', 4, ['']],
])('%j within %d', (text, width, lines) => {
  expect(wrapped(text, width, measure)).toEqual(lines)
})

test('on a page read from the right, boxes on the left are placed on the right', () => {
  const label = { size: 11, width: 380 }
  expect(turned(56, label, 612)).toEqual({ x: 176, look: { ...label, align: 'right' } })
  const amount = { size: 11, width: 110, align: 'right' } as const
  expect(turned(446, amount, 612)).toEqual({ x: 56, look: { ...amount, align: 'left' } })
})

test.each([
  ['إيصال R-37', true],
  // As Intl writes the twentieth of November in Arabic: only digits, and read from the right.
  ['20\u200f/11\u200f/2026', true],
  ['\u2066$384.00\u2069', false],
  ['पेआउट स्टेटमेंट', false],
])('%j goes from right to left: %s', (text, expected) => {
  expect(isRightToLeft(text)).toBe(expected)
})

test('nothing of a long text in another script is lost', () => {
  const text = 'बगीचे की बाड़ की मरम्मत करना और गेट को फिर से लटकाना'
  const lines = wrapped(text, 12, measure)
  expect(lines.every((line) => measure(line) <= 12)).toBe(true)
  expect(lines.join(' ')).toBe(text)
})
