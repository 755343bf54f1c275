// Phone numbers as people write them: at home, abroad, and invalid ones.
import { expect, test } from 'vitest'
import { formatPhone, formatWhileTyping } from './phone.ts'

test.each([
  ['+13065550102', '(306) 555-0102', '+1 306 555 0102'],
  ['306 555 0102', '(306) 555-0102', '+1 306 555 0102'],
  ['+442079460958', '+44 20 7946 0958', '+44 20 7946 0958'],
  ['306-555-0102 ext 7', '(306) 555-0102 ext. 7', '+1 306 555 0102 ext. 7'],
  ['3065550102x7', '(306) 555-0102 ext. 7', '+1 306 555 0102 ext. 7'],
  ['ask at the door', 'ask at the door', 'ask at the door'],
  [
    '306 555 0102 or ring at the door',
    '306 555 0102 or ring at the door',
    '306 555 0102 or ring at the door',
  ],
])('%s', async (stored, shown, whole) => {
  expect(await formatPhone(stored)).toBe(shown)
  expect(await formatPhone(stored, { whole: true })).toBe(whole)
})

test('a number takes its form while it is typed', async () => {
  expect(await formatWhileTyping('3065550')).toBe('(306) 555-0')
  expect(await formatWhileTyping('+1306555')).toBe('+1 306 555')
  // Letters, a space at the end and digits after a whole number are the person's own.
  for (const typed of ['(306) 555-0102 ', '(306) 555-0102 7', '(306) 555-0102 e', '3065550102x7', 'ask'])
    expect(await formatWhileTyping(typed)).toBe(typed)
})
