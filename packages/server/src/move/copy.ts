// Copies rows from one database into another with COPY, and compares both ends by counts and hashes.
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { MoveError, type Plan } from './plan.ts'

/** How many rows a table has, and the sum of their hashes, which does not depend on their order. */
export interface Fingerprint {
  rows: number
  hash: string
}

/** So that a value is the same text at both ends. */
const AS_TEXT = `set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
  set bytea_output = 'hex'; set xmloption = 'content'; set search_path = ''; set statement_timeout = 0; set lock_timeout = '10s';
  set idle_in_transaction_session_timeout = 0; set row_security = off`

/** Begins a transaction that sees one moment, with nothing in the way of long statements. */
export async function beginMove(client: pg.Client, mode: 'read only' | 'read write'): Promise<void> {
  await client.query(AS_TEXT)
  await client.query(`begin isolation level repeatable read ${mode}`)
}

/** Counts and hashes the rows of every table of the plan. */
export async function fingerprints(client: pg.Client, plan: Plan): Promise<Map<string, Fingerprint>> {
  const found = new Map<string, Fingerprint>()
  for (const [table, columns] of plan.tables) found.set(table, await fingerprint(client, table, columns))
  return found
}

async function fingerprint(client: pg.Client, table: string, columns: string[]): Promise<Fingerprint> {
  const { rows } = await client.query<Fingerprint>(
    `select count(*)::float8 as rows,
       coalesce(sum(('x' || left(md5(row(${columns.join(', ')})::text), 16))::bit(64)::bigint::numeric), 0)::text as hash
     from only ${table}`,
  )
  return rows[0] as Fingerprint
}

/** Tables whose rows are not the same. */
export function differing(from: Map<string, Fingerprint>, to: Map<string, Fingerprint>): string[] {
  return [...from].flatMap(([table, { rows, hash }]) => {
    const there = to.get(table)
    return there?.hash === hash && there.rows === rows ? [] : [table]
  })
}

/**
 * Empties `tables` at the target and fills them with the source's rows, in the transactions that both clients have begun.
 * No trigger runs: what they would do is in the rows already. Throws MoveError where the target's role may not do so.
 */
export async function copyTables(
  { from, to }: { from: pg.Client; to: pg.Client },
  plan: Plan,
  tables: string[],
  onTable: (table: string) => void,
): Promise<void> {
  await switchTriggersOff(to)
  for (const table of tables) {
    const list = (plan.tables.get(table) ?? []).join(', ')
    await to.query(`delete from only ${table}`)
    await pipeline(
      from.query(copyTo(`copy (select ${list} from only ${table}) to stdout`)),
      to.query(copyFrom(`copy ${table} (${list}) from stdin`)),
    )
    onTable(table)
  }
  for (const sequence of plan.sequences) {
    const state = `select last_value, is_called from ${sequence}`
    const [here, there] = await Promise.all([from.query(state), to.query(state)])
    if (isDeepStrictEqual(here.rows, there.rows)) continue
    await to.query('select setval($1, $2, $3)', [sequence, here.rows[0].last_value, here.rows[0].is_called])
  }
}

/** For the transaction. */
export async function switchTriggersOff(client: pg.Client): Promise<void> {
  try {
    await client.query('set local session_replication_role = replica')
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code !== '42501') throw error
    throw new MoveError([
      `session_replication_role: ${message}; run "grant set on parameter session_replication_role to ${client.escapeIdentifier(client.user ?? 'postgres')}" as a superuser of the target`,
    ])
  }
}
