// A PostgreSQL as a provider manages it: somebody else's is the superuser, ours is an account that owns its database and
// makes roles, and nothing more.
import pg from 'pg'
import { packageFile } from '../../server/package-root.ts'
import { preparePlatform } from '../../server/platform.ts'
import { findMissingRights } from '../../server/postgres/rights.ts'
import { DATABASE_PLUGINS } from '../../start/plugins.ts'
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
    const client = new pg.Client({ connectionString: outside.url })
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }
  await administer(`create role ${OWNER} login createrole; alter database postgres owner to ${OWNER}`)
  const ownerUrl = outside.url.replace('//provider@', `//${OWNER}@`)
  return { ...outside, ownerUrl, administer }
}

/**
 * The same with Meadowlark's platform and migrations, laid by that account and granted what it then lacks; `template` is a copy
 * of it.
 */
export async function startPreparedManaged(
  version: string,
  { template, settings }: { template: string; settings: Record<string, string> },
): Promise<ManagedPostgres> {
  const managed = await startManagedPostgres(version, settings)
  await preparePlatform(managed.ownerUrl, {
    project: packageFile('supabase'),
    plugins: DATABASE_PLUGINS,
    seed: [],
  })
  const owner = new pg.Client({ connectionString: managed.ownerUrl })
  await owner.connect()
  const missing = await findMissingRights(owner)
  await owner.end()
  for (const { statement } of missing) await managed.administer(statement)
  await managed.administer(`create database ${template} template postgres owner ${OWNER}`)
  return managed
}
