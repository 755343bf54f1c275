// OPTIONS: which methods a table, a function or the root takes.
// Reference: PostgREST 14, "OPTIONS method".

import { findFunction } from './plan/function.ts'
import { findTable } from './plan/table.ts'
import type { RestRequest } from './request/request.ts'
import type { Answer } from './response/respond.ts'
import type { Catalogue } from './schema-cache/types.ts'

/** Throws PGRST205 or PGRST202 for what does not exist. */
export function respondInfo({ target, schema, query }: RestRequest, catalogue: Catalogue): Answer {
  if (target.kind === 'root') return allow(['OPTIONS', 'GET', 'HEAD'])
  const name = { schema, name: target.name }
  if (target.kind === 'function') {
    const given = query.arguments.map((argument) => argument.name)
    const routine = findFunction(catalogue, {
      name,
      arguments: given,
      contentType: { kind: 'json' },
      isPost: false,
    })
    return allow(routine.volatility === 'volatile' ? ['OPTIONS', 'POST'] : ['OPTIONS', 'GET', 'HEAD', 'POST'])
  }
  const table = findTable(catalogue, name)
  const methods = ['OPTIONS', 'GET', 'HEAD']
  if (table.insertable) methods.push('POST')
  if (table.insertable && table.updatable && table.primaryKey.length > 0) methods.push('PUT')
  if (table.updatable) methods.push('PATCH')
  if (table.deletable) methods.push('DELETE')
  return allow(methods)
}

function allow(methods: string[]): Answer {
  return { status: 200, headers: { Allow: methods.join(',') }, body: null }
}
