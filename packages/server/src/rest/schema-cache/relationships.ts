// From foreign keys to every relationship the Data API can embed: both directions, through views,
// many-to-many through a junction, and computed ones, which replace those found.
// Reference: PostgREST 14, "Resource embedding".
import type { Origin } from './node-tree.ts'
import {
  type ComputedRelationship,
  type ForeignRelationship,
  keyOf,
  type QualifiedName,
  type Relationship,
} from './types.ts'

export type Key = {
  name: string
  kind: 'p' | 'f'
  tableOid: number
  foreignOid: number
  table: QualifiedName
  foreignTable: QualifiedName | null
  /** Column numbers and names, in the key's order. */
  columns: number[]
  foreignColumns: number[]
  columnNames: string[]
  foreignColumnNames: string[]
  /** A foreign key on columns that are unique together makes a one-to-one relationship. */
  isUnique: boolean
}

export type View = QualifiedName & {
  oid: number
  columns: Map<number, string>
  origins: Origin[]
}

/** For a table's column, the columns of one view that show it. */
type Shown = { view: QualifiedName; columns: Map<number, string[]> }

/** Views by the oid of the table they show columns of, also through other views. */
export function showing(views: View[]): Map<number, Shown[]> {
  const byOid = new Map(views.map((view) => [view.oid, view]))
  const found = new Map<number, Shown[]>()
  for (const view of views) {
    const shown = new Map<number, Map<number, string[]>>()
    const visit = (origins: Origin[], nameOf: (column: number) => string | undefined, seen: Set<number>) => {
      for (const { column, table, tableColumn } of origins) {
        const name = nameOf(column)
        if (name === undefined || seen.has(table)) continue
        const columns = shown.get(table) ?? new Map<number, string[]>()
        shown.set(table, columns)
        columns.set(tableColumn, [...(columns.get(tableColumn) ?? []), name])
        const inner = byOid.get(table)
        if (inner) {
          const origin = inner.origins.filter((candidate) => candidate.column === tableColumn)
          visit(origin, () => name, new Set([...seen, table]))
        }
      }
    }
    visit(view.origins, (column) => view.columns.get(column), new Set([view.oid]))
    for (const [table, columns] of shown) {
      found.set(table, [
        ...(found.get(table) ?? []),
        { view: { schema: view.schema, name: view.name }, columns },
      ])
    }
  }
  return found
}

/** The columns by which views show the primary keys of tables, by the view's key. */
export function viewPrimaryKeys(keys: Key[], shown: Map<number, Shown[]>): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const key of keys) {
    if (key.kind !== 'p') continue
    for (const { view, columns } of shown.get(key.tableOid) ?? []) {
      const names = key.columns.map((number) => columns.get(number)?.[0])
      if (names.includes(undefined)) continue
      found.set(keyOf(view), [...(found.get(keyOf(view)) ?? []), ...(names as string[])])
    }
  }
  return found
}

/**
 * All relationships by the key of their origin. `primaryKeys` are those of tables and views;
 * only relationships between `exposed` schemas are kept.
 */
export function buildRelationships(options: {
  keys: Key[]
  views: View[]
  computed: ComputedRelationship[]
  primaryKeys: Map<string, string[]>
  exposed: ReadonlySet<string>
}): Map<string, Relationship[]> {
  const { keys, views, computed, primaryKeys, exposed } = options
  const shown = showing(views)
  const toOne = keys
    .filter((key) => key.kind === 'f' && key.foreignTable)
    .flatMap((key) => variants(key, shown))
  const all = [...toOne, ...toOne.map(inverse), ...manyToMany(toOne, primaryKeys)]
  const visible = ({ table, foreignTable, junction }: ForeignRelationship) =>
    exposed.has(table.schema) &&
    exposed.has(foreignTable.schema) &&
    (junction === null || exposed.has(junction.table.schema))
  const relationships = new Map<string, Relationship[]>()
  const add = (relationship: Relationship) => {
    const list = relationships.get(keyOf(relationship.table)) ?? []
    relationships.set(keyOf(relationship.table), list)
    list.push(relationship)
  }
  const replaced = new Set(
    computed.map((relationship) => keyOf(relationship.table) + keyOf(relationship.function)),
  )
  for (const relationship of all) {
    if (
      visible(relationship) &&
      !replaced.has(keyOf(relationship.table) + keyOf(relationship.foreignTable))
    ) {
      add(relationship)
    }
  }
  for (const relationship of computed) if (exposed.has(relationship.table.schema)) add(relationship)
  return relationships
}

