// Messages about failures: the service's words, never those of an exception.
import { expect, onTestFinished, test } from 'vitest'
import { startI18n } from '../i18n/index.ts'
import { errorText } from './errorText.ts'

test('a refusal has its own words', () => {
  const refusal = Object.assign(new Error('This task is no longer open'), { code: 'P0001' })
  expect(errorText(refusal)).toBe('This task is no longer open')
})

test.each([
  new DOMException('The node to be removed is not a child of this node.', 'NotFoundError'),
  new TypeError("Cannot read properties of undefined (reading 'id')"),
  new SyntaxError('Unexpected token < in JSON'),
])('%s is an exception, and its words are kept back', (exception) => {
  expect(errorText(exception)).not.toBe(exception.message)
  expect(errorText(exception, 'It could not be saved.')).toBe('It could not be saved.')
})

test('a row that a policy refuses gets no words of the database', () => {
  const refusal = Object.assign(new Error('new row violates row-level security policy'), { code: '42501' })
  expect(errorText(refusal)).not.toContain('row')
})

test('a request that failed offline has the same text once the connection is back', async () => {
  await startI18n('en')
  const failure = new TypeError('Failed to fetch')
  const navigator = { onLine: false }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator')
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true })
  onTestFinished(() => {
    if (before) Object.defineProperty(globalThis, 'navigator', before)
    else Reflect.deleteProperty(globalThis, 'navigator')
  })
  const text = errorText(failure)
  expect(text).toMatch(/^You are offline/)
  navigator.onLine = true
  expect(errorText(failure)).toBe(text)
  expect(errorText(new TypeError('Failed to fetch'))).not.toBe(text)
})
