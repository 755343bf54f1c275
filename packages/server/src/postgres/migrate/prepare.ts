// Brings a database to the state the services expect: platform schema, migrations, and the seed of a new one.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, posix, relative } from 'node:path'
import type pg from 'pg'
import { connectClient } from '../../sql/client.ts'
import { LOCK_TIMEOUT, lockError, withLocks } from './locks.ts'
import { findPending, migrate, runAsMigrationRole } from './migrations.ts'
import { sqlFileError } from './sql-error.ts'
import { layStandIns } from './stand-ins.ts'
import { ANY_VAULT_KEY, chooseVaultKey, provideVaultKey, readVaultKey, type VaultKey } from './vault-key.ts'

export interface Preparation {
  /** Idempotent SQL files of the platform, absolute paths, applied in order in one transaction where they are new. */
  platform: string[]
  /** An own installation step after the platform (the job queue's schema), run for a new version. */
  install?: { version: string; run: (url: string, settings: Record<string, string>) => Promise<void> }
  /** Folders of extensions, laid by other means in a PostgreSQL that does not have them; after `install`. */
  standIns?: readonly string[]
  /** Folder of a project (the one that holds config.toml and migrations/). */
  project: string
  /** Whether its migrations are applied. */
  migrations: boolean
  /** Secrets that the vault holds under these names before the migrations run. */
  vault?: Record<string, string>
  vaultKey?: VaultKey
  /** Seed files or patterns with `*`, relative to `project`; run once, on a database that was new. */
  seed: string[]
  /** Called with every WARNING that a migration raises, by itself or by an extension that it creates. */
  onWarning?: (message: string) => void
}

/** Arbitrary, but the same in every replica: only one of them prepares the database at a time. */
const PREPARATION_LOCK = 7_270_341_900

export type Prepared = {
  /** File names of the migrations and seeds that were applied, and of the migrations that were passed over. */
  migrations: string[]
  seeded: string[]
  skipped: string[]
  /** Names of the migrations that a newer version has applied: this one serves on what they made. */
  newer: string[]
  /** Version of the last migration that the project's baseline replaced at this start, if one was. */
  replaced?: string
}

/**
 * Prepares the database at `url` and returns what was done. Where nothing is to be done, nothing is written and no
 * lock taken. Throws SqlFileError for a file that fails, StartError if other sessions block it. Safe to run from
 * several servers at once and after a kill at any point.
 */
export async function prepareDatabase(url: string, preparation: Preparation): Promise<Prepared> {
  const client = await connectClient({ connectionString: url, application_name: 'meadowlark-prepare' })
  try {
    const version = await versionFor(client, preparation)
    const found = await whereNothingIsDue(client, preparation, version)
    if (found) return { migrations: [], seeded: [], ...found }
    // Another server may be at it for as long as its migrations take.
    await client.query('set lock_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [PREPARATION_LOCK])
    return await change(client, url, preparation, version)
  } catch (error) {
    throw await lockError(client, error)
  } finally {
    await client.end()
  }
}

/**
 * The version of the platform in this database: `<the database>.<the platform>`, as hashes. A copy of a database
 * counts as another one, because its cluster may lack shared objects such as roles.
 */
export async function versionFor(
  client: Pick<pg.Client, 'query'>,
  { platform, install }: Pick<Preparation, 'platform' | 'install'>,
): Promise<string> {
  const { rows } = await client.query<{ place: string }>(
    `select concat_ws(' ', session_user, current_setting('is_superuser'), current_setting('server_version_num'), oid) as place
     from pg_database where datname = current_database()`,
  )
  const cluster = await client.query('select system_identifier from pg_control_system()').catch((error) => {
    // 42501: some providers keep it to themselves.
    if (error.code === '42501') return { rows: [] }
    throw error
  })
  const place = createHash('sha256').update(JSON.stringify([rows, cluster.rows]))
  const hash = createHash('sha256').update(install?.version ?? '')
  for (const file of platform) hash.update(readFileSync(file))
  return `${place.digest('hex')}.${hash.digest('hex')}`
}

/**
 * Whether this version's platform is to be laid: where there is none or another one. Over one that came with newer
 * migrations it is not, since it would take back what those, and other servers, rely on.
 */
async function isPlatformDue(
  client: pg.Client,
  { project, migrations }: Preparation,
  version: string,
): Promise<boolean> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    `select to_regclass('supabase_migrations.platform_version') is not null as there`,
  )
  if (!tables[0]?.there) return true
  const { rows } = await client.query<{ version: string }>(
    'select version from supabase_migrations.platform_version where split_part(version, $2, 1) = split_part($1, $2, 1)',
    [version, '.'],
  )
  if (rows.length === 0) return true
  if (rows[0]?.version === version) return false
  return !migrations || (await findPending(client, join(project, 'migrations'))).newer.length === 0
}

