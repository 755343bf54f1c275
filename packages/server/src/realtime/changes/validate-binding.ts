// Validates a binding against the database: the table is published, the columns exist and may be read, the conditions
// can be applied. Error texts are those of Supabase's Realtime.
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { API_LOGIN } from '../../sql/roles.ts'
import { isCertainlyValid, typedCondition } from './compare.ts'
import { BindingError } from './contract.ts'
import { tryCondition } from './evaluate.ts'
import { type Condition, describe, type ParsedBinding } from './parse-binding.ts'
import type { ColumnType, Types } from './types.ts'

const MAX_CACHED = 5_000
const CACHE_TTL_MS = 1_000

export interface Validator {
  /** Returns how many conditions PostgreSQL has to evaluate. Throws BindingError, or a connection failure. */
  validate(binding: ParsedBinding, role: string): Promise<number>
}

/** Published tables that a binding names, as one role sees them. */
interface PublishedTables {
  /** The role exists and may be used by the API. */
  usable: boolean
  tables: { columns: { name: string; type: number; readable: boolean }[] }[]
}

/** Caches for a moment what it read, since many clients tend to subscribe to the same tables at once. */
export function createValidator(pool: pg.Pool, types: Types, publication: string): Validator {
  const cache = new LRUCache<string, Promise<PublishedTables>>({ max: MAX_CACHED, ttl: CACHE_TTL_MS })

  function publishedTables({ schema, table }: ParsedBinding, role: string): Promise<PublishedTables> {
    const key = JSON.stringify([schema, table, role])
    const cached = cache.get(key)
    if (cached) return cached
    const published = readPublishedTables(pool, { publication, schema, table, role })
    cache.set(key, published)
    published.catch(() => cache.delete(key))
    return published
  }

  return {
    async validate(binding, role) {
      const { usable, tables } = await publishedTables(binding, role)
      if (!usable) throw failed(binding, `role "${role}" does not exist or may not be used`)
      const { conditions, select } = binding
      const namesColumns = conditions.length > 0 || select !== null
      // A wildcard may be subscribed before there is any table.
      if (tables.length === 0 && (binding.table !== '*' || namesColumns)) throw unpublished(binding)
      if (!namesColumns) return 0
      let remote = 0
      const columnTypes = await types.read(tables.flatMap(({ columns }) => columns.map(({ type }) => type)))
      for (const { columns } of tables) {
        const find = (name: string) => columns.find((column) => column.name === name && column.readable)
        for (const name of select ?? []) {
          if (!find(name)) throw failed(binding, `invalid column for select ${name}`)
        }
        for (const condition of conditions) {
          const type = columnTypes.get(find(condition.column)?.type ?? 0)
          if (!type) throw failed(binding, `invalid column for filter ${condition.column}`)
          if (isCertainlyValid(condition, type)) continue
          await tryOn(pool, binding, condition, type)
          if (!typedCondition(condition, type).local) remote++
        }
      }
      return remote
    },
  }
}

async function readPublishedTables(
  pool: pg.Pool,
  { publication, schema, table, role }: { publication: string; schema: string; table: string; role: string },
): Promise<PublishedTables> {
  const { rows } = await pool.query<PublishedTables>(
    `with reader as (
       select oid from pg_roles where rolname = $4 and pg_has_role(${API_LOGIN}, oid, 'member')
     )
     select exists (select from reader) as usable, coalesce((
       select json_agg(json_build_object('columns', array(
         select json_build_object(
           'name', a.attname, 'type', a.atttypid::int8,
           'readable', has_column_privilege(reader.oid, a.attrelid, a.attnum, 'select')
         )
         from pg_attribute a
         where a.attrelid = format('%I.%I', p.schemaname, p.tablename)::regclass
           and a.attnum > 0 and not a.attisdropped
       )))
       from reader, pg_publication_tables p
       where p.pubname = $1 and ($2::text = '*' or p.schemaname = $2::text)
         and ($3::text = '*' or p.tablename = $3::text)
     ), '[]') as tables`,
    [publication, schema, table, role],
  )
  return rows[0] as PublishedTables
}

async function tryOn(pool: pg.Pool, binding: ParsedBinding, condition: Condition, type: ColumnType) {
  const { operator, value, column } = condition
  if (operator === 'is') {
    if (!['null', 'true', 'false', 'unknown'].includes(value)) {
      throw failed(binding, 'invalid value for is filter: must be null, true, false, or unknown')
    }
    if (value !== 'null' && type.name !== 'bool') {
      throw failed(binding, `is ${value} filter requires a boolean column, got ${type.name}`)
    }
  }
  try {
    await tryCondition(pool, condition, type)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !isAboutValue(error)) throw error
    const { message } = error
    throw failed(
      binding,
      error.code === '42883'
        ? `operator ${operator} is not supported on column ${column} of type ${type.name}: ${message}`
        : message,
    )
  }
}

/**
 * Class 22: the value does not fit. Class 42: no such operator. 23: a domain's check fails. P0001: a function raises.
 * 57014: it takes too long.
 */
function isAboutValue({ code = '' }: pg.DatabaseError): boolean {
  return /^(22|42|23|0A|P0|57014)/.test(code)
}

function unpublished(binding: ParsedBinding): BindingError {
  return new BindingError(
    `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${describe(binding)}`,
  )
}

function failed(binding: ParsedBinding, reason: string): BindingError {
  return new BindingError(
    `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: ${describe(binding)}. Exception: ${reason}`,
  )
}
