// A tree of nodes as one SELECT. An embed is a subquery in the select list, so that it runs for the rows that come
// out and not for those that a limit cuts off. A spread embed is joined, since it gives several columns. Whether an
// embed has rows (`!inner`, `client=not.is.null`) is a semi-join in the WHERE clause.

import { isShown } from '../plan/names.ts'
import { nameOf, type OrderBy, type ReadNode, type SelectedColumn } from '../plan/types.ts'
import { quoteName, quoteQualified } from '../schema-cache/quote.ts'
import { isToOne } from '../schema-cache/types.ts'
import { type WritePresence, writeColumn, writeConditions } from './conditions.ts'
import type { SqlWriter } from './writer.ts'

/** Rows that a mutation or a function gave, as the whole statement names them. */
export const RESULT = 'pgrst_source'

/** The node's rows with all that is selected of them and below. */
export function writeRead(sql: SqlWriter, node: ReadNode): void {
  sql.add('select ')
  const items = outputs(node)
  // Without anything selected there must still be rows, to be counted.
  if (items.length === 0) sql.add(node.children.length > 0 ? '' : `${node.reference}.*`)
  sql.list(items, ', ', (item) => item.write(sql))
  writeFrom(sql, node)
  writeWhere(sql, node)
  if (items.some(({ aggregate }) => aggregate)) {
    const groups = items.flatMap(({ aggregate, group }, index) =>
      aggregate ? [] : [group ?? (() => sql.add(`${index + 1}`))],
    )
    if (groups.length > 0) sql.add(' group by ').list(groups, ', ', (group) => group(sql))
  }
  writeOrder(sql, node)
  writeRange(sql, node)
}

/** How many rows the node has, its range left aside. */
export function writeCount(sql: SqlWriter, node: ReadNode): void {
  sql.add('select 1')
  writeSource(sql, node)
  writeWhere(sql, node)
}

type Output = {
  name: string
  aggregate: boolean
  write: (sql: SqlWriter) => void
  /** The expression for grouping, if it differs from `write`. */
  group?: (sql: SqlWriter) => void
}

function outputs(node: ReadNode): Output[] {
  const grouped =
    node.select.some(({ aggregate }) => aggregate) ||
    node.children.some(
      (child) => child.spread === 'to-one' && spreadOf(child).some(({ aggregate }) => aggregate),
    )
  const columns = node.select.map((selected): Output => {
    // In a to-one spread the parent applies the aggregate: the spread itself has one row for each of the parent's.
    const aggregate = node.spread !== 'to-one' && selected.aggregate !== undefined
    const read = selected.column.representation?.read
    return {
      name: selected.alias ?? selected.column.name,
      aggregate,
      write: (sql) => writeSelected(sql, node.reference, selected, aggregate),
      ...(read && { group: (sql: SqlWriter) => writeColumn(sql, node.reference, selected.column) }),
    }
  })
  const embeds = node.children.flatMap((child): Output[] => {
    if (child.spread) return spreadOutputs(node, child, grouped)
    if (!isShown(child)) return []
    const write = (sql: SqlWriter) => {
      writeEmbed(sql, child)
      // JSON cannot be grouped by, jsonb can.
      sql.add(`${grouped ? '::jsonb' : ''} as ${quoteName(nameOf(child))}`)
    }
    return [{ name: nameOf(child), aggregate: false, write }]
  })
  return [...columns, ...embeds]
}

function writeSelected(
  sql: SqlWriter,
  reference: string,
  selected: SelectedColumn,
  aggregated: boolean,
): void {
  const { column, cast, aggregateCast, alias, wholeRow } = selected
  const aggregate = aggregated ? selected.aggregate : undefined
  // Aggregates are of the stored value: the JSON that represents it cannot be aggregated.
  const read = selected.aggregate ? undefined : column.representation?.read
  // Types are words of letters, digits and spaces (see identifier() of the parser); quoted they'd mean another type.
  if (aggregateCast !== undefined && aggregate) sql.add('cast(')
  if (aggregate) sql.add(`${aggregate}(`)
  if (cast !== undefined) sql.add('cast(')
  if (wholeRow) sql.add(reference)
  else if (aggregate && column.name === '*') sql.add('*')
  else if (read) {
    sql.add(`${quoteQualified(read)}(`)
    writeColumn(sql, reference, column)
    sql.add(')')
  } else writeColumn(sql, reference, column)
  if (cast !== undefined) sql.add(` as ${cast})`)
  if (aggregate) sql.add(')')
  if (aggregateCast !== undefined && aggregate) sql.add(` as ${aggregateCast})`)
  if (alias !== undefined) sql.add(` as ${quoteName(alias)}`)
}

