// Decides whether the planner's estimate may be shown. It comes from statistics of whole tables, so it would reveal
// rows that the caller may not see; in that case rows are counted.
import { type Catalogue, keyOf, type QualifiedName } from '../schema-cache/types.ts'
import type { Condition, ReadNode } from './types.ts'

/** The relations that the number of `node`'s rows depends on; null when one of them is no plain table. */
export function guessedTables(node: ReadNode, catalogue: Catalogue): QualifiedName[] | null {
  const names = new Map<string, QualifiedName>()
  const plain = relationsOf(node).every((name) => {
    if (name === null || catalogue.tables.get(keyOf(name))?.isView !== false) return false
    names.set(keyOf(name), name)
    return true
  })
  return plain ? [...names.values()] : null
}

/** Null stands for what a function gives. */
function relationsOf({ source, relationship, children, conditions }: ReadNode): (QualifiedName | null)[] {
  const own = source.kind === 'table' && relationship?.kind !== 'computed' ? source.name : null
  const junction = relationship?.kind === 'foreign' ? relationship.junction : null
  const filtering = [...children.filter(({ inner }) => inner), ...embedsIn(conditions)]
  return [own, ...(junction ? [junction.table] : []), ...filtering.flatMap(relationsOf)]
}

function embedsIn(conditions: Condition[]): ReadNode[] {
  return conditions.flatMap((condition) => {
    if (condition.kind === 'embed') return [condition.node]
    return condition.kind === 'column' ? [] : embedsIn(condition.children)
  })
}
