// One act of a caller upon storage's tables: a transaction in which statements run in the caller's role, under
// row-level security, and others as the owner, for what the caller need not be allowed to see.
import type pg from 'pg'
import type { Caller } from '../gateway.ts'
import type { Database } from '../postgres/database.ts'
import { accessDenied, refusalOf } from './errors.ts'

export interface Act {
  /** Who acts; null for the service itself, to which no policy applies. */
  caller: Caller | null
  /** What policies see as storage.operation(). */
  operation: string
  /** What policies see as request.method, request.path and request.headers. */
  request: { method: string; path: string; headers: Record<string, string> }
}

export interface ActTransaction {
  /** Runs under the caller's policies. */
  asCaller: Query
  /** Runs past every policy. */
  asOwner: Query
}

type Query = <Row extends pg.QueryResultRow = pg.QueryResultRow>(
  text: string,
  values?: unknown[],
) => Promise<pg.QueryResult<Row>>

/** Every project has these, and the API may take them on. */
const KNOWN_ROLES = ['anon', 'authenticated', 'service_role']

/** As Supabase's service waits, in PostgreSQL's own notation. */
const PATIENCE = { statement_timeout: '30s', lock_timeout: '10s' }

/**
 * Runs `work` in one transaction on behalf of the caller. Rejects with a StorageError for what policies, constraints
 * or triggers refuse; nothing is kept then.
 */
export async function perform<T>(
  database: Database,
  act: Act,
  work: (transaction: ActTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(async (client) => {
      await enter(client, act)
      let current = 'none'
      const as = async (role: string) => {
        if (current !== role) await client.query(`select set_config('role', $1, true)`, [role])
        current = role
      }
      const role = act.caller?.role ?? 'none'
      return work({
        asCaller: async (text, values) => {
          await as(role)
          return client.query(text, values)
        },
        asOwner: async (text, values) => {
          await as('none')
          return client.query(text, values)
        },
      })
    })
  } catch (error) {
    throw refusalOf(error)
  }
}

/** Whether `work` would be allowed: it is run and undone. Rejects as perform() does. */
export async function rehearse(
  database: Database,
  act: Act,
  work: (transaction: ActTransaction) => Promise<unknown>,
): Promise<void> {
  const undo = Symbol('undo')
  try {
    await perform(database, act, async (transaction) => {
      await work(transaction)
      throw undo
    })
  } catch (error) {
    if (error !== undo) throw error
  }
}

async function enter(client: pg.PoolClient, { caller, operation, request }: Act): Promise<void> {
  const role = caller?.role ?? 'service_role'
  const claims = caller?.claims ?? { role }
  const settings = {
    ...PATIENCE,
    // The service deletes bytes along with the row; anyone else's delete is refused by storage.protect_delete().
    'storage.allow_delete_query': 'true',
    'storage.operation': operation,
    'request.method': request.method,
    'request.path': request.path,
    'request.headers': JSON.stringify(request.headers),
    'request.jwt.claims': JSON.stringify(claims),
    'request.jwt.claim.sub': typeof claims.sub === 'string' ? claims.sub : '',
    'request.jwt.claim.role': role,
  }
  const pairs = Object.entries(settings).flat()
  const calls = Object.keys(settings).map((_, at) => `set_config($${at * 2 + 1}, $${at * 2 + 2}, true)`)
  await client.query(`select ${calls.join(', ')}`, pairs)
  if (!caller || KNOWN_ROLES.includes(role)) return
  // This connection could become more than the API may: what authenticator was not granted is refused.
  const { rowCount } = await client.query(
    `select from pg_roles where rolname = $1 and pg_has_role('authenticator', oid, 'set')`,
    [role],
  )
  if (rowCount === 0) throw accessDenied(`permission denied to set role "${role}"`)
}
