// The project's part of a database: its tables with columns and sequences, and the migrations that created them.
import type pg from 'pg'
import { type Baseline, withoutReplaced } from '../postgres/migrate/baseline.ts'

interface Column {
  name: string
  /** Has to be given: NOT NULL, without a default. */
  needed: boolean
}

export interface Catalogue {
  /** Columns that are stored and not computed, by table, both as SQL writes them: `public.tasks`. */
  tables: Map<string, Column[]>
  sequences: Set<string>
  /** Versions of the migrations that were applied. */
  migrations: string[]
}

/** Tables that each installation fills by itself: its tools, its queues of calls, data about its place. */
const OF_THE_HOME = [
  ...[
    'information_schema',
    'extensions',
    'graphql',
    'graphql_public',
    'pgsodium',
    'pgsodium_masks',
    'pgbouncer',
  ],
  ...[
    'realtime',
    '_realtime',
    'supabase_functions',
    'supabase_migrations',
    'net',
    'cron',
    'graphile_worker',
    'sandbox',
  ],
  // Its secrets are encrypted with a key of the home: see vault.ts.
  'vault',
]
/** Counters, half-done steps of a sign-in, and how far the home's own migrations are: all worthless elsewhere. */
const PASSING = [
  ...'schema_migrations instances rate_limits known_devices used_proofs used_totp_steps flow_session_ends linking_sessions'.split(
    ' ',
  ),
  ...'provisional_factors factor_removal_sessions'.split(' '),
  ...'one_time_tokens flow_state saml_relay_states mfa_challenges webauthn_challenges oauth_authorizations'.split(
    ' ',
  ),
  ...'oauth_client_states'.split(' '),
]
  .map((name) => `auth.${name}`)
  // Which queues there are: the migrations have made them.
  .concat('pgmq.meta')
/** Sessions: another installation signs tokens with other keys. */
const SESSIONS = ['auth.sessions', 'auth.refresh_tokens', 'auth.mfa_amr_claims']

/** Tables about the database itself: running servers, and the versions of its parts. */
const OF_THE_DATABASE = [
  ...['supabase_migrations.schema_migrations', 'supabase_migrations.platform_version'],
  ...['supabase_migrations.servers', 'graphile_worker.migrations', 'auth.schema_migrations'],
]

/** `project` is what is worth something in another home, `sessions` takes along who is signed in, `all` whatever has rows. */
export type Scope = 'project' | 'sessions' | 'all'

const LEFT_OUT: Record<Scope, { schemas: string[]; tables: string[] }> = {
  // Rows of buckets are rows like others; those of objects come with their bytes (objects.ts).
  project: { schemas: OF_THE_HOME, tables: [...PASSING, ...SESSIONS] },
  sessions: { schemas: OF_THE_HOME, tables: PASSING },
  all: { schemas: ['information_schema'], tables: OF_THE_DATABASE },
}

/** Reads what `makePlan` compares. Migrations that `baseline` replaced are left out. */
export async function readCatalogue(
  client: pg.Client,
  scope: Scope,
  baseline: Baseline | null,
): Promise<Catalogue> {
  const { schemas, tables: without } = LEFT_OUT[scope]
  const columns = await client.query<{ table: string; name: string; needed: boolean }>(
    `select format('%I.%I', n.nspname, c.relname) as table, a.attname as name,
       a.attnotnull and not a.atthasdef and a.attidentity = '' as needed
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind = 'r' and ${OURS} order by 1, a.attnum`,
    [schemas, without, scope === 'all'],
  )
  const tables: Catalogue['tables'] = new Map()
  for (const { table, ...column } of columns.rows) tables.set(table, [...(tables.get(table) ?? []), column])
  const sequences = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'S' and ${OURS} order by 1`,
    [schemas, without, scope === 'all'],
  )
  const applied = await client.query<{ there: boolean }>(
    `select to_regclass('supabase_migrations.schema_migrations') is not null as there`,
  )
  const versions = applied.rows[0]?.there
    ? await client.query<{ version: string }>(
        'select version from supabase_migrations.schema_migrations order by version',
      )
    : { rows: [] }
  return {
    tables,
    sequences: new Set(sequences.rows.map(({ name }) => name)),
    migrations: withoutReplaced(
      baseline,
      versions.rows.map(({ version }) => version),
    ),
  }
}

const OURS = `n.nspname !~ '^pg_' and n.nspname <> all ($1) and format('%s.%s', n.nspname, c.relname) <> all ($2)
  and ($3 or n.nspname <> 'storage' or c.relname = 'buckets')`
