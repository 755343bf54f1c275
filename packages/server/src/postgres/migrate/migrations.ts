// Applies supabase/migrations in order, each file once and in its own transaction, and records them in
// supabase_migrations.schema_migrations in the shape of the Supabase CLI.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { type Baseline, checkReplacedChain, isBeforeBaseline, readBaseline } from './baseline.ts'
import { LOCK_TIMEOUT, withLocks } from './locks.ts'
import { runProjectSql } from './project-sql.ts'
import { SqlFileError, sqlFileError } from './sql-error.ts'

interface Migration {
  version: string
  name: string
  file: string
  sql: string
}

type Applied = {
  version: string
  name: string | null
  /** SHA-256 of the text that was run; null if it was not recorded. */
  hash: string | null
}

/** How a folder of migrations and a database's history differ. */
export interface Difference {
  /** Still to be applied. */
  pending: Migration[]
  /** Names of files that the CLI would skip. */
  skipped: string[]
  /** Migrations of a newer version of the project, as `<version>_<name>`; this version has no such files. */
  newer: string[]
  /** The project's baseline, if the chain that it replaces made this database. Recorded before anything is applied. */
  baseline: Baseline | null
}

/**
 * Owner of everything migrations and seeds make: `postgres`, as on Supabase, else the account itself, where `postgres` is
 * somebody else's, as the superuser of most clusters is.
 */
async function migrationRole(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ role: string }>(
    `select case when pg_has_role(session_user, 'postgres', 'member') then 'postgres' else session_user end as role`,
  )
  return rows[0]?.role ?? 'postgres'
}

/**
 * Compares `directory` with the applied migrations. Changes nothing. Throws SqlFileError naming the file when one was
 * edited after it had been applied, is older than the newest applied, or is missing among those that are there.
 */
export async function findPending(client: pg.ClientBase, directory: string): Promise<Difference> {
  const { migrations, skipped } = readMigrations(directory)
  const { rows } = await client.query<Applied>(
    `select version, name, encode(sha256(convert_to(array_to_string(statements, ''), 'UTF8')), 'hex') as hash
     from supabase_migrations.schema_migrations order by version`,
  )
  const baseline = readBaseline(dirname(directory))
  if (baseline && isBeforeBaseline(baseline, rows))
    return { pending: migrations, newer: [], skipped, baseline }
  const history = baseline ? rows.filter(({ version }) => version > baseline.replaces) : rows
  await refuseEdited(client, migrations, history)
  return { ...checkHistory(migrations, history), skipped, baseline: null }
}

export interface Migrated extends Pick<Difference, 'skipped' | 'newer'> {
  /** Names of the files that were applied. */
  applied: string[]
  /** Version of the last migration that a baseline replaced now, if one did. */
  replaced?: string
}

/**
 * Applies what is new in `directory` over `client` (connected as the platform's owner). Throws as findPending does, and
 * SqlFileError naming the file when one fails; nothing of that file is kept then. Throws the same for baseline.json if the
 * database is not at the end of the chain that the baseline replaces.
 */
export async function migrate(client: pg.ClientBase, directory: string): Promise<Migrated> {
  const { pending, skipped, newer, baseline } = await findPending(client, directory)
  const until = baseline?.until ?? ''
  if (baseline) {
    await checkReplacedChain(client, baseline)
    await client.query('begin')
    for (const migration of pending) if (migration.version <= until) await record(client, migration)
    await client.query('commit')
  }
  const due = pending.filter(({ version }) => version > until)
  for (const migration of due) {
    await runAsMigrationRole(client, migration.file, migration.sql, () => record(client, migration))
  }
  return { applied: due.map(({ file }) => file), skipped, newer, replaced: baseline?.replaces }
}

function record(client: pg.ClientBase, { version, name, sql }: Migration): Promise<unknown> {
  return client.query(
    'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
    [version, name, [sql]],
  )
}

/**
 * Runs one SQL text (a migration or a seed) as the migration role in one transaction and lets `record` note it in the
 * same one. Throws SqlFileError naming `file` and the line; nothing is kept then. Only a text with a statement that
 * cannot run in a transaction is run statement by statement, and keeps the changes made before a failure.
 */
export async function runAsMigrationRole(
  client: pg.ClientBase,
  file: string,
  sql: string,
  record: () => Promise<unknown>,
): Promise<void> {
  const text = { role: await migrationRole(client), sql }
  try {
    await withLocks(() => runTogether(client, text, record))
  } catch (error) {
    if (!wantsNoTransaction(error)) throw sqlFileError(file, text.sql, error)
    await runSingly(client, file, text, record)
  } finally {
    await client.query('reset all; reset role').catch(() => {})
  }
}

