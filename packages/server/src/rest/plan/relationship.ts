// Finds the relationship that an embed means, by table, foreign key, column or computed function, with hints.
// Reference: PostgREST 14, "Resource embedding", "Foreign key joins on multiple foreign key relationships".

import { ambiguousRelationship, noRelationship, type RelationshipSummary } from '../errors/schema-errors.ts'
import { type Catalogue, type ForeignRelationship, keyOf, type Relationship } from '../schema-cache/types.ts'

/** Throws PGRST200 when there is none and PGRST201 when there are several. */
export function findRelationship(
  catalogue: Catalogue,
  schema: string,
  origin: string,
  target: string,
  hint: string | undefined,
): Relationship {
  const known = catalogue.relationships.get(keyOf({ schema, name: origin }))
  const found = (known ?? []).filter((relationship) => matches(relationship, schema, target, hint))
  const [first] = found
  if (found.length === 1 && first) return first
  if (found.length > 1) {
    const foreign = found.filter((relationship) => relationship.kind === 'foreign')
    throw ambiguousRelationship(origin, target, foreign.map(summary))
  }
  throw noRelationship({
    parent: origin,
    child: target,
    hint,
    schema,
    parents: [...catalogue.relationships.values()].flatMap(
      (list) => list.find(({ foreignTable }) => foreignTable.schema === schema)?.table.name ?? [],
    ),
    children: namesWithin(schema, known),
  })
}

/** The tables of the schema that can be embedded, by their own names, also behind a function; null for none. */
function namesWithin(schema: string, known: Relationship[] = []): string[] | null {
  const names = known.flatMap(({ foreignTable }) =>
    foreignTable.schema === schema ? [foreignTable.name] : [],
  )
  return names.length > 0 ? names : null
}

function matches(
  relationship: Relationship,
  schema: string,
  target: string,
  hint: string | undefined,
): boolean {
  if (relationship.kind === 'computed') return relationship.function.name === target
  // Like an address, an embed stays within the schema of the request.
  if (relationship.foreignTable.schema !== schema) return false
  const byTable = relationship.foreignTable.name === target
  if (relationship.isSelf) return matchesSelf(relationship, byTable, target, hint)
  if (hint === undefined) {
    // A constraint or a column names the target only where the target is a table.
    const byKey = relationship.constraint === target || onlyColumn(relationship, 0) === target
    return byTable || (byKey && relationship.constraint !== '' && !relationship.foreignTableIsView)
  }
  return (
    byTable &&
    (relationship.constraint === hint ||
      onlyColumn(relationship, 0) === hint ||
      onlyColumn(relationship, 1) === hint ||
      relationship.junction?.table.name === hint)
  )
}

/** One foreign key of a table to itself gives two relationships: the column names the one, the table the many. */
function matchesSelf(
  relationship: ForeignRelationship,
  byTable: boolean,
  target: string,
  hint: string | undefined,
): boolean {
  const { cardinality } = relationship
  if (hint === undefined) {
    if (cardinality === 'many-to-one') return onlyColumn(relationship, 0) === target
    return byTable && cardinality === 'one-to-many'
  }
  if (!byTable) return false
  if (cardinality === 'many-to-many') return relationship.junction?.table.name === hint
  return cardinality === 'one-to-many' && onlyColumn(relationship, 1) === hint
}

/** The column on side 0 (origin) or 1 (target), where the key has only one. */
function onlyColumn({ columns }: ForeignRelationship, side: 0 | 1): string | undefined {
  return columns.length === 1 ? columns[0]?.[side] : undefined
}

function summary(relationship: ForeignRelationship): RelationshipSummary {
  const { table, foreignTable, cardinality, constraint, columns, junction } = relationship
  const list = (names: string[]) => `(${names.join(', ')})`
  const link = junction
    ? `${junction.table.name} using ${junction.constraints[0]}${list(junction.source.map(([, name]) => name))}` +
      ` and ${junction.constraints[1]}${list(junction.target.map(([, name]) => name))}`
    : `${constraint} using ${table.name}${list(columns.map(([from]) => from))}` +
      ` and ${foreignTable.name}${list(columns.map(([, to]) => to))}`
  return {
    cardinality,
    embedding: `${table.name} with ${foreignTable.name}`,
    relationship: link,
    name: `${foreignTable.name}!${junction ? junction.table.name : constraint}`,
  }
}
