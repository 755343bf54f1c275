// Brings the embedded database to another major version of PostgreSQL. The programs of the old version serve its
// cluster, read only, next to a new one that gets the same migrations and then all rows, which are counted and hashed
// at both ends.
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { type Findings, inspect } from '../backup/inspect.ts'
import { digestOf, listObjectFiles } from '../backup/object-files.ts'
import { openBackupRepository } from '../backup/open-repository.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { readCatalogue } from '../move/catalogue.ts'
import { beginMove, copyTables, differing, fingerprints } from '../move/copy.ts'
import { MoveError, makePlan } from '../move/plan.ts'
import type { Plugin } from '../plugin.ts'
import { embeddedMajor, startEmbeddedPostgres } from '../postgres/cluster/embedded.ts'
import { majorOfCluster } from '../postgres/cluster/major-version.ts'
import { type Baseline, isBeforeBaseline, readBaseline } from '../postgres/migrate/baseline.ts'
import { ANY_VAULT_KEY, readVaultKey } from '../postgres/migrate/vault-key.ts'
import { takeLock } from '../process/lock.ts'
import { connectClient } from '../sql/client.ts'
import { preparePlatform } from '../start/platform-schema.ts'
import { copyServerSettings, copySettings, madeByHand } from './by-hand.ts'
import { copyGrants } from './grants.ts'

export interface UpgradeOptions {
  plugins: readonly Plugin[]
  /** The folder with the programs of a major version. */
  programs: (major: number) => Promise<string> | string
  /** Statements of the project that return one number each, which is 0 when all is well, by what they look at. */
  checks?: Record<string, string>
  onProgress?: (line: string) => void
}

export interface Upgraded {
  from: number
  to: number
  /** Where the old cluster is now. */
  aside: string
  findings: Findings
  /** Objects of the old database that migrations did not create and the new one lacks. */
  leftBehind: string[]
  /** Statements that restore exactly the rights of the old cluster, in addition to those that migrations grant. */
  grants: string[]
}

type Clients = { from: pg.Client; to: pg.Client }

/**
 * Upgrades the cluster of DATA_DIR; null where it is of this version's PostgreSQL already. Throws ConfigError or
 * MoveError with the obstacles. Until all is compared, DATA_DIR's cluster is the old one, which no statement can
 * write to.
 */
export async function upgradeCluster(config: Config, options: UpgradeOptions): Promise<Upgraded | null> {
  if (config.databaseUrl)
    throw new ConfigError([
      'DATABASE_URL: this is for the embedded PostgreSQL; whoever runs another one upgrades it',
    ])
  const unlock = takeLock(config.dataDir)
  try {
    return await upgrade(config, options)
  } finally {
    unlock()
  }
}

async function upgrade(config: Config, options: UpgradeOptions): Promise<Upgraded | null> {
  const tell = options.onProgress ?? (() => {})
  const cluster = join(config.dataDir, 'postgres')
  const [from, to] = [majorOfCluster(cluster), await embeddedMajor()]
  if (from === null) throw new ConfigError([`DATA_DIR: there is no database in ${config.dataDir}`])
  if (from === to) return null
  if (from > to)
    throw new ConfigError([`DATA_DIR: ${cluster} is of PostgreSQL ${from}, newer than this version's ${to}`])
  const fresh = `${cluster}.upgrading`
  const clear = () => {
    for (const end of ['', '.extensions', '.log', '.log.1', '.hba'])
      rmSync(`${fresh}${end}`, { recursive: true, force: true })
  }
  clear()
  try {
    tell(`PostgreSQL ${from}, which may be read and not written, beside ${to}`)
    const filled = await bothRunning(cluster, fresh, await options.programs(from), config, options)
    const aside = `${cluster}.${from}-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`
    await rename(cluster, aside)
    await rename(fresh, cluster)
    return { from, to, aside, ...filled }
  } finally {
    clear()
  }
}

async function bothRunning(
  cluster: string,
  fresh: string,
  programs: string,
  config: Config,
  options: UpgradeOptions,
): Promise<Pick<Upgraded, 'findings' | 'leftBehind' | 'grants'>> {
  const log = options.onProgress ?? (() => {})
  const settings = { default_transaction_read_only: 'on', autovacuum: 'off' }
  const old = await startEmbeddedPostgres({ directory: cluster, programs, settings, log })
  try {
    const extensions = options.plugins.flatMap((plugin) => plugin.extensions ?? [])
    const next = await startEmbeddedPostgres({ directory: fresh, extensions, log })
    try {
      return await fill({ from: old.url(), to: next.url() }, config, options)
    } finally {
      await next.stop()
    }
  } finally {
    await old.stop()
  }
}

