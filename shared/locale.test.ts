// Moments and percentages as each language writes them.
import { expect, test } from 'vitest'
import { momentIn, percentIn } from './locale.ts'

test('a time stays on one line in French, whose hours and minutes have spaces between them', () => {
  const at = new Date('2026-11-25T07:37:00Z')
  expect(momentIn('fr', at)).toContain('1\u00a0h\u00a037')
  expect(momentIn('en', at)).toContain('1:37')
})

test('the first of a month is an ordinal in French', () => {
  const first = new Date('2026-09-01T18:00:00Z')
  expect(momentIn('fr', first)).toBe('mar. 1er sept., 12\u00a0h\u00a000')
  expect(momentIn('fr', new Date('2026-09-21T18:00:00Z'))).toContain(' 21 sept.')
  expect(momentIn('es', first)).not.toContain('1er')
})

test('a percentage has its sign where the language has it', () => {
  expect(percentIn('en', 9.975)).toBe('9.975%')
  expect(percentIn('fr', 9.975)).toBe('9,975\u00a0%')
  expect(percentIn('es', 15)).toBe('15%')
  expect(percentIn('ar', 15)).toBe('\u061c15%')
})
