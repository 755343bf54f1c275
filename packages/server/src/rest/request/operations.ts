// Operators of filters: `eq.5`, `not.in.(1,"a b")`, `like(any).{a*,b*}`, `fts(english).word`, `is.null`.
// Grammar: PostgREST 14, "Horizontal filtering"; the operand's text becomes one parameter of the statement.
import type { IsOperand, Operation, Operator } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { attempt, identifier, mismatch, quoted } from './names.ts'

/** Collects operands; the operation has the index of each. */
export type Values = string[]

type Kind = 'simple' | 'quantified' | 'fulltext' | 'list' | 'is' | 'distinct'

const KINDS = new Map<string, Kind>([
  ['in', 'list'],
  ['is', 'is'],
  ['isdistinct', 'distinct'],
  ...(['fts', 'plfts', 'phfts', 'wfts'] as const).map((name) => [name, 'fulltext'] as const),
  ...(['neq', 'cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'] as const).map(
    (name) => [name, 'simple'] as const,
  ),
  ...(['eq', 'gte', 'gt', 'lte', 'lt', 'like', 'ilike', 'match', 'imatch'] as const).map(
    (name) => [name, 'quantified'] as const,
  ),
])

const IS_OPERANDS: IsOperand[] = ['null', 'not_null', 'true', 'false', 'unknown']

/** Whether the value of a query parameter can be a filter, as opposed to an argument of a function. */
export function looksLikeFilter(text: string): boolean {
  const start = text.startsWith('not.') ? 4 : 0
  return kindAt(text, start) !== undefined
}

/** The operator that begins at `start`, when a `.` or a `(` ends its name. */
function kindAt(text: string, start: number): Kind | undefined {
  let end = start
  while (isLetter(text.charCodeAt(end))) end++
  const next = text.charAt(end)
  if (next !== '.' && next !== '(') return undefined
  const kind = KINDS.get(text.slice(start, end))
  return next === '(' && kind !== 'quantified' && kind !== 'fulltext' ? undefined : kind
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122
}

/** The operand of a filter that is a separate query parameter: everything to the end. */
export function restOfText(cursor: Cursor): string {
  const value = cursor.text.slice(cursor.at)
  cursor.at = cursor.text.length
  return value
}

/**
 * Parses an operation. `operand` takes the text of single values, which differs between a separate parameter and a
 * condition inside `and`/`or`.
 */
export function operation(cursor: Cursor, values: Values, operand: (cursor: Cursor) => string): Operation {
  const { text } = cursor
  const negated = text.startsWith('not.', cursor.at)
  if (negated) cursor.at += 4
  const kind = kindAt(text, cursor.at)
  if (kind === undefined) return unknownOperator(cursor, negated)
  const start = cursor.at
  while (isLetter(text.charCodeAt(cursor.at))) cursor.at++
  const operator = text.slice(start, cursor.at) as Operator
  const found: Operation = { operator, negated }
  if (cursor.peek() === '(') {
    if (kind === 'quantified') found.quantifier = quantifier(cursor, start)
    else found.language = language(cursor, start)
  }
  if (cursor.peek() !== '.') {
    cursor.failed(cursor.at, 'delimiter (.)')
    cursor.named(start, OPERATOR)
    mismatch()
  }
  cursor.at++
  if (kind === 'is') {
    found.is = isOperand(cursor)
    return found
  }
  let value = kind === 'list' ? list(cursor) : operand(cursor)
  // In URLs `*` stands for `%`, which would need escaping.
  if (operator === 'like' || operator === 'ilike') value = value.replaceAll('*', '%')
  found.value = values.push(value) - 1
  return found
}

const OPERATOR = 'operator (eq, gt, ...)'

/** Finds out how far the text agrees with any operator, for the message; always throws. */
function unknownOperator(cursor: Cursor, negated: boolean): never {
  const start = cursor.at
  if (!negated) {
    cursor.literal('not')
    cursor.at = start
  }
  for (const [name, kind] of KINDS) {
    if (!cursor.literal(name)) continue
    if (cursor.peek() === '(' && kind === 'quantified') attempt(cursor, (at) => quantifier(at, start))
    cursor.failed(cursor.at, 'delimiter (.)')
    cursor.at = start
  }
  cursor.named(start, OPERATOR)
  // "not" was possible here, too, as long as nothing of an operator was recognised.
  if (!negated) cursor.expectedBefore(start, '"not"')
  return mismatch()
}

function quantifier(cursor: Cursor, start: number): 'any' | 'all' {
  cursor.at++
  for (const name of ['any', 'all'] as const) {
    if (cursor.literal(name)) {
      if (cursor.literal(')')) return name
      break
    }
  }
  cursor.named(start, OPERATOR)
  return mismatch()
}

function language(cursor: Cursor, start: number): string {
  cursor.at++
  const name = attempt(cursor, identifier)
  if (name === undefined || !cursor.literal(')')) {
    cursor.named(start, OPERATOR)
    mismatch()
  }
  return name
}

function isOperand(cursor: Cursor): IsOperand {
  const start = cursor.at
  for (const name of IS_OPERANDS) {
    if (cursor.text.slice(start, start + name.length).toLowerCase() === name) {
      cursor.at += name.length
      return name
    }
  }
  cursor.failed(start, 'isVal: (null, not_null, true, false, unknown)')
  return mismatch()
}

/** `(a,"b,c",)` as the text of a PostgreSQL array, so that a list of any length is one parameter. */
function list(cursor: Cursor): string {
  cursor.blanks()
  if (!cursor.literal('(')) mismatch()
  cursor.blanks()
  const elements = [element(cursor)]
  while (cursor.literal(',')) elements.push(element(cursor))
  cursor.blanks()
  if (!cursor.literal(')')) mismatch()
  cursor.blanks()
  // `in.()` is the empty list.
  if (elements.length === 1 && elements[0] === '') return '{}'
  return arrayLiteral(elements)
}

/** The text form of a PostgreSQL array with these elements. */
export function arrayLiteral(elements: string[]): string {
  return `{${elements.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

function element(cursor: Cursor): string {
  return attempt(cursor, quotedElement) ?? plainElement(cursor)
}

/** A quoted element, unless more text follows the quotes: then the quotes are part of a plain one. */
export function quotedElement(cursor: Cursor): string {
  const value = quoted(cursor)
  const next = cursor.peek()
  if (next !== '' && next !== ',' && next !== ')') mismatch()
  return value
}

/** Text up to a comma or a closing bracket. */
export function plainElement(cursor: Cursor): string {
  const { text } = cursor
  const start = cursor.at
  while (cursor.at < text.length && text[cursor.at] !== ',' && text[cursor.at] !== ')') cursor.at++
  return text.slice(start, cursor.at)
}

/** The part of an operation that is not a value, as text: equal texts make equal SQL. */
export function operationShape(operation: Operation): string {
  const { operator, negated, quantifier: many, language: words, is } = operation
  return `${negated ? 'not.' : ''}${operator}${many ? `(${many})` : ''}${words === undefined ? '' : `(${words})`}.${is ?? ''}`
}
