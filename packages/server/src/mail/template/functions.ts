// The functions that Go's templates begin with (https://pkg.go.dev/text/template#hdr-Functions); `and` and `or`, which do not
// evaluate all their arguments, are in evaluator.ts.
import { escapeHtml, escapeJavaScript, escapeQuery } from './escapers.ts'
import { formatValue, sprint, sprintf } from './format.ts'
import { isTrue, kindOf, memberOf, TemplateError, typeName, type Value } from './values.ts'

/** Throws a TemplateError for arguments that do not fit. */
type Callable = (...args: Value[]) => Value

const fail = (message: string): never => {
  throw new TemplateError(message)
}

const isNumber = (value: Value): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

/**
 * Whether two values are equal. Values of different types are not, where Go fails: what a stranger has in their metadata must
 * not decide whether a template can be used. A number is equal to another whatever the type.
 */
function areEqual(left: Value, right: Value): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number that are equal are equal by ==
  if (isNumber(left) && isNumber(right)) return left == right
  if (kindOf(left) === 'nil') return kindOf(right) === 'nil'
  return typeof left !== 'object' && left === right
}

function isEqualToAny(...args: Value[]): boolean {
  const [first, ...others] = args
  if (others.length === 0) fail('eq needs two arguments')
  return others.some((other) => areEqual(first, other))
}

function isLess(left: Value, right: Value): boolean {
  if (isNumber(left) && isNumber(right)) return left < right
  if (typeof left === 'string' && typeof right === 'string') {
    return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0
  }
  return fail(`a ${typeName(left)} cannot be compared with a ${typeName(right)}`)
}

function lengthOf(value: Value): bigint {
  if (typeof value === 'string') return BigInt(Buffer.byteLength(value))
  if (Array.isArray(value)) return BigInt(value.length)
  if (typeof value === 'object' && value !== null) return BigInt(Object.keys(value).length)
  return fail(`len of type ${typeName(value)}`)
}

/** Positions are Go ints; `limit` is the largest that is allowed. */
function position(value: Value, limit: number): number {
  if (typeof value !== 'bigint') return fail(`cannot index with a ${typeName(value)}`)
  if (value < 0n || value > BigInt(limit)) return fail(`index out of range: ${value}`)
  return Number(value)
}

function memberAt(value: Value, index: Value): Value {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return BigInt(bytes[position(index, bytes.length - 1)] as number)
  }
  if (Array.isArray(value)) return value[position(index, value.length - 1)]
  if (typeof value !== 'object' || value === null) return fail(`cannot index a ${typeName(value)}`)
  return typeof index === 'string'
    ? memberOf(value, index)
    : fail(`a map is indexed with a string, not a ${typeName(index)}`)
}

function sliceOf(value: Value, ...indexes: Value[]): Value {
  const bytes = typeof value === 'string' ? Buffer.from(value) : null
  const list = bytes ?? (Array.isArray(value) ? value : fail(`cannot slice a ${typeName(value)}`))
  if (indexes.length > (bytes ? 2 : 3)) fail(`cannot slice with ${indexes.length} indexes`)
  const limits = indexes.map((index) => position(index, list.length))
  const [from = 0, to = list.length, end = list.length] = limits
  if (from > to || to > end) fail(`slice from ${from} to ${to}`)
  return bytes ? bytes.subarray(from, to).toString() : (list as Value[]).slice(from, to)
}

/** One string as it is, anything else as `print` writes it. */
export const textOf = (values: readonly Value[]): string =>
  values.length === 1 && typeof values[0] === 'string' ? values[0] : sprint(values)

/** Null: it is called by the evaluator. The number is of arguments that it needs at least. */
const FUNCTIONS: Record<string, [atLeast: number, atMost: number, callable: Callable | null]> = {
  and: [1, Infinity, null],
  or: [1, Infinity, null],
  not: [1, 1, (value) => !isTrue(value)],
  eq: [1, Infinity, isEqualToAny],
  ne: [2, 2, (left, right) => !areEqual(left, right)],
  lt: [2, 2, isLess],
  le: [2, 2, (left, right) => isLess(left, right) || areEqual(left, right)],
  gt: [2, 2, (left, right) => isLess(right, left)],
  ge: [2, 2, (left, right) => isLess(right, left) || areEqual(left, right)],
  len: [1, 1, lengthOf],
  index: [1, Infinity, (value, ...indexes) => indexes.reduce(memberAt, value)],
  slice: [1, Infinity, sliceOf],
  print: [0, Infinity, (...values) => sprint(values)],
  println: [0, Infinity, (...values) => `${values.map(formatValue).join(' ')}\n`],
  printf: [1, Infinity, (format, ...values) => sprintf(formatOf(format), values)],
  html: [0, Infinity, (...values) => escapeHtml(textOf(values)).replaceAll('&#43;', '+')],
  js: [0, Infinity, (...values) => escapeJavaScript(textOf(values))],
  urlquery: [0, Infinity, (...values) => escapeQuery(textOf(values))],
  call: [1, Infinity, (value) => fail(`cannot call a ${typeName(value)}`)],
}

const formatOf = (format: Value): string =>
  typeof format === 'string' ? format : fail(`the format of printf is a ${typeName(format)}, not a string`)

export const FUNCTION_NAMES: ReadonlySet<string> = new Set(Object.keys(FUNCTIONS))

/** Calls a function by name. Throws a TemplateError. */
export function callFunction(name: string, args: readonly Value[]): Value {
  const [atLeast, atMost, callable] = FUNCTIONS[name] as (typeof FUNCTIONS)[string]
  if (args.length < atLeast || args.length > atMost || !callable) {
    return fail(`${name} has ${args.length} argument${args.length === 1 ? '' : 's'}`)
  }
  try {
    return callable(...args)
  } catch (error) {
    throw error instanceof TemplateError ? new TemplateError(`${name}: ${error.message}`) : error
  }
}
