// A PostgreSQL as a provider manages it: somebody else's is the superuser, ours is an account that owns its database and
// makes roles, and nothing more.

import { findMissingRights } from '@meadowlark/server/postgres/rights.ts'
import pg from 'pg'
import {
  type Binaries,
  type ExternalPostgres,
  startExternalPostgres,
} from '../../packages/server/tests/support/external-postgres.ts'
import { prepareMeadowlark } from './cluster.ts'

/** The account that DATABASE_URL names. */
export const OWNER = 'meadowlark_owner'

export interface ManagedPostgres extends ExternalPostgres {
  /** As the account that owns the database and no more. */
  ownerUrl: string
  /** Runs SQL as the provider's superuser. */
  administer(sql: string): Promise<void>
}

/** Makes and starts a cluster in some three seconds. */
export async function startManagedPostgres(
  binaries: Binaries,
  settings: Record<string, string> = {},
): Promise<ManagedPostgres> {
  const postgres = await startExternalPostgres({ binaries, superuser: 'provider', settings })
  const administer = (sql: string) => run(postgres.url, sql)
  await administer(`create role ${OWNER} login createrole; alter database postgres owner to ${OWNER}`)
  const ownerUrl = postgres.url.replace('//provider@', `//${OWNER}@`)
  return { ...postgres, ownerUrl, administer }
}

/** Lays Meadowlark's platform and migrations there, and grants what that account then lacks. */
export async function prepareManaged({ ownerUrl, administer }: ManagedPostgres): Promise<void> {
  await prepareMeadowlark(ownerUrl)
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  const missing = await findMissingRights(owner)
  await owner.end()
  for (const { statement } of missing) await administer(statement)
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
