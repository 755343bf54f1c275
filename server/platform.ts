// The parts of the platform's database, in the order in which they are laid: what every project finds there
// before its first migration.
import { existsSync } from 'node:fs'
import { installJobs, jobsVersion } from './jobs/schema.ts'
import { packageFile } from './package-root.ts'
import { prepareDatabase } from './postgres/migrate/prepare.ts'

export interface PlatformOptions {
  /** Folder of the project: the one that holds config.toml and migrations/. */
  project: string
  /** Lay the sandbox's schema too. */
  sandbox: boolean
  /** Apply the project's migrations (default). */
  migrations?: boolean
  /** Secrets for the vault, by name. */
  vault?: Record<string, string>
  /** Seed files or patterns for a new database, relative to the project; empty for none. */
  seed: string[]
}

/** Lays the platform in the database at `url`, applies the project's migrations and seeds a new database. */
export function preparePlatform(url: string, options: PlatformOptions) {
  const files = [
    'server/postgres/migrate/platform.sql',
    'server/auth/store/schema.sql',
    'server/auth/store/limits.sql',
    'server/storage/schema.sql',
    'server/storage/listings.sql',
    'server/storage/resumable/schema.sql',
    'server/realtime/schema.sql',
    'server/postgres/migrate/pulled-migrations.sql',
  ]
  if (options.sandbox) files.push('sandbox/schema.sql')
  return prepareDatabase(url, {
    platform: files.map(packageFile).filter((path) => existsSync(path)),
    install: { version: jobsVersion(), run: installJobs },
    project: options.project,
    migrations: options.migrations ?? true,
    vault: options.vault,
    seed: options.seed,
  })
}
