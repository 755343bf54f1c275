// Changes that an operator made outside of migrations: settings of roles and the server, which are copied, and schema
// objects, which are listed.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

type Clients = { from: pg.Client; to: pg.Client }
type Setting = { database: string | null; role: string | null; config: string[] }

/** `alter role … set` and `alter database … set`, of roles that both have. */
export async function copySettings({ from, to }: Clients): Promise<void> {
  const { rows } = await from.query<Setting>(
    `select datname as database, rolname as role, setconfig as config from pg_db_role_setting
     left join pg_database d on d.oid = setdatabase left join pg_roles r on r.oid = setrole`,
  )
  await to.query('begin')
  // As superusers may: an "alter role" would take a list for one name.
  await to.query('delete from pg_db_role_setting')
  await to.query(
    `insert into pg_db_role_setting (setdatabase, setrole, setconfig)
     select coalesce(d.oid, 0), coalesce(r.oid, 0), array(select jsonb_array_elements_text(config))
     from jsonb_to_recordset($1) as s (database text, role text, config jsonb)
     left join pg_database d on d.datname = database left join pg_roles r on r.rolname = role
     where (d.oid is null) = (database is null) and (r.oid is null) = (role is null)`,
    [JSON.stringify(rows)],
  )
  await to.query('commit')
}

/** Its libraries are of the old version's programs. */
const OF_THE_PROGRAMS = 'shared_preload_libraries'

/**
 * `alter system set …`, which counts from the next start on. Returns what the new version does not take, as
 * `setting <name> = <value>`.
 */
export async function copyServerSettings({ from, to }: Clients): Promise<string[]> {
  const { rows: old } = await from.query<{ text: string }>(
    `select pg_read_file('postgresql.auto.conf') as text`,
  )
  const { rows: next } = await to.query<{ folder: string; names: string[] }>(
    `select current_setting('data_directory') as folder, array(select name from pg_settings) as names`,
  )
  const { folder = '', names = [] } = next[0] ?? {}
  const lines = (old[0]?.text ?? '').split('\n').filter((line) => /^[\w.]+ = /.test(line))
  const nameOf = (line: string) => line.split(' = ', 1)[0] ?? ''
  const fits = (line: string) => {
    const name = nameOf(line)
    return name !== OF_THE_PROGRAMS && (name.includes('.') || names.includes(name))
  }
  const kept = lines.filter(fits)
  if (kept.length > 0) appendFileSync(join(folder, 'postgresql.auto.conf'), `${kept.join('\n')}\n`)
  return lines.filter((line) => !fits(line)).map((line) => `setting ${line}`)
}

const PROJECT = `n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'extensions')`

const THINGS = `
  select 'role ' || quote_ident(rolname) as thing from pg_roles where rolname !~ '^pg_'
  union select 'function ' || format('%I.%I(%s)', nspname, proname, pg_get_function_identity_arguments(p.oid))
    from pg_proc p join pg_namespace n on n.oid = pronamespace where ${PROJECT}
  union select case relkind when 'i' then 'index ' when 'f' then 'foreign table ' else 'view ' end || format('%I.%I', nspname, relname)
    from pg_class join pg_namespace n on n.oid = relnamespace where relkind in ('v', 'm', 'i', 'f') and ${PROJECT}
  union select 'trigger ' || format('%I on %I.%I', tgname, nspname, relname)
    from pg_trigger join pg_class c on c.oid = tgrelid join pg_namespace n on n.oid = relnamespace
    where not tgisinternal and ${PROJECT}
  union select 'policy ' || format('%I on %I.%I', polname, nspname, relname)
    from pg_policy join pg_class c on c.oid = polrelid join pg_namespace n on n.oid = relnamespace
  union select 'table of publication ' || format('%I: %I.%I', pubname, schemaname, tablename) from pg_publication_tables
  order by 1`

/** Names of what only the old one has: no migration makes it. */
export async function madeByHand({ from, to }: Clients): Promise<string[]> {
  const [old, next] = await Promise.all([from, to].map((client) => client.query<{ thing: string }>(THINGS)))
  const there = new Set(next?.rows.map(({ thing }) => thing))
  return (old?.rows ?? []).flatMap(({ thing }) => (there.has(thing) ? [] : [thing]))
}