/** A foreign key as it is, and as every pair of views over its two tables shows it. */
function variants(key: Key, shown: Map<number, Shown[]>): ForeignRelationship[] {
  const own = { table: key.table, columns: [key.columnNames], isView: false }
  const other = { table: key.foreignTable as QualifiedName, columns: [key.foreignColumnNames], isView: false }
  const origins = [own, ...sides(key.columns, shown.get(key.tableOid))]
  const targets = [other, ...sides(key.foreignColumns, shown.get(key.foreignOid))]
  const found: ForeignRelationship[] = []
  for (const origin of origins) {
    for (const target of targets) {
      for (const columns of origin.columns) {
        for (const foreignColumns of target.columns) {
          found.push({
            kind: 'foreign',
            table: origin.table,
            foreignTable: target.table,
            isSelf: keyOf(origin.table) === keyOf(target.table),
            cardinality: key.isUnique ? 'one-to-one' : 'many-to-one',
            constraint: key.name,
            columns: columns.map((name, index) => [name, foreignColumns[index] as string]),
            junction: null,
            tableIsView: origin.isView,
            foreignTableIsView: target.isView,
          })
        }
      }
    }
  }
  return found
}

/** The views that show all columns of a key; a column shown twice gives a relationship for each. */
function sides(
  columns: number[],
  shown: Shown[] = [],
): { table: QualifiedName; columns: string[][]; isView: true }[] {
  return shown.flatMap(({ view, columns: names }) => {
    let combinations: string[][] = [[]]
    for (const column of columns) {
      const choices = names.get(column) ?? []
      combinations = combinations.flatMap((start) => choices.map((name) => [...start, name]))
    }
    return combinations.length > 0 ? [{ table: view, columns: combinations, isView: true as const }] : []
  })
}

function inverse(relationship: ForeignRelationship): ForeignRelationship {
  return {
    ...relationship,
    table: relationship.foreignTable,
    foreignTable: relationship.table,
    cardinality: relationship.cardinality === 'one-to-one' ? 'one-to-one' : 'one-to-many',
    columns: relationship.columns.map(([from, to]) => [to, from]),
    tableIsView: relationship.foreignTableIsView,
    foreignTableIsView: relationship.tableIsView,
  }
}

/** Two foreign keys of one table whose columns all belong to its primary key join what they point at. */
function manyToMany(toOne: ForeignRelationship[], primaryKeys: Map<string, string[]>): ForeignRelationship[] {
  const byTable = new Map<string, ForeignRelationship[]>()
  for (const relationship of toOne) {
    if (relationship.cardinality !== 'many-to-one') continue
    const key = keyOf(relationship.table)
    byTable.set(key, [...(byTable.get(key) ?? []), relationship])
  }
  const found: ForeignRelationship[] = []
  for (const [table, list] of byTable) {
    const primaryKey = new Set(primaryKeys.get(table) ?? [])
    const within = list.filter(({ columns }) => columns.every(([name]) => primaryKey.has(name)))
    for (const source of within) {
      for (const target of within) {
        if (source.constraint === target.constraint) continue
        found.push({
          kind: 'foreign',
          table: source.foreignTable,
          foreignTable: target.foreignTable,
          isSelf: keyOf(source.foreignTable) === keyOf(target.foreignTable),
          cardinality: 'many-to-many',
          constraint: '',
          columns: [],
          junction: {
            table: source.table,
            constraints: [source.constraint, target.constraint],
            source: source.columns.map(([from, to]) => [to, from]),
            target: target.columns.map(([from, to]) => [to, from]),
          },
          tableIsView: source.foreignTableIsView,
          foreignTableIsView: target.foreignTableIsView,
        })
      }
    }
  }
  return found
}
