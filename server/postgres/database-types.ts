// Writes the TypeScript types of the schema `public` from the catalogue, in the shape that
// `supabase gen types typescript` gives and supabase-js reads (https://supabase.com/docs/guides/api/rest/generating-types).
import type pg from 'pg'

interface Column {
  name: string
  type: string
  nullable: boolean
  optional: boolean
  generated: boolean
}
interface Relationship {
  foreignKeyName: string
  columns: string[]
  isOneToOne: boolean
  referencedRelation: string
  referencedColumns: string[]
}
interface Relation {
  name: string
  kind: 'table' | 'view'
  columns: Column[]
  relationships: Relationship[] | null
}
interface Argument {
  name: string
  type: string
  optional: boolean
}
interface Routine {
  name: string
  args: Argument[]
  returns: string
  returnsRelation: string | null
  returnsColumns: Argument[] | null
  set: boolean
}

const RELATIONS = `
with fields as (
  select a.attrelid, jsonb_agg(jsonb_build_object(
    'name', a.attname, 'type', format_type(a.atttypid, null),
    'nullable', not a.attnotnull, 'optional', not a.attnotnull or d.oid is not null or a.attidentity <> '',
    'generated', a.attidentity = 'a' or a.attgenerated <> '') order by a.attname) as columns
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped group by a.attrelid
), keys as (
  select k.oid, k.conname, k.conrelid, k.confrelid,
    (select array_agg(a.attname order by n) from unnest(k.conkey) with ordinality u (num, n)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.num) as columns,
    (select array_agg(a.attname order by n) from unnest(k.confkey) with ordinality u (num, n)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.num) as referenced,
    exists (select from pg_index i where i.indrelid = k.conrelid and i.indisunique and i.indpred is null
      and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ k.conkey and k.conkey <@ (i.indkey::int2[])[0:i.indnkeyatts - 1]) as one
  from pg_constraint k where k.contype = 'f'
), exposed as ( -- tables and the views through which their columns are seen under the same names
  select c.oid, c.oid as seen_as from pg_class c where c.relkind in ('r', 'p')
  union
  select d.refobjid, r.ev_class from pg_rewrite r join pg_depend d on d.objid = r.oid and d.classid = 'pg_rewrite'::regclass
    and d.refclassid = 'pg_class'::regclass and d.deptype = 'n'
  join pg_class t on t.oid = d.refobjid and t.relkind in ('r', 'p')
  join pg_class v on v.oid = r.ev_class and v.relkind = 'v'
)
select c.relname as name, case when c.relkind in ('v', 'm') then 'view' else 'table' end as kind, f.columns,
  (select jsonb_agg(jsonb_build_object('foreignKeyName', k.conname, 'columns', k.columns, 'isOneToOne', k.one,
      'referencedRelation', target.relname, 'referencedColumns', k.referenced)
      order by k.conname, target.relname)
    from keys k join exposed own on own.oid = k.conrelid and own.seen_as = c.oid
    join exposed e on e.oid = k.confrelid join pg_class target on target.oid = e.seen_as
    where target.relnamespace = c.relnamespace
      and (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname = any (k.columns)) = cardinality(k.columns)
      and (select count(*) from pg_attribute a where a.attrelid = target.oid and a.attname = any (k.referenced)) = cardinality(k.referenced)
  ) as relationships
from pg_class c join fields f on f.attrelid = c.oid
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') order by c.relname`

const ROUTINES = `
select p.proname as name, p.proretset as set, format_type(p.prorettype, null) as returns,
  case when t.typtype = 'c' then r.relname end as "returnsRelation",
  (select jsonb_agg(jsonb_build_object('name', coalesce(p.proargnames[n], ''), 'type', format_type(u.type, null),
      'optional', n > p.pronargs - p.pronargdefaults) order by n)
    from unnest(p.proargtypes) with ordinality u (type, n)) as args,
  (select jsonb_agg(jsonb_build_object('name', p.proargnames[n], 'type', format_type(u.type, null), 'optional', false) order by n)
    from unnest(p.proallargtypes) with ordinality u (type, n) where p.proargmodes[n] = 't') as "returnsColumns"
from pg_proc p join pg_type t on t.oid = p.prorettype left join pg_class r on r.oid = t.typrelid
where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
order by p.proname`

const ENUMS = `
select t.typname as name, array_agg(e.enumlabel::text order by e.enumsortorder) as values
from pg_type t join pg_enum e on e.enumtypid = t.oid
where t.typnamespace = 'public'::regnamespace group by t.typname order by t.typname`

