// From which address a request comes, for limits and for the audit log. A header says whatever its sender likes, so
// X-Forwarded-For counts only as far as proxies that TRUSTED_PROXIES names have written it.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, SocketAddress } from 'node:net'
import type { Network } from '../config/networks.ts'

export interface ClientAddresses {
  /**
   * The client's address in its canonical form (IPv4-mapped IPv6 as IPv4). Null only when the connection has ended
   * and no trusted proxy named a client.
   */
  of(incoming: Pick<IncomingMessage, 'socket' | 'headers'>): string | null
  /** Whether connections from this address are a proxy's, behind which there are many clients. */
  isProxy(address: string | undefined): boolean
}

/** `onUntrusted` is reported once: of the first peer that sent X-Forwarded-For without being a proxy that is trusted. */
export function clientAddresses(
  proxies: readonly Network[],
  onUntrusted: (peer: string) => void = () => {},
): ClientAddresses {
  const trusted = new BlockList()
  for (const { address, prefix, family } of proxies) trusted.addSubnet(address, prefix, family)
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  let reported = false

  return {
    of({ socket, headers }) {
      const peer = canonicalAddress(socket?.remoteAddress ?? '')
      const forwarded = headers['x-forwarded-for'] as string | undefined
      if (forwarded === undefined || peer === null) return peer
      if (!isTrusted(peer)) {
        if (!reported) onUntrusted(peer)
        reported = true
        return peer
      }
      // Each proxy adds at the end whom it saw: the first from there that is not a proxy is the client. Anything before
      // it, or in place of an address, was written by an unknown sender.
      let client = peer
      for (const entry of forwarded.split(',').reverse()) {
        const address = canonicalAddress(withoutPort(entry.trim()))
        if (address === null) break
        client = address
        if (!isTrusted(address)) break
      }
      return client
    },
    isProxy(given) {
      const address = canonicalAddress(given ?? '')
      return address !== null && isTrusted(address)
    },
  }
}

/** By what limits count an address: IPv4 as it is, IPv6 by its /64, which is the least that one subscriber is given. */
export function limitKey(address: string | null): string {
  if (address === null || isIP(address) !== 6) return address ?? ''
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill('0')
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`
}

/** The one way to write an address; IPv4 inside of IPv6 is IPv4. Null for an invalid address. */
export function canonicalAddress(text: string): string | null {
  const address = text.replace(/%.*$/, '')
  const family = isIP(address)
  if (family === 0) return null
  if (family === 4) return address
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)
  return mapped?.[1] ?? canonical
}

/** Some proxies add the port: 192.0.2.1:4711, [2001:db8::1]:4711. */
function withoutPort(entry: string): string {
  return /^\[(.*)\](:\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry
}
