// Client addresses: claims of headers, addresses reported by trusted proxies, and how addresses are counted.
import { expect, test } from 'vitest'
import { readNetworks } from '../config/networks.ts'
import { clientAddresses, limitKey } from './client-address.ts'

const addresses = clientAddresses(readNetworks('127.0.0.1, 10.0.0.0/8, 2001:db8:1::/48') ?? [])
const from = (remoteAddress: string | undefined, forwarded?: string) =>
  addresses.of({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as never)

test.each([
  ['without a proxy', '203.0.113.7', undefined, '203.0.113.7'],
  ['a stranger who claims another', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['a private network that is not named', '192.168.0.9', '198.51.100.1', '192.168.0.9'],
  ['a proxy', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['a proxy over IPv6 that speaks IPv4', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['a proxy and what the client wrote before it', '10.1.2.3', '192.0.2.1, 198.51.100.1', '198.51.100.1'],
  ['two proxies', '10.1.2.3', '192.0.2.1, 198.51.100.1, 2001:db8:1::5', '198.51.100.1'],
  ['nobody but proxies', '10.1.2.3', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
  ['words where an address should be', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
  ['words before a proxy', '10.1.2.3', 'unknown, 10.0.0.8', '10.0.0.8'],
  ['an empty header', '10.1.2.3', '', '10.1.2.3'],
  ['ports', '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
  ['ports of IPv6', '10.1.2.3', '[2001:DB8:0::7]:4711', '2001:db8::7'],
  ['IPv4 inside of IPv6', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
  ['a connection that has ended', undefined, '198.51.100.1', null],
])('%s', (_, peer, forwarded, client) => {
  expect(from(peer, forwarded)).toBe(client)
})

test('without proxies no header counts, and that it did not is reported once', () => {
  const reported: string[] = []
  const plain = clientAddresses([], (peer) => reported.push(peer))
  const request = { socket: { remoteAddress: '127.0.0.1' }, headers: { 'x-forwarded-for': '198.51.100.1' } }
  expect([plain.of(request as never), plain.of(request as never)]).toEqual(['127.0.0.1', '127.0.0.1'])
  expect(reported).toEqual(['127.0.0.1'])
})

test('proxies are known by their connection', () => {
  expect(['::ffff:10.0.0.1', '203.0.113.7', undefined].map(addresses.isProxy)).toEqual([true, false, false])
})

test('limits count IPv6 by its /64', () => {
  expect(limitKey('203.0.113.7')).toBe('203.0.113.7')
  expect(limitKey('2001:db8:0:1:2:3:4:5')).toBe(limitKey('2001:db8:0:1::9'))
  expect(limitKey('2001:db8::1')).toBe(limitKey('2001:db8:0:0:ffff::'))
  expect(limitKey('2001:db8:0:2::1')).not.toBe(limitKey('2001:db8:0:1::1'))
  expect([limitKey('::1'), limitKey(null)]).toEqual(['0:0:0:0::/64', ''])
})

test.each([
  'x',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  '300.1.1.1',
  '10.0.0.0/a',
  '::/129',
  '0.0.0.0/0',
])('no network: %s', (list) => {
  expect(readNetworks(`127.0.0.1, ${list}`)).toBeNull()
})
