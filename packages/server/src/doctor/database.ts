// The database of an installation: what the account that signs in may do, room for connections, replication, migrations,
// what is stuck, and its clock.
import { join } from 'node:path'
import type pg from 'pg'
import type { Config } from '../config/config.ts'
import { UNPOOLED } from '../config/connections.ts'
import { findPending } from '../postgres/migrate/migrations.ts'
import { describeRight, findMissingRights } from '../postgres/rights.ts'
import { connectClient } from '../sql/client.ts'
import { requestUrl } from '../sql/database.ts'
import { apiLogin } from '../sql/roles.ts'
import { type Finding, failure, ok, warning } from './finding.ts'
import { examineHosts } from './hosts.ts'

const OLDEST_VERSION = 150_000
/** Seconds by which the clocks of server and database may differ: tokens allow for thirty. */
const MAX_CLOCK_DIFFERENCE_S = 5
/** Bytes of the log that an unused replication slot may hold back. */
const MUCH_LOG = 1e9
/** Seconds by which a read replica may be behind. */
const MUCH_DELAY_S = 30
/** Connections of people and tools, in addition to the servers'. */
const TOOLS = 10

/** Signs in at `url` as the server does, and looks at everything that it needs. One failure when it cannot. */
export async function examineDatabase(url: string, config: Config): Promise<Finding[]> {
  const name = config.databaseUrl ? 'DATABASE_URL' : 'DATA_DIR'
  const hosts = await examineHosts(url)
  let client: pg.Client
  try {
    client = await connectClient({ connectionString: url, application_name: 'meadowlark-doctor' })
  } catch (error) {
    return [...hosts, failure('database', `${name}: cannot be used (${(error as Error).message})`)]
  }
  try {
    const login = await apiLogin(client)
    return [
      ...hosts,
      ...(await versionAndRights(client)),
      await apiRole(url, login),
      ...(await connections(client, config)),
      ...(await replication(client)),
      ...(await readReplica(config, login)),
      ...(await migrations(client, config)),
      ...(await stuck(client)),
      await clock(client),
    ]
  } finally {
    await client.end()
  }
}

async function first<T>(client: pg.Client, sql: string): Promise<T> {
  return (await client.query(sql)).rows[0] as T
}

async function versionAndRights(client: pg.Client): Promise<Finding[]> {
  const is = await first<{
    version: number
    shown: string
    name: string
    owner: boolean
  }>(
    client,
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as shown,
       current_user as name, pg_has_role(current_user, datdba, 'usage') or rolsuper as owner
     from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  )
  const found = [
    is.version < OLDEST_VERSION
      ? failure('PostgreSQL', `${is.shown} is too old; 15 is the oldest that works`)
      : ok('PostgreSQL', is.shown),
  ]
  const as = JSON.stringify(is.name)
  if (!is.owner)
    found.push(
      failure(
        'rights',
        `${is.name} does not own the database; run "alter database … owner to ${as}" as its owner`,
      ),
    )
  // Before its first start, a database has nothing of ours that rights could be lacking for.
  const { laid } = await first<{ laid: boolean }>(
    client,
    `select to_regclass('supabase_migrations.schema_migrations') is not null as laid`,
  )
  for (const right of laid ? await findMissingRights(client) : [])
    found.push((right.needed ? failure : warning)('rights', describeRight(right)))
  return found
}

async function apiRole(url: string, login: string): Promise<Finding> {
  try {
    const client = await connectClient({
      connectionString: requestUrl(url, login),
      application_name: 'meadowlark-doctor',
    })
    await client.end()
    return ok('API role', `${login} signs in`)
  } catch (error) {
    return failure(
      'API role',
      `${login} cannot sign in with the owner's password (${(error as Error).message}); run "alter role ${login} with login password '…'" with it`,
    )
  }
}

async function connections(client: pg.Client, config: Config): Promise<Finding[]> {
  if (!config.databaseUrl) return []
  const { most, reserved, listed } = await first<{ most: number; reserved: number; listed: boolean }>(
    client,
    `select current_setting('max_connections')::int as most, current_setting('superuser_reserved_connections')::int as reserved,
       to_regclass('supabase_migrations.servers') is not null as listed`,
  )
  const running = listed ? (await client.query('select from supabase_migrations.servers')).rowCount : 0
  const servers = Math.max(running ?? 0, 1)
  const each = Object.values(config.connections).reduce((sum, share) => sum + share, UNPOOLED)
  const wanted = servers * each + reserved + TOOLS
  const sum = `${servers} × ${each} + ${reserved} + ${TOOLS} = ${wanted}, and max_connections is ${most}`
  return [
    wanted <= most
      ? ok('connections', sum)
      : warning('connections', `${sum}; raise it, or lower DATABASE_MAX_CONNECTIONS`),
  ]
}

