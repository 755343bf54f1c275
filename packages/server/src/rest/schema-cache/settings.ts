// How the Data API behaves: config.toml's [api] table, overridden by PostgREST's in-database configuration
// (`alter role authenticator set pgrst.… = '…'`), and the settings of the roles that requests run as.
// Reference: PostgREST 14, "Configuration", "In-database configuration" and "Impersonated role settings".
import type pg from 'pg'
import { API_LOGIN } from '../../sql/roles.ts'
import { quoteName } from './quote.ts'

export type RestSettings = {
  schemas: readonly string[]
  extraSearchPath: readonly string[]
  maxRows: number | null
  aggregates: boolean
  /** EXPLAIN may be asked for. */
  explain: boolean
  /** How transactions end, and whether `Prefer: tx` may choose otherwise. */
  txEnd: 'commit' | 'rollback'
  allowTx: boolean
  /** A function to call before every request, qualified. */
  preRequest: string | null
  openApi: 'follow-privileges' | 'ignore-privileges' | 'disabled'
  /** The OpenAPI document says that a token is needed. */
  openApiSecurity: boolean
  /** Where the OpenAPI document says that the API is; null for where it is. */
  openApiUrl: string | null
  /** The function, of the request's schema, that answers for the root. */
  rootSpec: string | null
  /** A header of the request that the answer repeats. */
  traceHeader: string | null
  /** Answers say how long each step took. */
  timing: boolean
  /** The roles that requests can run as. */
  roles: ReadonlyMap<string, RoleSettings>
}

type RoleSettings = {
  /** Distinguishes roles where their names cannot be used. */
  number: number
  /** Settings that hold while a request runs as the role. */
  settings: [string, string][]
  /** The isolation level of its transactions. */
  isolation: string | null
}

export type FileSettings = Pick<RestSettings, 'schemas' | 'extraSearchPath' | 'maxRows'>

const SETTINGS = `
select r.rolname as role, r.rolname = api.login as own, s.setting
from (select ${API_LOGIN} as login) as api cross join pg_roles r
left join pg_db_role_setting d on d.setrole = r.oid
  and d.setdatabase in (0, (select oid from pg_database where datname = current_database()))
left join unnest(d.setconfig) as s (setting) on
  -- Settings that the API's login may not change would fail every request.
  position('.' in split_part(s.setting, '=', 1)) > 0 or exists (
    select from pg_settings p where p.name = split_part(s.setting, '=', 1)
      and (p.context = 'user' or has_parameter_privilege(api.login, p.name, 'set'))
  )
where pg_has_role(api.login, r.oid, 'member') and not r.rolsuper
order by r.rolname, d.setdatabase`

/** Settings that can be stored in the database, by their names there. */
const NAMES = [
  ...['db_schemas', 'db_schema', 'db_extra_search_path', 'db_max_rows', 'db_aggregates_enabled'],
  ...['db_plan_enabled', 'db_tx_end', 'db_pre_request', 'db_pre_config', 'db_root_spec', 'openapi_mode'],
  ...['openapi_security_active', 'openapi_server_proxy_uri', 'server_trace_header', 'server_timing_enabled'],
]

/** Reads the database's part. Throws what the database throws. */
export async function readSettings(pool: pg.Pool, file: FileSettings): Promise<RestSettings> {
  const { rows } = await pool.query<{ role: string; own: boolean; setting: string | null }>(SETTINGS)
  const own = new Map<string, string>()
  const roles = new Map<string, RoleSettings>()
  for (const { role, own: isLogin, setting } of rows) {
    const found = roles.get(role) ?? { number: roles.size, settings: [], isolation: null }
    roles.set(role, found)
    if (setting === null) continue
    const equals = setting.indexOf('=')
    const name = setting.slice(0, equals)
    const value = setting.slice(equals + 1)
    if (name.startsWith('pgrst.') && isLogin) own.set(name.slice('pgrst.'.length), value)
    else if (name === 'default_transaction_isolation') found.isolation = value
    // The search path is the API's; what the login has, its connections have from their start.
    else if (name !== 'search_path' && !isLogin) found.settings.push([name, value])
  }
  const preConfig = own.get('db_pre_config')
  const inDatabase = preConfig ? new Map([...(await preConfigured(pool, preConfig)), ...own]) : own
  return { ...file, ...merged(inDatabase, file), roles }
}

/** The settings of the function `name`, run as the API's login; settings of that role take precedence. */
async function preConfigured(pool: pg.Pool, name: string): Promise<[string, string][]> {
  const client = await pool.connect()
  try {
    await client.query('begin read only')
    await client.query(`select set_config('role', ${API_LOGIN}, true)`)
    await client.query(`select ${qualified(name)}()`)
    const { rows } = await client.query<{ name: string; value: string | null }>(
      `select name, nullif(current_setting('pgrst.' || name, true), '') as value from unnest($1::text[]) as name`,
      [NAMES],
    )
    return rows.flatMap(({ name, value }): [string, string][] => (value === null ? [] : [[name, value]]))
  } finally {
    // Its settings end with the connection, whatever the function made of them.
    client.release(true)
  }
}

/** `schema.name` as SQL writes it. */
export function qualified(name: string): string {
  return name
    .split('.')
    .map((part) => quoteName(part.replace(/^"(.*)"$/, '$1')))
    .join('.')
}

function httpUrl(text: string | undefined): string | null {
  return text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : null
}

function merged(own: ReadonlyMap<string, string>, file: FileSettings): Omit<RestSettings, 'roles'> {
  const list = (name: string) =>
    own
      .get(name)
      ?.split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  const schemas = list('db_schemas') ?? list('db_schema')
  const maxRows = own.get('db_max_rows')
  const txEnd = own.get('db_tx_end') ?? 'commit-allow-override'
  const mode = own.get('openapi_mode')
  return {
    schemas: schemas && schemas.length > 0 ? schemas : file.schemas,
    extraSearchPath: list('db_extra_search_path') ?? file.extraSearchPath,
    maxRows: maxRows === undefined ? file.maxRows : toCount(maxRows),
    aggregates: own.get('db_aggregates_enabled') === 'true',
    explain: own.get('db_plan_enabled') === 'true',
    txEnd: txEnd.startsWith('rollback') ? 'rollback' : 'commit',
    allowTx: txEnd.endsWith('allow-override'),
    preRequest: own.get('db_pre_request') || null,
    openApi: mode === 'disabled' || mode === 'ignore-privileges' ? mode : 'follow-privileges',
    openApiSecurity: own.get('openapi_security_active') === 'true',
    openApiUrl: httpUrl(own.get('openapi_server_proxy_uri')),
    rootSpec: mode === 'disabled' ? null : own.get('db_root_spec')?.split('.').at(-1) || null,
    traceHeader: own.get('server_trace_header')?.toLowerCase() || null,
    timing: own.get('server_timing_enabled') === 'true',
  }
}

/** A number of rows, null where it is none: no bound. Nobody has more rows than can be counted exactly. */
function toCount(text: string): number | null {
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : null
}