/** An embed as one JSON value: an object or null, or an array. */
function writeEmbed(sql: SqlWriter, node: ReadNode): void {
  const toOne = node.relationship !== undefined && isToOne(node.relationship)
  sql.add(
    toOne
      ? '(select row_to_json(pgrst_row.*) from ('
      : "(select coalesce(json_agg(pgrst_row.*), '[]') from (",
  )
  writeRead(sql, node)
  sql.add(') pgrst_row)')
}

/** The alias under which a spread embed is joined to its parent. */
function joinAlias(parent: ReadNode, child: ReadNode): string {
  return `pgrst_spread_${child.depth}_${parent.children.indexOf(child)}`
}

type Spread = {
  name: string
  aggregate?: SelectedColumn['aggregate']
  cast?: string | undefined
  /** The column is JSON, which cannot be grouped by. */
  isJson?: boolean
}

/** The spreads of a node: columns, embeds and nested spreads that its parent gets. */
function spreadOf(node: ReadNode): Spread[] {
  return [
    ...node.select.flatMap((selected): Spread[] => {
      const { column, alias } = selected
      if (column.name === '*' && !selected.aggregate) return [{ name: '*' }]
      const aggregate = node.spread === 'to-one' ? selected.aggregate : undefined
      const isJson = !selected.aggregate && !selected.cast && column.representation?.read !== undefined
      return [{ name: alias ?? column.name, aggregate, cast: selected.aggregateCast, isJson }]
    }),
    ...node.children.flatMap((child): Spread[] => {
      if (child.spread === 'to-one') return spreadOf(child)
      if (child.spread) return spreadOf(child).map(({ name }) => ({ name, isJson: true }))
      return isShown(child) ? [{ name: nameOf(child), isJson: true }] : []
    }),
  ]
}

function spreadOutputs(parent: ReadNode, child: ReadNode, grouped: boolean): Output[] {
  const alias = joinAlias(parent, child)
  const hoisted = parent.spread === 'to-one'
  return spreadOf(child).map(({ name, aggregate, cast, isJson }): Output => {
    const applied = hoisted ? undefined : aggregate
    const write = (sql: SqlWriter) => {
      const column = name === '*' ? `${alias}.*` : `${alias}.${quoteName(name)}`
      const call = applied ? `${applied}(${column})` : column
      sql.add(applied && cast !== undefined ? `cast(${call} as ${cast})` : call)
      if (grouped && isJson) sql.add(`::jsonb as ${quoteName(name)}`)
      if (applied) sql.add(` as ${quoteName(name)}`)
    }
    return { name, aggregate: applied !== undefined, write }
  })
}

function writeFrom(sql: SqlWriter, node: ReadNode): void {
  writeSource(sql, node)
  for (const child of node.children) {
    if (!child.spread) continue
    sql.add(' left join lateral (')
    if (child.spread === 'to-one') {
      writeRead(sql, child)
    } else {
      writeArrays(sql, child)
    }
    sql.add(`) ${joinAlias(node, child)} on true`)
  }
}

/** A to-many spread: each of its columns as an array. */
function writeArrays(sql: SqlWriter, node: ReadNode): void {
  sql.add('select ')
  sql.list(spreadOf(node), ', ', ({ name }) => {
    sql.add(`coalesce(json_agg(pgrst_row.${quoteName(name)}), '[]') as ${quoteName(name)}`)
  })
  sql.add(' from (')
  writeRead(sql, node)
  sql.add(') pgrst_row')
}

