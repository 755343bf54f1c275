// The key that the vault's secrets are encrypted with. The server has it (VAULT_KEY, or a file of DATA_DIR) and gives it to the
// database, where platform.sql keeps it out of every dump.
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { StartError } from '../cluster/start-error.ts'

export interface VaultKey {
  /** The key that the operator or an earlier start has set; null for none. */
  value: string | null
  /** Where it is set, as messages name it: `VAULT_KEY`, or the path of the file. */
  setting: string
  /** Called with the key that the database has, or that was made, where none is set. */
  keep(key: string): void
}

/** For databases that no server has yet: the key is made, or stays what it is. */
export const ANY_VAULT_KEY: VaultKey = { value: null, setting: 'VAULT_KEY', keep: () => {} }

type Secret = { id: string; name: string | null }

/**
 * SQLSTATEs of a database without its key: an earlier version's file is missing (58P01) or may not be read (42501), the view has
 * no row (55000). A restored dump is such a database.
 */
const NO_KEY = ['58P01', '42501', '55000']
/** SQLSTATE classes of a secret that another key encrypted. */
const OTHER_KEY = /^(39|22)/

/** The key that the database has now; null where it has none, or another kind of vault. */
export async function readVaultKey(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regprocedure('vault._key()') is not null as there`,
  )
  if (!rows[0]?.there) return null
  try {
    return (await client.query<{ key: string }>('select vault._key() as key')).rows[0]?.key ?? null
  } catch (error) {
    if (NO_KEY.includes((error as { code?: string }).code ?? '')) return null
    throw error
  }
}

/**
 * The key for this database; writes nothing to it. `rewritten` names the secrets that a start writes anew in any case. Throws
 * StartError where `key` is another one than the database's, or where the other secrets cannot be read with it.
 */
export async function chooseVaultKey(
  client: pg.ClientBase,
  { value, setting, keep }: VaultKey,
  rewritten: readonly string[],
): Promise<string> {
  const known = await readVaultKey(client)
  if (known === null || (value !== null && value !== known)) {
    const { secrets, unreadable } = await tryKey(client, value, rewritten)
    if (unreadable.length > 0 && known === null) throw unreadableSecrets(value && setting, unreadable)
    // A restored dump of an earlier version may find the key file of another database of its cluster: what it holds decides.
    if (known !== null && (secrets.length === 0 || unreadable.length > 0)) throw otherKey(setting)
  }
  const chosen = value ?? known ?? randomBytes(32).toString('hex')
  if (value === null) keep(chosen)
  return chosen
}

/** Gives the key to the database, in the transaction of `client`, which has laid the platform. */
export async function provideVaultKey(client: pg.ClientBase, key: string): Promise<void> {
  if ((await readVaultRow(client)) === key) return
  await client.query(`select set_config('vault.new_key', $1, true)`, [key])
  await client.query('refresh materialized view vault.root_key')
  await client.query(`select set_config('vault.new_key', '', true)`)
  // Earlier versions had it here where the account is not a superuser; a dump would hold it.
  await client.query('drop table if exists vault.key')
}

async function readVaultRow(client: pg.ClientBase): Promise<string | null> {
  // A dump that was restored without its data leaves the view unfilled, and reading that fails.
  const { rows } = await client.query<{ filled: boolean }>(
    `select relispopulated as filled from pg_class where oid = 'vault.root_key'::regclass`,
  )
  if (!rows[0]?.filled) return null
  return (await client.query<{ key: string | null }>('select key from vault.root_key')).rows[0]?.key ?? null
}

/** The secrets that are not in `rewritten`, and those of them that `key` does not decrypt. */
async function tryKey(
  client: pg.ClientBase,
  key: string | null,
  rewritten: readonly string[],
): Promise<{ secrets: Secret[]; unreadable: Secret[] }> {
  const { rows: is } = await client.query<{ ours: boolean }>(
    `select to_regclass('vault.secrets') is not null and to_regprocedure('vault._encrypt(text)') is not null as ours`,
  )
  if (!is[0]?.ours) return { secrets: [], unreadable: [] }
  const { rows: secrets } = await client.query<Secret>(
    'select id, name from vault.secrets where name is null or name <> all ($1) order by name, id',
    [rewritten],
  )
  const unreadable: Secret[] = []
  for (const secret of secrets)
    if (key === null || !(await decrypts(client, secret.id, key))) unreadable.push(secret)
  return { secrets, unreadable }
}

async function decrypts(client: pg.ClientBase, id: string, key: string): Promise<boolean> {
  try {
    await client.query(
      `select extensions.pgp_sym_decrypt(decode(secret, 'base64'), $2) from vault.secrets where id = $1`,
      [id, key],
    )
    return true
  } catch (error) {
    if (OTHER_KEY.test((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

function otherKey(setting: string): StartError {
  const toDo =
    setting === 'VAULT_KEY'
      ? 'set the VAULT_KEY of the servers that use this database, or remove it to take over the key that the database has'
      : 'move that file elsewhere, and the next start writes the key that the database has'
  return new StartError(
    `VAULT_KEY: ${setting} is another key than the one that the vault of this database is encrypted with; ${toDo}`,
  )
}

function unreadableSecrets(setting: string | null, secrets: Secret[]): StartError {
  const names = secrets.map(({ name, id }) => name ?? id).join(', ')
  const lost = secrets.map(({ id }) => `'${id}'`).join(', ')
  const what = setting
    ? `${setting} does not decrypt what the vault of this database holds (${names})`
    : `is not set and DATA_DIR has no vault.key, but the vault of this database holds secrets (${names})`
  return new StartError(
    `VAULT_KEY: ${what}; set it to the key of the server that wrote them, which is in that server's VAULT_KEY or in the file ` +
      `vault.key of its DATA_DIR. Where that key is lost, delete them: "delete from vault.secrets where id in (${lost})"`,
  )
}
