// Storage's SQL as a caller: in their role, under row-level security, with the settings that policies may read. Errors of
// PostgreSQL become StorageErrors.
import type { Caller } from '../http/authenticator.ts'
import type { CallerStatement, CallerTransaction } from '../sql/as-caller.ts'
import type { Database } from '../sql/database.ts'
import type { StatementResult } from '../sql/pipeline.ts'
import { named } from '../sql/request-name.ts'
import { toStorageError } from './errors.ts'

export interface CallerContext {
  /** Null for the service itself, to which no policy applies. */
  caller: Caller | null
  /** storage.operation() for policies. */
  operation: string
  /** request.method, request.path and request.headers for policies. */
  request: { method: string; path: string; headers: Record<string, string | undefined> }
}

/** Of a request that has a caller. */
export type KnownCaller = CallerContext & { caller: Caller }

/** As Supabase's service waits, in PostgreSQL's own notation. */
export const STATEMENT_TIMEOUT = '30s'

/**
 * Runs `work` in one transaction on behalf of the caller. Rejects with a StorageError for what policies, constraints
 * or triggers deny; nothing is kept then.
 */
export function withTransaction<T>(
  database: Database,
  context: CallerContext,
  work: (transaction: CallerTransaction) => Promise<T>,
): Promise<T> {
  return database.as(context.caller, settingsOf(context)).transaction(work).catch(fail)
}

/**
 * Runs statements in one transaction and one round trip, and commits or rolls back. Resolves with a result for each;
 * rejects as withTransaction() does.
 */
export function withPipeline(
  database: Database,
  context: CallerContext,
  statements: CallerStatement[],
  end: 'commit' | 'rollback',
): Promise<StatementResult[]> {
  const session = database.as(context.caller, settingsOf(context))
  return (end === 'commit' ? session.query(statements) : session.dryRun(statements)).catch(fail)
}

function fail(error: unknown): never {
  throw toStorageError(error)
}

function settingsOf({ caller, operation, request }: CallerContext): Record<string, string> {
  const role = caller?.role ?? 'service_role'
  const claims = caller?.claims ?? { role }
  return {
    ...named(request.headers['x-request-id']),
    statement_timeout: STATEMENT_TIMEOUT,
    lock_timeout: '10s',
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
}
