// Checks what a client asks for against the database before it is listened to: the table is published, the columns
// exist and may be read, the conditions can be applied. Error texts are those of Supabase's realtime.
import pg from 'pg'
import { isPlain, testOf } from './compare.ts'
import { BindingError } from './contract.ts'
import { tryCondition } from './evaluate.ts'
import { describe, type Wanted } from './parse-binding.ts'
import type { ColumnType, Types } from './types.ts'

const MOST_REMEMBERED = 5_000
const REMEMBERED_FOR = 1_000

export interface Validator {
  /** Returns how many conditions PostgreSQL has to decide. Throws BindingError, or a connection failure. */
  check(wanted: Wanted, role: string): Promise<number>
}

/** Published tables that a request names, as one role sees them. */
interface Place {
  /** The role exists and may be taken on. */
  usable: boolean
  tables: { columns: { name: string; type: number; readable: boolean }[] }[]
}

/** Remembers for a moment what it read, since crowds of clients tend to come together and ask for the same tables. */
export function createValidator(pool: pg.Pool, types: Types, publication: string): Validator {
  const places = new Map<string, { place: Promise<Place>; until: number }>()

  function placeOf({ schema, table }: Wanted, role: string): Promise<Place> {
    const key = JSON.stringify([schema, table, role])
    const known = places.get(key)
    if (known && known.until > Date.now()) return known.place
    const place = readPlace(pool, { publication, schema, table, role })
    places.delete(key)
    places.set(key, { place, until: Date.now() + REMEMBERED_FOR })
    if (places.size > MOST_REMEMBERED) places.delete(places.keys().next().value as string)
    place.catch(() => places.delete(key))
    return place
  }

  return {
    async check(wanted, role) {
      const { usable, tables } = await placeOf(wanted, role)
      if (!usable) throw failed(wanted, `role "${role}" does not exist or may not be used`)
      const { conditions, select } = wanted
      const particular = conditions.length > 0 || select !== null
      // Whoever wants everything may come before there is anything.
      if (tables.length === 0 && (wanted.table !== '*' || particular)) throw unpublished(wanted)
      if (!particular) return 0
      let asked = 0
      const known = await types.read(tables.flatMap(({ columns }) => columns.map(({ type }) => type)))
      for (const { columns } of tables) {
        const find = (name: string) => columns.find((column) => column.name === name && column.readable)
        for (const name of select ?? []) {
          if (!find(name)) throw failed(wanted, `invalid column for select ${name}`)
        }
        for (const condition of conditions) {
          const type = known.get(find(condition.column)?.type ?? 0)
          if (!type) throw failed(wanted, `invalid column for filter ${condition.column}`)
          if (isPlain(condition, type)) continue
          await tryOn(pool, wanted, condition, type)
          if (!testOf(condition, type).local) asked++
        }
      }
      return asked
    },
  }
}

async function readPlace(
  pool: pg.Pool,
  { publication, schema, table, role }: { publication: string; schema: string; table: string; role: string },
): Promise<Place> {
  const { rows } = await pool.query<Place>(
    `with reader as (
       select oid from pg_roles where rolname = $4 and pg_has_role('authenticator', oid, 'member')
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
  return rows[0] as Place
}

async function tryOn(
  pool: pg.Pool,
  wanted: Wanted,
  condition: Wanted['conditions'][number],
  type: ColumnType,
) {
  const { operator, value, column } = condition
  if (operator === 'is') {
    if (!['null', 'true', 'false', 'unknown'].includes(value)) {
      throw failed(wanted, 'invalid value for is filter: must be null, true, false, or unknown')
    }
    if (value !== 'null' && type.name !== 'bool') {
      throw failed(wanted, `is ${value} filter requires a boolean column, got ${type.name}`)
    }
  }
  try {
    await tryCondition(pool, condition, type)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !isAboutValue(error)) throw error
    const { message } = error
    throw failed(
      wanted,
      error.code === '42883'
        ? `operator ${operator} is not supported on column ${column} of type ${type.name}: ${message}`
        : message,
    )
  }
}

/**
 * Class 22: the value does not fit. Class 42: no such operator. 23: a domain refuses it. P0001: so does a function.
 * 57014: it takes too long.
 */
function isAboutValue({ code = '' }: pg.DatabaseError): boolean {
  return /^(22|42|23|0A|P0|57014)/.test(code)
}

function unpublished(wanted: Wanted): BindingError {
  return new BindingError(
    `Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: ${describe(wanted)}`,
  )
}

function failed(wanted: Wanted, reason: string): BindingError {
  return new BindingError(
    `Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: ${describe(wanted)}. Exception: ${reason}`,
  )
}