async function runTogether(
  client: pg.ClientBase,
  text: { role: string; sql: string },
  record: () => Promise<unknown>,
): Promise<void> {
  try {
    await becomeMigrationRole(client, text.role)
    await client.query('begin')
    await runProjectSql(client, text)
    await record()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** A file may leave settings behind (dumps empty the search path): each starts from the same ones. */
async function becomeMigrationRole(client: pg.ClientBase, role: string): Promise<void> {
  await client.query(`reset all; set lock_timeout = '${LOCK_TIMEOUT}'; set role ${pg.escapeIdentifier(role)};
    set search_path = "$user", public, extensions`)
}

/** `vacuum`, `create index concurrently`, or a procedure that commits. */
function wantsNoTransaction(error: unknown): boolean {
  return ['25001', '2D000'].includes((error as { code?: string }).code ?? '')
}

async function runSingly(
  client: pg.ClientBase,
  file: string,
  text: { role: string; sql: string },
  record: () => Promise<unknown>,
): Promise<void> {
  try {
    await becomeMigrationRole(client, text.role)
    await runProjectSql(client, { ...text, singly: true })
    await record()
  } catch (error) {
    const hint =
      'The statements before it are applied: the file has one that cannot stand in a transaction. Undo them, or use another database'
    throw sqlFileError(file, text.sql, Object.assign(error as Error, { hint }))
  }
}

function readMigrations(directory: string): { migrations: Migration[]; skipped: string[] } {
  const migrations: Migration[] = []
  const skipped: string[] = []
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { migrations, skipped }
    throw error
  }
  for (const file of names.filter((name) => name.endsWith('.sql')).sort()) {
    const match = /^(\d+)_(.*)\.sql$/.exec(file)
    if (!match) {
      skipped.push(file)
      continue
    }
    const [, version = '', name = ''] = match
    if (migrations.at(-1)?.version === version) {
      throw new SqlFileError(file, `has the same version as ${migrations.at(-1)?.file}; give it a later one`)
    }
    migrations.push({ version, name, file, sql: readFileSync(join(directory, file), 'utf8') })
  }
  return { migrations, skipped }
}

/** Migrations that only the files or only the history have. Throws if the two contradict each other. */
function checkHistory(
  migrations: Migration[],
  applied: readonly Applied[],
): Pick<Difference, 'pending' | 'newer'> {
  const history = new Set(applied.map(({ version }) => version))
  const newest = applied.at(-1)?.version ?? ''
  for (const migration of migrations) {
    const done = history.has(migration.version)
    if (!done && migration.version < newest) {
      throw new SqlFileError(
        migration.file,
        `is new, but older than ${newest}, which was applied already. Rename it with a later version`,
      )
    }
  }
  const files = new Set(migrations.map((migration) => migration.version))
  const unknown = applied.filter((row) => !files.has(row.version))
  // Later than every file: the next version was here. A folder without any is somebody else's.
  const last = migrations.at(-1)?.version ?? newest
  const missing = unknown.find((row) => row.version <= last)
  if (missing) {
    throw new SqlFileError(
      `${missing.version}_*.sql`,
      'was applied to this database, but its file is missing. Restore it, or use another database',
    )
  }
  return {
    pending: migrations.filter((migration) => !history.has(migration.version)),
    newer: unknown.map(({ version, name }) => (name ? `${version}_${name}` : version)),
  }
}

/**
 * Throws where a file differs from the text that was run: only those whose bytes differ are fetched to be compared.
 */
async function refuseEdited(
  client: pg.ClientBase,
  migrations: Migration[],
  applied: Applied[],
): Promise<void> {
  const hashes = new Map(applied.map(({ version, hash }) => [version, hash]))
  const differing = migrations.filter(({ version, sql }) => {
    const hash = hashes.get(version)
    return hash && hash !== createHash('sha256').update(sql).digest('hex')
  })
  if (differing.length === 0) return
  const { rows } = await client.query<{ version: string; statements: string[] }>(
    'select version, statements from supabase_migrations.schema_migrations where version = any ($1)',
    [differing.map(({ version }) => version)],
  )
  const run = new Map(rows.map(({ version, statements }) => [version, statements]))
  const edited = differing.find(({ version, sql }) => !sameStatements(run.get(version) ?? [], sql))
  if (edited) {
    throw new SqlFileError(
      edited.file,
      'was edited after it had been applied. Restore it, and put the change into a new migration',
    )
  }
}

/** The CLI stores single statements without their semicolons, we store the file: blanks are not compared. */
function sameStatements(statements: string[], sql: string): boolean {
  const bare = (text: string) => text.replace(/[\s;]+/g, '')
  return bare(statements.join('')) === bare(sql)
}
