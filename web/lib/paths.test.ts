// Addresses that are put together, and the way back after signing in.
import { expect, test } from 'vitest'
import { browsePath, pathAfterLink, pathAfterSignIn, signInPath, taskPath } from './paths.ts'

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

test('the link of an e-mail leads to a path of this app, whatever site it names', () => {
  const target = (redirect_to: string) => pathAfterLink(new URLSearchParams({ redirect_to }))
  expect(target('http://localhost:3000/auth?view=new-password')).toBe('/auth?view=new-password')
  expect(target('https://evil.example//evil.example/x')).toBe('/evil.example/x')
  expect(target('https://meadowlark.example/\\evil.example')).toBe('/evil.example')
  for (const other of ['', '/post-task', 'javascript:alert(1)', 'https://meadowlark.example/auth/confirm'])
    expect(target(other)).toBe('/dashboard')
})
