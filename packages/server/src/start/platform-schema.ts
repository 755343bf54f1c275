// The parts of the platform's database, in the order in which they are laid: what every project finds there
// before its first migration.
import { existsSync } from 'node:fs'
import type pino from 'pino'
import { installJobs, jobsVersion } from '../jobs/schema.ts'
import { packageFile } from '../package-root.ts'
import type { Plugin } from '../plugin.ts'
import { type Preparation, type Prepared, prepareDatabase } from '../postgres/migrate/prepare.ts'
import type { VaultKey } from '../postgres/migrate/vault-key.ts'

export interface PlatformOptions {
  /** Folder of the project: the one that holds config.toml and migrations/. */
  project: string
  /** Their schemas are laid, too. */
  plugins?: readonly Plugin[]
  /** Apply the project's migrations (default). */
  migrations?: boolean
  /** Secrets for the vault, by name. */
  vault?: Record<string, string>
  /** The key that they are encrypted with; by default the database's own, or a new one. */
  vaultKey?: VaultKey
  /** Seed files or patterns for a new database, relative to the project; empty for none. */
  seed: string[]
  /** Called with every WARNING that the project's migrations raise. */
  onWarning?: (message: string) => void
}

/** Lays the platform in the database at `url`, applies the project's migrations and seeds a new database. */
export function preparePlatform(url: string, options: PlatformOptions) {
  return prepareDatabase(url, preparationFor(options))
}

/** Logs what was done to the database, and answers what the operator should know of it. */
export function reportPrepared(prepared: Prepared, log: pino.Logger): string[] {
  const { migrations, seeded, skipped, newer, replaced } = prepared
  if (replaced)
    log.info({ replaced }, 'the baseline was recorded as applied in place of the migrations up to this one')
  if (migrations.length + seeded.length > 0) log.info({ migrations, seeded }, 'migrations were applied')
  const ahead =
    'the database has migrations of a newer version of the project; this version serves on what they made, and changes nothing of it'
  if (newer.length > 0) log.warn({ migrations: newer }, ahead)
  return [
    ...skipped.map((file) => `migrations/${file} is skipped: its name is not <timestamp>_name.sql`),
    ...(newer.length > 0 ? [`${ahead}: ${newer.join(', ')}`] : []),
  ]
}

/** The steps of preparing a database: platform, migrations and seed, in order. */
export function preparationFor(options: PlatformOptions): Preparation {
  const files = [
    'src/postgres/migrate/roles.sql',
    'src/postgres/migrate/platform.sql',
    'src/process/replicas.sql',
    'src/auth/store/schema.sql',
    'src/auth/store/limits.sql',
    'src/auth/store/webauthn.sql',
    'src/auth/store/custom-providers.sql',
    'src/storage/schema.sql',
    'src/storage/listings.sql',
    'src/storage/resumable/schema.sql',
    'src/realtime/schema.sql',
    'src/postgres/migrate/pulled-migrations.sql',
  ]
  const ofPlugins = (options.plugins ?? []).flatMap(({ schema = [] }) => schema)
  return {
    platform: [...files.map(packageFile).filter((path) => existsSync(path)), ...ofPlugins],
    standIns: (options.plugins ?? []).flatMap(({ extensions }) => extensions ?? []),
    install: { version: jobsVersion(), run: installJobs },
    project: options.project,
    migrations: options.migrations ?? true,
    vault: options.vault,
    vaultKey: options.vaultKey,
    seed: options.seed,
    onWarning: options.onWarning,
  }
}
