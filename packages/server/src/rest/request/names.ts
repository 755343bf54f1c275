// The parts that every parameter of a query string shares: names, quoted values, JSON paths, embed paths.
// Grammar: PostgREST 14, "Tables and views" and "Resource embedding" references.
import type { EmbedPath, Field, JsonStep } from './ast.ts'
import { Cursor } from './cursor.ts'

/** Thrown inside this folder to leave a parser; the cursor knows why. Never leaves it. */
class Mismatch extends Error {}

export function mismatch(): never {
  throw MISMATCH
}

const MISMATCH = new Mismatch()

/** Runs a parser over a whole text. Throws PGRST100 that names `what` failed (`shown`) and where in the text. */
export function parseAll<T>(text: string, what: string, parser: (cursor: Cursor) => T, shown = text): T {
  const cursor = new Cursor(text)
  try {
    const result = parser(cursor)
    if (!cursor.end()) mismatch()
    return result
  } catch (error) {
    if (error instanceof Mismatch) throw cursor.error(`failed to parse ${what} (${shown})`)
    throw error
  }
}

/** Tries a parser; where it does not match, the cursor stays and the answer is undefined. */
export function attempt<T>(cursor: Cursor, parser: (cursor: Cursor) => T): T | undefined {
  const start = cursor.at
  try {
    return parser(cursor)
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    cursor.at = start
    return undefined
  }
}

const FIELD_NAME = 'field name (* or [a..z0..9_$])'
const IDENTIFIER = /[\p{L}\p{Nd}_ $]+/uy
const JSON_KEY = /[^(\-:.,>)]+/y

/** `name`, `with-dash`, `"anything"`. */
export function fieldName(cursor: Cursor): string {
  if (cursor.peek() === '"') return quoted(cursor)
  const start = cursor.at
  const name = dashed(cursor, IDENTIFIER)
  if (name !== undefined) return name
  cursor.failed(start, FIELD_NAME)
  return mismatch()
}

/** A cast's type or a text search configuration: letters, digits, `_`, `$` and spaces. */
export function identifier(cursor: Cursor): string {
  const word = run(cursor, IDENTIFIER)
  if (word === undefined) {
    cursor.failed(cursor.at, 'letter')
    cursor.failed(cursor.at, 'digit')
    return mismatch()
  }
  return word.trim()
}

/** Text in double quotes, where a backslash takes the next character as it is. */
export function quoted(cursor: Cursor): string {
  if (!cursor.literal('"')) mismatch()
  const { text } = cursor
  let value = ''
  for (;;) {
    const character = text.charAt(cursor.at)
    if (character === '') {
      cursor.failed(cursor.at, '"\\""')
      mismatch()
    }
    cursor.at++
    if (character === '"') return value
    if (character !== '\\') {
      value += character
      continue
    }
    if (cursor.done()) {
      cursor.failed(cursor.at, 'any character')
      mismatch()
    }
    value += text.charAt(cursor.at++)
  }
}

/** Words joined by single dashes; a dash that begins an arrow is not part of it. */
function dashed(cursor: Cursor, words: RegExp): string | undefined {
  let name = run(cursor, words)?.trim()
  if (name === undefined) return undefined
  while (cursor.peek() === '-' && cursor.peek(1) !== '>') {
    cursor.at++
    const next = run(cursor, words)
    if (next === undefined) {
      cursor.failed(cursor.at, 'letter')
      cursor.failed(cursor.at, 'digit')
      mismatch()
    }
    name += `-${next.trim()}`
  }
  for (const label of ['letter', 'digit', '"-"']) cursor.failed(cursor.at, label)
  return name
}

function run(cursor: Cursor, words: RegExp): string | undefined {
  words.lastIndex = cursor.at
  const word = words.exec(cursor.text)?.[0]
  if (word !== undefined) cursor.at += word.length
  return word
}

/** `->a->>b->0`, possibly empty. */
function jsonPath(cursor: Cursor): JsonStep[] {
  const steps: JsonStep[] = []
  for (;;) {
    const arrow = cursor.literal('->>') ? '->>' : cursor.literal('->') ? '->' : undefined
    if (arrow === undefined) return steps
    const index = attempt(cursor, jsonIndex)
    if (index !== undefined) steps.push({ arrow, key: index, isIndex: true })
    else steps.push({ arrow, key: jsonKey(cursor), isIndex: false })
  }
}

const AFTER_INDEX = ['->', '::', '.', ',']

function jsonIndex(cursor: Cursor): string {
  const sign = cursor.peek() === '-' ? '-' : '+'
  const start = sign === '-' ? cursor.at + 1 : cursor.at
  let end = start
  while (isDigit(cursor.text.charAt(end))) end++
  if (end === start) {
    if (sign === '+') cursor.failed(end, '"-"')
    cursor.failed(end, 'digit')
    mismatch()
  }
  cursor.at = end
  cursor.failed(end, 'digit')
  const followed = AFTER_INDEX.some((token) => cursor.text.startsWith(token, end)) || cursor.peek() === ')'
  if (!followed && !cursor.done()) {
    for (const token of AFTER_INDEX) cursor.failed(end, JSON.stringify(token))
    cursor.end()
    mismatch()
  }
  return sign + cursor.text.slice(start, end)
}

function jsonKey(cursor: Cursor): string {
  if (cursor.peek() === '"') return quoted(cursor)
  const start = cursor.at
  const key = cursor.peek() === '-' ? undefined : dashed(cursor, JSON_KEY)
  if (key !== undefined) return key
  cursor.failed(start, 'any non reserved character different from: .,>()')
  return mismatch()
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

/** A field with its JSON path, blanks around it allowed. */
export function field(cursor: Cursor): Field {
  cursor.blanks()
  const name = fieldName(cursor)
  const path = jsonPath(cursor)
  cursor.blanks()
  return { name, path }
}

/** `clients.projects.name->a`: where a filter belongs and what it is about. */
export function parseTreePath(text: string): { path: EmbedPath; field: Field } {
  return parseAll(text, 'tree path', (cursor) => {
    const names = [fieldName(cursor)]
    while (cursor.literal('.')) names.push(fieldName(cursor))
    const steps = jsonPath(cursor)
    return { path: names.slice(0, -1), field: { name: names[names.length - 1] as string, path: steps } }
  })
}

/** `a,b,"c d"`, of the parameters `columns` and `on_conflict`. */
export function parseColumns(text: string, parameter: 'columns' | 'on_conflict'): string[] {
  return parseAll(text, `${parameter} parameter`, (cursor) => {
    const names = [fieldName(cursor)]
    for (;;) {
      cursor.blanks()
      if (!cursor.literal(',')) return names
      cursor.blanks()
      names.push(fieldName(cursor))
    }
  })
}
