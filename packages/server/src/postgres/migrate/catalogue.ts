// The catalogue of a project's schemas: every table, column, function, trigger, policy and grant with its definition. Two
// databases with the same catalogue behave alike.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { packageFile } from '../../package-root.ts'

export interface CatalogueEntry {
  /** "function", "trigger", "grant on column" and so on. */
  kind: string
  name: string
  definition: string
}

const QUERY = readFileSync(packageFile('src/postgres/migrate/catalogue.sql'), 'utf8')

/** Every object of these schemas, ordered by kind and name, names with their schema. */
export async function readCatalogue(
  client: pg.ClientBase,
  schemas: readonly string[],
): Promise<CatalogueEntry[]> {
  // Names are printed without their schema where the search path leads to it.
  await client.query(`set search_path = ''`)
  try {
    return (await client.query<CatalogueEntry>(QUERY, [schemas])).rows
  } finally {
    await client.query('reset search_path')
  }
}

/** Tables of the platform that a project's migrations fill, with the columns that they fill. */
const FILLED = { 'storage.buckets': '*', 'cron.job': 'jobname, schedule, command' }

/**
 * Every table of these schemas that has rows, and those of the platform that migrations fill: kind "rows", the definition
 * holds the rows as JSON without their times.
 */
export async function readRows(client: pg.ClientBase, schemas: readonly string[]): Promise<CatalogueEntry[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relkind = 'r' and c.relnamespace = any ($1::text[]::regnamespace[])`,
    [schemas],
  )
  const read = [...tables.map(({ name }) => [name, '*'] as const), ...Object.entries(FILLED)]
  const entries: CatalogueEntry[] = []
  for (const [name, columns] of read) {
    const { rows } = await client.query(`select ${columns} from ${name}`)
    const lines = rows.map((row) => JSON.stringify(withoutTimes(row))).sort()
    if (lines.length > 0) entries.push({ kind: 'rows', name, definition: lines.join('\n') })
  }
  return entries
}

/** Times differ from one database to the next. */
function withoutTimes(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !column.endsWith('_at')))
}

/** SHA-256 of all entries of each kind, by kind. */
export function hashesByKind(entries: readonly CatalogueEntry[]): Record<string, string> {
  const lines: Record<string, string[]> = {}
  for (const { kind, name, definition } of entries) {
    lines[kind] ??= []
    lines[kind].push(JSON.stringify([name, definition]))
  }
  return Object.fromEntries(
    Object.entries(lines).map(([kind, ofKind]) => [
      kind,
      createHash('sha256').update(ofKind.sort().join('\n')).digest('hex'),
    ]),
  )
}
