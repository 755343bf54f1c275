// Errors of the database that are faults of the project or the server. Callers get GoTrue's sentence for the
// endpoint, and the log has the SQLSTATE and the place. Neither has anybody's data.
import pg from 'pg'
import type pino from 'pino'
import { isUnavailable } from '../sql/errors.ts'
import { AuthError, UNEXPECTED } from './errors.ts'

/** GoTrue's sentence for each endpoint (https://github.com/supabase/auth, internal/api). */
const SENTENCES: Record<string, string> = {
  'POST /signup': 'Database error saving new user',
  'POST /otp': 'Database error saving new user',
  'POST /magiclink': 'Database error saving new user',
  'POST /invite': 'Database error saving new user',
  'POST /admin/generate_link': 'Database error saving new user',
  'POST /admin/users': 'Database error creating new user',
  'PUT /admin/users/:id': 'Error updating user',
  'DELETE /admin/users/:id': 'Database error deleting user',
  'PUT /user': 'Error updating user',
  'GET /verify': 'Error confirming user',
  'POST /verify': 'Error confirming user',
  'POST /token': 'Database error granting user',
}

/** Logs why the database failed and answers the error for the caller; null when it was not the database. */
export function databaseFailure(
  log: pino.Logger,
  error: unknown,
  { method, path }: { method: string; path: string },
): AuthError | null {
  if (!(error instanceof pg.DatabaseError) || isUnavailable(error)) return null
  const route = path.replace(/^(\/admin\/users)\/.+/, '$1/:id')
  const sentence = SENTENCES[`${method} ${route}`] ?? UNEXPECTED.message
  log.error({ ...withoutData(error), method, path: route }, `auth request failed: ${sentence}`)
  return new AuthError(500, 'unexpected_failure', sentence)
}

/**
 * The fields of PostgreSQL's error that show the fault of the project. Never its detail, which quotes rows. Values
 * are removed from the message of a data exception (class 22), from statements and from the lines that quote input.
 */
export function withoutData(error: unknown): Record<string, unknown> {
  if (!(error instanceof pg.DatabaseError)) return { err: error }
  const { code = '', message, where, schema, table, column, constraint } = error
  const context = where
    ?.split('\n')
    .filter((line) => !/^(JSON data|COPY|(un)?named portal)/.test(line))
    .join('\n')
    .replace(/'(?:[^']|'')*'/g, "'…'")
  return {
    sqlstate: code,
    message: code.startsWith('22') ? message.replace(/: ".*"/s, ': "…"') : message,
    context,
    schema,
    table,
    column,
    constraint,
  }
}
