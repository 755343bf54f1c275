// Route tables on a real socket without the server around them: no keys, no database, generous limits.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { createAuthenticator } from '../../src/http/authenticator.ts'
import { Bodies } from '../../src/http/bodies.ts'
import { clientAddresses } from '../../src/http/client-address.ts'
import { createListener, type ListenerOptions } from '../../src/http/listener.ts'
import type { Service } from '../../src/http/route.ts'
import { type Keys, TokenError } from '../../src/keys/keys.ts'

const addresses = clientAddresses([])

export const bodies = new Bodies({
  memory: { total: 64 * 1024 * 1024, perAddress: 32 * 1024 * 1024 },
  windowMs: 10_000,
  addressOf: () => '127.0.0.1',
})

export interface ServedTables {
  url: string
  close(): Promise<void>
}

/** Listens on a free port of this machine. */
export async function serveTables(
  services: Service[],
  security: ListenerOptions['security'] = { always: {}, pages: {} },
): Promise<ServedTables> {
  const noKeys = {
    roleOf: () => null,
    verify: () => Promise.reject(new TokenError('signature', 'no keys here')),
  } as unknown as Keys
  const listener = createListener({
    services,
    addresses,
    bodies,
    security,
    authenticator: createAuthenticator(noKeys),
    observe: () => {},
    bans: { count: () => {} },
    log: pino({ level: 'silent' }),
  })
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
