// Addresses that administrators give for providers: HTTPS, and in the public internet, so that nobody has this server look
// around in its own network. A server that is itself on this machine may speak with others there.
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import type { CustomFetch } from 'openid-client'
import { invalid } from '../errors.ts'
import { boundedFetch } from './outgoing.ts'

const LOOPBACK = blocks('127.0.0.0/8', '::1/128')
const PRIVATE = blocks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7')
const LINK_LOCAL = blocks('169.254.0.0/16', 'fe80::/10')
const MULTICAST = blocks('224.0.0.0/4', 'ff00::/8')
const UNSPECIFIED = blocks('0.0.0.0/8', '::/128')

/** Why an address may not be asked, in GoTrue's words. */
const RULES: [BlockList, string][] = [
  [LOOPBACK, 'loopback addresses'],
  [PRIVATE, 'private network addresses'],
  [LINK_LOCAL, 'link-local addresses'],
  [MULTICAST, 'multicast addresses'],
  [UNSPECIFIED, 'unspecified addresses'],
]

function blocks(...networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

const isHere = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/i.test(hostname)

/** Whether this server is reached on this machine alone. */
export const isLocal = ({ authUrl }: { authUrl: string }): boolean => isHere(new URL(authUrl).hostname)

/** Throws validation_failed unless the address may be asked; `local` allows this machine, without HTTPS. */
export async function requirePublicAddress(address: string, local: boolean): Promise<void> {
  if (!URL.canParse(address)) throw invalid('Invalid URL format')
  const { protocol, hostname } = new URL(address)
  if (local && isHere(hostname) && /^https?:$/.test(protocol)) return
  if (protocol !== 'https:') throw invalid('URL must use HTTPS')
  if (isHere(hostname)) throw invalid('URL cannot point to localhost or loopback addresses')
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => {
    throw invalid('Unable to resolve hostname')
  })
  for (const { address: ip, family } of found) {
    const rule = RULES.find(([list]) => list.check(ip, family === 6 ? 'ipv6' : 'ipv4'))
    if (rule) throw invalid(`URL cannot resolve to ${rule[1]}`)
  }
}

/** `boundedFetch` that asks public addresses alone, by what they resolve to at that moment. */
export const publicFetch =
  (local: boolean): CustomFetch =>
  async (url, options) => {
    await requirePublicAddress(url, local)
    return boundedFetch(url, options)
  }
