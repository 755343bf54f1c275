// From a parsed query to the tree of nodes it reads: columns resolved, embeds joined by relationships,
// filters, orders and ranges hung on the node they are about.

import {
  aggregatesOff,
  badEmbedFilter,
  notEmbedded,
  notImplemented,
  relatedOrderNotToOne,
} from '../errors/errors.ts'
import type {
  EmbedPath,
  Field,
  Filter,
  LogicTree,
  OrderTerm,
  SelectEmbed,
  SelectItem,
} from '../request/ast.ts'
import type { ParsedQuery } from '../request/query.ts'
import { type RowRange, restrict } from '../request/range.ts'
import { quoteName, quoteQualified } from '../schema-cache/quote.ts'
import {
  type Catalogue,
  type Column,
  isToOne,
  keyOf,
  type QualifiedName,
  type Table,
} from '../schema-cache/types.ts'
import { guessedTables } from './estimate.ts'
import { requireDistinctNames } from './names.ts'
import { negotiate } from './negotiate.ts'
import { findRelationship } from './relationship.ts'
import { isCounted, producible, type Work } from './shared.ts'
import {
  type ColumnReference,
  type Condition,
  type Estimate,
  nameOf,
  type OrderBy,
  type Plan,
  type ReadNode,
  type SelectedColumn,
} from './types.ts'

export type ReadOptions = {
  catalogue: Catalogue
  schema: string
  maxRows: number | null
  aggregates: boolean
  /** The root's rows are those that a mutation or a function gave. */
  fromResult: boolean
  /** Filters of the root belong to the mutation itself. */
  isMutation: boolean
  range: RowRange
}

const ALL_ROWS: RowRange = { limit: null, offset: 0 }

/** The plan of a read of a table or view. Throws as planRead does, and PGRST107 for a media type that cannot be made. */
export function planTableRead(work: Work, table: Table): Plan {
  const { request, parsed, catalogue, settings } = work
  const node = planRead(table, parsed, {
    catalogue,
    schema: request.schema,
    maxRows: settings.maxRows,
    aggregates: settings.aggregates,
    range: request.range,
    fromResult: false,
    isMutation: false,
  })
  return {
    kind: 'read',
    source: null,
    node,
    ...negotiate(request.accept, producible(work, table, node)),
    withoutBody: request.method === 'HEAD',
    guard: null,
    counted: estimateOf(work, node) ?? isCounted(request),
    location: false,
    readOnly: true,
    resolved: false,
  }
}

/** The count of an estimated request: exact up to the size of an answer, otherwise the planner's estimate. */
function estimateOf({ request, catalogue, settings }: Work, node: ReadNode): Estimate | null {
  const { count } = request.preferences
  if (count !== 'planned' && (count !== 'estimated' || settings.maxRows === null)) return null
  return { tables: guessedTables(node, catalogue), exactUpTo: count === 'planned' ? null : settings.maxRows }
}

/**
 * The tree for `query` on `name`, which need not be a table: functions may return anything. Throws PGRST108 for
 * parameters about embeds that are not selected, PGRST118, PGRST120, PGRST123, PGRST127, PGRST200 and PGRST201,
 * and PGRST100 or 42712 for two things of one name.
 */
