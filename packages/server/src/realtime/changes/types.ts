// PostgreSQL's types by oid, read from the catalogue: enough to encode a value as JSON and to compare it.
import type pg from 'pg'

export interface ColumnType {
  oid: number
  /** As in pg_type, `int4` or `_text`: clients read it in `columns`. */
  name: string
  /** Schema-qualified and quoted, for casts. */
  sql: string
  /** Base, array, domain, enum, composite. */
  kind: 'base' | 'array' | 'domain' | 'enum' | 'composite'
  /** Of an array its elements', of a domain its base type. */
  inner: ColumnType | null
  /** Has its own cast to json, which PostgreSQL's to_json() honours. */
  castsToJson: boolean
}

export interface Types {
  /** At least those types and what they are made of. Unknown oids are left out. */
  read(oids: readonly number[]): Promise<Map<number, ColumnType>>
}

interface Row {
  oid: number
  name: string
  sql: string
  kind: ColumnType['kind']
  inner: number
  castsToJson: boolean
}

/** The first oid of a type that is not PostgreSQL's own (FirstNormalObjectId); to_json() ignores casts of those below. */
const FIRST_USER_OID = 16384

/** Types of one database, cached: what a type is made of never changes. */
export function createTypes(pool: pg.Pool): Types {
  const cache = new Map<number, ColumnType>()
  return {
    async read(oids) {
      const missing = [...new Set(oids)].filter((oid) => !cache.has(oid))
      if (missing.length > 0) for (const type of await readTypes(pool, missing)) cache.set(type.oid, type)
      return cache
    },
  }
}

async function readTypes(pool: pg.Pool, oids: number[]): Promise<ColumnType[]> {
  const { rows } = await pool.query<Row>(
    `with recursive needed as (
       select oid from pg_type where oid = any($1::oid[])
       union
       select case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem else t.typbasetype end
         from needed n join pg_type t on t.oid = n.oid
     )
     select t.oid, t.typname as name, format('%I.%I', n.nspname, t.typname) as sql,
       case when t.typtype = 'd' then 'domain' when t.typcategory = 'A' and t.typelem <> 0 then 'array'
         when t.typtype = 'e' then 'enum' when t.typtype = 'c' then 'composite' else 'base' end as kind,
       case when t.typtype <> 'd' and t.typcategory = 'A' then t.typelem else t.typbasetype end as inner,
       t.oid >= $2 and exists (
         select from pg_cast where castsource = t.oid and casttarget = 'json'::regtype and castfunc <> 0
       ) as "castsToJson"
     from needed join pg_type t on t.oid = needed.oid join pg_namespace n on n.oid = t.typnamespace`,
    [oids, FIRST_USER_OID],
  )
  const types = new Map(rows.map((row) => [row.oid, { ...row, inner: null } as ColumnType]))
  for (const { oid, inner } of rows) {
    const type = types.get(oid)
    if (type) type.inner = types.get(inner) ?? null
  }
  return [...types.values()]
}
