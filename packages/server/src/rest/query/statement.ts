// Whole statements. Each gives one row, with these columns in this order:
//   total     rows there are without limit and offset, null unless counted
//   rows      rows that the answer holds (of a mutation: rows affected)
//   body      the answer, built by PostgreSQL
//   headers   the setting response.headers, null unless a function set it
//   status    the setting response.status, likewise
//   location  the new row's key as JSON, for the Location header
//   inserted  rows of an upsert that were new

import type {
  BodyFormat,
  CallPlan,
  Estimate,
  Guard,
  MutationPlan,
  OwnFormat,
  Plan,
  ReadNode,
} from '../plan/types.ts'
import { literal, quoteName, quoteQualified } from '../schema-cache/quote.ts'
import { type Routine, returnsScalar, returnsSetOfScalar } from '../schema-cache/types.ts'
import { writeCall } from './call.ts'
import { writeEstimate } from './estimate.ts'
import { writeMutation } from './mutate.ts'
import { RESULT, writeCount, writeRead } from './read.ts'
import { SqlWriter, type Template } from './writer.ts'

/** The operands of the request that is compiled, by index. */
type Values = readonly string[]

/** The whole row, also where a column of its is called `pgrst_row`. */
const ROW = 'pgrst_row.*'

/** Begins the text of the error that a failed guard raises. */
export const MARKER = 'pgrst_rows:'

const SETTINGS =
  "nullif(current_setting('response.headers', true), ''), nullif(current_setting('response.status', true), '')"

/** The statement that does what is planned for a request with these operands. */
export function statementOf(plan: Plan, values: Values): Template {
  const { source, media } = plan
  const sql = new SqlWriter(values)
  if (!source) writeReadStatement(sql, plan)
  else if (source.kind === 'call') writeCallStatement(sql, plan, source)
  else writeMutationStatement(sql, plan, source)
  const template = sql.template()
  if (media.kind !== 'plan') return template
  const options = [`format ${media.format}`, ...media.options].join(', ')
  return { ...template, text: `explain (${options}) ${template.text}` }
}

/** EXPLAIN of the count, from which the planner's estimate is read; null where the plan asks for none. */
export function estimateOf({ node, counted }: Plan, values: Values): Template | null {
  if (typeof counted !== 'object' || !counted.tables) return null
  const sql = new SqlWriter(values).add('explain (format json) ')
  writeCount(sql, node)
  return sql.template()
}

function writeReadStatement(sql: SqlWriter, { node, format, withoutBody, counted }: Plan): void {
  const csv = format === 'csv' && !withoutBody
  if (csv) {
    sql.add(`with ${RESULT}_rows as (`)
    writeRead(sql, node)
    sql.add(') ')
  }
  sql.add('select ')
  writeTotal(sql, node, counted)
  sql.add(`, count(*), ${withoutBody ? 'null' : bodyOf(format)}, ${SETTINGS} from `)
  writeRows(sql, node, csv)
}

/** The rows that the answer shows, from which it is aggregated. */
function writeRows(sql: SqlWriter, node: ReadNode, csv: boolean): void {
  if (csv) {
    sql.add(`${RESULT}_rows pgrst_row`)
    return
  }
  sql.add('(')
  writeRead(sql, node)
  sql.add(') pgrst_row')
}

/** How many rows there are, whether shown or not. */
function writeTotal(sql: SqlWriter, node: ReadNode, counted: boolean | Estimate): void {
  if (counted === false) sql.add('null')
  else if (typeof counted === 'object') writeEstimate(sql, counted, () => writeCount(sql, node))
  else if (node.range.limit === null && node.range.offset === 0) sql.add('count(*)')
  else {
    sql.add('(select count(*) from (')
    writeCount(sql, node)
    sql.add(') pgrst_all)')
  }
}

function writeMutationStatement(sql: SqlWriter, plan: Plan, mutation: MutationPlan): void {
  const { node, format, withoutBody, guard, location } = plan
  const csv = format === 'csv' && !withoutBody
  sql.add(`with ${RESULT} as (`)
  writeMutation(sql, mutation)
  sql.add(')')
  if (csv) writeCsvRows(sql, node)
  sql.add(` select ${guardOf(guard)}, count(*), ${withoutBody ? 'null' : bodyOf(format)}, ${SETTINGS}, `)
  const key = mutation.table.primaryKey
  if (location && key.length > 0) {
    const pairs = key.map((name) => `${literal(name)}, min(pgrst_row.${quoteName(name)}::text)`)
    sql.add(`case when count(*) = 1 then json_build_object(${pairs.join(', ')}) end, `)
  } else {
    sql.add('null, ')
  }
  sql.add("nullif(current_setting('pgrst.inserted', true), '') from ")
  if (withoutBody) sql.add(`${RESULT} pgrst_row`)
  else writeRows(sql, node, csv)
}