async function fill(
  urls: { from: string; to: string },
  config: Config,
  options: UpgradeOptions,
): Promise<Pick<Upgraded, 'findings' | 'leftBehind' | 'grants'>> {
  const from = await connectClient({ connectionString: urls.from, application_name: 'meadowlark-upgrade' })
  try {
    await refuseOtherDatabases(from)
    const storage = config.s3 ? null : join(config.dataDir, 'storage')
    const digests = storage ? await digestsOf(from, storage, config) : undefined
    await applySameMigrations(from, urls.to, config, options)
    const to = await connectClient({ connectionString: urls.to, application_name: 'meadowlark-upgrade' })
    try {
      await copyEverything({ from, to }, readBaseline(config.project), options.onProgress ?? (() => {}))
      await copySettings({ from, to })
      // Statistics and computed data describe the empty tables.
      await refreshViews(to)
      await to.query('analyze')
      // The next start lays its platform over the settings that were copied.
      await to.query('delete from supabase_migrations.platform_version')
      const grants = await copyGrants({ from, to })
      const leftBehind = [
        ...(await copyServerSettings({ from, to })),
        ...(await madeByHand({ from, to })),
        ...grants.leftBehind,
      ]
      const findings = await inspect(to, storage, options.checks ?? {}, digests)
      return { findings, leftBehind, grants: grants.copied }
    } finally {
      await to.end()
    }
  } finally {
    await from.end()
  }
}

/** SHA-256 of stored objects: as they were backed up, else as their files are now. */
async function digestsOf(
  client: pg.Client,
  storage: string,
  { backup }: Config,
): Promise<Map<string, string | null>> {
  const repository = backup ? await openBackupRepository(backup) : null
  try {
    const kept = repository ? await listObjectFiles(repository) : new Map()
    const { rows } = await client.query<{ version: string }>(
      'select version from storage.objects where version is not null',
    )
    const digests = new Map<string, string | null>()
    for (const { version } of rows)
      digests.set(version, kept.get(version)?.sha256 ?? (await digestOf(storage, version)))
    return digests
  } finally {
    repository?.close()
  }
}

async function refuseOtherDatabases(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    `select datname from pg_database where not datistemplate and datname <> 'postgres'`,
  )
  if (rows.length > 0)
    throw new MoveError(
      rows.map(
        ({ datname }) => `the cluster has another database, ${datname}: copy it elsewhere and drop it first`,
      ),
    )
}

/** Those that the old one has, and no others: the next start applies what is newer. */
async function applySameMigrations(
  from: pg.Client,
  url: string,
  { project }: Config,
  { plugins, onProgress }: UpgradeOptions,
): Promise<void> {
  const { rows: applied } = await from.query<{ version: string }>(
    'select version from supabase_migrations.schema_migrations order by version',
  )
  const newest = applied.at(-1)?.version ?? ''
  const baseline = readBaseline(project)
  if (baseline && isBeforeBaseline(baseline, applied))
    throw new MoveError([
      `migrations: the newest one in the database is ${newest}, and baseline.json replaces those up to ${baseline.replaces}. ` +
        `Upgrade and start it once with the version of the project that ends with migration ${baseline.replaces}, then with this one`,
    ])
  const folder = mkdtempSync(join(tmpdir(), 'meadowlark-upgrade-'))
  try {
    const migrations = join(project, 'migrations')
    const names = existsSync(migrations) ? readdirSync(migrations) : []
    for (const name of names.filter((one) => (/^\d+/.exec(one)?.[0] ?? '~') <= newest))
      cpSync(join(migrations, name), join(folder, 'migrations', name))
    // Rows of the vault are copied as they are, so they need the key that encrypted them.
    const vaultKey = { ...ANY_VAULT_KEY, value: await readVaultKey(from) }
    const { migrations: added } = await preparePlatform(url, { project: folder, plugins, vaultKey, seed: [] })
    onProgress?.(`${added.length} migrations applied in the new one`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function copyEverything(
  { from, to }: Clients,
  baseline: Baseline | null,
  tell: (line: string) => void,
): Promise<void> {
  await beginMove(from, 'read only')
  await beginMove(to, 'read write')
  const plan = await makePlan(from, {
    from: await readCatalogue(from, 'all', baseline),
    to: await readCatalogue(to, 'all', baseline),
  })
  for (const note of plan.notes) tell(note)
  const here = await fingerprints(from, plan)
  const due = differing(here, await fingerprints(to, plan))
  await copyTables({ from, to }, plan, due, () => {})
  const wrong = differing(here, await fingerprints(to, plan))
  if (wrong.length > 0)
    throw new MoveError(
      wrong.map((table) => `${table}: what arrived is not what was there; nothing was kept`),
    )
  await to.query('commit; reset all')
  await from.query('commit; reset all')
  const rows = [...here.values()].reduce((sum, found) => sum + found.rows, 0)
  tell(`${rows} rows in ${plan.tables.size} tables, counted and hashed: the same in both`)
}

async function refreshViews(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ view: string }>(
    `select format('%I.%I', schemaname, matviewname) as view from pg_matviews where ispopulated order by 1`,
  )
  for (const { view } of rows) await client.query(`refresh materialized view ${view}`)
}
