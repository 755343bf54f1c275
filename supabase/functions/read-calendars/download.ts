// Downloads a calendar from the public internet. People choose the addresses, and none may lead into a network that only this
// server reaches. Every host is resolved here, and each of its addresses must be public. The connection goes to the address that was
// checked: the name could lead elsewhere a moment later.
import { Buffer } from 'node:buffer'
import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ReadFailure } from './failure.ts'

const MAX_BYTES = 2_000_000
const MAX_REDIRECTS = 3
const TIMEOUT_MS = 10_000

export type Downloaded = { text: string; etag: string | null } | 'unchanged'

/** The way into the internet; tests have another. */
export type Network = {
  /** All addresses of a host. */
  resolve(host: string): Promise<string[]>
  isPublic(address: string): boolean
  /** In addition to what is set here: certificates to trust. */
  options?: RequestOptions
  timeoutMs?: number
}

export const INTERNET: Network = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isPublic: isPublicAddress,
}

/**
 * Whether an address is one of the public internet. Private, loopback, link-local, shared (RFC 6598), multicast and reserved ones are not,
 * nor are IPv6 addresses that stand for an IPv4 address which is none.
 */
export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'unicast'
}

/** The text at the address, unless it still has that tag. Throws ReadFailure. */
export async function download(
  address: string,
  etag: string | null,
  network: Network = INTERNET,
): Promise<Downloaded> {
  const signal = AbortSignal.timeout(network.timeoutMs ?? TIMEOUT_MS)
  try {
    let url = new URL(address)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await get(url, etag, network, signal)
      const { statusCode = 0, headers } = response
      if (statusCode >= 300 && statusCode < 400 && statusCode !== 304 && headers.location) {
        response.destroy()
        url = new URL(headers.location, url)
      } else {
        return await answered(response)
      }
    }
    throw new ReadFailure('unreachable', 'too many redirects')
  } catch (error) {
    if (error instanceof ReadFailure) throw error
    throw new ReadFailure(signal.aborted ? 'too_slow' : 'unreachable', error)
  }
}

/** The head of the answer. */
async function get(
  url: URL,
  etag: string | null,
  network: Network,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (url.protocol !== 'https:' || url.username || url.password) throw new ReadFailure('not_public')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const address = await publicAddressOf(host, network, signal)
  const options: RequestOptions = {
    ...network.options,
    // The address that was checked. The certificate must be the name's.
    host: address,
    port: url.port || 443,
    path: `${url.pathname}${url.search}`,
    ...(isIP(host) ? {} : { servername: host }),
    agent: false,
    signal,
    headers: {
      host: url.host,
      accept: 'text/calendar, */*;q=0.1',
      // A small answer could unpack to a large one.
      'accept-encoding': 'identity',
      'user-agent': 'Meadowlark (calendar import)',
      ...(etag === null ? {} : { 'if-none-match': etag }),
    },
  }
  return new Promise((resolve, reject) => {
    request(options, resolve).on('error', reject).end()
  })
}

async function publicAddressOf(host: string, network: Network, signal: AbortSignal): Promise<string> {
  const addresses = isIP(host) ? [host] : await Promise.race([network.resolve(host), aborted(signal)])
  if (addresses.length === 0 || !addresses.every(network.isPublic)) throw new ReadFailure('not_public')
  // Not every machine reaches IPv6.
  return addresses.find((address) => isIP(address) === 4) ?? (addresses[0] as string)
}

/** A name server that stays silent must not hold up the others. */
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

async function answered(response: IncomingMessage): Promise<Downloaded> {
  const { statusCode, headers } = response
  const tag = headers.etag?.slice(0, 200) ?? null
  try {
    if (statusCode === 304) return 'unchanged'
    if (statusCode === 401 || statusCode === 403 || statusCode === 404 || statusCode === 410)
      throw new ReadFailure('not_found')
    if (statusCode !== 200 || (headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new ReadFailure('unreachable', `it answered ${statusCode}`)
    if (Number(headers['content-length'] ?? 0) > MAX_BYTES) throw new ReadFailure('too_large')
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw new ReadFailure('too_large')
      chunks.push(chunk)
    }
    return { text: new TextDecoder().decode(Buffer.concat(chunks)), etag: tag }
  } finally {
    response.destroy()
  }
}
