// Addresses that are put together, and the way back after signing in.
import { expect, test } from 'vitest'
import { browsePath, pathAfterSignIn, signInPath, taskPath } from './paths.ts'

test('browse carries search and category', () => {
  expect(browsePath()).toBe('/browse')
  expect(browsePath({ category: 'Moving & Delivery' })).toBe('/browse?category=Moving+%26+Delivery')
  expect(browsePath({ search: '50% off?', category: 'Cleaning' })).toBe(
    '/browse?search=50%25+off%3F&category=Cleaning',
  )
})

test('an id cannot climb out of its path', () => {
  expect(taskPath('../profile')).toBe('/task/..%2Fprofile')
})

test('after signing in one returns to where one wanted to go', () => {
  const search = new URL(signInPath('/post-task?draft=1#when'), 'http://localhost').searchParams
  expect(pathAfterSignIn(search)).toBe('/post-task?draft=1#when')
  expect(pathAfterSignIn(new URLSearchParams())).toBe('/dashboard')
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example',
  'javascript:alert(1)',
  'dashboard',
  '/auth',
])('never to another site, nor in a circle: %s', (next) => {
  expect(pathAfterSignIn(new URLSearchParams({ next }))).toBe('/dashboard')
})
