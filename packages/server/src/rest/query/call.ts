// A function call as SQL: named arguments from a JSON body or from the query string, or the body whole.

import type { CallPlan } from '../plan/types.ts'
import { quoteName, quoteQualified } from '../schema-cache/quote.ts'
import { returnsScalar, returnsSetOfScalar } from '../schema-cache/types.ts'
import type { SqlWriter } from './writer.ts'

/** Writes `select … from function(…)`; scalar results are in the column `pgrst_scalar`. */
export function writeCall(sql: SqlWriter, plan: CallPlan): void {
  const { routine, parameters, returning } = plan
  const scalar = returnsScalar(routine) || returnsSetOfScalar(routine)
  const columns = returning.includes('*') ? [] : returning
  sql.add('select ')
  if (scalar) sql.add('pgrst_call.pgrst_scalar')
  else sql.add(columns.length === 0 ? 'pgrst_call.*' : '')
  if (!scalar) sql.list(columns, ', ', (name) => sql.add(`pgrst_call.${quoteName(name)}`))
  sql.add(' from ')
  const fromJson = plan.arguments.kind === 'json' && parameters.length > 0
  if (fromJson) {
    const list = parameters.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ')
    const isArray = plan.arguments.kind === 'json' && plan.arguments.isArray
    // A call takes one set of arguments: the first, where the body holds several.
    sql.add(`(select * from ${isArray ? 'json_to_recordset(' : 'json_to_record('}`).body()
    sql.add(`::json) as _(${list}) limit 1) pgrst_body, lateral `)
  }
  sql.add(scalar ? '(select ' : '')
  sql.add(`${quoteQualified(routine)}(`)
  writeArguments(sql, plan)
  sql.add(scalar ? ') as pgrst_scalar) pgrst_call' : ') pgrst_call')
}

function writeArguments(sql: SqlWriter, { parameters, arguments: given }: CallPlan): void {
  if (given.kind === 'raw') {
    sql.body().add(`::${parameters[0]?.type}`)
    return
  }
  sql.list(parameters, ', ', ({ name, type, variadic }) => {
    sql.add(`${variadic ? 'variadic ' : ''}${quoteName(name)} := `)
    if (given.kind === 'json') {
      sql.add(`pgrst_body.${quoteName(name)}`)
      return
    }
    const source = given.values.get(name)
    if (source === undefined) sql.add('null')
    else if ('elements' in source) sql.elements(source.elements)
    else sql.value(source.index)
    sql.add(`::${type}`)
  })
}
