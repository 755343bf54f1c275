// The `select` parameter: columns with casts, aliases, JSON paths and aggregates, and embedded resources.
// Grammar: PostgREST 14, "Vertical filtering", "Resource embedding" and "Aggregate functions".
import { tooComplex } from '../errors/errors.ts'
import type { AggregateName, SelectEmbed, SelectField, SelectItem } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { MAX_DEPTH, MAX_SELECTED } from './limits.ts'
import { attempt, field, fieldName, identifier, mismatch, parseAll } from './names.ts'

type Budget = { left: number; depth: number }

/** The items of a `select` parameter. Throws PGRST100 with the place of the mistake. */
export function parseSelect(text: string): SelectItem[] {
  const budget = { left: MAX_SELECTED, depth: 0 }
  return parseAll(text, 'select parameter', (cursor) => items(cursor, budget))
}

function items(cursor: Cursor, budget: Budget): SelectItem[] {
  // `clients()` selects nothing of the embed, which can still filter its parent.
  if (cursor.done() || cursor.peek() === ')') return []
  const found = [item(cursor, budget)]
  while (cursor.literal(',')) found.push(item(cursor, budget))
  return found
}

function item(cursor: Cursor, budget: Budget): SelectItem {
  if (budget.left-- === 0) throw tooComplex(`At most ${MAX_SELECTED} columns and embeds can be selected`)
  cursor.blanks()
  const embed = attempt(cursor, embedHead)
  if (embed) {
    if (++budget.depth > MAX_DEPTH) throw tooComplex(`Embeds can be nested ${MAX_DEPTH} levels deep`)
    embed.items = items(cursor, budget)
    if (!cursor.literal(')')) mismatch()
    budget.depth--
    cursor.blanks()
    return embed
  }
  return selectedField(cursor)
}

/** `alias:name!hint!inner(` or `...name(`, up to the bracket. */
function embedHead(cursor: Cursor): SelectEmbed {
  const spread = cursor.text.startsWith('...', cursor.at)
  if (spread) cursor.at += 3
  const alias = spread ? undefined : aliasOf(cursor)
  const name = fieldName(cursor)
  // `count()` is the aggregate, never an embed.
  if (name === 'count' && !spread) mismatch()
  const embed: SelectEmbed = { kind: 'embed', name, spread, items: [] }
  if (alias !== undefined) embed.alias = alias
  for (let parameters = 0; parameters < 2 && cursor.peek() === '!'; parameters++) {
    cursor.at++
    const word = fieldName(cursor)
    if (word === 'inner' || word === 'left') embed.join ??= word
    else embed.hint ??= word
  }
  if (cursor.peek() !== '(') mismatch()
  cursor.at++
  return embed
}

function aliasOf(cursor: Cursor): string | undefined {
  return attempt(cursor, () => {
    const name = fieldName(cursor)
    // `::` begins a cast.
    if (cursor.peek() !== ':' || cursor.peek(1) === ':') mismatch()
    cursor.at++
    return name
  })
}

function selectedField(cursor: Cursor): SelectField {
  const start = cursor.at
  if (cursor.peek() === '*') {
    cursor.at++
    cursor.blanks()
    if (!atItemEnd(cursor)) mismatch()
    return { kind: 'field', field: { name: '*', path: [] } }
  }
  const alias = aliasOf(cursor)
  const found: SelectField = { kind: 'field', field: { name: '*', path: [] } }
  if (alias !== undefined) found.alias = alias
  if (cursor.text.startsWith('count()', cursor.at)) {
    cursor.at += 'count()'.length
    found.aggregate = 'count'
  } else {
    found.field = field(cursor)
    if (cursor.literal('::')) found.cast = identifier(cursor)
    const aggregate = attempt(cursor, aggregateOf)
    if (aggregate) found.aggregate = aggregate
  }
  if (found.aggregate && cursor.literal('::')) found.aggregateCast = identifier(cursor)
  cursor.blanks()
  if (!atItemEnd(cursor)) mismatch()
  if (cursor.at === start) mismatch()
  return found
}

const AGGREGATES: AggregateName[] = ['sum', 'avg', 'count', 'max', 'min']

function aggregateOf(cursor: Cursor): AggregateName {
  if (!cursor.literal('.')) mismatch()
  for (const name of AGGREGATES) {
    if (cursor.literal(name)) {
      if (!cursor.literal('()')) mismatch()
      return name
    }
  }
  return mismatch()
}

function atItemEnd(cursor: Cursor): boolean {
  const next = cursor.peek()
  if (next === ')' || next === ',') return true
  cursor.failed(cursor.at, '")"')
  cursor.failed(cursor.at, '","')
  return cursor.end()
}
