// The schema cache: the Data API's knowledge of a database, as in PostgREST 14 ("Schema cache" reference).

export type QualifiedName = { schema: string; name: string }

export type Column = {
  name: string
  description: string | null
  nullable: boolean
  /** As SQL writes it, qualified where needed: `integer`, `public.mood`, `character varying(20)`. */
  type: string
  /** The type under a domain, without length; the same as `type` for most. */
  baseType: string
  maxLength: number | null
  /** SQL of the default value; null where there is none or the column is generated. */
  default: string | null
  enumValues: string[]
  /** Set where the column is of a domain that clients see otherwise than it is kept. */
  representation: Representation | null
}

/** The functions of a domain's implicit casts: to json for answers, from json for bodies, from text for filters. */
export type Representation = { read?: QualifiedName; write?: QualifiedName; filter?: QualifiedName }

export type Table = QualifiedName & {
  description: string | null
  isView: boolean
  insertable: boolean
  updatable: boolean
  deletable: boolean
  primaryKey: string[]
  columns: Map<string, Column>
}

type Cardinality = 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many'

type Junction = {
  table: QualifiedName
  /** The two foreign keys of the junction table: towards the origin and towards the target. */
  constraints: [string, string]
  /** Pairs of (origin column, junction column). */
  source: [string, string][]
  /** Pairs of (target column, junction column). */
  target: [string, string][]
}

export type ForeignRelationship = {
  kind: 'foreign'
  table: QualifiedName
  foreignTable: QualifiedName
  isSelf: boolean
  cardinality: Cardinality
  /** The foreign key's name; empty for many-to-many. */
  constraint: string
  /** Pairs of (column of table, column of foreignTable); empty for many-to-many. */
  columns: [string, string][]
  junction: Junction | null
  tableIsView: boolean
  foreignTableIsView: boolean
}

/** A function from a row of `table` to rows of `foreignTable`, used as a relationship. */
export type ComputedRelationship = {
  kind: 'computed'
  table: QualifiedName
  foreignTable: QualifiedName
  function: QualifiedName
  toOne: boolean
}

export type Relationship = ForeignRelationship | ComputedRelationship

export function isToOne(relationship: Relationship): boolean {
  if (relationship.kind === 'computed') return relationship.toOne
  return relationship.cardinality === 'many-to-one' || relationship.cardinality === 'one-to-one'
}

export type Parameter = {
  name: string
  type: string
  required: boolean
  variadic: boolean
}

export type Routine = QualifiedName & {
  description: string | null
  parameters: Parameter[]
  returns: {
    setof: boolean
    composite: boolean
    /** The table, view, composite type or scalar type that comes back. */
    type: QualifiedName
  }
  volatility: 'immutable' | 'stable' | 'volatile'
  /** Set if the result has a custom media type and is sent unchanged. */
  media: MediaDomain | null
  isolation: string | null
  /** Settings of `create function … set name = value`, which must hold before the call. */
  settings: [string, string][]
}

/** A domain that is named like a media type. */
export type MediaDomain = {
  /** In lower case; `*\/*` for any. */
  name: string
  /** Over bytea: its bytes are the answer. */
  binary: boolean
}

/** An aggregate that makes such a media type of a relation's rows. */
export type MediaAggregate = QualifiedName & {
  media: MediaDomain
  /** Null for the rows of every relation. */
  row: QualifiedName | null
}

/** Scalar results are one JSON value, not an object. */
export const returnsScalar = ({ returns }: Routine) => !returns.setof && !returns.composite
export const returnsSetOfScalar = ({ returns }: Routine) => returns.setof && !returns.composite
export const returnsVoid = (routine: Routine) => routine.returns.type.name === 'void'

export type Catalogue = {
  tables: Map<string, Table>
  /** By the origin's key. */
  relationships: Map<string, Relationship[]>
  /** Overloads together. */
  routines: Map<string, Routine[]>
  mediaAggregates: MediaAggregate[]
  /** The schema of PostGIS; null where it is not installed. */
  postgis: string | null
}

/** The key of a name in the maps; no identifier of PostgreSQL contains NUL. */
export function keyOf({ schema, name }: QualifiedName): string {
  return `${schema}\0${name}`
}
