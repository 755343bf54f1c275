// Runs a compiled request: the caller's role and settings, then the statement, in one round trip.
// Reference: PostgREST 14, "Transactions" (transaction-scoped settings, isolation, `Prefer: tx`).
import pg from 'pg'
import type { Caller } from '../../http/authenticator.ts'
import type { Isolation } from '../../sql/as-caller.ts'
import type { ByteDatabase, ByteRows, Bytes } from '../../sql/bytes.ts'
import type { Statement } from '../../sql/pipeline.ts'
import { named } from '../../sql/request-name.ts'
import type { Settings } from '../../sql/roles.ts'
import { fromConnection, fromDatabase } from '../errors/database-errors.ts'
import { notSingular, putKeyMismatch, tooManyAffected } from '../errors/errors.ts'
import { isObject } from '../plan/shared.ts'
import { arrayLiteral } from '../request/operations.ts'
import type { RestRequest } from '../request/request.ts'
import { quoteName } from '../schema-cache/quote.ts'
import { qualified, type RestSettings } from '../schema-cache/settings.ts'
import type { Compiled } from './compile.ts'
import { MARKER } from './statement.ts'
import type { Template } from './writer.ts'

/** The one row that a statement gives (see sql/statement.ts), or the lines of an EXPLAIN in `body`. */
export type Outcome = {
  total: number | null
  rows: number
  /** In a string one character for each byte. */
  body: Bytes
  headers: string | null
  status: string | null
  location: string | null
  inserted: number | null
}

/** Runs the request. Throws the RestError that the database's error becomes. */
export async function run(
  database: ByteDatabase,
  request: RestRequest,
  compiled: Compiled,
  caller: Caller,
  settings: RestSettings,
): Promise<Outcome> {
  const statements: Statement[] = []
  if (settings.preRequest) statements.push({ text: `select ${qualified(settings.preRequest)}()` })
  const at = statements.push(fill(compiled.template, request, caller, settings)) - 1
  if (compiled.estimate) statements.push(fill(compiled.estimate, request, caller, settings))
  const { readOnly } = compiled
  const isolation = isolationOf(compiled, caller, settings)
  const session = database.as(caller, transactionSettings(request, compiled, caller, settings))
  try {
    const outcome = (results: ByteRows[]) => {
      const rows = results[at] ?? []
      if (compiled.media.kind === 'plan') return planOutcome(rows)
      const given = outcomeOf(rows[0] ?? [])
      const guess = compiled.estimate && text(results[at + 1]?.[0]?.[0])
      applyEstimate(given, request, settings.maxRows, guess)
      return given
    }
    if (isRolledBack(request, settings)) {
      // A rollback must not hide what a commit would have failed on.
      if (!readOnly) statements.push({ text: 'set constraints all immediate' })
      return outcome(await session.dryRun(statements, { readOnly, isolation }))
    }
    if (sharesConnections(request, compiled, caller, settings))
      return outcome(await session.read(statements, compiled.latency))
    return outcome(await session.query(statements, { readOnly, isolation }))
  } catch (error) {
    throw toRestError(error, compiled, caller)
  }
}

/** Reads of tables are measured; a function may do anything. */
export function sharesConnections(
  request: RestRequest,
  compiled: Compiled,
  caller: Caller,
  settings: RestSettings,
): boolean {
  if (compiled.kind !== 'read' || settings.preRequest || isRolledBack(request, settings)) return false
  return isolationOf(compiled, caller, settings) === undefined
}

function isRolledBack({ preferences }: RestRequest, { txEnd }: RestSettings): boolean {
  return (preferences.tx ?? txEnd) === 'rollback'
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
 * another uses the statement, so each role that the database knows has its own statement.
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
  { routine }: Compiled,
  caller: Caller,
  { extraSearchPath, roles }: RestSettings,
): Settings {
  const { headers, preferences } = request
  const { cookie } = headers
  const all: Record<string, string> = {
    ...named(headers['x-request-id']),
    search_path: searchPath(request.schema, extraSearchPath),
    'request.jwt.claims': JSON.stringify(caller.claims),
    'request.method': request.method,
    'request.path': request.path,
    'request.headers': JSON.stringify(withoutCookie(headers)),
    'request.cookies': cookie === undefined ? '{}' : JSON.stringify(cookies(cookie)),
  }
  for (const [name, value] of roles.get(caller.role)?.settings ?? []) all[name] = value
  for (const [name, value] of routine?.settings ?? []) all[name] = value
  if (preferences.timezone) all.timezone = preferences.timezone
  return all
}

function withoutCookie(headers: RestRequest['headers']): RestRequest['headers'] {
  // Copied only where it has one: of all that is done for a small read, a copy would take a twentieth.
  if (headers.cookie === undefined) return headers
  const { cookie: _, ...others } = headers
  return others
}

function searchPath(schema: string, extra: readonly string[]): string {
  return [schema, ...extra].map(quoteName).join(', ')
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

function outcomeOf(row: Bytes[]): Outcome {
  const [total, rows, body = null, headers, status, location, inserted] = row
  return {
    total: number(total),
    rows: number(rows) ?? 0,
    body,
    headers: text(headers),
    status: text(status),
    location: text(location),
    inserted: number(inserted),
  }
}

function text(value: Bytes | undefined): string | null {
  if (typeof value !== 'string') return value ? value.toString('utf8') : null
  return Buffer.from(value, 'latin1').toString('utf8')
}

function number(value: Bytes | undefined): number | null {
  return value ? Number(value) : null
}

function planOutcome(lines: ByteRows): Outcome {
  const body = `${lines.map(([line]) => (typeof line === 'string' ? line : line?.toString('latin1'))).join('\n')}\n`
  return { total: null, rows: 0, body, headers: null, status: null, location: null, inserted: null }
}

/**
 * The planner's guess, its EXPLAIN as JSON, is used where rows were not counted, or only up to max_rows. Rows that
 * are shown are there, whatever was guessed or left uncounted.
 */
function applyEstimate(
  outcome: Outcome,
  { preferences, range }: RestRequest,
  maxRows: number | null,
  explain: string | null,
): void {
  const { count } = preferences
  if (count !== 'planned' && count !== 'estimated') return
  const shown = outcome.rows > 0 ? range.offset + outcome.rows : 0
  if (outcome.total !== null) outcome.total = Math.max(outcome.total, shown)
  else if (explain !== null) {
    const guess = Number(JSON.parse(explain)[0]?.Plan?.['Plan Rows'] ?? 0)
    const beyond = count === 'estimated' && maxRows !== null ? maxRows + 1 : 0
    outcome.total = Math.max(guess, beyond, shown)
  }
}

function toRestError(error: unknown, compiled: Compiled, caller: Caller): unknown {
  if (!(error instanceof Error)) return error
  if (!(error instanceof pg.DatabaseError)) return fromConnection(error)
  const rows = new RegExp(`"${MARKER}(\\d+)"`).exec(error.code === '22P02' ? error.message : '')?.[1]
  if (rows !== undefined) {
    if (compiled.kind === 'upsert') return putKeyMismatch()
    return isObject(compiled.format) ? notSingular(Number(rows)) : tooManyAffected(Number(rows))
  }
  return fromDatabase(error, caller.role === 'anon')
}
