// Lists of networks in settings: addresses and CIDR blocks ("192.0.2.1, 10.0.0.0/8, 2001:db8::/32").
import { BlockList, isIP } from 'node:net'

/** `prefix` counts the leading bits of `address` that matter. */
export type Network = { address: string; prefix: number; family: 'ipv4' | 'ipv6' }

/** The networks of a list separated by commas; null when an entry is neither an address nor a block, or is everybody. */
export function readNetworks(list: string): Network[] | null {
  const networks = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(readNetwork)
  return networks.every((network) => network !== null) ? networks : null
}

function readNetwork(entry: string): Network | null {
  const [address = '', bits, ...more] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return null
  const family = version === 6 ? 'ipv6' : 'ipv4'
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return null
  const prefix = bits === undefined ? (version === 6 ? 128 : 32) : Number(bits)
  if (prefix === 0) return null
  try {
    new BlockList().addSubnet(address, prefix, family)
  } catch {
    return null
  }
  return { address, prefix, family }
}