/** The text of database.types.ts for the schema `public` of the database behind `client`. */
export async function databaseTypes(client: pg.ClientBase | pg.Pool): Promise<string> {
  const enums = (await client.query<{ name: string; values: string[] }>(ENUMS)).rows
  const relations = (await client.query<Relation>(RELATIONS)).rows
  const routines = (await client.query<Routine>(ROUTINES)).rows
  const type = typeWriter(new Set(enums.map((row) => row.name)))
  const tables = relations.filter((relation) => relation.kind === 'table')
  const views = relations.filter((relation) => relation.kind === 'view')
  return `// Generated by \`npm run types:database\` from supabase/migrations; not edited by hand.
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  __InternalSupabase: { PostgrestVersion: '13.0.5' }
  public: {
    Tables: {${block(tables, (table) => tableType(table, type))}
    }
    Views: {${block(views, (view) => `Row: {${fields(view.columns, (c) => `${c.name}: ${type(c.type)} | null`)}\n        }\n        Relationships: ${relationshipsType(view)}`)}
    }
    Functions: {${block(routines, (routine) => routineType(routine, type))}
    }
    Enums: {${enums.map((e) => `\n      ${e.name}: ${e.values.map((v) => `'${v}'`).join(' | ')}`).join('')}
    }
    CompositeTypes: { [_ in never]: never }
  }
}

type Public = Database['public']
/** A row as it is read. */
export type Tables<Name extends keyof (Public['Tables'] & Public['Views'])> = (Public['Tables'] &
  Public['Views'])[Name]['Row']
/** A row as it is written. */
export type TablesInsert<Name extends keyof Public['Tables']> = Public['Tables'][Name]['Insert']
/** A change of a row. */
export type TablesUpdate<Name extends keyof Public['Tables']> = Public['Tables'][Name]['Update']
/** The values of an enumeration. */
export type Enums<Name extends keyof Public['Enums']> = Public['Enums'][Name]
`
}

function block<Item extends { name: string }>(items: Item[], body: (item: Item) => string): string {
  return items.map((item) => `\n      ${item.name}: {\n        ${body(item)}\n      }`).join('')
}

function fields<Field>(items: Field[], line: (item: Field) => string): string {
  return items.map((item) => `\n          ${line(item)}`).join('')
}

function tableType(table: Relation, type: (name: string) => string): string {
  const value = (c: Column) => `${type(c.type)}${c.nullable ? ' | null' : ''}`
  const written = (c: Column, optional: boolean) =>
    c.generated ? `${c.name}?: never` : `${c.name}${optional ? '?' : ''}: ${value(c)}`
  return [
    `Row: {${fields(table.columns, (c) => `${c.name}: ${value(c)}`)}\n        }`,
    `Insert: {${fields(table.columns, (c) => written(c, c.optional))}\n        }`,
    `Update: {${fields(table.columns, (c) => written(c, true))}\n        }`,
    `Relationships: ${relationshipsType(table)}`,
  ].join('\n        ')
}

function relationshipsType(relation: Relation): string {
  const list = (names: string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`
  const entries = (relation.relationships ?? []).map(
    (r) =>
      `\n          { foreignKeyName: '${r.foreignKeyName}'; columns: ${list(r.columns)}; isOneToOne: ${r.isOneToOne}; ` +
      `referencedRelation: '${r.referencedRelation}'; referencedColumns: ${list(r.referencedColumns)} },`,
  )
  return entries.length === 0 ? '[]' : `[${entries.join('')}\n        ]`
}

function routineType(routine: Routine, type: (name: string) => string): string {
  const args = (routine.args ?? [])
    .map((a) => `${a.name}${a.optional ? '?' : ''}: ${type(a.type)}`)
    .join('; ')
  let returns = type(routine.returns)
  if (routine.returnsColumns) {
    returns = `{ ${routine.returnsColumns.map((c) => `${c.name}: ${type(c.type)}`).join('; ')} }`
  } else if (routine.returnsRelation) {
    returns = `Tables<'${routine.returnsRelation}'>`
  }
  return `Args: ${args === '' ? 'never' : `{ ${args} }`}\n        Returns: ${returns}${routine.set ? '[]' : ''}`
}

/** From PostgreSQL's type names to TypeScript's, as JSON carries the values. */
function typeWriter(enums: Set<string>): (name: string) => string {
  const numbers = new Set(['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision'])
  const write = (name: string): string => {
    if (name.endsWith('[]')) return `${write(name.slice(0, -2))}[]`
    const bare = name.replace(/^public\./, '').replace(/"/g, '')
    if (enums.has(bare)) return `Database['public']['Enums']['${bare}']`
    if (numbers.has(bare)) return 'number'
    if (bare === 'boolean') return 'boolean'
    if (bare === 'json' || bare === 'jsonb') return 'Json'
    if (bare === 'void') return 'undefined'
    if (bare.endsWith('range') || bare === 'record') return 'unknown'
    return 'string'
  }
  return write
}
