// Extensions of Supabase that PostgreSQL of somebody else does not have, laid as ordinary tables and functions: the same
// scripts that the embedded PostgreSQL is given as extensions.
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

/** In this order, each with a table that shows whether it is installed. */
const LAID = [
  ['supabase_vault', 'vault.secrets'],
  ['pgmq', 'pgmq.meta'],
  ['pg_net', 'net.http_request_queue'],
  ['pg_cron', 'cron.job'],
] as const

/**
 * Lays those of `folders` that migrations and functions of Supabase projects rely on most, where PostgreSQL could not create
 * them and nobody has laid them. Runs in the transaction of `client`.
 */
export async function layStandIns(client: pg.Client, folders: readonly string[]): Promise<void> {
  // As for scripts of extensions, whose functions name others that come later.
  await client.query('set local check_function_bodies = off')
  for (const [name, table] of LAID) {
    const folder = folders.find((one) => existsSync(join(one, `${name}.control`)))
    if (!folder) continue
    const { rows } = await client.query(
      `select to_regclass($2) is null and not exists (select from pg_available_extensions where name = $1) as lacks`,
      [name, table],
    )
    if (!rows[0].lacks) continue
    await client.query(`create schema if not exists ${table.split('.')[0]}`)
    await client.query(await scriptOf(folder, name))
  }
}

/** Without what only the script of an extension may hold. */
async function scriptOf(folder: string, name: string): Promise<string> {
  const file = (await readdir(folder)).find((one) => one.startsWith(`${name}--`))
  if (!file) throw new Error(`${folder} has no script of ${name}`)
  return readFileSync(join(folder, file), 'utf8')
    .replaceAll(/^select pg_catalog\.pg_extension_config_dump\(.*\);$/gm, '')
    .replaceAll('@extschema:pgcrypto@', 'extensions')
}
