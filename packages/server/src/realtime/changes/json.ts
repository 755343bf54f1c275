// Values of the replication stream as PostgreSQL's own to_jsonb() would write them, from their text.
// https://www.postgresql.org/docs/18/functions-json.html#FUNCTIONS-JSON-CREATION-TABLE
import { parse } from 'postgres-array'
import type { ColumnType } from './types.ts'

/** JSON text of a value's text. */
export type Encode = (text: string) => string

const NUMBERS = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'])
const FINITE = /^-?[0-9.]+(e[+-]?[0-9]+)?$/i

const encoders = new WeakMap<ColumnType, { encode: Encode | null }>()

/** Null where only PostgreSQL can tell: composites, and types with a cast to json. */
export function encoderOf(type: ColumnType): Encode | null {
  const cached = encoders.get(type)
  if (cached) return cached.encode
  const encode = findEncoder(type)
  encoders.set(type, { encode })
  return encode
}

function findEncoder(type: ColumnType): Encode | null {
  if (type.castsToJson || type.kind === 'composite') return null
  if (type.kind === 'domain') return type.inner && encoderOf(type.inner)
  if (type.kind === 'array') {
    const element = type.inner && encoderOf(type.inner)
    return element && ((text) => jsonArray(parse(text, element)))
  }
  if (type.kind === 'enum') return JSON.stringify
  if (NUMBERS.has(type.name)) return (text) => (FINITE.test(text) ? text : JSON.stringify(text))
  if (type.name === 'bool') return (text) => (text === 't' ? 'true' : 'false')
  if (type.name === 'json' || type.name === 'jsonb') return (text) => text
  if (type.name === 'timestamp' || type.name === 'timestamptz') return timestamp
  return JSON.stringify
}

type Nested = (string | Nested)[]

/** Elements are JSON already. */
function jsonArray(items: Nested): string {
  return `[${items.map((item) => (item === null ? 'null' : Array.isArray(item) ? jsonArray(item) : item)).join(',')}]`
}

/** `2026-11-21 08:30:00.5-06` becomes `2026-11-21T08:30:00.5-06:00`. */
function timestamp(text: string): string {
  const iso = text.replace(' ', 'T').replace(/(\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d)(?!:?\d)/, '$1:00')
  return JSON.stringify(iso)
}