async function replication(client: pg.Client): Promise<Finding[]> {
  const { level } = await first<{ level: string }>(client, `select current_setting('wal_level') as level`)
  const { rows } = await client.query<{ slot: string; held: string }>(
    `select slot_name as slot, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint as held
     from pg_replication_slots where not active and restart_lsn is not null`,
  )
  return [
    level === 'logical'
      ? ok('replication', 'wal_level is logical')
      : warning(
          'replication',
          `wal_level is ${level}, so Realtime sends no changes of rows; set it to logical and restart PostgreSQL`,
        ),
    ...rows
      .filter(({ held }) => Number(held) > MUCH_LOG)
      .map(({ slot, held }) =>
        failure(
          'replication',
          `nobody reads the replication slot ${slot}, which keeps ${(Number(held) / 1e9).toFixed(1)} GB of the log; start who reads it, or run "select pg_drop_replication_slot('${slot}')"`,
        ),
      ),
  ]
}

/** Whether DATABASE_REPLICA_URL leads to a standby, and how far behind that is. */
async function readReplica({ replicaUrl }: Config, login: string): Promise<Finding[]> {
  if (replicaUrl === null) return []
  const about = 'read replica'
  try {
    const client = await connectClient({
      connectionString: requestUrl(replicaUrl, login),
      application_name: 'meadowlark-doctor',
    })
    const { standby, behind } = await first<{ standby: boolean; behind: number }>(
      client,
      // A log that was read to its end is not old, however long ago the last transaction was.
      `select pg_is_in_recovery() as standby, case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
         else coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0) end::float8 as behind`,
    ).finally(() => client.end())
    if (!standby)
      return [warning(about, 'DATABASE_REPLICA_URL leads to no standby; let it lead to one, or leave it out')]
    return behind > MUCH_DELAY_S
      ? [warning(about, `it is ${behind.toFixed(0)} seconds behind; see what holds its replay up`)]
      : [ok(about, 'a standby that follows')]
  } catch (error) {
    return [
      warning(
        about,
        `DATABASE_REPLICA_URL: cannot be used (${(error as Error).message}); the primary answers meanwhile`,
      ),
    ]
  }
}

async function migrations(client: pg.Client, { project, db }: Config): Promise<Finding[]> {
  const { there } = await first<{ there: boolean }>(
    client,
    `select to_regclass('supabase_migrations.schema_migrations') is not null as there`,
  )
  if (!there) return [warning('migrations', 'none was applied yet; start the server once')]
  if (!db.migrations.enabled) return [ok('migrations', '[db.migrations] enabled is false: not looked at')]
  try {
    const { pending, skipped, newer } = await findPending(client, join(project, 'migrations'))
    return [
      ...(newer.length > 0
        ? [
            warning(
              'migrations',
              `${newer.join(', ')} came with a newer version: this one serves on what they only added; start the newer one again when it is mended`,
            ),
          ]
        : []),
      pending.length === 0
        ? ok('migrations', 'all are applied')
        : warning(
            'migrations',
            `${pending.length} wait, the first ${pending[0]?.file}; the next start applies them`,
          ),
      ...skipped.map((file) =>
        warning('migrations', `${file} is skipped: its name is not <timestamp>_name.sql`),
      ),
    ]
  } catch (error) {
    return [failure('migrations', (error as Error).message)]
  }
}

/** Transactions that keep others waiting and the database from cleaning up. */
async function stuck(client: pg.Client): Promise<Finding[]> {
  const { rows } = await client.query<{ pid: number; name: string; minutes: number }>(
    `select pid, coalesce(nullif(application_name, ''), usename) as name,
       (extract(epoch from now() - xact_start) / 60)::int as minutes
     from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
       and xact_start < now() - interval '10 minutes' order by xact_start limit 5`,
  )
  return rows.map(({ pid, name, minutes }) =>
    warning(
      'transactions',
      `one of ${name} (pid ${pid}) has been open for ${minutes} minutes; end it with "select pg_terminate_backend(${pid})" if nobody needs it`,
    ),
  )
}

async function clock(client: pg.Client): Promise<Finding> {
  const before = Date.now()
  const { at } = await first<{ at: number }>(
    client,
    'select extract(epoch from clock_timestamp())::float8 as at',
  )
  const difference = Math.abs(at - (before + Date.now()) / 2000)
  return difference > MAX_CLOCK_DIFFERENCE_S
    ? failure(
        'clock',
        `the database's differs from this machine's by ${Math.round(difference)} seconds; set both by NTP`,
      )
    : ok('clock', 'agrees with that of the database')
}
