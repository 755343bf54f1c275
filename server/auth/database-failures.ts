// What the auth service says and writes down when the database fails: callers hear GoTrue's sentence for what they
// asked for, the log has the SQLSTATE and where it happened, and neither has anybody's data.
import pg from 'pg'
import type pino from 'pino'
import { isUnavailable } from '../sql/database.ts'
import { AuthError } from './errors.ts'

/** GoTrue's sentence for each act (https://github.com/supabase/auth, internal/api). */
const sentences: Record<string, string> = {
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

const otherwise = 'Unexpected failure, please check server logs for more information'

/** Writes down why the database failed and answers what the caller is told; null when it was not the database. */
export function databaseFailure(
  log: pino.Logger,
  error: unknown,
  { method, path }: { method: string; path: string },
): AuthError | null {
  if (!(error instanceof pg.DatabaseError) || isUnavailable(error)) return null
  const route = path.replace(/^\/auth\/v1/, '').replace(/^(\/admin\/users)\/.+/, '$1/:id')
  const sentence = sentences[`${method} ${route}`] ?? otherwise
  log.error({ ...withoutData(error), method, path: route }, `auth request failed: ${sentence}`)
  return new AuthError(500, 'unexpected_failure', sentence)
}

/**
 * The parts of PostgreSQL's error that say what is wrong with the project: never its detail, which quotes rows, nor the
 * values in the message of a data exception (class 22), in statements and in the lines that quote input.
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
    ...{ context, schema, table, column, constraint },
  }
}
