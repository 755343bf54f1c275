// Reads the schema cache from the system catalogues, in one transaction and with an empty search path.
import type pg from 'pg'
import { viewOrigins } from './node-tree.ts'
import { compareOverloads } from './overloads.ts'
import { COMPUTED, KEYS, MEDIA_AGGREGATES, POSTGIS, ROUTINES, TABLES, VIEWS } from './queries.ts'
import { buildRelationships, type Key, showing, type View, viewPrimaryKeys } from './relationships.ts'
import {
  type Catalogue,
  type Column,
  type ComputedRelationship,
  keyOf,
  type MediaAggregate,
  type Routine,
  type Table,
} from './types.ts'

/** `schemas` are exposed; views of `extraSchemas` are looked through. Throws what the database throws. */
export async function readCatalogue(
  pool: pg.Pool,
  schemas: readonly string[],
  extraSchemas: readonly string[],
): Promise<Catalogue> {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query("set local search_path to ''")
    const ask = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows
    const tables = (await ask(TABLES, [schemas])).map(tableOf)
    const keys = (await ask(KEYS)).map(keyFrom)
    const views = (await ask(VIEWS, [[...schemas, ...extraSchemas]])).map(viewOf)
    const routines = (await ask(ROUTINES, [schemas])).map(routineOf)
    const computed = (await ask(COMPUTED)).map(computedOf)
    const mediaAggregates = await ask(MEDIA_AGGREGATES, [schemas])
    const [postgis] = await ask(POSTGIS)
    await client.query('commit')
    broken = false
    return assemble({
      tables,
      keys,
      views,
      routines,
      computed,
      schemas,
      mediaAggregates,
      postgis: postgis?.schema ?? null,
    })
  } finally {
    // A failed transaction must not go back into the pool.
    client.release(broken)
  }
}

function assemble(found: {
  tables: Table[]
  keys: Key[]
  views: View[]
  routines: Routine[]
  computed: ComputedRelationship[]
  schemas: readonly string[]
  mediaAggregates: MediaAggregate[]
  postgis: string | null
}): Catalogue {
  const viewKeys = viewPrimaryKeys(found.keys, showing(found.views))
  const tables = new Map<string, Table>()
  const primaryKeys = new Map(viewKeys)
  for (const key of found.keys) if (key.kind === 'p') primaryKeys.set(keyOf(key.table), key.columnNames)
  for (const table of found.tables) {
    if (table.isView) table.primaryKey = viewKeys.get(keyOf(table)) ?? []
    tables.set(keyOf(table), table)
  }
  const routines = new Map<string, Routine[]>()
  for (const routine of found.routines) {
    const key = keyOf(routine)
    routines.set(key, [...(routines.get(key) ?? []), routine])
  }
  for (const overloads of routines.values()) overloads.sort(compareOverloads)
  const relationships = buildRelationships({
    keys: found.keys,
    views: found.views,
    computed: found.computed,
    primaryKeys,
    exposed: new Set(found.schemas),
  })
  const { mediaAggregates, postgis } = found
  return { tables, relationships, routines, mediaAggregates, postgis }
}

// biome-ignore lint/suspicious/noExplicitAny: rows of the queries in queries.ts, whose columns are written there.
type Row = any

function tableOf(row: Row): Table {
  return {
    schema: row.schema,
    name: row.name,
    description: row.description,
    isView: row.is_view,
    insertable: row.insertable,
    updatable: row.updatable,
    deletable: row.deletable,
    primaryKey: row.primary_key,
    columns: new Map(row.columns.map((column: Column) => [column.name, column])),
  }
}

function keyFrom(row: Row): Key {
  return {
    name: row.name,
    kind: row.kind,
    tableOid: Number(row.table_oid),
    foreignOid: Number(row.foreign_oid),
    table: { schema: row.schema, name: row.table_name },
    foreignTable: row.foreign_name === null ? null : { schema: row.foreign_schema, name: row.foreign_name },
    columns: row.columns,
    foreignColumns: row.foreign_columns ?? [],
    columnNames: row.column_names,
    foreignColumnNames: row.foreign_column_names ?? [],
    isUnique: row.is_unique,
  }
}

function viewOf(row: Row): View {
  return {
    oid: Number(row.oid),
    schema: row.schema,
    name: row.name,
    columns: new Map(
      Object.entries(row.columns ?? {}).map(([number, name]) => [Number(number), name as string]),
    ),
    origins: viewOrigins(row.definition),
  }
}

function routineOf(row: Row): Routine {
  const settings = (row.settings as string[]).map((setting): [string, string] => {
    const equals = setting.indexOf('=')
    return [setting.slice(0, equals), setting.slice(equals + 1)]
  })
  const isolation = settings.find(([name]) => name === 'default_transaction_isolation')?.[1] ?? null
  return {
    schema: row.schema,
    name: row.name,
    description: row.description,
    parameters: row.parameters,
    returns: {
      setof: row.setof,
      composite: row.composite,
      type: { schema: row.type_schema, name: row.type_name },
    },
    volatility: row.volatility,
    media: row.composite ? null : row.media,
    isolation,
    // PostgreSQL sets a function's own search_path as it calls it; outside of it the request's finds computed columns.
    settings: settings.filter(([name]) => !['default_transaction_isolation', 'search_path'].includes(name)),
  }
}

function computedOf(row: Row): ComputedRelationship {
  return {
    kind: 'computed',
    table: { schema: row.schema, name: row.table_name },
    foreignTable: { schema: row.foreign_schema, name: row.foreign_name },
    function: { schema: row.function_schema, name: row.function_name },
    toOne: row.to_one,
  }
}
