// Moments as each language writes them.
import { expect, test } from 'vitest'
import { momentIn } from './locale.ts'

test('a time stays on one line in French, whose hours and minutes have spaces between them', () => {
  const at = new Date('2026-11-25T07:37:00Z')
  expect(momentIn('fr', at)).toContain('1\u00a0h\u00a037')
  expect(momentIn('en', at)).toContain('1:37')
})
