// Brings a database to the state the services expect: platform schema, migrations, and the seed of a new one.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import pg from 'pg'
import { migrate, runAsMigrationRole } from './migrations.ts'
import { sqlFileError } from './sql-error.ts'

export interface Preparation {
  /** Idempotent SQL files of the platform, absolute paths, applied in order in one transaction at each start. */
  platform: string[]
  /** What the platform installs by its own means after that (the job queue's schema). */
  install?: (url: string) => Promise<void>
  /** Folder of a project (the one that holds config.toml and migrations/). */
  project: string
  /** Whether its migrations are applied. */
  migrations: boolean
  /** Secrets that the vault holds under these names before the migrations run. */
  vault?: Record<string, string>
  /** Seed files or patterns with `*`, relative to `project`; run once, on a database that was new. */
  seed: string[]
}

/** Arbitrary, but the same in every replica: only one of them prepares the database at a time. */
const PREPARATION_LOCK = 7_270_341_900

/**
 * Prepares the database at `url` and returns what was done: file names of applied migrations and seeds.
 * Throws SqlFileError for a file that fails. Safe to run from several servers at once and after a kill at any point.
 */
export async function prepareDatabase(url: string, preparation: Preparation) {
  const client = new pg.Client({ connectionString: url, application_name: 'meadowlark-prepare' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [PREPARATION_LOCK])
    const seeds = findSeeds(preparation)
    const quiet = await quietly(client)
    await applyPlatform(client, preparation.platform, { seeds, quiet })
    await preparation.install?.(quiet ? withSetting(url, quiet) : url)
    await fillVault(client, preparation.vault ?? {})
    const folder = join(preparation.project, 'migrations')
    const { applied, skipped } = preparation.migrations
      ? await migrate(client, folder)
      : { applied: [], skipped: [] }
    const seeded = await seed(client, preparation.project, seeds)
    return { migrations: applied, skipped, seeded }
  } finally {
    await client.end()
  }
}

/**
 * The setting by which the project's event triggers leave alone what the platform does: their functions would run with
 * its rights. Null where PostgreSQL (before 17) or the account has no such setting.
 */
async function quietly(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query(
    `select current_setting('is_superuser') = 'on' and current_setting('event_triggers', true) is not null as can`,
  )
  return rows[0].can ? 'event_triggers=off' : null
}

function withSetting(url: string, setting: string): string {
  const changed = new URL(url)
  const given = changed.searchParams.get('options')
  changed.searchParams.set('options', `${given ? `${given} ` : ''}-c ${setting}`)
  return changed.href
}

async function applyPlatform(
  client: pg.Client,
  files: string[],
  { seeds, quiet }: { seeds: string[]; quiet: string | null },
): Promise<void> {
  const { rows } = await client.query(
    `select to_regclass('supabase_migrations.schema_migrations') is null as fresh`,
  )
  await client.query('begin')
  try {
    await client.query(`set local client_min_messages = warning`)
    if (quiet) await client.query(`set local ${quiet}`)
    await client.query(`select set_config('platform.password', $1, true)`, [client.password ?? ''])
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
        [seeds],
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** `[db.vault]` of config.toml, as the CLI puts it into the vault at each start. */
async function fillVault(client: pg.Client, secrets: Record<string, string>): Promise<void> {
  if (Object.keys(secrets).length === 0) return
  const { rows } = await client.query(`select to_regclass('vault.secrets') is not null as there`)
  if (!rows[0].there) return
  for (const [name, value] of Object.entries(secrets)) {
    const known = await client.query('select id from vault.secrets where name = $1', [name])
    if (known.rows[0]) await client.query('select vault.update_secret($1, $2)', [known.rows[0].id, value])
    else await client.query('select vault.create_secret($1, $2)', [value, name])
  }
}

async function seed(client: pg.Client, project: string, seeds: string[]): Promise<string[]> {
  const { rows } = await client.query<{ path: string }>(
    `select path from supabase_migrations.seed_files where hash = 'pending'`,
  )
  const pending = seeds.filter((path) => rows.some((row) => row.path === path))
  for (const path of pending) {
    const sql = readFileSync(join(project, path), 'utf8')
    const hash = createHash('sha256').update(sql).digest('hex')
    await runAsMigrationRole(client, path, sql, async () => {
      await client.query('update supabase_migrations.seed_files set hash = $2 where path = $1', [path, hash])
      await client.query(
        'insert into supabase_migrations.seed_people select id from auth.users on conflict do nothing',
      )
    })
  }
  return pending
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
