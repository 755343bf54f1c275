// Runs a compiled request: the caller's role and settings, then the statement, in one round trip.
// Reference: PostgREST 14, "Transactions" (transaction-scoped settings, isolation, `Prefer: tx`).
import pg from 'pg'
import type { Caller } from '../../gateway.ts'
import type { LaneRow } from '../../sql/batching/batch.ts'
import type { Lanes } from '../../sql/batching/batching.ts'
import type { Column } from '../../sql/batching/messages.ts'
import { millisecondsOf } from '../../sql/idle-timeout.ts'
import { newPace } from '../../sql/latency.ts'
import type { Statement } from '../../sql/pipeline.ts'
import { execute, type Isolation, identityOf } from '../../sql/request.ts'
import { fromConnection, fromDatabase } from '../errors/database-errors.ts'
import { notSingular, putKeyMismatch, tooManyAffected } from '../errors/errors.ts'
import { type Compiled, isObject } from '../plan/compiled.ts'
import { arrayLiteral } from '../request/operations.ts'
import type { RestRequest } from '../request/request.ts'
import { qualified, type RestSettings } from '../schema-cache/settings.ts'
import { quoteName } from './quote.ts'
import { MARKER } from './statement.ts'
import type { Template } from './writer.ts'

/** The one row that a statement gives (see sql/statement.ts), or the lines of an EXPLAIN in `body`. */
export type Outcome = {
  total: number | null
  rows: number
  /** The bytes as PostgreSQL sent them, in a string one character each. */
  body: Column
  headers: string | null
  status: string | null
  location: string | null
  inserted: number | null
}

/** Where requests run: as a rule on the lanes, and on a connection of the pool where a transaction is framed. */
export type Connections = { lanes: Lanes; pool: pg.Pool }

