// The `and`/`or` parameters: trees of conditions, `or=(age.lt.18,and(age.gt.60,not.active.is.true))`.
// Grammar: PostgREST 14, "Logical operators".
import { tooComplex } from '../errors/errors.ts'
import type { EmbedPath, Field, LogicTree } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { MAX_DEPTH } from './limits.ts'
import { attempt, field, fieldName, mismatch, parseAll } from './names.ts'
import { operation, operationShape, plainElement, quotedElement, type Values } from './operations.ts'

export type LogicParameter = { path: EmbedPath; tree: LogicTree }

/** Parses `and`, `or`, `not.or`, `clients.and` … with their value. Throws PGRST100. */
export function parseLogic(key: string, text: string, values: Values): LogicParameter {
  const names = parseAll(key, 'logic path', (cursor) => {
    const found = [fieldName(cursor)]
    while (cursor.literal('.')) found.push(fieldName(cursor))
    return found
  })
  const operator = names[names.length - 1] as string
  const path = names.slice(0, -1).filter((name) => name !== 'not')
  const prefix = (names.includes('not') ? 'not.' : '') + operator
  const tree = parseAll(prefix + text, 'logic tree', (cursor) => logicTree(cursor, values, 0), text)
  return { path, tree }
}

function logicTree(cursor: Cursor, values: Values, depth: number): LogicTree {
  if (depth > MAX_DEPTH) throw tooComplex(`and/or can be nested ${MAX_DEPTH} levels deep`)
  const taken = values.length
  const condition = attempt(cursor, () => {
    const about = field(cursor)
    if (!cursor.literal('.', 'delimiter (.)')) mismatch()
    // A branch is tried as a condition first: `and(…)` and `not.and(…)` are none.
    return { kind: 'filter' as const, field: about, operation: operation(cursor, values, conditionValue) }
  })
  if (condition) return condition
  values.length = taken
  const negated = cursor.literal('not.', 'negation operator (not)')
  const kind = cursor.literal('and', LOGIC) ? 'and' : cursor.literal('or', LOGIC) ? 'or' : mismatch()
  cursor.blanks()
  if (!cursor.literal('(')) mismatch()
  cursor.blanks()
  const children = [logicTree(cursor, values, depth + 1)]
  for (;;) {
    cursor.blanks()
    if (!cursor.literal(',')) break
    cursor.blanks()
    children.push(logicTree(cursor, values, depth + 1))
  }
  if (!cursor.literal(')')) mismatch()
  cursor.blanks()
  return { kind, negated, children }
}

const LOGIC = 'logic operator (and, or)'

/** A value inside a tree ends at a comma or bracket, unless quoted or an array in braces. */
function conditionValue(cursor: Cursor): string {
  return attempt(cursor, quotedElement) ?? attempt(cursor, braces) ?? plainElement(cursor)
}

function braces(cursor: Cursor): string {
  if (cursor.peek() !== '{') mismatch()
  const end = cursor.text.slice(cursor.at + 1).search(/[{}]/)
  if (end < 0 || cursor.text[cursor.at + 1 + end] !== '}') mismatch()
  const value = cursor.text.slice(cursor.at, cursor.at + end + 2)
  cursor.at += end + 2
  return value
}

/** A tree without its values, as text: equal texts make equal SQL. */
export function logicShape(tree: LogicTree): string {
  if (tree.kind === 'filter') return `${fieldShape(tree.field)}.${operationShape(tree.operation)}`
  return `${tree.negated ? 'not.' : ''}${tree.kind}(${tree.children.map(logicShape).join(',')})`
}

function fieldShape({ name, path }: Field): string {
  return JSON.stringify([name, ...path.map(({ arrow, key, isIndex }) => arrow + (isIndex ? '#' : '') + key)])
}
