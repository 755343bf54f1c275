// Where the server listens: on this machine alone unless it runs in production or HOST names an address, and on IPv4
// and IPv6 alike, each where the machine has it.
import type { Server } from 'node:http'
import { type AddressInfo, isIPv6, type ListenOptions } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'

export interface Listening {
  servers: Server[]
  /** The bound addresses, such as `127.0.0.1:3000`. */
  addresses: string[]
  port: number
  /** How this machine reaches the server, without a slash at the end. */
  origin: string
}

type Place = Pick<Config, 'host' | 'port' | 'production'>

/** A machine without IPv6, or without IPv4. */
const NO_SUCH_FAMILY = ['EADDRNOTAVAIL', 'EAFNOSUPPORT']
/** A port that the system chose for one address may be taken on the other. */
const ATTEMPTS = 10

/**
 * Listens with one server of `create` for each address. Throws a ConfigError that names the setting when none of them
 * can be listened on, or when another program holds the port on one of them.
 */
export async function listen(create: () => Server, place: Place): Promise<Listening> {
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = []
    let port = place.port
    let refused: NodeJS.ErrnoException | null = null
    for (const address of addressesOf(place)) {
      const server = create()
      const error = await listenAt(server, { ...address, port })
      if (!error) {
        servers.push(server)
        port = (server.address() as AddressInfo).port
      } else if (!refused || !NO_SUCH_FAMILY.includes(error.code ?? '')) {
        refused = error
      }
    }
    if (servers.length > 0 && (!refused || NO_SUCH_FAMILY.includes(refused.code ?? ''))) {
      return { servers, port, ...described(servers, port) }
    }
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    const another = place.port === 0 && refused?.code === 'EADDRINUSE' && attempt < ATTEMPTS
    if (!another) throw explained(refused as NodeJS.ErrnoException, place)
  }
}

/** Whether a later `listen` will succeed, as far as is known now. Throws as it does. */
export async function probe(create: () => Server, place: Place): Promise<void> {
  const { servers } = await listen(create, place)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
}

function addressesOf({ host, production }: Place): ListenOptions[] {
  if (host === 'localhost' || (host === null && !production)) return [{ host: '127.0.0.1' }, { host: '::1' }]
  // Apart, so that callers over IPv4 keep their plain addresses.
  if (host === null) return [{ host: '0.0.0.0' }, { host: '::', ipv6Only: true }]
  return [{ host }]
}

/**
 * Connections that may wait until this process takes them; Linux has no more by itself (net.core.somaxconn). Whoever
 * finds no place asks again after a second, and Node's 511 are soon taken while many come at once.
 */
const BACKLOG = 4096

function listenAt(server: Server, options: ListenOptions): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ ...options, backlog: BACKLOG }, () => {
      server.off('error', resolve)
      resolve(null)
    })
  })
}

function described(servers: Server[], port: number): Pick<Listening, 'addresses' | 'origin'> {
  const hosts = servers.map((server) => (server.address() as AddressInfo).address)
  const shown = hosts.map((host) => (isIPv6(host) ? `[${host}]` : host))
  return { addresses: shown.map((host) => `${host}:${port}`), origin: `http://${localName(hosts)}:${port}` }
}

/** Under which name this machine reaches itself, given where it listens. */
function localName(hosts: string[]): string {
  const everywhere = hosts.includes('0.0.0.0') || hosts.includes('::')
  if (everywhere) return hosts.includes('0.0.0.0') && hasIPv4() ? '127.0.0.1' : '[::1]'
  const [host = '127.0.0.1'] = hosts
  return isIPv6(host) ? `[${host}]` : host
}

function hasIPv4(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv4'))
}

function explained(error: NodeJS.ErrnoException, { host, port }: Place): Error {
  const where = host ?? 'the loopback address'
  const reasons: Record<string, string> = {
    EADDRINUSE: `PORT: ${port} is in use by another program. Stop that program, or set PORT to a free one`,
    EACCES: `PORT: ${port} may not be used by this account; set PORT to one above 1023`,
    EADDRNOTAVAIL: `HOST: ${where} is not an address of this machine; set HOST to one that is, or to 0.0.0.0`,
    EAFNOSUPPORT: `HOST: ${where} is not an address of this machine; set HOST to one that is, or to 0.0.0.0`,
    ENOTFOUND: `HOST: ${where} is no name that this machine knows; set HOST to an address of it`,
  }
  const reason = reasons[error.code ?? '']
  return reason ? new ConfigError([reason]) : error
}
