// Checks a restored database: reads every page of every table (checksums are on), finds a file for each stored
// object, and runs the project's own checks.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { digestOf } from './object-files.ts'

export interface Findings {
  /** Rows by table, `schema.name`. */
  rows: Record<string, number>
  /** Stored objects without their file, or with one of another size or other bytes. */
  missing: string[]
  /** Results of the project's own checks; 0 means that all is well. */
  checks: Record<string, number>
}

/**
 * Looks; `storage` is the folder of stored objects, null where S3 keeps them, `digests` the SHA-256 of the bytes that
 * versions had.
 */
export async function inspect(
  client: pg.Client,
  storage: string | null,
  statements: Record<string, string>,
  digests?: ReadonlyMap<string, string | null>,
): Promise<Findings> {
  const rows = await countRows(client)
  const checks = await runChecks(client, statements)
  const missing = storage && 'storage.objects' in rows ? await missingFiles(client, storage, digests) : []
  return { rows, missing, checks }
}

/** Rows by table. Every page of each is read for it, and every page of its long values (TOAST). */
export async function countRows(client: pg.Client): Promise<Findings['rows']> {
  const { rows: tables } = await client.query<{ schema: string; name: string; counts: boolean }>(
    `select n.nspname as schema, c.relname as name, c.relkind <> 't' as counts
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm', 't') and n.nspname not in ('pg_catalog', 'information_schema')
     order by 1, 2`,
  )
  const rows: Findings['rows'] = {}
  // An index has the number of rows, too, and would be all that is read.
  await client.query('set enable_indexonlyscan = off')
  for (const { schema, name, counts } of tables) {
    const table = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`
    const counted = await client.query(`select count(*)::float8 as count from only ${table}`)
    if (counts) rows[`${schema}.${name}`] = counted.rows[0].count
  }
  await client.query('reset enable_indexonlyscan')
  return rows
}

/** The result of each of the project's statements, by name. */
export async function runChecks(
  client: pg.Client,
  statements: Record<string, string>,
): Promise<Findings['checks']> {
  const checks: Findings['checks'] = {}
  for (const [name, statement] of Object.entries(statements)) {
    const checked = await client.query({ text: statement, rowMode: 'array' })
    checks[name] = Number(checked.rows[0]?.[0] ?? Number.NaN)
  }
  return checks
}

/** Stored objects whose file in `storage` is not there, has another size, or other bytes than `digests` tells. */
export async function missingFiles(
  client: pg.Client,
  storage: string,
  digests: ReadonlyMap<string, string | null> = new Map(),
): Promise<string[]> {
  const { rows } = await client.query(
    `select bucket_id || '/' || name as object, version, (metadata ->> 'size')::float8 as size from storage.objects
     where version is not null order by 1`,
  )
  const missing: string[] = []
  for (const { object, version, size } of rows) {
    const found = await stat(join(storage, 'objects', version.slice(0, 2), version)).catch(() => null)
    const isOther = async () => {
      const digest = digests.get(version)
      return digest !== undefined && digest !== (await digestOf(storage, version))
    }
    if (!found || (size !== null && found.size !== size) || (await isOther())) missing.push(object)
  }
  return missing
}
