// From a request to its plan and the statement that carries it out. The result depends on nothing but the request's shape, so it is made
// once for all requests that differ in values only.
import { type LatencyEstimate, newLatency } from '../../sql/latency.ts'
import { planCall } from '../plan/call.ts'
import { planMutation } from '../plan/mutation.ts'
import { planTableRead } from '../plan/read.ts'
import type { PlanSettings } from '../plan/shared.ts'
import { findTable } from '../plan/table.ts'
import type { Plan } from '../plan/types.ts'
import type { RestRequest } from '../request/request.ts'
import type { Catalogue, Routine } from '../schema-cache/types.ts'
import { estimateOf, statementOf } from './statement.ts'
import type { Template } from './writer.ts'

/** A planned request, ready to be run. */
export type Compiled = Pick<Plan, 'kind' | 'media' | 'format' | 'readOnly' | 'resolved'> & {
  template: Template
  /** EXPLAIN of the count, where the planner's estimate is asked for. */
  estimate: Template | null
  /** The function that is called. */
  routine: Routine | null
  /** How long its statements take; for what shares no connection, waiting for one included. */
  latency: LatencyEstimate
}

/** Throws the planner's errors (PGRST1xx and PGRST2xx). */
export function compile(request: RestRequest, catalogue: Catalogue, settings: PlanSettings): Compiled {
  const planned = plan(request, catalogue, settings)
  const { kind, source, media, format, readOnly, resolved } = planned
  const { values } = request.query
  return {
    kind,
    media,
    format,
    readOnly,
    resolved,
    template: statementOf(planned, values),
    estimate: estimateOf(planned, values),
    routine: source?.kind === 'call' ? source.routine : null,
    latency: newLatency(),
  }
}

/** Plans the request against the schema cache. */
function plan(request: RestRequest, catalogue: Catalogue, settings: PlanSettings): Plan {
  const { target, schema, method } = request
  const work = { request, parsed: request.query.parse(), catalogue, settings }
  if (target.kind === 'root') throw new Error('The root has no plan')
  if (target.kind === 'function') return planCall(work, target.name)
  const table = findTable(catalogue, { schema, name: target.name })
  return method === 'GET' || method === 'HEAD' ? planTableRead(work, table) : planMutation(work, table)
}
