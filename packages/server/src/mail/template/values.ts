// The values of Go's templates as JavaScript values: Go's int is a bigint and float64 a number, so that both print and compare
// as in Go; undefined is a missing key and null is nil.

export type Value = undefined | null | boolean | bigint | number | string | Value[] | { [key: string]: Value }

export type Kind = 'nil' | 'bool' | 'int' | 'float64' | 'string' | 'slice' | 'map'

/** A template that cannot be parsed or executed. The message begins with the line. */
export class TemplateError extends Error {
  override name = 'TemplateError'
}

export function kindOf(value: Value): Kind {
  if (value === undefined || value === null) return 'nil'
  if (Array.isArray(value)) return 'slice'
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float64'
    case 'string':
      return 'string'
    default:
      return 'map'
  }
}

const TYPE_NAMES: Record<Kind, string> = {
  nil: '<nil>',
  bool: 'bool',
  int: 'int',
  float64: 'float64',
  string: 'string',
  slice: '[]interface {}',
  map: 'map[string]interface {}',
}

/** The name of the Go type that `encoding/json` gives such a value. */
export const typeName = (value: Value): string => TYPE_NAMES[kindOf(value)]

/** Whether `if` takes the value for true: false, 0, nil and whatever is empty are not. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) {
    for (const _ in value) return true
    return false
  }
  return Boolean(value)
}

/** The value of a map's own key; undefined where it has none. */
export const memberOf = (map: { [key: string]: Value }, key: string): Value =>
  Object.hasOwn(map, key) ? map[key] : undefined

/** Keys in the order in which Go ranges over and prints a map: by their bytes. */
export const sortedKeys = (map: object): string[] =>
  Object.keys(map).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
