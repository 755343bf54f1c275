// From the outcome of a statement to status, headers and body.
// Reference: PostgREST 14, "Resource representation", "Pagination and count", "Preferences", "Response headers".

import { isHeader } from '../errors/database-errors.ts'
import {
  badResponseHeaders,
  badResponseStatus,
  notSingular,
  type RestError,
  rangeOutOfBounds,
} from '../errors/errors.ts'
import { isObject } from '../plan/shared.ts'
import type { Compiled } from '../query/compile.ts'
import type { Outcome } from '../query/execute.ts'
import { contentType } from '../request/media.ts'
import { type Preferences, preferenceApplied, withMaxAffected } from '../request/preferences.ts'
import { contentRange } from '../request/range.ts'
import type { RestRequest } from '../request/request.ts'
import { returnsVoid } from '../schema-cache/types.ts'

export type Answer = {
  status: number
  statusText?: string
  headers: Record<string, string | string[]>
  /** The bytes; in a string one character each. */
  body: Buffer | string | null
}

/** Throws PGRST103, PGRST111, PGRST112 or PGRST116, where only the result tells. */
export function respond(request: RestRequest, compiled: Compiled, outcome: Outcome): Answer {
  if (compiled.media.kind === 'plan') {
    return { status: 200, headers: typed(request, compiled), body: outcome.body }
  }
  const answer = RESPONDERS[compiled.kind](request, compiled, outcome)
  const { format } = compiled
  const own = typeof format === 'object' && format.kind === 'own' ? format : null
  if (own?.binary) answer.body = fromHex(answer.body)
  overridden(answer, outcome)
  if (own || outcome.headers !== null) keepApart(answer)
  return answer
}

type Responder = (request: RestRequest, compiled: Compiled, outcome: Outcome) => Answer

const RESPONDERS: Record<Compiled['kind'], Responder> = {
  read: (request, compiled, outcome) => {
    if (isObject(compiled.format) && outcome.rows !== 1) throw notSingular(outcome.rows)
    const { query, target } = request
    const canonical = query.canonical()
    const name = target.kind === 'table' ? encodeURIComponent(target.name) : ''
    const headers = typed(request, compiled)
    headers['Content-Range'] = contentRange(request.range.offset, outcome.rows, outcome.total)
    headers['Content-Location'] = `/${name}${canonical === '' ? '' : `?${canonical}`}`
    applied(headers, preferenceApplied(request.preferences, ['count', 'tx', 'handling', 'timezone']))
    return { status: rangeStatus(request, outcome), headers, body: outcome.body }
  },

  insert: (request, compiled, { rows, inserted, location, body }) => {
    const { preferences, target } = request
    const headers: Record<string, string> = { 'Content-Range': `*/${counted(preferences) ? rows : '*'}` }
    const named = ['missing', 'return', 'count', 'tx', 'handling', 'timezone'] as const
    applied(headers, preferenceApplied(preferences, compiled.resolved ? ['resolution', ...named] : named))
    if (location !== null && target.kind === 'table') headers.Location = locationOf(target.name, location)
    const updatedOnly = preferences.resolution === 'merge-duplicates' && (inserted ?? 0) <= 0
    const status = updatedOnly ? 200 : 201
    if (preferences.return !== 'representation') return { status, headers, body: null }
    return { status, headers: { ...headers, ...typed(request, compiled) }, body }
  },

  upsert: (request, compiled, { inserted, body }) => {
    const headers: Record<string, string> = {}
    applied(
      headers,
      preferenceApplied(request.preferences, ['return', 'count', 'tx', 'handling', 'timezone']),
    )
    if (request.preferences.return !== 'representation') return { status: 204, headers, body: null }
    return {
      status: (inserted ?? 0) > 0 ? 201 : 200,
      headers: { ...headers, ...typed(request, compiled) },
      body,
    }
  },

  update: (request, compiled, { rows, body }) => {
    const { preferences } = request
    const headers = { 'Content-Range': contentRange(0, rows, counted(preferences) ? rows : null) }
    const names = ['missing', 'return', 'count', 'tx', 'handling', 'timezone'] as const
    applied(headers, withMaxAffected(preferenceApplied(preferences, names), preferences))
    if (preferences.return !== 'representation') return { status: 204, headers, body: null }
    return { status: 200, headers: { ...headers, ...typed(request, compiled) }, body }
  },

  delete: (request, compiled, { rows, body }) => {
    const { preferences } = request
    const headers: Record<string, string> = { 'Content-Range': `*/${counted(preferences) ? rows : '*'}` }
    const names = ['return', 'count', 'tx', 'handling', 'timezone'] as const
    applied(headers, withMaxAffected(preferenceApplied(preferences, names), preferences))
    if (preferences.return !== 'representation') return { status: 204, headers, body: null }
    return { status: 200, headers: { ...headers, ...typed(request, compiled) }, body }
  },

  call: (request, compiled, outcome) => {
    const { preferences } = request
    const headers: Record<string, string> = {
      'Content-Range': contentRange(request.range.offset, outcome.rows, outcome.total),
    }
    const names = ['count', 'tx', 'handling', 'timezone'] as const
    applied(headers, withMaxAffected(preferenceApplied(preferences, names), preferences))
    if (compiled.routine && returnsVoid(compiled.routine)) return { status: 204, headers, body: null }
    const status = rangeStatus(request, outcome)
    return { status, headers: { ...headers, ...typed(request, compiled) }, body: outcome.body }
  },
}

