// The parsed query string: names, operators and shapes. Values are in a separate list and referred to by index, so
// that equal shapes with different values share one plan and one prepared statement.

/** Index into the values of a request. */
type ValueIndex = number

export type JsonStep = { arrow: '->' | '->>'; key: string; isIndex: boolean }

export type Field = { name: string; path: JsonStep[] }

export type AggregateName = 'sum' | 'avg' | 'count' | 'max' | 'min'

export type SelectField = {
  kind: 'field'
  /** The name is `*` for all columns, also in `count()`. */
  field: Field
  alias?: string
  cast?: string
  aggregate?: AggregateName
  aggregateCast?: string
}

export type SelectEmbed = {
  kind: 'embed'
  name: string
  alias?: string
  hint?: string
  join?: 'inner' | 'left'
  spread: boolean
  items: SelectItem[]
}

export type SelectItem = SelectField | SelectEmbed

export type Operator =
  | 'eq'
  | 'neq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'like'
  | 'ilike'
  | 'match'
  | 'imatch'
  | 'in'
  | 'is'
  | 'isdistinct'
  | 'cs'
  | 'cd'
  | 'ov'
  | 'sl'
  | 'sr'
  | 'nxr'
  | 'nxl'
  | 'adj'
  | 'fts'
  | 'plfts'
  | 'phfts'
  | 'wfts'

export type IsOperand = 'null' | 'not_null' | 'true' | 'false' | 'unknown'

/** An operator with its operand, as in `not.eq(any).{1,2}`. */
export type Operation = {
  operator: Operator
  negated: boolean
  quantifier?: 'any' | 'all'
  /** The text search configuration of a full-text operator. */
  language?: string
  /** The operand of `is`: part of the shape, because SQL allows no parameter there. */
  is?: IsOperand
  value?: ValueIndex
}

export type Filter = { field: Field; operation: Operation }

export type LogicTree =
  | ({ kind: 'filter' } & Filter)
  | { kind: 'and' | 'or'; negated: boolean; children: LogicTree[] }

export type OrderTerm = {
  field: Field
  /** Set in `order=client(name)`: the to-one embed whose column orders. */
  relation?: string
  direction?: 'asc' | 'desc'
  nulls?: 'first' | 'last'
}

/** The names of embeds from the root down to the one that a parameter is about. */
export type EmbedPath = string[]
