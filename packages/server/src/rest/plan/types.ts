// A request resolved against the schema cache, ready to be written as SQL.

import type { AggregateName, Field, Operation } from '../request/ast.ts'
import type { MediaType } from '../request/media.ts'
import type { RowRange } from '../request/range.ts'
import type {
  MediaAggregate,
  QualifiedName,
  Relationship,
  Representation,
  Routine,
  Table,
} from '../schema-cache/types.ts'

/** A column, a computed column (a function of the row) or a path into JSON, with what SQL needs to know of it. */
export type ColumnReference = Field & {
  /** Arrows need JSON: other types are converted first. */
  isJson: boolean
  /** Full-text operators need a tsvector: text and JSON are converted first. */
  isTsvector: boolean
  /** The few values that it can have: those of an enum or a boolean. Empty for all other types. */
  labels: readonly string[]
  /** Whether the schema cache knows the column; computed columns are not in it. */
  isKnown: boolean
  /** How clients see the column's domain, where they see all of the column. */
  representation: Representation | null
}

export type SelectedColumn = {
  column: ColumnReference
  cast?: string
  aggregate?: AggregateName
  aggregateCast?: string
  alias?: string
  /** The whole row as one value: `count()` inside a spread embed. */
  wholeRow?: boolean
}

export type Condition =
  | { kind: 'column'; column: ColumnReference; operation: Operation }
  /** `client=is.null`: whether an embed has rows; `present` is true for `not.is.null`. */
  | { kind: 'embed'; node: ReadNode; present: boolean }
  | { kind: 'and' | 'or'; negated: boolean; children: Condition[] }

export type OrderBy = {
  column: ColumnReference
  /** A to-one embed whose column orders the parent. */
  node?: ReadNode
  direction?: 'asc' | 'desc'
  nulls?: 'first' | 'last'
}

/** The source of a node's rows: a table, or the result of a mutation or function. */
type Source = { kind: 'table'; name: QualifiedName } | { kind: 'result' }

export type ReadNode = {
  source: Source
  /** The name by which SQL refers to the rows, quoted: `"public"."tasks"` or `"profiles_1"`. */
  reference: string
  /** Set where `reference` is an alias. */
  alias: string | null
  /** The parent's `reference`, and the name that stands for its whole row. */
  parentReference: string
  parentRow: string
  table: Table | undefined
  /** The name in the request. */
  name: string
  requestAlias: string | undefined
  depth: number
  select: SelectedColumn[]
  conditions: Condition[]
  order: OrderBy[]
  range: RowRange
  /** How the node hangs on its parent; undefined for the root. */
  relationship: Relationship | undefined
  inner: boolean
  spread: 'to-one' | 'to-many' | null
  children: ReadNode[]
}

/** The name under which an embed appears in the answer and can be referred to. */
export function nameOf(node: ReadNode): string {
  return node.requestAlias ?? node.name
}

export type InsertPlan = {
  kind: 'insert'
  table: Table
  columns: string[]
  /** The JSON holds an array of rows. */
  isArray: boolean
  /** Missing keys take the column's default. */
  defaults: boolean
  conflict: { columns: string[]; merge: boolean } | null
  /** The URL's conditions on the body of PUT. */
  conditions: Condition[]
  /** Inserted rows must be distinguished from updated rows. */
  countInserted: boolean
  returning: string[]
}

export type UpdatePlan = {
  kind: 'update'
  table: Table
  columns: string[]
  isArray: boolean
  defaults: boolean
  conditions: Condition[]
  returning: string[]
}

export type DeletePlan = { kind: 'delete'; table: Table; conditions: Condition[]; returning: string[] }

export type MutationPlan = InsertPlan | UpdatePlan | DeletePlan

/** How a function's arguments come: from a JSON body, one by one from the query string, or the body whole. */
export type CallArguments =
  | { kind: 'json'; isArray: boolean }
  | { kind: 'values'; values: Map<string, { index: number } | { elements: number[] }> }
  | { kind: 'raw' }

export type CallPlan = {
  kind: 'call'
  routine: Routine
  parameters: Routine['parameters']
  arguments: CallArguments
  returning: string[]
}

/** How the rows become the answer's body. */
export type BodyFormat =
  | ('json' | 'json-stripped' | 'object' | 'object-stripped' | 'csv')
  /** By PostGIS, in that schema. */
  | { kind: 'geojson'; postgis: string }
  | OwnFormat

/** A media type that the project makes itself: by an aggregate over the rows, or as a function's result. */
export type OwnFormat = { kind: 'own'; by: MediaAggregate | null; binary: boolean }

/** The condition on the number of rows for keeping the transaction. */
export type Guard = { kind: 'exactly-one' } | { kind: 'at-most'; rows: number }

/** How many rows there are, where an estimate will do. */
export type Estimate = {
  /** The tables whose rows are guessed at, should the caller see all of them; null where nobody can say. */
  tables: QualifiedName[] | null
  /** Counted up to so many in any case, before a guess is taken; null for a guess alone. */
  exactUpTo: number | null
}

/** A planned request. */
export type Plan = {
  kind: 'read' | 'insert' | 'upsert' | 'update' | 'delete' | 'call'
  /** The mutation or call whose result `node` reads; null for a read. */
  source: MutationPlan | CallPlan | null
  node: ReadNode
  media: MediaType
  format: BodyFormat
  /** The answer shows no rows. */
  withoutBody: boolean
  guard: Guard | null
  /** Whether the rows are to be counted apart from those shown, or how many there are is to be estimated. */
  counted: boolean | Estimate
  /** The header Location must have the new row's key. */
  location: boolean
  readOnly: boolean
  /** The preference `resolution` had an effect. */
  resolved: boolean
}