/** The report about migrations if nothing else is to be done; otherwise null. */
async function whereNothingIsDue(
  client: pg.Client,
  preparation: Preparation,
  version: string,
): Promise<Pick<Prepared, 'skipped' | 'newer'> | null> {
  const { project, migrations, vault = {}, vaultKey = ANY_VAULT_KEY } = preparation
  if (await isPlatformDue(client, preparation, version)) return null
  if ((await readVaultKey(client)) === null) return null
  await chooseVaultKey(client, vaultKey, Object.keys(vault))
  if ((await newSecrets(client, vault)).length > 0) return null
  const seeds = await client.query(
    `select from supabase_migrations.seed_files where hash = 'pending' and path = any ($1::text[])`,
    [findSeeds(preparation).map(recordedName)],
  )
  if (seeds.rowCount !== 0) return null
  if (!migrations) return { skipped: [], newer: [] }
  const { pending, skipped, newer } = await findPending(client, join(project, 'migrations'))
  return pending.length === 0 ? { skipped, newer } : null
}

async function change(
  client: pg.Client,
  url: string,
  preparation: Preparation,
  version: string,
): Promise<Prepared> {
  const seeds = findSeeds(preparation)
  const { vault = {}, vaultKey = ANY_VAULT_KEY } = preparation
  const key = await chooseVaultKey(client, vaultKey, Object.keys(vault))
  if (await isPlatformDue(client, preparation, version)) {
    const settings = { lock_timeout: LOCK_TIMEOUT, ...(await quietly(client)) }
    await withLocks(() => applyPlatform(client, preparation.platform, { seeds, settings, vaultKey: key }))
    await preparation.install?.run(url, settings)
    await inTransaction(client, () => layStandIns(client, preparation.standIns ?? []))
    await client.query('delete from supabase_migrations.platform_version')
    await client.query('insert into supabase_migrations.platform_version values ($1)', [version])
  } else await inTransaction(client, () => provideVaultKey(client, key))
  await fillVault(client, vault)
  client.on('notice', ({ severity, message = '' }) => {
    if (severity === 'WARNING') preparation.onWarning?.(message)
  })
  const { applied, ...rest } = preparation.migrations
    ? await migrate(client, join(preparation.project, 'migrations'))
    : { applied: [], skipped: [], newer: [] }
  // Where a migration made the vault.
  await fillVault(client, vault)
  const seeded = await seed(client, preparation.project, seeds)
  return { migrations: applied, seeded, ...rest }
}

/**
 * The setting by which the project's event triggers leave alone what the platform does: their functions would run with
 * its rights. None where PostgreSQL (before 17) or the account has no such setting.
 */
async function quietly(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query(
    `select current_setting('is_superuser') = 'on' and current_setting('event_triggers', true) is not null as can`,
  )
  return rows[0].can ? { event_triggers: 'off' } : {}
}

