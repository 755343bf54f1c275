// Errors between this server and PostgreSQL: the database is away, or it refused a statement.
import pg from 'pg'

/** Every service's message with 503 while the database is away. */
export const DATABASE_UNAVAILABLE = 'The database cannot be reached just now; try again in a moment'

/** PostgreSQL does not answer: it counts as away. */
export class Unanswered extends Error {
  readonly code = '08006'

  constructor() {
    super('the database did not answer in time')
    this.name = 'Unanswered'
  }
}

/** True for failures that mean "the database is away just now", after which trying again is right. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: string }).code ?? ''
  // Class 08: connection failures. 57P01-57P03: shutting down, crashed, starting up. 53000-53300: no memory, disk or
  // connection left.
  if (/^08|^57P0[123]$|^53[0-3]00$/.test(code) || isOutOfConnections(error)) return true
  return NETWORK_FAILURES.includes(code) || MESSAGES_OF_PG.test(error.message)
}

const NETWORK_FAILURES = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
]

/** pg's messages for connections that are lost, not to be had or given up. */
const MESSAGES_OF_PG =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Query read timeout|use a pool after calling end/

const passing = new WeakSet<Error>()

/** It says nothing of the database: another host is tried next (see hosts.ts). */
export function markPassing(error: Error): void {
  passing.add(error)
}

/** True when another host is tried next. */
export function isPassing(error: unknown): boolean {
  return error instanceof Error && passing.has(error)
}

/**
 * True when the connection ended, or none could be had, because PostgreSQL stops, starts or has crashed: in a moment it
 * is back. Not when it is silent, which may last.
 */
export function isRestarting(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Unanswered) return false
  const { code = '' } = error as { code?: string }
  return (
    isPassing(error) ||
    /^08|^57P0[123]$/.test(code) ||
    ENDED.includes(code) ||
    MESSAGES_OF_END.test(error.message)
  )
}

/** True when the connection ended without PostgreSQL's last message, as when its process died of the statement. */
export function endedSilently(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  return code === 'ECONNRESET' || /Connection terminated unexpectedly/.test(message)
}

/** True when the connection had ended before anything was sent on it. */
export function wasNotSent(error: unknown): boolean {
  const { code, message } = error as { code?: string; message: string }
  return code === 'EPIPE' || /is not queryable/.test(message)
}

const ENDED = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT']
const MESSAGES_OF_END = /Connection terminated unexpectedly|connection error and is not queryable/

/** True when PostgreSQL, or a pooler before it, has no connection to give just now. */
export function isOutOfConnections(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  return code === '53300' || /no more connections allowed|max client connections reached/i.test(message)
}

/** True when PostgreSQL refused a statement and the connection goes on: somebody's mistake, or a rule that was broken. */
export function isStatementError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC'
}

/** True when PostgreSQL ended the connection with its last message. */
export function isLost(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && !isStatementError(error)
}

/** True when a statement was prepared before a change of the schema; it did nothing yet. */
export function isStalePlan(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/** A role that the caller may not become, in PostgreSQL's own words. */
export class RoleRefused extends pg.DatabaseError {
  override severity = 'ERROR'
  override code = '42501'

  constructor(role: string) {
    super(`permission denied to set role "${role}"`, 0, 'error')
  }
}
