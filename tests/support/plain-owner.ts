// A PostgreSQL as a provider manages it: somebody else's is the superuser, ours is an account that owns its database and
// makes roles, and nothing more.
import pg from 'pg'
import { startDebianPostgres } from './debian-postgres.ts'
import type { OutsidePostgres } from './outside-postgres.ts'

/** The account that DATABASE_URL names. */
export const OWNER = 'meadowlark_owner'

export interface ManagedPostgres extends OutsidePostgres {
  /** As the account that owns the database and no more. */
  ownerUrl: string
  /** Runs SQL as the provider's superuser. */
  administer(sql: string): Promise<void>
}

/** Makes and starts a cluster of Debian's PostgreSQL in some three seconds. */
export async function startManagedPostgres(
  version: string,
  settings: Record<string, string> = {},
): Promise<ManagedPostgres> {
  const outside = await startDebianPostgres(version, { superuser: 'provider', settings })
  const administer = async (sql: string) => {
    const client = new pg.Client({ connectionString: outside.url.replace(/\/postgres$/, '/market') })
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }
  const first = new pg.Client({ connectionString: outside.url })
  await first.connect()
  await first.query(`create role ${OWNER} login createrole`)
  await first.query(`create database market owner ${OWNER}`)
  await first.end()
  const ownerUrl = outside.url.replace('//provider@', `//${OWNER}@`).replace(/\/postgres$/, '/market')
  return { ...outside, ownerUrl, administer }
}
