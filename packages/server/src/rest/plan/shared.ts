// Inputs of planning, shared by reads, mutations and calls.
import type { ParsedQuery } from '../request/query.ts'
import type { RestRequest } from '../request/request.ts'
import type { Catalogue, QualifiedName, Routine } from '../schema-cache/types.ts'
import type { Producible } from './negotiate.ts'
import type { BodyFormat, ReadNode } from './types.ts'

export type PlanSettings = {
  maxRows: number | null
  aggregates: boolean
  explain: boolean
}

/** The input of planning. */
export type Work = {
  request: RestRequest
  parsed: ParsedQuery
  catalogue: Catalogue
  settings: PlanSettings
}

export function isObject(format: BodyFormat): boolean {
  return format === 'object' || format === 'object-stripped'
}

/** The formats that can be produced from the rows of `rows`, which `node` reads. */
export function producible(
  { catalogue, settings }: Work,
  rows: QualifiedName,
  node: ReadNode,
  routine: Routine | null = null,
): Producible {
  const [only, ...others] = node.select
  const whole = only?.column.name === '*' && !only.aggregate && others.length + node.children.length === 0
  return { explain: settings.explain, catalogue, rows, whole, routine }
}

/** Whether the rows are to be counted apart from those shown. */
export function isCounted({ preferences }: RestRequest): boolean {
  return preferences.count === 'exact' || preferences.count === 'estimated'
}

/** The root's columns that the answer, its filters and orders, and the joins of its embeds need. */
export function neededColumns(node: ReadNode): string[] {
  const names = new Set(node.select.map(({ column }) => column.name))
  for (const { column, node: related } of node.order) if (!related) names.add(column.name)
  addConditions(node, names)
  for (const { relationship } of node.children) {
    if (relationship?.kind === 'computed') names.add('*')
    if (relationship?.kind !== 'foreign') continue
    for (const [column] of relationship.columns) names.add(column)
    for (const [column] of relationship.junction?.source ?? []) names.add(column)
  }
  return names.has('*') ? ['*'] : [...names]
}

function addConditions({ conditions }: Pick<ReadNode, 'conditions'>, names: Set<string>): void {
  for (const condition of conditions) {
    if (condition.kind === 'column') names.add(condition.column.name)
    else if (condition.kind !== 'embed') addConditions({ conditions: condition.children }, names)
  }
}
