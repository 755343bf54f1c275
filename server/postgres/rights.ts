// What PostgreSQL lets superusers alone do, or give: an account that only owns its database and makes roles is told which
// statement somebody with more rights is to run once, and what does not work until then.
import type pg from 'pg'
import { connectClient } from '../sql/client.ts'
import { StartError } from './cluster/start-error.ts'

export interface MissingRight {
  /** What does not work. */
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

/** As roles.sql gives them where a superuser lays it. */
const SETTINGS =
  `session_replication_role, pgrst.db_schemas, pgrst.db_extra_search_path, pgrst.db_max_rows, pgrst.db_pre_request,
  pgrst.db_aggregates_enabled, pgrst.db_plan_enabled, pgrst.db_tx_end, pgrst.openapi_mode, pgrst.server_timing_enabled,
  pgrst.jwt_aud, pgrst.db_hoisted_tx_settings`.replaceAll(/\s+/g, ' ')

/** What the account that `client` signed in with lacks, in a database that the platform is laid in. */
export async function findMissingRights(client: Pick<pg.ClientBase, 'query'>): Promise<MissingRight[]> {
  const { rows } = await client.query<
    Record<'bypasses' | 'replicates' | 'watches' | 'sets', boolean> & { name: string }
  >(
    `select format('%I', rolname) as name, rolreplication or rolsuper as replicates,
       has_parameter_privilege(rolname, 'session_replication_role', 'set')
         and (rolsuper or has_parameter_privilege(rolname, 'pgrst.db_schemas', 'set')) as sets,
       (select rolbypassrls or rolsuper from pg_roles where rolname = 'service_role') as bypasses,
       (select count(*) = 2 from pg_event_trigger where evtname in ('pgrst_ddl_watch', 'pgrst_drop_watch')) as watches
     from pg_roles where rolname = current_user`,
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
            without: '"alter role authenticator set pgrst.…" is refused, and npm run move into this database',
            statement: `grant set on parameter ${SETTINGS} to postgres, ${is.name}`,
            needed: false,
          },
        ]),
  ]
}

/** A line for the operator. */
export function describeRight({ without, statement }: MissingRight): string {
  return `${without}; have a superuser run "${statement}" in this database`
}

/** What the account of `url` lacks, a line each. Throws StartError for what nothing works without. */
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