export function planRead(name: QualifiedName, query: ParsedQuery, options: ReadOptions): ReadNode {
  const table = options.catalogue.tables.get(keyOf(name))
  const root: ReadNode = {
    source: options.fromResult ? { kind: 'result' } : { kind: 'table', name },
    reference: options.fromResult ? quoteName(name.name) : quoteQualified(name),
    alias: options.fromResult ? name.name : null,
    parentReference: '',
    parentRow: '',
    table,
    name: name.name,
    requestAlias: undefined,
    depth: 0,
    select: [],
    conditions: [],
    order: [],
    range: options.isMutation ? ALL_ROWS : restrict(options.range, options.maxRows),
    relationship: undefined,
    inner: false,
    spread: null,
    children: [],
  }
  addItems(root, query.select, options)
  requireDistinctNames(root)
  for (const filter of query.filters) {
    if (filter.path.length === 0 && options.isMutation) continue
    const node = nodeAt(root, filter.path)
    node.conditions.push(filterCondition(node, filter))
  }
  for (const { path, tree } of query.logic) {
    if (path.length === 0 && options.isMutation) continue
    const node = nodeAt(root, path)
    node.conditions.push(logicCondition(node, tree))
  }
  for (const { path, terms } of query.order) {
    const node = nodeAt(root, path)
    node.order = terms.map((term) => orderBy(node, term))
  }
  for (const { path, limit, offset } of query.ranges) {
    if (path.length === 0) continue
    const node = nodeAt(root, path)
    // The embed's own limit already bounds the request.
    node.range = restrict({ limit, offset }, node.range.limit)
  }
  if (!options.aggregates && hasAggregates(root)) throw aggregatesOff()
  expandStars(root, false)
  return root
}

/** Conditions for the root of a mutation or of PUT, on `table`. */
export function rootConditions(table: Table, query: ParsedQuery): Condition[] {
  const node = { table, children: [] as ReadNode[] }
  return [
    ...query.filters.filter(({ path }) => path.length === 0).map((filter) => filterCondition(node, filter)),
    ...query.logic.filter(({ path }) => path.length === 0).map(({ tree }) => logicCondition(node, tree)),
  ]
}

function addItems(node: ReadNode, items: SelectItem[], options: ReadOptions): void {
  for (const item of items) {
    if (item.kind === 'embed') {
      node.children.push(embed(node, item, options))
      continue
    }
    const selected: SelectedColumn = { column: resolve(node.table, item.field) }
    if (item.cast !== undefined) selected.cast = item.cast
    if (item.aggregate) selected.aggregate = item.aggregate
    if (item.aggregateCast !== undefined) selected.aggregateCast = item.aggregateCast
    const alias = item.alias ?? impliedAlias(selected, node.spread !== null)
    if (alias !== undefined) selected.alias = alias
    node.select.push(selected)
  }
}

/** The key of a column without an alias, where SQL would choose another. */
function impliedAlias({ column, aggregate }: SelectedColumn, inSpread: boolean): string | undefined {
  if (aggregate) return inSpread ? aggregate : undefined
  if (column.representation?.read) return column.name
  const keys = column.path.filter(({ isIndex }) => !isIndex)
  const last = column.path.at(-1)
  if (!last) return undefined
  return last.isIndex ? (keys.at(-1)?.key ?? column.name) : last.key
}

function embed(parent: ReadNode, item: SelectEmbed, options: ReadOptions): ReadNode {
  const origin = parent.depth === 0 ? parent.name : (parent.table?.name ?? parent.name)
  const relationship = findRelationship(options.catalogue, options.schema, origin, item.name, item.hint)
  const toOne = isToOne(relationship)
  const depth = parent.depth + 1
  // PostgreSQL cuts names at 63 bytes, which must not cut off what tells this one apart.
  const alias = `${relationship.foreignTable.name.slice(0, 40)}_${depth}`
  const node: ReadNode = {
    source: { kind: 'table', name: relationship.foreignTable },
    reference: quoteName(alias),
    alias,
    parentReference: parent.reference,
    parentRow: parent.depth === 0 ? quoteName(parent.name) : parent.reference,
    table: options.catalogue.tables.get(keyOf(relationship.foreignTable)),
    name: item.name,
    requestAlias: item.alias,
    depth,
    select: [],
    conditions: [],
    order: [],
    range: restrict(ALL_ROWS, toOne ? 1 : options.maxRows),
    relationship,
    inner: item.join === 'inner',
    spread: item.spread ? (toOne ? 'to-one' : 'to-many') : null,
    children: [],
  }
  addItems(node, item.items, options)
  return node
}

/** The node that `path` leads to. Throws PGRST108 when the request does not embed it. */
function nodeAt(root: ReadNode, path: EmbedPath): ReadNode {
  let node = root
  for (const name of path) {
    const child =
      node.children.find((candidate) => nameOf(candidate) === name) ??
      node.children.find((candidate) => candidate.name === name)
    if (!child) throw notEmbedded(name)
    node = child
  }
  return node
}

