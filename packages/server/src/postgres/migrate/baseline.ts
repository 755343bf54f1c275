// A baseline: migrations that replace an older chain. A database that the older chain made is not migrated again. If its
// catalogue is the one that the chain ended with, the baseline is recorded as applied.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { hashesByKind, readCatalogue } from './catalogue.ts'
import { SqlFileError } from './sql-error.ts'

const FILE = 'baseline.json'

/** A project's supabase/baseline.json. */
export interface Baseline {
  /** Version of the last migration of the chain that the baseline replaces. */
  replaces: string
  /** Version of the baseline's last migration. Later ones are ordinary migrations. */
  until: string
  /** The schemas whose catalogue is compared. */
  schemas: string[]
  /** Major version of the PostgreSQL that the hashes come from: views are compared only on the same one. */
  postgres: number
  /** The result of hashesByKind() after the last migration of the older chain. */
  hashes: Record<string, string>
}

/** The baseline of the project at `project` (the folder that holds config.toml); null if it has none. */
export function readBaseline(project: string): Baseline | null {
  const path = join(project, FILE)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Baseline) : null
}

/** Whether a database with these applied migrations, in ascending order, was made by the chain that the baseline replaces. */
export function isBeforeBaseline({ replaces }: Baseline, applied: readonly { version: string }[]): boolean {
  const newest = applied.at(-1)?.version
  return newest !== undefined && newest <= replaces
}

/** `versions` without those that the baseline replaced, if it was recorded. Both kinds of databases then have the same versions. */
export function withoutReplaced(baseline: Baseline | null, versions: string[]): string[] {
  if (!baseline || !versions.includes(baseline.until)) return versions
  return versions.filter((version) => version > baseline.replaces)
}

/**
 * Throws SqlFileError unless the database is at the end of the replaced chain, with its catalogue unchanged. The message
 * names what differs and what to do.
 */
export async function checkReplacedChain(client: pg.ClientBase, baseline: Baseline): Promise<void> {
  const { replaces, schemas } = baseline
  const { rows: history } = await client.query<{ newest: string }>(
    'select max(version) as newest from supabase_migrations.schema_migrations',
  )
  const newest = history[0]?.newest
  if (newest !== replaces) {
    throw new SqlFileError(
      FILE,
      `replaces the migrations up to ${replaces}, but the newest one in this database is ${newest}. ` +
        `Start it once with the version of the project that ends with migration ${replaces}, then with this one`,
    )
  }
  const found = hashesByKind(await readCatalogue(client, schemas))
  const { rows: versions } = await client.query<{ major: number }>(
    `select current_setting('server_version_num')::int / 10000 as major`,
  )
  const sameVersion = versions[0]?.major === baseline.postgres
  const differing = [...new Set([...Object.keys(found), ...Object.keys(baseline.hashes)])].filter(
    (kind) => found[kind] !== baseline.hashes[kind] && (kind !== 'view' || sameVersion),
  )
  if (differing.length > 0) {
    throw new SqlFileError(
      FILE,
      `the database is at migration ${replaces}, but not as its migrations made it. Changed by hand: ${differing.join(', ')}. ` +
        'Compare it with a new database of that version, restore what differs, and start again',
    )
  }
}
