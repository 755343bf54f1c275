// The body of a writing request: JSON, CSV, a form, or raw content for a function with one unnamed parameter.
// JSON goes to PostgreSQL as it came, so no number or time loses a digit; only its keys are read here.
// Reference: PostgREST 14, "Insert" and "Functions as RPC".
import { isNestedDeeper } from '../../http/json.ts'
import { invalidBody } from '../errors/errors.ts'
import { readCsv } from './csv.ts'
import { MAX_JSON_DEPTH } from './limits.ts'
import { type MediaType, mediaTypeName } from './media.ts'
import { decodePairs } from './query.ts'

export type Payload =
  /** Rows: `text` is JSON, one object or an array of objects with these keys. */
  | { kind: 'json'; text: string; keys: string[]; isArray: boolean }
  /** Arguments of a function from a form. */
  | { kind: 'arguments'; pairs: [string, string][]; keys: string[] }
  /** Content for a single unnamed parameter. */
  | { kind: 'raw'; text: string }

/**
 * Reads a body. With `columns` the keys are taken from there and the JSON is left to PostgreSQL to check.
 * Throws PGRST102 that says what is wrong.
 */
export function readBody(options: {
  body: Buffer
  type: MediaType
  columns: string[] | null
  forFunction: boolean
}): Payload {
  const { body, type, columns, forFunction } = options
  switch (type.kind) {
    case 'json': {
      const text = body.toString('utf8')
      if (isNestedDeeper(text, MAX_JSON_DEPTH))
        throw invalidBody(`JSON can be nested ${MAX_JSON_DEPTH} levels deep`)
      if (columns) return { kind: 'json', text, keys: columns, isArray: !/^[ \t\r\n]*\{/.test(text) }
      if (body.length === 0 && forFunction) return { kind: 'json', text: '{}', keys: [], isArray: false }
      return describeJson(text, parseJson(text), 'All object keys must match')
    }
    case 'csv': {
      const rows = readCsv(body.toString('utf8'))
      return describeJson(JSON.stringify(rows), rows, 'All lines must have same number of fields')
    }
    case 'form': {
      const pairs = decodePairs(body.toString('utf8'))
      if (forFunction) return { kind: 'arguments', pairs, keys: [...new Set(pairs.map(([name]) => name))] }
      const row = Object.fromEntries(pairs)
      return { kind: 'json', text: JSON.stringify(row), keys: Object.keys(row), isArray: false }
    }
    case 'text':
    case 'xml':
      if (forFunction) return { kind: 'raw', text: body.toString('utf8') }
      break
    case 'octets':
      // The text form of bytea.
      if (forFunction) return { kind: 'raw', text: `\\x${body.toString('hex')}` }
      break
  }
  throw invalidBody(`Content-Type not acceptable: ${mediaTypeName(type)}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidBody('Empty or invalid json')
  }
}

function describeJson(text: string, value: unknown, unequal: string): Payload {
  if (Array.isArray(value)) {
    const keys = value.length > 0 ? keysOf(value[0]) : []
    if (keys === null) throw invalidBody(unequal)
    for (const row of value) if (!sameKeys(row, keys)) throw invalidBody(unequal)
    return { kind: 'json', text, keys, isArray: true }
  }
  const keys = keysOf(value)
  // A bare string or number holds no row.
  return keys
    ? { kind: 'json', text, keys, isArray: false }
    : { kind: 'json', text: '[]', keys: [], isArray: true }
}

function keysOf(value: unknown): string[] | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : null
}

function sameKeys(row: unknown, keys: string[]): boolean {
  const own = keysOf(row)
  return own !== null && own.length === keys.length && keys.every((key) => Object.hasOwn(row as object, key))
}
