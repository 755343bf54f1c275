// What compiling a request gives, and what its three kinds (read, mutation, call) share.
import type { Pace } from '../../sql/latency.ts'
import { type BodyFormat, explained } from '../query/statement.ts'
import type { Template } from '../query/writer.ts'
import type { MediaType } from '../request/media.ts'
import type { ParsedQuery } from '../request/query.ts'
import type { RestRequest } from '../request/request.ts'
import type { Catalogue, QualifiedName, Routine } from '../schema-cache/types.ts'
import type { Producible } from './negotiate.ts'
import type { ReadNode } from './types.ts'

export type CompileSettings = {
  maxRows: number | null
  aggregates: boolean
  explain: boolean
}

/** What there is to compile. */
export type Work = {
  request: RestRequest
  parsed: ParsedQuery
  catalogue: Catalogue
  settings: CompileSettings
}

export type Compiled = {
  kind: 'read' | 'insert' | 'upsert' | 'update' | 'delete' | 'call'
  template: Template
  /** EXPLAIN of the count, where the planner's estimate is asked for. */
  estimate: Template | null
  media: MediaType
  format: BodyFormat
  readOnly: boolean
  /** The function that is called. */
  routine: Routine | null
  /** The preference `resolution` had an effect. */
  resolved: boolean
  /** How long its statements take, once it was run. */
  pace?: Pace
  /** The same for what shares no connection, waiting for one included. */
  load?: Pace
  /** Milliseconds that it is guessed to take while it was not run. */
  guess?: number
}

export function isObject(format: BodyFormat): boolean {
  return format === 'object' || format === 'object-stripped'
}

/** What can be made of the rows of `rows`, which `node` reads. */
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

/** `template`, under EXPLAIN where that is the media type wanted. */
export function withExplain(template: Template, media: MediaType): Template {
  return media.kind === 'plan' ? explained(template, media.format, media.options) : template
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