/** Throws the RestError that the database's refusal becomes. */
export async function run(
  connections: Connections,
  request: RestRequest,
  compiled: Compiled,
  caller: Caller,
  settings: RestSettings,
): Promise<Outcome> {
  const { names, values } = transactionSettings(request, compiled, caller, settings)
  const statements = [identityOf(names, values, caller.role, compiled.readOnly)]
  if (settings.preRequest) statements.push({ text: `select ${qualified(settings.preRequest)}()` })
  const at = statements.push(fill(compiled.template, request, caller, settings)) - 1
  if (compiled.estimate) statements.push(fill(compiled.estimate, request, caller, settings))
  const isolation = isolationOf(compiled, caller, settings)
  const rollback = (request.preferences.tx ?? settings.txEnd) === 'rollback'
  try {
    let results: LaneRow[][]
    if (isolation || rollback) {
      // A rollback must not hide what a commit would have failed on.
      if (rollback && !compiled.readOnly) statements.push({ text: 'set constraints all immediate' })
      const framed = await execute(connections.pool, {
        role: caller.role,
        settings: Object.fromEntries(names.map((name, index) => [name, values[index] as string])),
        readOnly: compiled.readOnly,
        statements: statements.slice(1),
        ...(isolation ? { isolation } : {}),
        ...(rollback ? { decide: () => 'rollback' as const } : {}),
      })
      results = [[], ...framed.map(({ rows }) => rows.map((row) => row.map(bytesOf)))]
    } else {
      // What a table's rows cost is known from the last times; a function may do anything.
      if (compiled.kind === 'read' && !settings.preRequest) compiled.pace ??= newPace()
      const timeout = values[names.indexOf('statement_timeout')]
      const statementTimeout = timeout === undefined ? null : millisecondsOf(timeout)
      results = await connections.lanes.run(statements, compiled.pace ?? null, statementTimeout)
    }
    const rows = results[at] ?? []
    if (compiled.media.kind === 'plan') return planOutcome(rows)
    const outcome = outcomeOf(rows[0] ?? [])
    const guess = compiled.estimate && text(results[at + 1]?.[0]?.[0])
    applyEstimate(outcome, request, settings.maxRows, guess)
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

/** The settings that every request has. */
const NAMES = [
  ...['search_path', 'request.jwt.claims', 'request.method', 'request.path', 'request.headers'],
  'request.cookies',
]

function transactionSettings(
  request: RestRequest,
  compiled: Compiled,
  caller: Caller,
  settings: RestSettings,
): { names: readonly string[]; values: readonly string[] } {
  const { headers } = request
  const { cookie } = headers
  const values = [
    searchPath(request.schema, settings.extraSearchPath),
    claimsOf(caller),
    request.method,
    request.path,
    headersJson(headers),
    cookie === undefined ? '{}' : JSON.stringify(cookies(cookie)),
  ]
  const ofRole = settings.roles.get(caller.role)?.settings ?? NO_SETTINGS
  const ofFunction = compiled.routine?.settings ?? NO_SETTINGS
  const { timezone } = request.preferences
  if (ofFunction.length === 0 && !timezone)
    return { names: namesWith(ofRole), values: withValues(values, ofRole) }
  const all = new Map(NAMES.map((name, index) => [name, values[index] as string]))
  for (const [name, value] of [...ofRole, ...ofFunction]) all.set(name, value)
  if (timezone) all.set('timezone', timezone)
  return { names: [...all.keys()], values: [...all.values()] }
}

const NO_SETTINGS: [string, string][] = []

/** By a role's settings: the names of all. The same array each time, so that the statement's text is known by it. */
const namesOf = new WeakMap<[string, string][], readonly string[]>()

function namesWith(ofRole: [string, string][]): readonly string[] {
  let names = namesOf.get(ofRole)
  if (!names) {
    names = [...NAMES, ...ofRole.map(([name]) => name)]
    namesOf.set(ofRole, names)
  }
  return names
}

function withValues(values: string[], ofRole: [string, string][]): string[] {
  for (const [, value] of ofRole) values.push(value)
  return values
}

/** Callers are remembered (see gateway.ts), and so is what their claims are as JSON. */
const claims = new WeakMap<Caller, string>()

function claimsOf(caller: Caller): string {
  let json = claims.get(caller)
  if (json === undefined) {
    json = JSON.stringify(caller.claims)
    claims.set(caller, json)
  }
  return json
}

/** Requests that brought the same headers share them as one object (see http/same-headers.ts). */
const jsonOfHeaders = new WeakMap<RestRequest['headers'], string>()

function headersJson(headers: RestRequest['headers']): string {
  let json = jsonOfHeaders.get(headers)
  if (json === undefined) {
    json = JSON.stringify(headers.cookie === undefined ? headers : withoutCookie(headers))
    jsonOfHeaders.set(headers, json)
  }
  return json
}

function withoutCookie({ cookie: _, ...headers }: RestRequest['headers']): RestRequest['headers'] {
  return headers
}

const searchPaths = new Map<string, string>()

function searchPath(schema: string, extra: readonly string[]): string {
  const key = `${schema}\0${extra.join('\0')}`
  let path = searchPaths.get(key)
  if (path === undefined) {
    path = [schema, ...extra].map(quoteName).join(', ')
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

function outcomeOf(row: LaneRow): Outcome {
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

function text(value: Column | undefined): string | null {
  if (typeof value !== 'string') return value ? value.toString('utf8') : null
  return Buffer.from(value, 'latin1').toString('utf8')
}

function bytesOf(text: string | null): Column {
  return text === null ? null : Buffer.from(text).toString('latin1')
}

function number(value: Column | undefined): number | null {
  return value ? Number(value) : null
}

function planOutcome(lines: LaneRow[]): Outcome {
  const body = `${lines.map(([line]) => (typeof line === 'string' ? line : line?.toString('latin1'))).join('\n')}\n`
  return { total: null, rows: 0, body, headers: null, status: null, location: null, inserted: null }
}

/**
 * The planner's guess, its EXPLAIN as JSON, stands where rows were not counted, or only up to max_rows. Rows that are
 * shown are there, whatever was guessed or left uncounted.
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
