// Plans inserts, upserts, updates and deletes.
// Reference: PostgREST 14, "Insert", "Update", "Upsert", "Delete".

import { invalidPutFilters } from '../errors/errors.ts'
import { noColumn } from '../errors/schema-errors.ts'
import type { ParsedQuery } from '../request/query.ts'
import type { RestRequest } from '../request/request.ts'
import type { Table } from '../schema-cache/types.ts'
import { negotiate } from './negotiate.ts'
import { planRead, rootConditions } from './read.ts'
import { isObject, neededColumns, producible, type Work } from './shared.ts'
import type { BodyFormat, Guard, MutationPlan, Plan, ReadNode } from './types.ts'

const KINDS = { POST: 'insert', PUT: 'upsert', PATCH: 'update', DELETE: 'delete' } as const

/** Throws PGRST204 for unknown columns, PGRST105 for PUT without its key, and the planner's errors. */
export function planMutation(work: Work, table: Table): Plan {
  const { request, parsed, catalogue, settings } = work
  const node = planRead(table, parsed, {
    catalogue,
    schema: request.schema,
    maxRows: settings.maxRows,
    aggregates: settings.aggregates,
    range: request.range,
    fromResult: true,
    isMutation: true,
  })
  const negotiated = negotiate(request.accept, producible(work, table, node))
  const wanted = request.preferences.return
  return {
    kind: KINDS[request.method as keyof typeof KINDS],
    source: changeOf(request, parsed, table, node),
    node,
    ...negotiated,
    withoutBody: wanted !== 'representation',
    guard: guardOf(request, negotiated.format),
    counted: false,
    location: request.method === 'POST' && wanted === 'headers-only',
    readOnly: false,
    resolved: table.primaryKey.length > 0 || parsed.onConflict !== null,
  }
}

/** The condition on the number of rows for keeping a change. */
function guardOf(request: RestRequest, format: BodyFormat): Guard | null {
  if (request.method === 'PUT' || isObject(format)) return { kind: 'exactly-one' }
  const { handling, maxAffected } = request.preferences
  const limits = handling === 'strict' && maxAffected !== undefined && request.method !== 'POST'
  return limits ? { kind: 'at-most', rows: maxAffected } : null
}

function changeOf(request: RestRequest, parsed: ParsedQuery, table: Table, node: ReadNode): MutationPlan {
  const { preferences, payload, method } = request
  const returning = returnedColumns(request, table, node)
  const conditions = rootConditions(table, parsed)
  if (method === 'DELETE') return { kind: 'delete', table, conditions, returning }
  const json = payload?.kind === 'json' ? payload : { keys: [], isArray: false }
  for (const key of json.keys) if (!table.columns.has(key)) throw noColumn(table.name, key)
  const shared = { table, columns: [...json.keys].sort(), isArray: json.isArray, returning }
  const defaults = preferences.missing === 'default'
  if (method === 'PATCH') return { kind: 'update', ...shared, defaults, conditions }
  if (method === 'PUT') {
    checkPutFilters(table, parsed)
    const conflict = { columns: table.primaryKey, merge: true }
    return { kind: 'insert', ...shared, defaults: false, conflict, conditions, countInserted: true }
  }
  const merge = preferences.resolution === 'merge-duplicates'
  const conflict = preferences.resolution ? { columns: parsed.onConflict ?? table.primaryKey, merge } : null
  return { kind: 'insert', ...shared, defaults, conflict, conditions: [], countInserted: merge }
}

/** Only what is asked for is returned, for returning a column takes the right to read it. */
function returnedColumns({ preferences, method }: RestRequest, table: Table, node: ReadNode): string[] {
  if (preferences.return === 'representation') return neededColumns(node)
  return preferences.return === 'headers-only' && method === 'POST' ? table.primaryKey : []
}

/** PUT names exactly the row it writes. */
function checkPutFilters(table: Table, { filters, logic }: ParsedQuery): void {
  const names = new Set(filters.map(({ field }) => field.name))
  const plain = filters.every(
    ({ path, field, operation }) =>
      path.length === 0 &&
      field.path.length === 0 &&
      operation.operator === 'eq' &&
      !operation.negated &&
      !operation.quantifier,
  )
  const whole = names.size === table.primaryKey.length && table.primaryKey.every((name) => names.has(name))
  if (!plain || !whole || names.size === 0 || logic.length > 0) throw invalidPutFilters()
}
