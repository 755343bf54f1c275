// The `order` parameter: `name.desc.nullslast,data->age,client(name).asc`.
// Grammar: PostgREST 14, "Ordering" and "Top-level ordering" by embedded to-one resources.
import type { OrderTerm } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { attempt, field, fieldName, mismatch, parseAll } from './names.ts'

/** The terms of an `order` parameter. Throws PGRST100 with the place of the mistake. */
export function parseOrder(text: string): OrderTerm[] {
  return parseAll(text, 'order', (cursor) => {
    const terms = [term(cursor)]
    while (cursor.literal(',')) terms.push(term(cursor))
    return terms
  })
}

function term(cursor: Cursor): OrderTerm {
  cursor.blanks()
  const found: OrderTerm = attempt(cursor, relatedField) ?? { field: field(cursor) }
  const direction = option(cursor, ['asc', 'desc'])
  if (direction) found.direction = direction
  const nulls = option(cursor, ['nullsfirst', 'nullslast'])
  if (nulls) found.nulls = nulls === 'nullsfirst' ? 'first' : 'last'
  cursor.blanks()
  if (cursor.peek() !== ',') {
    if (!nulls) cursor.failed(cursor.at, 'delimiter (.)')
    cursor.failed(cursor.at, '","')
    if (!cursor.end()) mismatch()
  }
  return found
}

function relatedField(cursor: Cursor): OrderTerm {
  const relation = fieldName(cursor)
  if (cursor.peek() !== '(') mismatch()
  cursor.at++
  const about = field(cursor)
  if (!cursor.literal(')')) mismatch()
  return { relation, field: about }
}

/** `.word`, if one of the words follows a dot here. */
function option<Word extends string>(cursor: Cursor, words: Word[]): Word | undefined {
  const start = cursor.at
  if (cursor.peek() !== '.') return undefined
  cursor.at++
  for (const word of words) if (cursor.literal(word)) return word
  cursor.at = start
  return undefined
}