function writeSource(sql: SqlWriter, node: ReadNode): void {
  sql.add(' from ')
  const { relationship, source } = node
  if (relationship?.kind === 'computed') {
    // A column may be called like its table; `.*` says that the row is meant.
    const row = `(${node.parentRow}.*)::${quoteQualified(relationship.table)}`
    sql.add(`${quoteQualified(relationship.function)}(${row})`)
  } else {
    sql.add(source.kind === 'result' ? RESULT : quoteQualified(source.name))
  }
  if (node.alias !== null) sql.add(` as ${quoteName(node.alias)}`)
  if (relationship?.kind === 'foreign' && relationship.junction) {
    sql.add(`, ${quoteQualified(relationship.junction.table)} as ${junctionAlias(node)}`)
  }
}

function junctionAlias(node: ReadNode): string {
  return quoteName(`pgrst_junction_${node.depth}`)
}

function writeWhere(sql: SqlWriter, node: ReadNode): void {
  const joins = joinConditions(node)
  const inner = node.children.filter((child) => child.inner)
  if (joins.length + inner.length + node.conditions.length === 0) return
  sql.add(' where ').add(joins.join(' and '))
  if (joins.length > 0 && node.conditions.length + inner.length > 0) sql.add(' and ')
  writeConditions(sql, node.reference, node.conditions, writePresence)
  if (node.conditions.length > 0 && inner.length > 0) sql.add(' and ')
  sql.list(inner, ' and ', (child) => writeExists(sql, child))
}

function joinConditions(node: ReadNode): string[] {
  const { relationship, reference, parentReference } = node
  if (relationship?.kind !== 'foreign') return []
  const equal = (left: string, a: string, right: string, b: string) =>
    `${left}.${quoteName(a)} = ${right}.${quoteName(b)}`
  const { junction } = relationship
  if (!junction) return relationship.columns.map(([from, to]) => equal(reference, to, parentReference, from))
  const middle = junctionAlias(node)
  return [
    ...junction.target.map(([column, via]) => equal(reference, column, middle, via)),
    ...junction.source.map(([column, via]) => equal(parentReference, column, middle, via)),
  ]
}

const writePresence: WritePresence = (sql, { node, present }) => {
  if (!present) sql.add('not ')
  writeExists(sql, node)
}

function writeExists(sql: SqlWriter, node: ReadNode): void {
  sql.add('exists (')
  writeCount(sql, node)
  // A range that the request gave an embed can leave it empty; the bound on rows cannot.
  if (node.range.offset > 0 || node.range.limit === 0) writeRange(sql, node)
  sql.add(')')
}

function writeOrder(sql: SqlWriter, node: ReadNode): void {
  if (node.order.length === 0) return
  sql.add(' order by ')
  sql.list(node.order, ', ', (order) => writeOrderTerm(sql, node, order))
}

function writeOrderTerm(
  sql: SqlWriter,
  node: ReadNode,
  { column, node: related, direction, nulls }: OrderBy,
): void {
  const spread = related && column.path.length === 0 ? spreadColumn(node, related, column.name) : undefined
  if (spread) {
    sql.add(spread)
  } else if (related) {
    const alias = related.select.find((selected) => selected.alias === column.name)
    sql.add('(select ')
    writeColumn(sql, related.reference, alias && column.path.length === 0 ? alias.column : column)
    writeSource(sql, related)
    writeWhere(sql, related)
    sql.add(' limit 1)')
  } else {
    writeColumn(sql, node.reference, column)
  }
  if (direction) sql.add(` ${direction}`)
  if (nulls) sql.add(` nulls ${nulls}`)
}

/** A column of a joined spread, by which rows that are grouped can be ordered, too. */
function spreadColumn(node: ReadNode, related: ReadNode, name: string): string | undefined {
  if (related.spread !== 'to-one') return undefined
  const shown = spreadOf(related).find((found) => found.name === name && !found.aggregate && !found.isJson)
  return shown && `${joinAlias(node, related)}.${quoteName(name)}`
}

/** Limits are written as numbers: the planner needs to see how few rows are wanted. */
function writeRange(sql: SqlWriter, { range }: ReadNode): void {
  if (range.limit !== null) sql.add(` limit ${range.limit}`)
  if (range.offset > 0) sql.add(` offset ${range.offset}`)
}
