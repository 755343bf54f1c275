// Columns, filters and orders as SQL.

import type { ColumnReference, Condition } from '../plan/types.ts'
import type { IsOperand, Operation, Operator } from '../request/ast.ts'
import { quoteName, quoteQualified } from '../schema-cache/quote.ts'
import type { SqlWriter } from './writer.ts'

const OPERATORS: Partial<Record<Operator, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
  cs: '@>',
  cd: '<@',
  ov: '&&',
  sl: '<<',
  sr: '>>',
  nxr: '&<',
  nxl: '&>',
  adj: '-|-',
  isdistinct: 'is distinct from',
}

/** Operators whose operand is a pattern and no value. */
const PATTERNS: ReadonlySet<Operator> = new Set(['like', 'ilike', 'match', 'imatch'])

const FULL_TEXT: Partial<Record<Operator, string>> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
}

// `is` takes no parameter, so its operands are words of ours.
const IS: Record<IsOperand, string> = {
  null: 'null',
  not_null: 'not null',
  true: 'true',
  false: 'false',
  unknown: 'unknown',
}

/** Writes what an embed's presence asks for; the reader of nodes knows how. */
export type WritePresence = (sql: SqlWriter, condition: Condition & { kind: 'embed' }) => void

/** `reference."column"` with its JSON path. */
export function writeColumn(sql: SqlWriter, reference: string, column: ColumnReference): void {
  const name = column.name === '*' ? `${reference}.*` : `${reference}.${quoteName(column.name)}`
  if (column.path.length === 0) {
    sql.add(name)
    return
  }
  sql.add(column.isJson ? name : `to_jsonb(${name})`)
  for (const { arrow, key, isIndex } of column.path) {
    sql
      .add(arrow)
      .constant(key)
      .add(isIndex ? '::int' : '::text')
  }
}

/** Conditions joined by `and`, each in its own brackets where needed. */
export function writeConditions(
  sql: SqlWriter,
  reference: string,
  conditions: readonly Condition[],
  presence: WritePresence,
): void {
  sql.list(conditions, ' and ', (condition) => writeCondition(sql, reference, condition, presence))
}

function writeCondition(
  sql: SqlWriter,
  reference: string,
  condition: Condition,
  presence: WritePresence,
): void {
  if (condition.kind === 'embed') {
    presence(sql, condition)
  } else if (condition.kind === 'column') {
    writeOperation(sql, reference, condition)
  } else {
    sql.add(condition.negated ? 'not (' : '(')
    sql.list(condition.children, ` ${condition.kind} `, (child) =>
      writeCondition(sql, reference, child, presence),
    )
    sql.add(')')
  }
}

function writeOperation(sql: SqlWriter, reference: string, condition: Condition & { kind: 'column' }): void {
  const { column, operation } = condition
  const { operator, quantifier, is, language } = operation
  const index = operation.value as number
  if (operation.negated) sql.add('not ')
  const query = FULL_TEXT[operator]
  if (query) {
    writeTsvector(sql, reference, column, language)
    sql.add(` @@ ${query}(`)
    if (language !== undefined) sql.constant(language).add('::regconfig, ')
    sql.value(index).add(')')
    return
  }
  writeColumn(sql, reference, column)
  const filter = is || PATTERNS.has(operator) ? undefined : column.representation?.filter
  if (filter) writeRepresented(sql, operation, quoteQualified(filter))
  else if (is) sql.add(` is ${IS[is]}`)
  else if (operator === 'in') sql.add(' = any (').value(index).add(')')
  else if (quantifier) sql.add(` ${OPERATORS[operator]} ${quantifier} (`).value(index).add(')')
  else if (operator === 'eq' || operator === 'neq')
    sql.add(` ${OPERATORS[operator]} `).choice(index, column.labels)
  else sql.add(` ${OPERATORS[operator]} `).value(index)
}

/** A comparison with values that the function of the column's domain reads. */
function writeRepresented(sql: SqlWriter, { operator, quantifier, value }: Operation, read: string): void {
  const list = operator === 'in' ? 'any' : quantifier
  sql.add(` ${operator === 'in' ? '=' : OPERATORS[operator]} `)
  if (!list) {
    sql
      .add(`${read}(`)
      .value(value as number)
      .add('::text)')
    return
  }
  sql.add(`${list} (array(select ${read}(pgrst_value) from unnest(`).value(value as number)
  sql.add('::text[]) pgrst_value))')
}

function writeTsvector(
  sql: SqlWriter,
  reference: string,
  column: ColumnReference,
  language: string | undefined,
): void {
  if (column.isTsvector && column.path.length === 0) {
    writeColumn(sql, reference, column)
    return
  }
  sql.add('to_tsvector(')
  if (language !== undefined) sql.constant(language).add('::regconfig, ')
  writeColumn(sql, reference, column)
  sql.add(')')
}