function writeCallStatement(sql: SqlWriter, plan: Plan, call: CallPlan): void {
  const { node, format, withoutBody, guard, counted } = plan
  const csv = format === 'csv' && !withoutBody
  // A function whose result is unused is still called: for its effects, and for the headers and status that it sets.
  const whole = withoutBody && !call.routine.returns.setof ? 'materialized ' : ''
  sql.add(`with ${RESULT} as ${whole}(`)
  writeCall(sql, call)
  sql.add(')')
  if (csv) writeCsvRows(sql, node)
  sql.add(' select ')
  if (guard) sql.add(`coalesce(${guardOf(guard)}, `)
  writeTotal(sql, node, counted)
  const body = withoutBody ? 'null' : bodyOf(format, call.routine)
  sql.add(`${guard ? ')' : ''}, count(*), ${body}, ${SETTINGS} from `)
  writeRows(sql, node, csv)
}

/** CSV needs the rows twice: for the names in its first line, and for the lines. */
function writeCsvRows(sql: SqlWriter, node: ReadNode): void {
  sql.add(`, ${RESULT}_rows as (`)
  writeRead(sql, node)
  sql.add(')')
}

/** Null, or an error with MARKER and the number that undoes the transaction: the number cannot be read as one behind the marker. */
function guardOf(guard: Guard | null): string {
  if (!guard) return 'null'
  const fine = guard.kind === 'exactly-one' ? 'count(*) = 1' : `count(*) <= ${guard.rows}`
  return `case when ${fine} then null else ('${MARKER}' || count(*))::bigint end`
}

function bodyOf(format: BodyFormat, routine?: Routine): string {
  const scalar = routine !== undefined && (returnsScalar(routine) || returnsSetOfScalar(routine))
  const value = scalar ? 'pgrst_row.pgrst_scalar' : ROW
  const single = routine !== undefined && !routine.returns.setof
  if (typeof format === 'object') {
    return format.kind === 'own' ? ownBody(format, value) : geojsonBody(format.postgis)
  }
  switch (format) {
    case 'json':
      return single ? oneOf(value, scalar) : `coalesce(json_agg(${value}), '[]')`
    case 'json-stripped':
      return single
        ? `json_strip_nulls(${oneOf(value, scalar)}::json)`
        : `coalesce(json_strip_nulls(json_agg(${value})), '[]')`
    case 'object':
      return oneOf(value, scalar)
    case 'object-stripped':
      return `json_strip_nulls(${oneOf(value, scalar)}::json)`
    case 'csv':
      return CSV
  }
}

/** Each row is a feature, also that of a function which gives a geometry alone. */
function geojsonBody(postgis: string): string {
  const feature = `${quoteQualified({ schema: postgis, name: 'st_asgeojson' })}(${ROW})::json`
  return `json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(${feature}), '[]'))`
}

/** Bytes are sent as hexadecimal digits, whatever the role's settings (see respond.ts). */
function ownBody({ by, binary }: OwnFormat, value: string): string {
  const row = by?.row ? `(${value})::${quoteQualified(by.row)}` : value
  const made = by ? `${quoteQualified(by)}(${row})` : `string_agg(${value}::${binary ? 'bytea' : 'text'}, '')`
  return `coalesce(${binary ? `encode(${made}, 'hex')` : `${made}::text`}, '')`
}

/** One value as JSON text. More than one row fails elsewhere, or cannot be. */
function oneOf(value: string, scalar: boolean): string {
  return `coalesce(string_agg(${scalar ? 'to_json' : 'row_to_json'}(${value})::text, ','), 'null')`
}

/** A row's own text form is CSV in brackets. */
const CSV =
  `(select coalesce(string_agg(key, ','), '') from (select json_object_keys(row_to_json(r)) as key ` +
  `from (select * from ${RESULT}_rows limit 1) r) k) || e'\\n' || ` +
  `coalesce(string_agg(substring((${ROW})::text, 2, length((${ROW})::text) - 2), e'\\n'), '')`
