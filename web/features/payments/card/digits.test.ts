// Input in the card's fields.
import { expect, test } from 'vitest'
import { cardCode, cardExpiry, cardNumber } from './digits.ts'

test('a number is shown in groups of four, without other characters', () => {
  expect(cardNumber('4242424242424242')).toBe('4242 4242 4242 4242')
  expect(cardNumber('4242-4242 x 42')).toBe('4242 4242 42')
  expect(cardNumber('4242')).toBe('4242')
  expect(cardNumber('')).toBe('')
})

test('an expiry date gets its slash, and lets it be deleted', () => {
  expect(cardExpiry('1')).toBe('1')
  expect(cardExpiry('4')).toBe('04 / ')
  expect(cardExpiry('12', '1')).toBe('12 / ')
  expect(cardExpiry('12 /', '12 / ')).toBe('12')
  expect(cardExpiry('12 / 3', '12 / ')).toBe('12 / 3')
  expect(cardExpiry('12/34')).toBe('12 / 34')
  expect(cardExpiry('1234567')).toBe('12 / 34')
})

test('a code has four digits at most', () => {
  expect(cardCode('12a345')).toBe('1234')
})
