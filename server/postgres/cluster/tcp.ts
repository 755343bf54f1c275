// The way in over TCP, for functions: a role of the project with a password, from this machine alone. Everything else
// goes through the unix socket, which only this account can reach.
import { randomBytes } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import type pg from 'pg'

const HOST = '127.0.0.1'

/** Who may come in that way, as in Supabase's SUPABASE_DB_URL. */
const ROLE = 'postgres'

/** A port that nobody listens on; `wanted` when it is one of those, else null. */
export function freePort(wanted = 0): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(null))
    probe.listen(wanted, HOST, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

/** Settings of postgresql.conf with which it listens; `rules` is the file in which they say who comes in how. */
export function tcpSettings(rules: string): Record<string, string> {
  writeFileSync(rules, `local all all trust\nhost all ${ROLE} ${HOST}/32 scram-sha-256\n`)
  // PostgreSQL may run as another account; the file holds no secret.
  chmodSync(rules, 0o644)
  return { listen_addresses: HOST, hba_file: rules }
}

/** Gives the role a new password over `client`, a superuser's, and returns the URL to come in by. */
export async function letIn(client: Pick<pg.Pool, 'query'>, port: number): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  await client.query(`alter role ${ROLE} with login password '${password}'`)
  const { rows } = await client.query<{ name: string }>('select current_database() as name')
  return `postgresql://${ROLE}:${password}@${HOST}:${port}/${encodeURIComponent(rows[0]?.name ?? '')}`
}
