// Finds the table or view that a request is about.

import { noTable } from '../errors/schema-errors.ts'
import { type Catalogue, keyOf, type QualifiedName, type Table } from '../schema-cache/types.ts'

/** Throws PGRST205 with the nearest name that exists. */
export function findTable(catalogue: Catalogue, name: QualifiedName): Table {
  const table = catalogue.tables.get(keyOf(name))
  if (table) return table
  const known = [...catalogue.tables.values()].filter(({ schema }) => schema === name.schema)
  throw noTable(
    name.schema,
    name.name,
    known.map((found) => found.name),
  )
}
