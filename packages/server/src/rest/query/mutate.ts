// Inserts, updates and deletes as SQL. Rows come from one JSON parameter, which PostgreSQL takes apart by the
// columns' own types, so that no value passes through this server's numbers or dates.

import type { DeletePlan, InsertPlan, MutationPlan, UpdatePlan } from '../plan/types.ts'
import { quoteName, quoteQualified } from '../schema-cache/quote.ts'
import type { Column } from '../schema-cache/types.ts'
import { type WritePresence, writeConditions } from './conditions.ts'
import type { SqlWriter } from './writer.ts'

/** Writes the mutation with its RETURNING. */
export function writeMutation(sql: SqlWriter, plan: MutationPlan): void {
  if (plan.kind === 'insert') writeInsert(sql, plan)
  else if (plan.kind === 'update') writeUpdate(sql, plan)
  else writeDelete(sql, plan)
}

const BODY = 'pgrst_body'
/** The elements of the body, each with a default drawn for every column that has one, by the column's number. */
const DRAWN = 'pgrst_drawn'
const DEFAULT = 'pgrst_default'
/** A row of the body as it came. */
const ROW = 'pgrst_row'

function writeInsert(sql: SqlWriter, plan: InsertPlan): void {
  const { table, columns, conflict } = plan
  sql.add(`insert into ${quoteQualified(table)}`)
  // Rows without any key are rows of defaults; `insert … default values` could make only one.
  if (columns.length > 0) sql.add(` (${columns.map(quoteName).join(', ')})`)
  sql.add(` select ${columns.map((name) => `${BODY}.${quoteName(name)}`).join(', ')} from `)
  writeBody(sql, plan)
  const counted = plan.countInserted ? [countInserted(1)] : []
  if (counted.length + plan.conditions.length > 0) {
    sql.add(` where ${counted.join('')}${counted.length > 0 && plan.conditions.length > 0 ? ' and ' : ''}`)
    writeConditions(sql, BODY, plan.conditions, noEmbeds)
  }
  if (conflict && conflict.columns.length > 0) {
    sql.add(` on conflict (${conflict.columns.map(quoteName).join(', ')}) do `)
    if (conflict.merge && columns.length > 0) {
      sql.add('update set ')
      sql.list(columns, ', ', (name) => sql.add(`${quoteName(name)} = excluded.${quoteName(name)}`))
      if (plan.countInserted) sql.add(` where ${countInserted(-1)}`)
    } else {
      sql.add('nothing')
    }
  }
  writeReturning(sql, plan)
}

/** Always true; counts in a setting of the transaction how many rows were inserted rather than updated. */
function countInserted(step: 1 | -1): string {
  const before = "coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0)"
  return `set_config('pgrst.inserted', (${before} + ${step})::text, true) is not null`
}

function writeUpdate(sql: SqlWriter, plan: UpdatePlan): void {
  const { table, columns } = plan
  if (columns.length === 0) {
    // Nothing to set: no row changes, but the selected columns must still exist.
    sql.add(`select ${returning(plan)} from ${quoteQualified(table)} where false`)
    return
  }
  sql.add(`update ${quoteQualified(table)} set `)
  sql.list(columns, ', ', (name) => sql.add(`${quoteName(name)} = ${BODY}.${quoteName(name)}`))
  sql.add(' from ')
  writeBody(sql, plan)
  writeWhere(sql, plan)
  writeReturning(sql, plan)
}

function writeDelete(sql: SqlWriter, plan: DeletePlan): void {
  sql.add(`delete from ${quoteQualified(plan.table)}`)
  writeWhere(sql, plan)
  writeReturning(sql, plan)
}

function writeWhere(sql: SqlWriter, plan: UpdatePlan | DeletePlan): void {
  if (plan.conditions.length === 0) return
  sql.add(' where ')
  writeConditions(sql, quoteQualified(plan.table), plan.conditions, noEmbeds)
}

const noEmbeds: WritePresence = () => {
  throw new Error('The rows of a mutation have no embeds')
}

function writeReturning(sql: SqlWriter, plan: MutationPlan): void {
  sql.add(` returning ${returning(plan)}`)
}

/** `1` where nothing of the rows is needed but their number. */
function returning({ table, returning: names }: MutationPlan): string {
  if (names.length === 0) return '1'
  const reference = quoteQualified(table)
  return names.map((name) => (name === '*' ? `${reference}.*` : `${reference}.${quoteName(name)}`)).join(', ')
}

function writeBody(sql: SqlWriter, plan: InsertPlan | UpdatePlan): void {
  const columns = plan.columns.map((name) => plan.table.columns.get(name) as Column)
  if (columns.length === 0) {
    sql.add(plan.isArray ? 'json_array_elements(' : '(select ')
    sql.body().add(`::json) ${BODY}`)
    return
  }
  // A domain with its own input format is passed on unchanged to its function.
  const types = columns.map(({ name, type, representation }) => {
    return `${quoteName(name)} ${representation?.write ? 'json' : type}`
  })
  const list = types.join(', ')
  if (plan.defaults) {
    writeBodyWithDefaults(sql, plan, columns, list)
    return
  }
  const converted = columns.some(({ representation }) => representation?.write)
  if (converted) {
    const values = columns.map((column) => `${written(column)} as ${quoteName(column.name)}`)
    sql.add(`(select ${values.join(', ')} from `)
  }
  sql.add(plan.isArray ? 'json_to_recordset(' : 'json_to_record(')
  sql.body().add(`::json) as ${converted ? ROW : BODY}(${list})`)
  if (converted) sql.add(`) ${BODY}`)
}

/** The expression that writes a body's field into the column. */
function written({ name, representation }: Column): string {
  const value = `${ROW}.${quoteName(name)}`
  return representation?.write ? `${quoteQualified(representation.write)}(${value})` : value
}

/**
 * Each element of the body apart, so that a missing key can be distinguished from one that is null. Defaults are
 * drawn for every row, also where the row has the key, as PostgREST draws them: a sequence goes on with each.
 */
function writeBodyWithDefaults(
  sql: SqlWriter,
  plan: InsertPlan | UpdatePlan,
  columns: Column[],
  list: string,
): void {
  sql.add('(select ')
  sql.list(columns, ', ', (column, at) => {
    const name = quoteName(column.name)
    if (column.default === null) sql.add(`${written(column)} as ${name}`)
    else {
      sql.add(`case when ${DRAWN}.pgrst_element ? `)
      sql
        .constant(column.name)
        .add(`::text then ${written(column)} else ${DRAWN}.${DEFAULT}_${at} end as ${name}`)
    }
  })
  sql.add(' from (select pgrst_element')
  for (const [at, column] of columns.entries()) {
    if (column.default !== null) sql.add(`, ${column.default} as ${DEFAULT}_${at}`)
  }
  sql.add(' from ')
  if (plan.isArray) sql.add('jsonb_array_elements(').body().add('::jsonb)')
  else sql.add('(select ').body().add('::jsonb)')
  // `offset 0` keeps the planner from drawing a default only where it is looked at.
  sql.add(` as pgrst_elements(pgrst_element) offset 0) ${DRAWN}, `)
  sql.add(`jsonb_to_record(${DRAWN}.pgrst_element) as ${ROW}(${list})) ${BODY}`)
}