async function applyPlatform(
  client: pg.Client,
  files: string[],
  { seeds, settings, vaultKey }: { seeds: string[]; settings: Record<string, string>; vaultKey: string },
): Promise<void> {
  const { rows } = await client.query(
    `select to_regclass('supabase_migrations.schema_migrations') is null as fresh`,
  )
  await inTransaction(client, async () => {
    const local = { client_min_messages: 'warning', ...settings, 'platform.password': client.password ?? '' }
    for (const setting of Object.entries(local)) {
      await client.query('select set_config($1, $2, true)', setting)
    }
    for (const file of files) {
      const sql = await readFile(file, 'utf8')
      await client.query(sql).catch((error) => {
        throw sqlFileError(basename(file), sql, error)
      })
    }
    if (rows[0].fresh) {
      // Noted now and run after the migrations, so a start that is cut off in between still seeds at the next.
      await client.query(
        `insert into supabase_migrations.seed_files (path, hash) select path, 'pending' from unnest($1::text[]) as path`,
        [seeds.map(recordedName)],
      )
    }
    await provideVaultKey(client, vaultKey)
  })
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** Puts secrets into the vault, where there is one: `[db.vault]` and the server's own at each start, as the CLI does. */
export async function fillVault(client: pg.Client, secrets: Record<string, string>): Promise<void> {
  for (const { id, name, value } of await newSecrets(client, secrets)) {
    if (id) await client.query('select vault.update_secret($1, $2)', [id, value])
    else await client.query('select vault.create_secret($1, $2)', [value, name])
  }
}

/** Those that the vault, if there is one, does not hold or holds otherwise. */
async function newSecrets(
  client: pg.Client,
  secrets: Record<string, string>,
): Promise<{ id?: string; name: string; value: string }[]> {
  const vault = await client.query(`select to_regclass('vault.secrets') is not null as there`)
  if (!vault.rows[0].there) return []
  const { rows } = await client.query<{ id: string; name: string }>(
    'select id, name from vault.secrets where name = any ($1)',
    [Object.keys(secrets)],
  )
  const found = []
  for (const [name, value] of Object.entries(secrets)) {
    const known = rows.find((row) => row.name === name)
    if (!known || !(await holds(client, known.id, value))) found.push({ ...known, name, value })
  }
  return found
}

/** Whether the secret can be decrypted. One from a dump without its key cannot. */
async function holds(client: pg.Client, id: string, value: string): Promise<boolean> {
  try {
    const { rows } = await client.query(
      'select decrypted_secret = $2 as same from vault.decrypted_secrets where id = $1',
      [id, value],
    )
    return rows[0]?.same === true
  } catch (error) {
    // Class 39: pgcrypto found another key.
    if (/^(39|22)/.test((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

async function seed(client: pg.Client, project: string, seeds: string[]): Promise<string[]> {
  const { rows } = await client.query<{ path: string }>(
    `select path from supabase_migrations.seed_files where hash = 'pending'`,
  )
  const pending = seeds.filter((path) => rows.some((row) => row.path === recordedName(path)))
  for (const path of pending) {
    const sql = readFileSync(join(project, path), 'utf8')
    const hash = createHash('sha256').update(sql).digest('hex')
    await runAsMigrationRole(client, path, sql, async () => {
      await client.query('update supabase_migrations.seed_files set hash = $2 where path = $1', [
        recordedName(path),
        hash,
      ])
      await client.query(
        'insert into supabase_migrations.seed_people select id from auth.users on conflict do nothing',
      )
    })
  }
  return pending
}

/** As the CLI names a seed that it has run: from the folder that holds `supabase/`. */
function recordedName(seed: string): string {
  return posix.join('supabase', seed)
}

/** Existing files of the seed patterns, in the order given, relative to the project. */
function findSeeds({ project, seed }: Preparation): string[] {
  return [
    ...new Set(
      seed.flatMap((pattern) =>
        expand(
          project,
          pattern.split('/').filter((part) => part !== '.'),
        ),
      ),
    ),
  ]
}

function expand(root: string, parts: string[], at = root): string[] {
  const [part, ...rest] = parts
  // A project without a seed file has none; the default names one all the same.
  if (part === undefined) return existsSync(at) ? [relative(root, at)] : []
  const matches = new RegExp(`^${part.split('*').map(escapePattern).join('.*')}$`)
  try {
    const names = part.includes('*')
      ? readdirSync(at)
          .filter((name) => matches.test(name))
          .sort()
      : [part]
    return names.flatMap((name) => expand(root, rest, join(at, name)))
  } catch {
    return []
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
}
