// From a request to what it will do, resolved against the schema cache.
import type { RestRequest } from '../request/request.ts'
import type { Catalogue, Table } from '../schema-cache/types.ts'
import { planCall } from './call.ts'
import { guessedTables } from './estimate.ts'
import { planMutation } from './mutation.ts'
import { negotiate } from './negotiate.ts'
import { planRead } from './read.ts'
import { isCounted, type PlanSettings, producible, type Work } from './shared.ts'
import { findTable } from './table.ts'
import type { Estimate, Plan, ReadNode } from './types.ts'

/** Plans a request for a table or a function. Throws PGRST1xx and PGRST2xx. */
export function plan(request: RestRequest, catalogue: Catalogue, settings: PlanSettings): Plan {
  const { target, schema, method } = request
  const work = { request, parsed: request.query.parse(), catalogue, settings }
  if (target.kind === 'root') throw new Error('The root has no plan')
  if (target.kind === 'function') return planCall(work, target.name)
  const table = findTable(catalogue, { schema, name: target.name })
  return method === 'GET' || method === 'HEAD' ? planTable(work, table) : planMutation(work, table)
}

function planTable(work: Work, table: Table): Plan {
  const { request, parsed, catalogue, settings } = work
  const node = planRead(table, parsed, {
    catalogue,
    schema: request.schema,
    maxRows: settings.maxRows,
    aggregates: settings.aggregates,
    range: request.range,
    fromResult: false,
    isMutation: false,
  })
  return {
    ...{ kind: 'read', source: null, node },
    ...negotiate(request.accept, producible(work, table, node)),
    withoutBody: request.method === 'HEAD',
    guard: null,
    counted: estimateOf(work, node) ?? isCounted(request),
    ...{ location: false, readOnly: true, resolved: false },
  }
}

/** What is only estimated is counted as far as an answer may reach; the planner's guess stands for the rest. */
function estimateOf({ request, catalogue, settings }: Work, node: ReadNode): Estimate | null {
  const { count } = request.preferences
  if (count !== 'planned' && (count !== 'estimated' || settings.maxRows === null)) return null
  return { tables: guessedTables(node, catalogue), exactUpTo: count === 'planned' ? null : settings.maxRows }
}
