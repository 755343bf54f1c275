// Actions that PostgreSQL reserves for superusers. An account that only owns its database and creates roles gets the
// statement that somebody with more rights must run once, and what does not work until then.
import type pg from 'pg'
import { connectClient } from '../sql/client.ts'
import { API_LOGIN } from '../sql/roles.ts'
import { StartError } from './cluster/start-error.ts'

export interface MissingRight {
  /** The feature that does not work. */
  without: string
  /** Whoever runs it must be a superuser, or what a provider has instead, in this database. */
  statement: string
  /** Whether nothing works without. */
  needed: boolean
}

const EVENT_TRIGGERS = [
  'create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch()',
  'create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch()',
].join('; ')

/**
 * Settings that roles.sql lets `postgres` change if a superuser runs it: for copies without triggers, and for the
 * Data API.
 */
const SETTINGS = [
  ...['session_replication_role', 'pgrst.jwt_aud', 'pgrst.db_hoisted_tx_settings', 'pgrst.db_schemas'],
  ...['pgrst.db_schema', 'pgrst.db_extra_search_path', 'pgrst.db_max_rows', 'pgrst.db_aggregates_enabled'],
  ...['pgrst.db_plan_enabled', 'pgrst.db_tx_end', 'pgrst.db_pre_request', 'pgrst.db_pre_config'],
  ...['pgrst.db_root_spec', 'pgrst.openapi_mode', 'pgrst.openapi_security_active'],
  ...['pgrst.openapi_server_proxy_uri', 'pgrst.server_trace_header', 'pgrst.server_timing_enabled'],
]

/** Rights that the account of `client` lacks, in a database with the platform. */
export async function findMissingRights(client: Pick<pg.ClientBase, 'query'>): Promise<MissingRight[]> {
  const { rows } = await client.query<
    Record<'bypasses' | 'replicates' | 'watches' | 'sets' | 'migrates', boolean> & {
      name: string
      login: string
    }
  >(
    `select format('%I', rolname) as name, format('%I', ${API_LOGIN}) as login, rolreplication or rolsuper as replicates,
       pg_has_role('postgres', 'member') as migrates,
       rolsuper or (select bool_and(has_parameter_privilege(rolname, name, 'set')) from unnest($1::text[]) as name) as sets,
       (select rolbypassrls or rolsuper from pg_roles where rolname = 'service_role') as bypasses,
       (select count(*) = 2 from pg_event_trigger where evtname in ('pgrst_ddl_watch', 'pgrst_drop_watch')) as watches
     from pg_roles where rolname = current_user`,
    [SETTINGS],
  )
  const [is] = rows
  if (!is) return []
  return [
    ...(is.bypasses
      ? []
      : [
          {
            without: 'functions and the secret key see no row behind row-level security',
            statement: 'alter role service_role bypassrls',
            needed: true,
          },
        ]),
    ...(is.replicates
      ? []
      : [
          {
            without: 'Realtime sends no changes of rows',
            statement: `alter role ${is.name} replication`,
            needed: false,
          },
        ]),
    ...(is.watches
      ? []
      : [
          {
            without: `the Data API does not hear of changed tables until "notify pgrst, 'reload schema'"`,
            statement: EVENT_TRIGGERS,
            needed: false,
          },
        ]),
    ...(is.sets
      ? []
      : [
          {
            without: `"alter role ${is.login} set pgrst.…" is refused, and the command move into this database`,
            statement: `grant set on parameter ${SETTINGS.join(', ')} to ${is.migrates ? 'postgres, ' : ''}${is.name}`,
            needed: false,
          },
        ]),
  ]
}

/** A line for the operator. */
export function describeRight({ without, statement }: MissingRight): string {
  return `${without}; have a superuser run "${statement}" in this database`
}

/** Missing rights of the account in `url`, one line each. Throws StartError for indispensable ones. */
export async function warnOfRights(url: string): Promise<string[]> {
  const client = await connectClient({ connectionString: url, application_name: 'meadowlark-start' })
  try {
    const missing = await findMissingRights(client)
    const needed = missing.filter((right) => right.needed)
    if (needed.length > 0) throw new StartError(`DATABASE_URL: ${needed.map(describeRight).join('\n')}`)
    return missing.map(describeRight)
  } finally {
    await client.end()
  }
}
