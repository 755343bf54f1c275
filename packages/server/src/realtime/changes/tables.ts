// Published tables, read from the catalogue: primary key, row-level security, and what each role may read. Cached until
// the stream sends the table's relation again (any change of the table does that), and for a few seconds at most, since
// changes of roles and their membership are not in the stream.
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { API_LOGIN } from '../../sql/roles.ts'

export interface Table {
  /** Quoted, with its schema. */
  sql: string
  rowSecurity: boolean
  /** Columns of the primary key with their types, quoted for SQL. */
  key: { name: string; sql: string; type: string }[]
  /** Names of all columns, in order. */
  columns: string[]
  /** Generated columns that the publication does not leave out; whether the log has them is another question. */
  generated: { name: string; type: number }[]
  access: Map<string, Access>
  /** Texts of the queries for its rows (see visibility.ts). */
  queries: Map<string, string>
}

/** The rights of a role on a table. */
interface Access {
  /** Columns it may select; empty when it may not even enter the schema or become this role. */
  columns: ReadonlySet<string>
  /** Row-level security does not apply to it. */
  bypass: boolean
  /** It may read the table at all: some column, and where row-level security applies, a policy lets it see some row. */
  reads: boolean
}

export interface Tables {
  /** The table and the access of these roles. Null when it was dropped. */
  read(oid: number, roles: Iterable<string>): Table | null | Promise<Table | null>
  /** The table may have changed. */
  invalidate(oid: number): void
  invalidateAll(): void
}

const MAX_CACHED = 10_000
const CACHE_TTL_MS = 5_000

/** Tables of the database of `pool`, which signs in as the platform's owner. */
export function createTables(pool: pg.Pool, publication: string): Tables {
  const cache = new LRUCache<number, Table>({ max: MAX_CACHED, ttl: CACHE_TTL_MS })

  async function load(oid: number, roles: string[]): Promise<Table | null> {
    const start = performance.now()
    const cached = cache.get(oid)
    const table = cached ?? (await readTable(pool, oid, publication))
    if (!table) return null
    const missing = roles.filter((role) => !table.access.has(role))
    for (const [role, access] of await readAccess(pool, oid, missing)) table.access.set(role, access)
    if (table !== cached) cache.set(oid, table, { start })
    return table
  }

  return {
    read(oid, roles) {
      const table = cache.get(oid)
      const distinct = [...new Set(roles)]
      return table && distinct.every((role) => table.access.has(role)) ? table : load(oid, distinct)
    },
    invalidate: (oid) => void cache.delete(oid),
    invalidateAll: () => cache.clear(),
  }
}

async function readTable(pool: pg.Pool, oid: number, publication: string): Promise<Table | null> {
  const { rows } = await pool.query<Omit<Table, 'access' | 'queries'>>(
    `select format('%I.%I', n.nspname, c.relname) as sql, c.relrowsecurity as "rowSecurity",
       coalesce((
         select json_agg(json_build_object(
           'name', a.attname, 'sql', quote_ident(a.attname), 'type', format('%I.%I', tn.nspname, t.typname)
         ) order by a.attnum)
         from pg_index i
         join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
         join pg_type t on t.oid = a.atttypid
         join pg_namespace tn on tn.oid = t.typnamespace
         where i.indrelid = c.oid and i.indisprimary
       ), '[]') as key,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns,
       coalesce((
         select json_agg(json_build_object('name', a.attname, 'type', a.atttypid::int8))
         from pg_attribute a where a.attrelid = c.oid and a.attgenerated <> '' and not a.attisdropped
           and not exists (
             select from pg_publication_rel r join pg_publication p on p.oid = r.prpubid
             where p.pubname = $2 and r.prrelid = c.oid and r.prattrs is not null
           )
       ), '[]') as generated
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = $1`,
    [oid, publication],
  )
  return rows[0] ? { ...rows[0], access: new Map(), queries: new Map() } : null
}

async function readAccess(pool: pg.Pool, oid: number, roles: string[]): Promise<Map<string, Access>> {
  const access = new Map<string, Access>()
  if (roles.length === 0) return access
  const { rows } = await pool.query<{ role: string; bypass: boolean; policy: boolean; columns: string[] }>(
    `select r.rolname as role,
       not c.relrowsecurity or r.rolsuper or r.rolbypassrls
         or (pg_has_role(r.oid, c.relowner, 'usage') and not c.relforcerowsecurity) as bypass,
       exists (
         select from pg_policy p
         where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
           and pg_get_expr(p.polqual, p.polrelid) <> 'false'
           and exists (select from unnest(p.polroles) one where one = 0 or pg_has_role(r.oid, one, 'usage'))
       ) as policy,
       array(
         select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
           and has_schema_privilege(r.oid, c.relnamespace, 'usage')
           and has_column_privilege(r.oid, c.oid, a.attnum, 'select')
           and pg_has_role(${API_LOGIN}, r.oid, 'member')
       ) as columns
     from pg_roles r, pg_class c
     where r.rolname = any($2) and c.oid = $1`,
    [oid, roles],
  )
  for (const role of roles) access.set(role, { columns: new Set(), bypass: false, reads: false })
  for (const { role, bypass, policy, columns } of rows) {
    access.set(role, { columns: new Set(columns), bypass, reads: columns.length > 0 && (bypass || policy) })
  }
  return access
}
