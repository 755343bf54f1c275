// Bans: their subjects and length, and that a server with time to spare delays nobody.
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createBans } from './bans.ts'
import { clientAddresses } from './client-address.ts'

const from = (remoteAddress: string, forwarded?: string, length?: number) =>
  ({
    socket: { remoteAddress },
    headers: {
      'x-forwarded-for': forwarded,
      'content-length': length === undefined ? undefined : `${length}`,
    },
  }) as unknown as IncomingMessage

function bans(isBusy: () => boolean = () => true) {
  let time = 0
  const addresses = clientAddresses([{ address: '10.0.0.1', prefix: 32, family: 'ipv4' }])
  return {
    ...createBans({ addresses, isBusy, now: () => time }),
    wait(milliseconds: number) {
      time += milliseconds
    },
  }
}

test('a ban holds for half a minute, counted from the last reason for it', () => {
  const one = bans()
  one.add(from('192.0.2.1'))
  one.wait(20_000)
  one.add(from('192.0.2.1'))
  one.wait(29_999)
  expect([one.has(from('192.0.2.1')), one.hasPeer('::ffff:192.0.2.1')]).toEqual([true, true])
  expect([one.has(from('192.0.2.2')), one.hasPeer('192.0.2.2')]).toEqual([false, false])
  one.wait(1)
  expect([one.has(from('192.0.2.1')), one.hasPeer('192.0.2.1')]).toEqual([false, false])
})

test('of IPv6 the whole network of a subscriber is banned', () => {
  const one = bans()
  one.add(from('2001:db8::1'))
  expect(one.has(from('2001:db8::2'))).toBe(true)
  expect(one.has(from('2001:db8:0:1::1'))).toBe(false)
})

test('through a proxy its client is, and never the proxy', () => {
  const one = bans()
  one.add(from('10.0.0.1', '192.0.2.1'))
  one.add(from('10.0.0.1'))
  expect(one.has(from('10.0.0.1', '192.0.2.1'))).toBe(true)
  expect(one.has(from('10.0.0.1', '192.0.2.2'))).toBe(false)
  expect(one.hasPeer('10.0.0.1')).toBe(false)
})

test('whether the server is busy is asked only about those who are banned', () => {
  let asked = 0
  let busy = false
  const one = bans(() => {
    asked++
    return busy
  })
  one.add(from('192.0.2.1'))
  one.has(from('192.0.2.2'))
  expect(asked).toBe(0)
  expect(one.has(from('192.0.2.1'))).toBe(false)
  busy = true
  expect(one.has(from('192.0.2.1'))).toBe(true)
  expect(asked).toBe(2)
})

test('forty requests that failed within half a minute are enough, and as many as a day brings are not', () => {
  const one = bans()
  for (let n = 0; n < 39; n++) one.count(from('192.0.2.1'), 429)
  expect(one.has(from('192.0.2.1'))).toBe(false)
  one.wait(30_000)
  for (let n = 0; n < 39; n++) one.count(from('192.0.2.1'), 400)
  expect(one.has(from('192.0.2.1'))).toBe(false)
  one.count(from('192.0.2.1'), 504)
  expect(one.has(from('192.0.2.1'))).toBe(true)
})

test('a failed request costs by what it announced', () => {
  const one = bans()
  const megabyte = from('192.0.2.1', undefined, 1024 * 1024)
  one.count(megabyte, 400)
  one.count(megabyte, 413)
  expect(one.has(megabyte)).toBe(false)
  one.count(megabyte, 408)
  expect(one.has(megabyte)).toBe(true)
})

test('answers that apps meet in everyday use, and those that are not the fault of a client, cost nothing', () => {
  const one = bans()
  for (const status of [200, 206, 401, 403, 404, 409, 500, 503])
    for (let n = 0; n < 1000; n++) one.count(from('192.0.2.1', undefined, 1_000_000), status)
  expect(one.has(from('192.0.2.1'))).toBe(false)
})

test('four answers that nobody read are enough', () => {
  const one = bans()
  for (let n = 0; n < 3; n++) one.countUnread('192.0.2.1')
  expect(one.hasPeer('192.0.2.1')).toBe(false)
  one.countUnread('192.0.2.1')
  expect(one.hasPeer('192.0.2.1')).toBe(true)
})

test('whoever connects from this machine or a private network is not counted', () => {
  const one = bans()
  for (let n = 0; n < 1000; n++) {
    one.count(from('127.0.0.1'), 400)
    one.count(from('::ffff:127.0.0.1'), 400)
    one.count(from('::1'), 400)
    one.count(from('172.18.0.2'), 400)
  }
  expect(['127.0.0.1', '::1', '172.18.0.2'].map((address) => one.has(from(address)))).toEqual([
    false,
    false,
    false,
  ])
})
