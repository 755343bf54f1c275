// Runs a compiled request: the caller's role and settings, then the statement, in one round trip.
// Reference: PostgREST 14, "Transactions" (transaction-scoped settings, isolation, `Prefer: tx`).
import pg from 'pg'
import type { Caller } from '../gateway.ts'
import type { Statement } from '../postgres/pipeline.ts'
import { execute, type Isolation } from '../postgres/request.ts'
import { notSingular, putKeyMismatch, tooManyAffected } from './errors.ts'
import { type Compiled, isObject } from './plan/compiled.ts'
import { arrayLiteral } from './request/operations.ts'
import type { RestRequest } from './request/request.ts'
import type { RestSettings } from './settings.ts'
import { quoteName } from './sql/quote.ts'
import { MARKER } from './sql/statement.ts'
import type { Template } from './sql/writer.ts'
import { fromConnection, fromDatabase } from './sql-errors.ts'

/** The one row that a statement gives (see sql/statement.ts), or the lines of an EXPLAIN in `body`. */
export type Outcome = {
  total: number | null
  rows: number
  body: string | null
  headers: string | null
  status: string | null
  location: string | null
  inserted: number | null
}

/** Throws the RestError that the database's refusal becomes. */
export async function run(
  pool: pg.Pool,
  request: RestRequest,
  compiled: Compiled,
  caller: Caller,
  settings: RestSettings,
): Promise<Outcome> {
  const statements: Statement[] = []
  if (settings.preRequest) statements.push({ text: `select ${qualified(settings.preRequest)}()` })
  const at = statements.push(fill(compiled.template, request, caller, settings)) - 1
  if (compiled.estimate) statements.push(fill(compiled.estimate, request, caller, settings))
  const rollback = (request.preferences.tx ?? settings.txEnd) === 'rollback'
  // A rollback must not hide what a commit would have failed on.
  if (rollback && !compiled.readOnly) statements.push({ text: 'set constraints all immediate' })
  const isolation = isolationOf(compiled, caller, settings)
  try {
    const results = await execute(pool, {
      role: caller.role,
      settings: transactionSettings(request, compiled, caller, settings),
      readOnly: compiled.readOnly,
      statements,
      ...(isolation ? { isolation } : {}),
      ...(rollback ? { decide: () => 'rollback' as const } : {}),
    })
    const rows = results[at]?.rows ?? []
    if (compiled.media.kind === 'plan') return planOutcome(rows)
    const outcome = outcomeOf(rows[0] ?? [])
    if (compiled.estimate) applyEstimate(outcome, request, settings.maxRows, results[at + 1]?.rows[0]?.[0])
    return outcome
  } catch (error) {
    throw refusal(error, compiled, caller)
  }
}

/** The template with the request's values. */
function fill(template: Template, request: RestRequest, caller: Caller, settings: RestSettings): Statement {
  const values = template.slots.map((slot): string | null => {
    if ('value' in slot) return request.query.values[slot.value] as string
    if ('constant' in slot) return slot.constant
    if ('elements' in slot)
      return arrayLiteral(slot.elements.map((index) => request.query.values[index] as string))
    return request.payload?.kind === 'arguments' ? null : (request.payload?.text ?? null)
  })
  return { text: textFor(template, caller.role, settings), values }
}

/**
 * The statement's text for a role. PostgreSQL plans row-level security for one role and throws the plan away when
 * another uses the statement, so each role that the database knows has a statement of its own.
 */
function textFor(template: Template, role: string, settings: RestSettings): string {
  const number = settings.roles.get(role)?.number
  if (number === undefined) return template.text
  template.texts ??= []
  template.texts[number] ??= `${template.text} /* ${number} */`
  return template.texts[number]
}

function transactionSettings(
  request: RestRequest,
  compiled: Compiled,
  caller: Caller,
  settings: RestSettings,
): Record<string, string> {
  const { cookie, ...headers } = request.headers
  const own: Record<string, string> = {
    search_path: searchPath(request.schema, settings.extraSearchPath),
    'request.jwt.claims': JSON.stringify(caller.claims),
    'request.method': request.method,
    'request.path': request.path,
    'request.headers': JSON.stringify(headers),
    'request.cookies': cookie === undefined ? '{}' : JSON.stringify(cookies(cookie)),
  }
  for (const [name, value] of settings.roles.get(caller.role)?.settings ?? []) own[name] = value
  for (const [name, value] of compiled.routine?.settings ?? []) own[name] = value
  if (request.preferences.timezone) own.timezone = request.preferences.timezone
  return own
}

const searchPaths = new Map<string, string>()

function searchPath(schema: string, extra: readonly string[]): string {
  const key = `${schema}\0${extra.join('\0')}`
  let path = searchPaths.get(key)
  if (path === undefined) {
    path = [...new Set([schema, ...extra])].map(quoteName).join(', ')
    searchPaths.set(key, path)
  }
  return path
}

function cookies(header: string): Record<string, string> {
  const pairs = header.split(';').flatMap((part): [string, string][] => {
    const equals = part.indexOf('=')
    return equals < 0 ? [] : [[part.slice(0, equals).trim(), part.slice(equals + 1).trim()]]
  })
  return Object.fromEntries(pairs)
}

const LEVELS: readonly string[] = ['read committed', 'repeatable read', 'serializable'] satisfies Isolation[]

function isolationOf(compiled: Compiled, caller: Caller, settings: RestSettings): Isolation | undefined {
  const wanted = compiled.routine?.isolation ?? settings.roles.get(caller.role)?.isolation
  return LEVELS.includes(wanted ?? '') ? (wanted as Isolation) : undefined
}

function qualified(name: string): string {
  return name.split('.').map(quoteName).join('.')
}

function outcomeOf(row: (string | null)[]): Outcome {
  const [
    total = null,
    rows = null,
    body = null,
    headers = null,
    status = null,
    location = null,
    inserted = null,
  ] = row
  return {
    total: total === null ? null : Number(total),
    rows: Number(rows ?? 0),
    body,
    headers,
    status,
    location,
    inserted: inserted === null ? null : Number(inserted),
  }
}

function planOutcome(lines: (string | null)[][]): Outcome {
  const body = `${lines.map(([line]) => line).join('\n')}\n`
  return { total: null, rows: 0, body, headers: null, status: null, location: null, inserted: null }
}

/** The planner's guess replaces the count, or raises it where counting stopped being exact. */
function applyEstimate(
  outcome: Outcome,
  request: RestRequest,
  maxRows: number | null,
  explain: string | null | undefined,
): void {
  const guess = Number(JSON.parse(explain ?? '[]')?.[0]?.Plan?.['Plan Rows'] ?? 0)
  if (request.preferences.count === 'planned') outcome.total = guess
  else if (maxRows !== null && outcome.total !== null && outcome.total > maxRows) {
    outcome.total = Math.max(outcome.total, guess)
  }
}

function refusal(error: unknown, compiled: Compiled, caller: Caller): unknown {
  if (!(error instanceof Error)) return error
  if (!(error instanceof pg.DatabaseError)) return fromConnection(error)
  const rows = new RegExp(`"${MARKER}(\\d+)"`).exec(error.code === '22P02' ? error.message : '')?.[1]
  if (rows !== undefined) {
    if (compiled.kind === 'upsert') return putKeyMismatch()
    return isObject(compiled.format) ? notSingular(Number(rows)) : tooManyAffected(Number(rows))
  }
  return fromDatabase(error, caller.role === 'anon')
}
