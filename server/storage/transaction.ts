// Transactions on storage's tables: statements run in the caller's role, under row-level security, or as the owner, for
// what the caller need not be allowed to see.
import type pg from 'pg'
import type { Caller } from '../gateway.ts'
import type { Database } from '../sql/database.ts'
import { pipeline, type Statement, type StatementResult } from '../sql/pipeline.ts'
import { accessDenied, toStorageError } from './errors.ts'

export interface RequestContext {
  /** Null for the service itself, to which no policy applies. */
  caller: Caller | null
  /** What policies see as storage.operation(). */
  operation: string
  /** What policies see as request.method, request.path and request.headers. */
  request: { method: string; path: string; headers: Record<string, string> }
}

export interface CallerTransaction {
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
const TIMEOUTS = { statement_timeout: STATEMENT_TIMEOUT, lock_timeout: '10s' }

/**
 * Runs `work` in one transaction on behalf of the caller. Rejects with a StorageError for what policies, constraints
 * or triggers deny; nothing is kept then.
 */
export async function withTransaction<T>(
  database: Database,
  context: RequestContext,
  work: (transaction: CallerTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(async (client) => {
      await enter(client, context)
      let current = 'none'
      const as = async (role: string) => {
        const { text, values } = roleOf(role)
        if (current !== role) await client.query(text, values)
        current = role
      }
      const role = context.caller?.role ?? 'none'
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
    throw toStorageError(error)
  }
}

export interface CallerStatement {
  /** Under the caller's policies, or past every policy. */
  as: 'caller' | 'owner'
  text: string
  values: (string | null)[]
}

/**
 * Runs statements in one transaction and one round trip, and commits or rolls back.
 * Resolves with a result for each; rejects as withTransaction() does.
 */
export async function withPipeline(
  database: Database,
  context: RequestContext,
  statements: CallerStatement[],
  end: 'commit' | 'rollback',
): Promise<StatementResult[]> {
  const client = await database.pool.connect()
  let broken: Error | undefined
  try {
    const role = context.caller?.role ?? 'none'
    await requireRole(client, context)
    const group: Statement[] = [{ text: 'begin' }, settingsOf(context)]
    for (const { as, text, values } of statements) {
      group.push(roleOf(as === 'caller' ? role : 'none'), { text, values })
    }
    const results = await pipeline(client, [...group, { text: end }])
    return results.slice(2, -1).filter((_, at) => at % 2 === 1)
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw toStorageError(error)
  } finally {
    client.release(broken)
  }
}

async function enter(client: pg.PoolClient, context: RequestContext): Promise<void> {
  const { text, values } = settingsOf(context)
  await client.query(text, values)
  await requireRole(client, context)
}

function settingsOf({ caller, operation, request }: RequestContext): { text: string; values: string[] } {
  const role = caller?.role ?? 'service_role'
  const claims = caller?.claims ?? { role }
  const settings = {
    ...TIMEOUTS,
    // The service deletes bytes along with the row; any other delete fails in storage.protect_delete().
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

/** This connection could take on any role; only those that authenticator was granted are allowed. */
async function requireRole(client: pg.PoolClient, { caller }: RequestContext): Promise<void> {
  if (!caller || KNOWN_ROLES.includes(caller.role)) return
  const { rowCount } = await client.query(
    `select from pg_roles where rolname = $1 and pg_has_role('authenticator', oid, 'set')`,
    [caller.role],
  )
  if (rowCount === 0) throw accessDenied(`permission denied to set role "${caller.role}"`)
}
