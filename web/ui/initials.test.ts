// The letters that stand for a person without a photo.
import { expect, test } from 'vitest'
import { initials } from './Avatar.tsx'

test.each([
  ['Grace', 'G'],
  ['Theo K.', 'TK'],
  ['Ada Maria Weber', 'AW'],
  ['Sam 🌻', 'S'],
  ['🌻', '?'],
  ['محمد علي', 'مع'],
  ['(Theo) O’Neil', 'TO'],
])('%s', (name, letters) => {
  expect(initials(name)).toBe(letters)
})
