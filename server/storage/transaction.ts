// Transactions on storage's tables: statements run in the caller's role, under row-level security, or as the owner, for
// what the caller need not be allowed to see.
import type { Caller } from '../gateway.ts'
import type { AsCaller, CallerStatement, CallerTransaction } from '../sql/as-caller.ts'
import type { Database } from '../sql/database.ts'
import type { StatementResult } from '../sql/pipeline.ts'
import { toStorageError } from './errors.ts'

export type { CallerStatement, CallerTransaction }

export interface RequestContext {
  /** Null for the service itself, to which no policy applies. */
  caller: Caller | null
  /** What policies see as storage.operation(). */
  operation: string
  /** What policies see as request.method, request.path and request.headers. */
  request: { method: string; path: string; headers: Record<string, string> }
}

/** As Supabase's service waits, in PostgreSQL's own notation. */
export const STATEMENT_TIMEOUT = '30s'
const TIMEOUTS = { statement_timeout: STATEMENT_TIMEOUT, lock_timeout: '10s' }

/**
 * Runs `work` in one transaction on behalf of the caller. Rejects with a StorageError for what policies, constraints
 * or triggers deny; nothing is kept then.
 */
export function withTransaction<T>(
  database: Database,
  context: RequestContext,
  work: (transaction: CallerTransaction) => Promise<T>,
): Promise<T> {
  return asCaller(database, context).transaction(work).catch(rejectWithStorageError)
}

/**
 * Runs statements in one transaction and one round trip, and commits or rolls back.
 * Resolves with a result for each; rejects as withTransaction() does.
 */
export function withPipeline(
  database: Database,
  context: RequestContext,
  statements: CallerStatement[],
  end: 'commit' | 'rollback',
): Promise<StatementResult[]> {
  const caller = asCaller(database, context)
  const results = end === 'commit' ? caller.query(statements) : caller.dryRun(statements)
  return results.catch(rejectWithStorageError)
}

function asCaller(database: Database, { caller, operation, request }: RequestContext): AsCaller {
  const role = caller?.role ?? 'service_role'
  const claims = caller?.claims ?? { role }
  return database.as(caller, {
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
  })
}

function rejectWithStorageError(error: unknown): never {
  throw toStorageError(error)
}
