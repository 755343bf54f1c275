// From a request to the statement that answers it. The result depends on nothing but the request's shape, so it
// is made once for all requests that differ in values only.

import { estimateStatement, readStatement } from '../query/statement.ts'
import type { RestRequest } from '../request/request.ts'
import type { Catalogue, Table } from '../schema-cache/types.ts'
import { compileCall } from './call.ts'
import {
  type Compiled,
  type CompileSettings,
  isCounted,
  producible,
  type Work,
  withExplain,
} from './compiled.ts'
import { type Estimate, guessedTables } from './estimate.ts'
import { compileMutation } from './mutation.ts'
import { negotiate } from './negotiate.ts'
import { planRead } from './read.ts'
import { findTable } from './table.ts'
import type { ReadNode } from './types.ts'

/** Compiles a request for a table or a function. Throws the planner's errors (PGRST1xx and PGRST2xx). */
export function compile(request: RestRequest, catalogue: Catalogue, settings: CompileSettings): Compiled {
  const { target, schema, method } = request
  const work = { request, parsed: request.query.parse(), catalogue, settings }
  if (target.kind === 'root') throw new Error('The root is not compiled')
  if (target.kind === 'function') return compileCall(work, target.name)
  const table = findTable(catalogue, { schema, name: target.name })
  return method === 'GET' || method === 'HEAD' ? compileRead(work, table) : compileMutation(work, table)
}

function compileRead(work: Work, table: Table): Compiled {
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
  const { media, format } = negotiate(request.accept, producible(work, table, node))
  const { values } = request.query
  const estimate = estimateOf(work, node)
  const template = readStatement(
    values,
    node,
    request.method === 'HEAD' ? 'none' : format,
    estimate ?? isCounted(request),
  )
  return {
    kind: 'read',
    template: withExplain(template, media),
    estimate: estimate?.tables ? estimateStatement(values, node) : null,
    media,
    format,
    readOnly: true,
    routine: null,
    resolved: false,
  }
}

/** What is only estimated is counted as far as an answer may reach; the planner's guess stands for the rest. */
function estimateOf({ request, catalogue, settings }: Work, node: ReadNode): Estimate | null {
  const { count } = request.preferences
  if (count !== 'planned' && (count !== 'estimated' || settings.maxRows === null)) return null
  return { tables: guessedTables(node, catalogue), exactUpTo: count === 'planned' ? null : settings.maxRows }
}
