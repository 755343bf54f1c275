// The letters and the colour that stand for a person without a photo.
import { expect, test } from 'vitest'
import { hueOf, initials } from './Avatar.tsx'

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

test('the full name and the short one have the same colour', () => {
  expect(hueOf('Theo Tasker')).toBe(hueOf('Theo T.'))
  expect(hueOf('Ada Maria Weber')).toBe(hueOf('Ada W.'))
  expect(hueOf('Theo T.')).not.toBe(hueOf('Sam S.'))
})
