// The account or address that a request counts for, as trusted proxies report it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { TokenError } from '../keys/keys.ts'
import { NOBODY } from './authenticator.ts'
import { clientAddresses } from './client-address.ts'
import { RequestContext } from './request-context.ts'

const addresses = clientAddresses([{ address: '10.0.0.0', prefix: 8, family: 'ipv4' }])

function request(peer: string, forwarded?: string): RequestContext {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const incoming = { url: '/', method: 'GET', headers, socket: { remoteAddress: peer } }
  return new RequestContext(incoming as unknown as IncomingMessage, {} as ServerResponse, {
    mount: '',
    addresses,
  })
}

test('strangers count by their address, behind trusted proxies only', () => {
  expect(request('192.0.2.1').queueKey).toBe('192.0.2.1')
  expect(request('10.0.0.1', '192.0.2.7').queueKey).toBe('192.0.2.7')
  expect(request('192.0.2.1', '192.0.2.7').queueKey).toBe('192.0.2.1')
  expect(request('2001:db8::1').queueKey).toBe(request('2001:db8::2').queueKey)
})

test('signed-in people count by account; keys and bad tokens by address', () => {
  const of = (caller: object) => Object.assign(request('192.0.2.1'), { callerOrError: caller }).queueKey
  expect(of({ ...NOBODY, role: 'authenticated', token: 'a token', claims: { sub: 'grace' } })).toBe('grace')
  expect(of({ ...NOBODY, role: 'service_role', token: null, claims: { sub: 'grace' } })).toBe('192.0.2.1')
  expect(of({ ...NOBODY, token: 'a token', claims: { sub: 1 } })).toBe('192.0.2.1')
  expect(of(new TokenError('expired', 'The token has expired'))).toBe('192.0.2.1')
})
