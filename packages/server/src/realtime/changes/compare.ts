// Evaluates conditions on column values whose text says enough (integers, uuids, text equality, booleans). All others are
// evaluated by PostgreSQL's own operators (see evaluate.ts), so that both mean the same.
import type { Condition } from './parse-binding.ts'
import type { ColumnType } from './types.ts'

/** Of a value's text, which is not null here. */
type Compare = (value: string) => boolean

/** A condition on a column of one type. */
export interface TypedCondition {
  condition: Condition
  type: ColumnType
  /** Null when PostgreSQL has to evaluate it. */
  local: ((value: string | null) => boolean) | null
}

const cache = new WeakMap<Condition, Map<ColumnType, TypedCondition>>()

/** The same object for the same condition and type. */
export function typedCondition(condition: Condition, type: ColumnType): TypedCondition {
  const byType = cache.get(condition) ?? new Map<ColumnType, TypedCondition>()
  cache.set(condition, byType)
  const typed = byType.get(type) ?? { condition, type, local: localEvaluation(condition, type) }
  byType.set(type, typed)
  return typed
}

/** Whether the condition is certainly valid for the type; otherwise PostgreSQL has to try it. */
export function isCertainlyValid(condition: Condition, type: ColumnType): boolean {
  const { operator, value, items } = condition
  if (operator === 'is' || type.kind === 'enum' || !typedCondition(condition, type).local) return false
  const max = MAX_INTEGERS[type.sql]
  if (max === undefined) return true
  const values = operator === 'in' ? items : [value]
  return values.every((one) => one !== null && BigInt(one) <= max && BigInt(one) >= -max)
}

const MAX_INTEGERS: Record<string, bigint | undefined> = {
  'pg_catalog.int2': 32767n,
  'pg_catalog.int4': 2147483647n,
  'pg_catalog.int8': 9223372036854775807n,
}

/** Whether a value of this type equals another exactly when their texts are the same, written as PostgreSQL does. */
export function comparesByText(type: ColumnType): boolean {
  return type.kind === 'enum' || (type.kind === 'base' && FAMILIES[type.sql] !== undefined)
}

function localEvaluation(condition: Condition, type: ColumnType): TypedCondition['local'] {
  const { operator, negate, value } = condition
  if (operator === 'is') {
    const boolean = { true: 't', false: 'f' }[value] ?? null
    return (text) => (text === boolean) !== negate
  }
  const compare = comparison(condition, type)
  if (!compare) return null
  // A comparison with null is neither true nor false, so no row meets it; only isdistinct handles null.
  if (operator === 'isdistinct') return (text) => (text === null || compare(text)) !== negate
  return (text) => text !== null && compare(text) !== negate
}

function comparison(condition: Condition, type: ColumnType): Compare | null {
  const family = type.kind === 'enum' ? textFamily : type.kind === 'base' && FAMILIES[type.sql]
  if (!family) return null
  const read = (text: string | null) => (text === null ? undefined : family.read(text))
  if (condition.operator === 'in') {
    const items = condition.items.map(read)
    // `x in (1, null)` is never false, which a negation would show.
    if (items.includes(undefined)) return null
    const values = new Set(items)
    return (text) => values.has(family.read(text))
  }
  const right = read(condition.value)
  if (right === undefined) return null
  switch (condition.operator) {
    case 'eq':
      return (text) => family.read(text) === right
    case 'neq':
    case 'isdistinct':
      return (text) => family.read(text) !== right
    case 'lt':
      return family.ordered ? (text) => (family.read(text) ?? right) < right : null
    case 'lte':
      return family.ordered ? (text) => (family.read(text) ?? right) <= right : null
    case 'gt':
      return family.ordered ? (text) => (family.read(text) ?? right) > right : null
    case 'gte':
      return family.ordered ? (text) => (family.read(text) ?? right) >= right : null
    default:
      return null
  }
}

interface Family {
  /** A value that JavaScript compares as PostgreSQL does; undefined for a spelling only PostgreSQL knows. */
  read(text: string): bigint | string | undefined
  ordered: boolean
}

const integer: Family = {
  read: (text) => (/^\s*[+-]?\d+\s*$/.test(text) ? BigInt(text.trim().replace('+', '')) : undefined),
  ordered: true,
}
/** Text has an order that only PostgreSQL knows, that of its collation. */
const textFamily: Family = { read: (text) => text, ordered: false }
const uuid: Family = {
  read: (text) =>
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined,
  ordered: true,
}
const boolean: Family = {
  read: (text) => ({ t: 't', true: 't', f: 'f', false: 'f' })[text],
  ordered: true,
}

const FAMILIES: Record<string, Family | undefined> = {
  'pg_catalog.int2': integer,
  'pg_catalog.int4': integer,
  'pg_catalog.int8': integer,
  'pg_catalog.text': textFamily,
  'pg_catalog.varchar': textFamily,
  'pg_catalog.uuid': uuid,
  'pg_catalog.bool': boolean,
}
