// The way in over TCP, for functions and the Supabase CLI: a role of the project with a password, from this machine alone.
// Everything else goes through the unix socket, which only this account can reach.
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import type pg from 'pg'

const HOST = '127.0.0.1'
const HOST_6 = '::1'

/** A machine without IPv6. */
const NO_SUCH_FAMILY = ['EADDRNOTAVAIL', 'EAFNOSUPPORT']

/** The only role that may connect over TCP, as in Supabase's SUPABASE_DB_URL. */
const ROLE = 'postgres'

/** A port that nobody listens on; `wanted` when it is one of those, else null. */
export async function freePort(wanted = 0): Promise<number | null> {
  const port = await probe(wanted, HOST)
  return port && (await probe(port, HOST_6)) ? port : null
}

/** The port when it is free at `host`, or when this machine has no such address; else null. */
function probe(wanted: number, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      resolve(NO_SUCH_FAMILY.includes(code) ? wanted : null),
    )
    server.listen(wanted, host, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Settings of postgresql.conf with which it listens; `rules` is the file in which they say who comes in how. */
export function tcpSettings(rules: string): Record<string, string> {
  const comesIn = [`${HOST}/32`, `${HOST_6}/128`].map((from) => `host all ${ROLE} ${from} scram-sha-256\n`)
  writeFileSync(rules, `local all all trust\n${comesIn.join('')}`)
  // PostgreSQL may run as another account; the file holds no secret.
  chmodSync(rules, 0o644)
  return { listen_addresses: `${HOST},${HOST_6}`, hba_file: rules }
}

/** Gives the role this password over `client`, a superuser's, and returns the URL to come in by. */
export async function letIn(
  client: Pick<pg.Pool, 'query'>,
  { port, password }: { port: number; password: string },
): Promise<string> {
  await client.query(`alter role ${ROLE} with login password '${password}'`)
  const { rows } = await client.query<{ name: string }>('select current_database() as name')
  return `postgresql://${ROLE}:${password}@${HOST}:${port}/${encodeURIComponent(rows[0]?.name ?? '')}`
}
