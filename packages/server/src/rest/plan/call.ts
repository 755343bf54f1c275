// Plans calls of functions.
// Reference: PostgREST 14, "Functions as RPC".

import { maxAffectedOnSingle, notEmbedded } from '../errors/errors.ts'
import type { RestRequest } from '../request/request.ts'
import { type Routine, returnsScalar, returnsSetOfScalar, returnsVoid } from '../schema-cache/types.ts'
import { findFunction } from './function.ts'
import { negotiate } from './negotiate.ts'
import { planRead } from './read.ts'
import { isCounted, isObject, neededColumns, producible, type Work } from './shared.ts'
import type { BodyFormat, CallArguments, Guard, Plan } from './types.ts'

/** Throws PGRST128, PGRST202, PGRST203 and the planner's errors. */
export function planCall(work: Work, functionName: string): Plan {
  const { request, parsed, catalogue, settings } = work
  const { query, payload, schema } = request
  const name = { schema, name: functionName }
  const isPost = request.method === 'POST'
  const given = payload?.kind === 'json' ? payload.keys : query.arguments.map((argument) => argument.name)
  const routine = findFunction(catalogue, {
    name,
    arguments: given,
    contentType: request.contentType,
    isPost,
  })
  checkMaxAffected(request, routine)
  const scalar = returnsScalar(routine) || returnsSetOfScalar(routine)
  const rows = routine.returns.composite ? { schema, name: routine.returns.type.name } : name
  const node = planRead(rows, parsed, {
    catalogue,
    schema,
    maxRows: settings.maxRows,
    aggregates: settings.aggregates,
    range: request.range,
    fromResult: true,
    isMutation: false,
  })
  if (scalar && node.children[0]) throw notEmbedded(node.children[0].name)
  const negotiated = negotiate(request.accept, producible(work, rows, node, routine))
  const returning = scalar ? [] : neededColumns(node)
  return {
    kind: 'call',
    source: { kind: 'call', routine, ...argumentsOf(request, routine, given), returning },
    node,
    ...negotiated,
    withoutBody: request.method === 'HEAD' || returnsVoid(routine),
    guard: guardOf(request, negotiated.format),
    counted: isCounted(request),
    location: false,
    readOnly: !isPost || routine.volatility !== 'volatile',
    resolved: false,
  }
}

function checkMaxAffected({ preferences }: RestRequest, { returns }: Routine): void {
  const limited = preferences.handling === 'strict' && preferences.maxAffected !== undefined
  if (limited && !returns.setof) throw maxAffectedOnSingle()
}

function guardOf({ preferences }: RestRequest, format: BodyFormat): Guard | null {
  if (isObject(format)) return { kind: 'exactly-one' }
  const { handling, maxAffected } = preferences
  return handling === 'strict' && maxAffected !== undefined ? { kind: 'at-most', rows: maxAffected } : null
}

function argumentsOf(
  { query, payload, method }: RestRequest,
  { parameters }: Routine,
  given: string[],
): { parameters: Routine['parameters']; arguments: CallArguments } {
  if (method === 'POST' && parameters.length === 1 && parameters[0]?.name === '') {
    return { parameters, arguments: { kind: 'raw' } }
  }
  const named = new Set(given)
  const used = parameters.filter((parameter) => named.has(parameter.name))
  if (payload?.kind === 'json') {
    return { parameters: used, arguments: { kind: 'json', isArray: payload.isArray } }
  }
  const variadic = new Set(used.filter((parameter) => parameter.variadic).map(({ name }) => name))
  const values = new Map<string, { index: number } | { elements: number[] }>()
  for (const { name, value } of query.arguments) {
    const before = values.get(name)
    // A variadic argument may be given several times; of the others the last counts.
    if (!variadic.has(name)) values.set(name, { index: value })
    else values.set(name, { elements: [...(before && 'elements' in before ? before.elements : []), value] })
  }
  return { parameters: used, arguments: { kind: 'values', values } }
}
