// Adds to a change what the log does not have: generated columns that are virtual or not published, and unchanged values that
// are stored out of line (TOAST). They are read by primary key, and used only if the row is still as the change's transaction
// left it, so that one event never mixes two transactions' versions of a row. Others stay absent, as do values above
// MAX_VALUE_BYTES.
import type pg from 'pg'
import type { Pgoutput } from 'pg-logical-replication'
import type pino from 'pino'
import { withClient } from '../../sql/client.ts'
import { pipeline, type Statement } from '../../sql/pipeline.ts'
import { MAX_ROW_CHARACTERS } from './event.ts'
import { isolateFailures } from './isolate-failures.ts'
import { readOnceVisible, requireVisible } from './snapshot.ts'
import type { Table, Tables } from './tables.ts'
import { arrayLiteral } from './visibility.ts'
import type { RowChange } from './wal.ts'

export interface MissingValuesOptions {
  tables: Tables
  /** As the platform's owner. Subscribers see of the values what they may read, like of those in the log. */
  pool: pg.Pool
  log: pino.Logger
}

/** A change that lacks these columns, with its primary key. */
interface Incomplete {
  change: RowChange
  key: string[]
}

/** Changes of one table that lack the same columns. */
interface Lookup {
  table: Table
  names: string[]
  rows: Incomplete[]
}

/** Per change a text for each column, null for NULL; undefined where it was left out. */
type Values = Map<RowChange, (string | null | undefined)[]>

/** Larger values would have to be fetched for every update of their rows. */
const MAX_VALUE_BYTES = 64 * 1024
/** Values of this many rows are in memory at once. */
const MAX_ROWS = 100

/** The text of values as in the replication stream; and no table that somebody locks keeps changes of others waiting. */
const SESSION = `select pg_current_snapshot(), set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'postgres', true),
  set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true), set_config('lock_timeout', '1s', true),
  set_config('statement_timeout', '5s', true)`

/** The changes in their order, complete as far as the table allows. */
export async function withMissingValues(
  { tables, pool, log }: MissingValuesOptions,
  changes: readonly RowChange[],
): Promise<readonly RowChange[]> {
  const lookups = await lookupsOf(tables, changes)
  if (lookups.length === 0) return changes
  const found: Values = new Map()
  const columns = new Map<RowChange, Lookup>()
  for (const lookup of lookups) {
    for (const { change } of lookup.rows) columns.set(change, lookup)
    for (let from = 0; from < lookup.rows.length; from += MAX_ROWS) {
      const some = { ...lookup, rows: lookup.rows.slice(from, from + MAX_ROWS) }
      await read(pool, some, found).catch((err) => log.debug({ err }, 'a row could not be completed'))
    }
  }
  return changes.map((change) => {
    const values = found.get(change)
    const lookup = columns.get(change)
    return values && lookup ? completed(change, lookup, values) : change
  })
}

async function lookupsOf(tables: Tables, changes: readonly RowChange[]): Promise<Lookup[]> {
  const lookups = new Map<string, Lookup>()
  for (const change of changes) {
    const { record, relation } = change
    if (!record) continue
    const table = await tables.read(relation.relationOid, [])
    if (!table) continue
    const logged = new Set(relation.columns.map(({ name }) => name))
    const names = [
      ...table.generated.map(({ name }) => name).filter((name) => !logged.has(name)),
      ...relation.columns.map(({ name }) => name).filter((name) => record[name] === undefined),
    ]
    const key = table.key.map(({ name }) => record[name]).filter((value) => typeof value === 'string')
    if (names.length === 0 || key.length === 0 || key.length < table.key.length) continue
    const group = JSON.stringify([table.sql, names])
    const lookup = lookups.get(group) ?? { table, names, rows: [] }
    lookups.set(group, lookup)
    lookup.rows.push({ change, key })
  }
  return [...lookups.values()]
}

async function read(pool: pg.Pool, lookup: Lookup, found: Values): Promise<void> {
  const xids = new Set(lookup.rows.map(({ change }) => change.xid))
  const [rows] = await readOnceVisible(() =>
    withClient(pool, (client) =>
      isolateFailures([lookup], async () => {
        const [session, values] = await pipeline(client, [{ text: SESSION }, statementOf(lookup)])
        requireVisible(session?.rows[0]?.[0] ?? '', xids)
        return [values?.rows ?? []]
      }),
    ),
  )
  for (const [number, json] of rows ?? []) {
    const { change } = lookup.rows[Number(number) - 1] as Incomplete
    const values = JSON.parse(json ?? '[]') as ([string | null] | null)[]
    found.set(
      change,
      values.map((value) => value?.[0]),
    )
  }
}

/** The number of each row that is still as its transaction left it, and its values: `[text]`, or null above the limit. */
function statementOf({ table, names, rows }: Lookup): Statement {
  const keys = table.key.map((_, index) => `k${index + 1}`)
  const lists = table.key.map(({ type }, index) => `$${index + 2}::${type}[]`)
  const same = table.key.map(({ sql }, index) => `t.${sql} = k.${keys[index]}`)
  const values = names.map((name) => {
    const column = `t.${quoted(name)}`
    const text = `format('%s', ${column})`
    return `case when num_nulls(${column}) = 1 then json_build_array(null) when pg_column_size(${column}) <= ${MAX_VALUE_BYTES}
      and octet_length(${text}) <= ${MAX_VALUE_BYTES} then json_build_array(${text}) end`
  })
  return {
    text: `select k.n, json_build_array(${values.join(', ')})
      from unnest($1::int8[], ${lists.join(', ')}) with ordinality as k (xid, ${keys.join(', ')}, n)
      join ${table.sql} t on ${same.join(' and ')} and t.xmin::text::int8 = k.xid`,
    values: [
      arrayLiteral(rows.map(({ change }) => `${change.xid}`)),
      ...table.key.map((_, index) => arrayLiteral(rows.map(({ key }) => key[index] ?? null))),
    ],
  }
}

/** A copy of the change with those values, as many as the largest row may have, its columns in the order of the table. */
function completed(
  change: RowChange,
  { table, names }: Lookup,
  values: (string | null | undefined)[],
): RowChange {
  const record = { ...change.record }
  const columns = [...change.relation.columns]
  let { size } = change
  for (const [index, name] of names.entries()) {
    const value = values[index]
    const length = value?.length ?? 0
    if (value === undefined || size + length > MAX_ROW_CHARACTERS) continue
    record[name] = value
    size += length
    const generated = table.generated.find((column) => column.name === name)
    if (generated && !columns.some((column) => column.name === name)) columns.push(columnOf(generated))
  }
  const place = new Map(table.columns.map((name, index) => [name, index]))
  columns.sort((a, b) => (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0))
  return { ...change, record, size, relation: { ...change.relation, columns } }
}

function columnOf({ name, type }: Table['generated'][number]): Pgoutput.RelationColumn {
  return {
    name,
    typeOid: type,
    typeMod: -1,
    typeSchema: null,
    typeName: null,
    flags: 0,
    parser: (text: string) => text,
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
