// One act of a caller upon storage's tables: a transaction in which statements run in the caller's role, under
// row-level security, and others as the owner, for what the caller need not be allowed to see.
import type pg from 'pg'
import type { Caller } from '../gateway.ts'
import type { Database } from '../sql/database.ts'
import { pipeline, type Statement, type StatementResult } from '../sql/pipeline.ts'
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
export const STATEMENT_TIMEOUT = '30s'
const PATIENCE = { statement_timeout: STATEMENT_TIMEOUT, lock_timeout: '10s' }

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
        const { text, values } = roleOf(role)
        if (current !== role) await client.query(text, values)
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

export interface ActStatement {
  /** Under the caller's policies, or past every policy. */
  as: 'caller' | 'owner'
  text: string
  values: (string | null)[]
}

/**
 * Runs statements that are known beforehand in one transaction and one round trip, and keeps or undoes what they did.
 * Resolves with a result for each; rejects as perform() does.
 */
export async function performAtOnce(
  database: Database,
  act: Act,
  statements: ActStatement[],
  end: 'commit' | 'rollback',
): Promise<StatementResult[]> {
  const client = await database.pool.connect()
  let broken: Error | undefined
  try {
    const role = act.caller?.role ?? 'none'
    await requireRole(client, act)
    const group: Statement[] = [{ text: 'begin' }, settingsOf(act)]
    for (const { as, text, values } of statements) {
      group.push(roleOf(as === 'caller' ? role : 'none'), { text, values })
    }
    const results = await pipeline(client, [...group, { text: end }])
    return results.slice(2, -1).filter((_, at) => at % 2 === 1)
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw refusalOf(error)
  } finally {
    client.release(broken)
  }
}

async function enter(client: pg.PoolClient, act: Act): Promise<void> {
  const { text, values } = settingsOf(act)
  await client.query(text, values)
  await requireRole(client, act)
}

function settingsOf({ caller, operation, request }: Act): { text: string; values: string[] } {
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
  const calls = Object.keys(settings).map((_, at) => `set_config($${at * 2 + 1}, $${at * 2 + 2}, true)`)
  return { text: `select ${calls.join(', ')}`, values: Object.entries(settings).flat() }
}

const roleOf = (role: string) => ({ text: `select set_config('role', $1, true)`, values: [role] })

/** This connection could become more than the API may: what authenticator was not granted is refused. */
async function requireRole(client: pg.PoolClient, { caller }: Act): Promise<void> {
  if (!caller || KNOWN_ROLES.includes(caller.role)) return
  const { rowCount } = await client.query(
    `select from pg_roles where rolname = $1 and pg_has_role('authenticator', oid, 'set')`,
    [caller.role],
  )
  if (rowCount === 0) throw accessDenied(`permission denied to set role "${caller.role}"`)
}
