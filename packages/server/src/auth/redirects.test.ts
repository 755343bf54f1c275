// The allow-list of redirects, in the globs of Supabase's documentation.
import { describe, expect, test } from 'vitest'
import { redirectAllowed, withFragment, withQuery } from './redirects.ts'

const allowed = redirectAllowed({
  siteUrl: 'https://meadowlark.example',
  additional: [
    'https://*.preview.example/**',
    'https://docs.example/page-?',
    'myapp://callback',
    'https://{one,two}.example/[a-c]',
    'https://exact.example/path.html',
    'http://*/**',
  ],
})

describe('allowed', () => {
  test.each([
    'https://meadowlark.example',
    'https://meadowlark.example/any/path?with=query#and-fragment',
    'https://pr-12.preview.example/a/b',
    'https://docs.example/page-1',
    'myapp://callback',
    'myapp://callback#fragment',
    'https://one.example/a',
    'https://two.example/c',
    'https://exact.example/path.html',
  ])('%s', (url) => {
    expect(allowed(url)).toBe(true)
  })

  test('any port of this machine, when the site is on it', () => {
    const local = redirectAllowed({ siteUrl: 'http://localhost:3000', additional: [] })
    expect(local('http://localhost:5173/x')).toBe(true)
    expect(local('https://localhost:3000')).toBe(false)
    expect(local('http://127.0.0.1:3000')).toBe(false)
  })
})

describe('not allowed', () => {
  test.each([
    '',
    '/dashboard',
    '//evil.example',
    'http://meadowlark.example/',
    'https://meadowlark.example:8443/',
    'https://meadowlark.example.evil.example/',
    'https://evil.example/https://meadowlark.example/',
    'https://user:pass@meadowlark.example/',
    'https://a.b.preview.example/x',
    'https://docs.example/page-12',
    'https://docs.example/page-/',
    'https://exact.example/pathXhtml',
    'https://three.example/a',
    'https://one.example/d',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://203.0.113.5/x',
    'http://3405803781/',
    'http://[2001:db8::1]/x',
    'https:\\\\meadowlark.example',
    ' https://meadowlark.example',
    '\thttps://meadowlark.example',
    'https://meadowlark.example/\u0000',
    'https:///%zz',
  ])('%j', (url) => {
    expect(allowed(url)).toBe(false)
  })
})

test('parameters join a URL that has some already', () => {
  expect(withFragment('https://a.example/x?y=1#old', { token: 'a b' })).toBe(
    'https://a.example/x?y=1#token=a+b',
  )
  expect(withQuery('https://a.example/x?y=1#part', { code: '1' })).toBe('https://a.example/x?y=1&code=1#part')
  expect(withQuery('myapp://callback', { code: '1' })).toBe('myapp://callback?code=1')
})
