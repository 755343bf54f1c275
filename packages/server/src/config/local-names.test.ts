// Names of the Supabase CLI's containers lead to this server, and no other name does.
import { describe, expect, test } from 'vitest'
import { localAddress } from './local-names.mjs'

const development = { origin: 'http://127.0.0.1:3000', apiPort: 55321, production: false }
const production = { ...development, production: true }

describe.each([
  ['development', development],
  ['production', production],
])('in %s', (_, here) => {
  test.each([
    ['http://kong:8000/functions/v1/hello?a=1#b', '/functions/v1/hello?a=1#b'],
    ['http://KONG:8000/rest/v1/tasks', '/rest/v1/tasks'],
    ['http://kong/auth/v1/health', '/auth/v1/health'],
    ['https://kong:8443/auth/v1/health', '/auth/v1/health'],
    ['http://supabase_kong_my-app:8000/functions/v1/hello', '/functions/v1/hello'],
    ['http://supabase-kong:8000/functions/v1/hello', '/functions/v1/hello'],
    ['http://api.supabase.internal:8000/functions/v1/hello', '/functions/v1/hello'],
    ['http://edge_runtime:8081/hello/there', '/functions/v1/hello/there'],
    ['http://supabase_edge_runtime_my-app:8081/hello', '/functions/v1/hello'],
    ['http://supabase_edge_runtime_my-app:8081/functions/v1/hello', '/functions/v1/hello'],
    ['http://host.docker.internal:54321/functions/v1/hello', '/functions/v1/hello'],
    ['http://host.docker.internal:55321/functions/v1/hello', '/functions/v1/hello'],
    ['http://host.docker.internal:8000/functions/v1/hello', '/functions/v1/hello'],
    ['http://host.docker.internal/functions/v1/hello', '/functions/v1/hello'],
  ])('%s is this server', (address, path) => {
    expect(localAddress(address, here)).toBe(`http://127.0.0.1:3000${path}`)
  })

  test.each([
    'http://kong.example.com:8000/',
    'http://mykong:8000/',
    'http://example.com/?url=http://kong:8000/',
    'http://kong@site.example/',
    'http://host.docker.internal.example.com/',
    'http://localhost:8000/kong',
    'file://kong/etc/passwd',
    '/functions/v1/hello',
    'no address',
  ])('%s stays as it is', (address) => {
    expect(localAddress(address, here)).toBe(address)
  })
})

test('a WebSocket stays one', () => {
  expect(localAddress('ws://kong:8000/realtime/v1/websocket', development)).toBe(
    'ws://127.0.0.1:3000/realtime/v1/websocket',
  )
})

test('at another port host.docker.internal is this machine, in production whatever the network says', () => {
  const address = 'http://host.docker.internal:9000/hook'
  expect(localAddress(address, development)).toBe('http://127.0.0.1:9000/hook')
  expect(localAddress(address, production)).toBe(address)
})
