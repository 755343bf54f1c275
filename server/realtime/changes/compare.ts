// Conditions on column values. Where text tells all (integers, uuids, words, truth values) they are decided here;
// everything else is decided by PostgreSQL's own operators (see remote.ts), so that both sides mean the same.
import type { Condition } from './parse-binding.ts'
import type { ColumnType } from './types.ts'

/** Decides on a value's text, which is not null here. */
type Compare = (value: string) => boolean

/** A condition on a column of one type. */
export interface Test {
  condition: Condition
  type: ColumnType
  /** Decides at once; absent when PostgreSQL has to. */
  local: ((value: string | null) => boolean) | null
}

const tests = new WeakMap<Condition, Map<ColumnType, Test>>()

/** The condition on a column of this type, made once for both. */
export function testOf(condition: Condition, type: ColumnType): Test {
  const known = tests.get(condition) ?? new Map<ColumnType, Test>()
  tests.set(condition, known)
  const test = known.get(type) ?? { condition, type, local: localTest(condition, type) }
  known.set(type, test)
  return test
}

/** Whether the condition can be applied to the type beyond doubt; otherwise PostgreSQL has to be asked. */
export function isPlain(condition: Condition, type: ColumnType): boolean {
  const { operator, value, items } = condition
  if (operator === 'is' || type.kind === 'enum' || !testOf(condition, type).local) return false
  const most = LARGEST_INTEGERS[type.sql]
  if (most === undefined) return true
  const values = operator === 'in' ? items : [value]
  return values.every((one) => one !== null && BigInt(one) <= most && BigInt(one) >= -most)
}

const LARGEST_INTEGERS: Record<string, bigint | undefined> = {
  'pg_catalog.int2': 32767n,
  'pg_catalog.int4': 2147483647n,
  'pg_catalog.int8': 9223372036854775807n,
}

/** Whether a value of this type equals another exactly when their texts are the same, written as PostgreSQL does. */
export function isItsText(type: ColumnType): boolean {
  return type.kind === 'enum' || (type.kind === 'base' && FAMILIES[type.sql] !== undefined)
}

function localTest(condition: Condition, type: ColumnType): Test['local'] {
  const { operator, negate, value } = condition
  if (operator === 'is') {
    const truth = { true: 't', false: 'f' }[value] ?? null
    return (text) => (text === truth) !== negate
  }
  const compare = comparison(condition, type)
  if (!compare) return null
  // A comparison with null is neither true nor false, so it lets nothing through; only isdistinct knows null.
  if (operator === 'isdistinct') return (text) => (text === null || compare(text)) !== negate
  return (text) => text !== null && compare(text) !== negate
}

function comparison(condition: Condition, type: ColumnType): Compare | null {
  const family = type.kind === 'enum' ? words : type.kind === 'base' && FAMILIES[type.sql]
  if (!family) return null
  const read = (text: string | null) => (text === null ? undefined : family.read(text))
  if (condition.operator === 'in') {
    const items = condition.items.map(read)
    // `x in (1, null)` is never false, which a negation would show.
    if (items.includes(undefined)) return null
    const wanted = new Set(items)
    return (text) => wanted.has(family.read(text))
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
const words: Family = { read: (text) => text, ordered: false }
const uuid: Family = {
  read: (text) =>
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined,
  ordered: true,
}
const truth: Family = {
  read: (text) => ({ t: 't', true: 't', f: 'f', false: 'f' })[text],
  ordered: true,
}

/** Words have an order only PostgreSQL knows, that of their collation. */
const FAMILIES: Record<string, Family | undefined> = {
  'pg_catalog.int2': integer,
  'pg_catalog.int4': integer,
  'pg_catalog.int8': integer,
  'pg_catalog.text': words,
  'pg_catalog.varchar': words,
  'pg_catalog.uuid': uuid,
  'pg_catalog.bool': truth,
}