/** 200, or 206 for a part of the rows. Throws PGRST103 when the part begins behind the last row. */
function rangeStatus({ range }: RestRequest, { rows, total }: Outcome): number {
  if (total === null) return 200
  if (range.offset > total) throw rangeOutOfBounds(range.offset, total)
  return rows < total ? 206 : 200
}

/** The bytes that an own media type is made of (see sql/statement.ts). */
function fromHex(body: Answer['body']): Answer['body'] {
  return body === null ? null : Buffer.from(body.toString('latin1'), 'hex')
}

function counted({ count }: Preferences): boolean {
  return count === 'exact' || count === 'estimated'
}

function typed({ schema, negotiated }: RestRequest, { media }: Compiled): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': contentType(media) }
  if (negotiated) headers['Content-Profile'] = schema
  return headers
}

function applied(headers: Record<string, string>, value: string | null): void {
  if (value !== null) headers['Preference-Applied'] = value
}

/** `/table?id=eq.1`: where a new row is to be found. */
function locationOf(table: string, key: string): string {
  const values = JSON.parse(key) as Record<string, string | null>
  const pairs = Object.entries(values).map(([name, value]) => {
    const filter = value === null ? 'is.null' : `eq.${value}`
    return `${encodeURIComponent(name)}=${encodeURIComponent(filter)}`
  })
  return `/${encodeURIComponent(table)}?${pairs.join('&')}`
}

/** Applies what functions said through the settings response.status and response.headers. */
function overridden(answer: Answer, { status, headers }: Outcome): void {
  if (status !== null) {
    const chosen = Number(status)
    if (!Number.isInteger(chosen) || chosen < 200 || chosen > 599) throw badResponseStatus()
    answer.status = chosen
  }
  if (headers !== null) {
    const own = responseHeaders(headers)
    const named = new Set(own.map(([name]) => name.toLowerCase()))
    for (const known of Object.keys(answer.headers)) {
      if (named.has(known.toLowerCase())) delete answer.headers[known]
    }
    // The same header may come several times, as cookies do.
    for (const name of named) {
      const values = own.filter((header) => header[0].toLowerCase() === name)
      const [first, ...more] = values.map(([, value]) => value) as [string, ...string[]]
      answer.headers[values[0]?.[0] ?? name] = more.length > 0 ? [first, ...more] : first
    }
  }
}

/** Types that a browser shows as a page, and whose scripts it runs. */
const PAGE = /html|xml/i

/**
 * A page that the database makes is shown in a separate origin: on the app's, content of a row could take over the
 * session of a signed-in person. A function that brings a Content-Security-Policy decides by itself.
 */
function keepApart({ headers }: Answer): void {
  const names = Object.keys(headers)
  const type = names.find((name) => name.toLowerCase() === 'content-type')
  if (type === undefined || !PAGE.test(String(headers[type]))) return
  if (names.some((name) => name.toLowerCase() === 'content-security-policy')) return
  headers['Content-Security-Policy'] = 'sandbox allow-scripts allow-forms allow-modals allow-popups'
}

function responseHeaders(json: string): [string, string][] {
  let list: unknown
  try {
    list = JSON.parse(json)
  } catch {
    throw badResponseHeaders()
  }
  if (!Array.isArray(list)) throw badResponseHeaders()
  return list.map((item) => {
    const [pair, ...more] = typeof item === 'object' && item !== null ? Object.entries(item) : []
    if (!pair || more.length > 0 || typeof pair[1] !== 'string') throw badResponseHeaders()
    if (!isHeader(pair[0], pair[1])) throw badResponseHeaders()
    return [pair[0], pair[1]]
  })
}

/** The answer that an error is. */
export function respondWithError(error: RestError, method: string): Answer {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Proxy-Status': `PostgREST; error=${error.code}`,
    ...(error.status === 503 ? { 'Retry-After': '1' } : {}),
    ...error.headers,
  }
  const body = method === 'HEAD' ? null : Buffer.from(JSON.stringify(error.body()))
  return {
    status: error.status,
    ...(error.statusText === undefined ? {} : { statusText: error.statusText }),
    headers,
    body,
  }
}