function resolve(table: Table | undefined, { name, path }: Field): ColumnReference {
  const column = table?.columns.get(name)
  return {
    name,
    path,
    isJson: column?.baseType === 'json' || column?.baseType === 'jsonb',
    // Of a column that is not known (a computed one) nothing is assumed.
    isTsvector: column === undefined || column.baseType === 'tsvector',
    labels: column && path.length === 0 ? labelsOf(column) : [],
    isKnown: column !== undefined,
    representation: (path.length === 0 && column?.representation) || null,
  }
}

/** More than so many are not a few. */
const MAX_LABELS = 20
const BOOLEANS = ['true', 'false']

function labelsOf({ baseType, enumValues, representation }: Column): readonly string[] {
  if (representation?.filter) return []
  if (baseType === 'boolean') return BOOLEANS
  return enumValues.length <= MAX_LABELS ? enumValues : []
}

type Filtered = { table: Table | undefined; children: ReadNode[] }

function filterCondition(node: Filtered, { field, operation }: Filter): Condition {
  const child = field.path.length === 0 && node.children.find((candidate) => nameOf(candidate) === field.name)
  if (child) {
    // A filter on an embed itself asks whether it has rows.
    if (operation.is === 'null' || operation.is === 'not_null') {
      return { kind: 'embed', node: child, present: operation.negated !== (operation.is === 'not_null') }
    }
    if (!node.table?.columns.has(field.name)) throw badEmbedFilter(field.name)
  }
  return { kind: 'column', column: resolve(node.table, field), operation }
}

function logicCondition(node: Filtered, tree: LogicTree): Condition {
  if (tree.kind === 'filter') return filterCondition(node, tree)
  return {
    kind: tree.kind,
    negated: tree.negated,
    children: tree.children.map((child) => logicCondition(node, child)),
  }
}

function orderBy(node: ReadNode, term: OrderTerm): OrderBy {
  const found: OrderBy = { column: resolve(node.table, term.field) }
  if (term.relation !== undefined) {
    const child = node.children.find((candidate) => nameOf(candidate) === term.relation)
    if (!child?.relationship) throw notEmbedded(term.relation)
    if (!isToOne(child.relationship)) throw relatedOrderNotToOne(node.name, term.relation)
    found.node = child
    found.column = resolve(child.table, term.field)
  }
  if (term.direction) found.direction = term.direction
  if (term.nulls) found.nulls = term.nulls
  return found
}

function hasAggregates(node: ReadNode): boolean {
  return node.select.some(({ aggregate }) => aggregate) || node.children.some(hasAggregates)
}

/**
 * Where rows are grouped, or columns become arrays, `*` becomes the table's columns, from there downwards; and
 * wherever one of the columns is shown otherwise than it is kept.
 */
function expandStars(node: ReadNode, above: boolean): void {
  const aggregated = node.select.some(({ aggregate }) => aggregate)
  if (node.spread === 'to-many' && aggregated) {
    throw notImplemented('Aggregates are not implemented for one-to-many or many-to-many spreads.')
  }
  const expand = above || aggregated || node.spread === 'to-many'
  if (expand || isRepresented(node)) node.select = node.select.flatMap((selected) => expanded(node, selected))
  for (const child of node.children) expandStars(child, expand)
}

function isRepresented({ table }: ReadNode): boolean {
  return table !== undefined && [...table.columns.values()].some(({ representation }) => representation?.read)
}

function expanded(node: ReadNode, selected: SelectedColumn): SelectedColumn[] {
  if (selected.column.name !== '*' || selected.column.path.length > 0) return [selected]
  if (selected.aggregate) return [node.spread ? { ...selected, wholeRow: true } : selected]
  const names = [...(node.table?.columns.keys() ?? [])]
  return names.map((name) => {
    const column = resolve(node.table, { name, path: [] })
    return column.representation?.read ? { column, alias: name } : { column }
  })
}
