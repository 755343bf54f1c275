// Checks what a client asks for against the database before it is listened to: the table is published, the columns
// exist and may be read, the conditions can be applied. Error texts are those of Supabase's realtime.
import pg from 'pg'
import { BindingError } from '../changes-contract.ts'
import { tryCondition } from './remote.ts'
import { describe, type Wanted } from './request.ts'
import type { ColumnType, Types } from './types.ts'

const MOST_REMEMBERED = 5_000
const REMEMBERED_FOR = 1_000

export interface Validator {
  /** Throws BindingError, or a connection failure. */
  check(wanted: Wanted, role: string): Promise<void>
}

/** Remembers for a while what was found right, since a crowd of clients tends to ask for the same. */
export function createValidator(pool: pg.Pool, types: Types, publication: string): Validator {
  const right = new Map<string, number>()
  const underWay = new Map<string, Promise<void>>()

  async function checkNow(key: string, wanted: Wanted, role: string): Promise<void> {
    try {
      await validate(pool, types, publication, wanted, role)
      right.delete(key)
      right.set(key, Date.now() + REMEMBERED_FOR)
      if (right.size > MOST_REMEMBERED) right.delete(right.keys().next().value as string)
    } finally {
      underWay.delete(key)
    }
  }

  return {
    check(wanted, role) {
      const key = `${role} ${wanted.key}`
      if ((right.get(key) ?? 0) > Date.now()) return Promise.resolve()
      const checking = underWay.get(key) ?? checkNow(key, wanted, role)
      underWay.set(key, checking)
      return checking
    },
  }
}

type Column = { table: string; name: string; type: number; readable: boolean }

async function validate(pool: pg.Pool, types: Types, publication: string, wanted: Wanted, role: string) {
  const { rows: roles } = await pool.query(
    `select from pg_roles where rolname = $1 and pg_has_role('authenticator', oid, 'member')`,
    [role],
  )
  if (roles.length === 0) throw failed(wanted, `role "${role}" does not exist or may not be used`)
  const { rows: tables } = await pool.query<{ table: string }>(
    `select format('%I.%I', schemaname, tablename) as table from pg_publication_tables
     where pubname = $1 and ($2::text = '*' or schemaname = $2::text) and ($3::text = '*' or tablename = $3::text)`,
    [publication, wanted.schema, wanted.table],
  )
  const names = [...new Set([...wanted.conditions.map(({ column }) => column), ...(wanted.select ?? [])])]
  // Whoever wants everything may come before there is anything.
  if (tables.length === 0 && (wanted.table !== '*' || names.length > 0)) throw unpublished(wanted)
  if (names.length === 0) return
  const columns = await readColumns(
    pool,
    tables.map(({ table }) => table),
    names,
    role,
  )
  for (const { table } of tables) {
    const of = (name: string) =>
      columns.find((one) => one.table === table && one.name === name && one.readable)
    for (const condition of wanted.conditions) {
      if (!of(condition.column)) throw failed(wanted, `invalid column for filter ${condition.column}`)
    }
    for (const name of wanted.select ?? []) {
      if (!of(name)) throw failed(wanted, `invalid column for select ${name}`)
    }
  }
  const known = await types.read(columns.map(({ type }) => type))
  for (const { name, type } of columns) {
    for (const condition of wanted.conditions) {
      if (condition.column === name) await tryOn(pool, wanted, condition, known.get(type) as ColumnType)
    }
  }
}

async function readColumns(pool: pg.Pool, tables: string[], names: string[], role: string) {
  const { rows } = await pool.query<Column>(
    `select t.name as table, a.attname as name, a.atttypid as type,
       has_column_privilege($3, a.attrelid, a.attnum, 'select') as readable
     from unnest($1::text[]) as t (name)
     join pg_attribute a on a.attrelid = t.name::regclass and a.attname = any($2) and a.attnum > 0
       and not a.attisdropped`,
    [tables, names, role],
  )
  return rows
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

/** Class 22: the value does not fit. Class 42: no such operator. 23: a domain refuses it. P0001: so does a function. */
function isAboutValue({ code = '' }: pg.DatabaseError): boolean {
  return /^(22|42|23|0A|P0)/.test(code)
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
