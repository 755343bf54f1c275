// The questions to the system catalogues from which the schema cache is built. They run with an empty search
// path, so that types and defaults come back qualified.

/** $1: exposed schemas. */
export const TABLES = `
with recursive domains as (
  select oid, oid as base from pg_type where typtype <> 'd'
  union all
  select t.oid, d.base from pg_type t join domains d on t.typbasetype = d.oid where t.typtype = 'd'
)
select
  n.nspname as schema, c.relname as name, obj_description(c.oid, 'pg_class') as description,
  c.relkind in ('v', 'm') as is_view,
  c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_relation_is_updatable(c.oid, true) & 8 = 8 as insertable,
  c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_relation_is_updatable(c.oid, true) & 4 = 4 as updatable,
  c.relkind in ('r', 'p') or c.relkind in ('v', 'f') and pg_relation_is_updatable(c.oid, true) & 16 = 16 as deletable,
  (
    select coalesce(json_agg(a.attname order by k.position), '[]')
    from pg_constraint p
    cross join unnest(p.conkey) with ordinality as k (number, position)
    join pg_attribute a on a.attrelid = p.conrelid and a.attnum = k.number
    where p.conrelid = c.oid and p.contype = 'p'
  ) as primary_key,
  (
    select coalesce(json_agg(json_build_object(
      'name', a.attname,
      'description', col_description(c.oid, a.attnum),
      'nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
      'type', format_type(a.atttypid, a.atttypmod),
      'baseType', format_type(coalesce(d.base, a.atttypid), null),
      'maxLength', case
        when coalesce(d.base, a.atttypid) in ('bpchar'::regtype, 'varchar'::regtype)
          and greatest(a.atttypmod, t.typtypmod) > 4
        then greatest(a.atttypmod, t.typtypmod) - 4 end,
      'default', case
        when a.attgenerated <> '' then null
        when a.attidentity = 'd' then (
          select format('nextval(%L)', s.oid::regclass)
          from pg_depend x join pg_class s on s.oid = x.objid and s.relkind = 'S'
          where x.refobjid = c.oid and x.refobjsubid = a.attnum and x.deptype = 'i'
        )
        else coalesce(pg_get_expr(e.adbin, e.adrelid), pg_get_expr(t.typdefaultbin, 0))
      end,
      'enumValues', coalesce((
        select json_agg(v.enumlabel order by v.enumsortorder) from pg_enum v
        where v.enumtypid = coalesce(d.base, a.atttypid)
      ), '[]'),
      'representation', case when t.typtype = 'd' then (
        select json_object_agg(
          case when c.castsource = t.oid then 'read' when c.castsource = 'json'::regtype then 'write' else 'filter' end,
          json_build_object('schema', pn.nspname, 'name', p.proname)
        )
        from pg_cast c
        join pg_proc p on p.oid = c.castfunc
        join pg_namespace pn on pn.oid = p.pronamespace
        where c.castcontext = 'i' and has_function_privilege('authenticator', p.oid, 'execute')
          and (c.castsource = t.oid and c.casttarget = 'json'::regtype
            or c.casttarget = t.oid and c.castsource in ('json'::regtype, 'text'::regtype))
      ) end
    ) order by a.attnum), '[]')
    from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    left join domains d on d.oid = a.atttypid
    left join pg_attrdef e on e.adrelid = a.attrelid and e.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ) as columns
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('v', 'r', 'm', 'f', 'p') and not c.relispartition and n.nspname = any ($1)
order by n.nspname, c.relname`

/** Every foreign key and primary key, whatever its schema: views of exposed schemas may read hidden tables. */
export const KEYS = `
select
  k.conname as name, k.contype as kind, k.conrelid::int8 as table_oid, k.confrelid::int8 as foreign_oid,
  n.nspname as schema, t.relname as table_name, fn.nspname as foreign_schema, f.relname as foreign_name,
  k.conkey::int[] as columns, k.confkey::int[] as foreign_columns,
  (select json_agg(a.attname order by p.position)
   from unnest(k.conkey) with ordinality as p (number, position)
   join pg_attribute a on a.attrelid = k.conrelid and a.attnum = p.number) as column_names,
  (select json_agg(a.attname order by p.position)
   from unnest(k.confkey) with ordinality as p (number, position)
   join pg_attribute a on a.attrelid = k.confrelid and a.attnum = p.number) as foreign_column_names,
  k.contype = 'f' and exists (
    select from pg_constraint u
    where u.conrelid = k.conrelid and u.contype in ('p', 'u') and u.conkey <@ k.conkey and k.conkey <@ u.conkey
  ) as is_unique
from pg_constraint k
join pg_class t on t.oid = k.conrelid
join pg_namespace n on n.oid = t.relnamespace
left join pg_class f on f.oid = k.confrelid
left join pg_namespace fn on fn.oid = f.relnamespace
where k.contype in ('p', 'f') and k.conparentid = 0
order by k.conrelid, k.conname`

/** $1: exposed schemas and those of the extra search path, whose views may be in between. */
export const VIEWS = `
select
  c.oid::int8 as oid, n.nspname as schema, c.relname as name, r.ev_action::text as definition,
  (select json_object_agg(a.attnum, a.attname) from pg_attribute a
   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
where c.relkind in ('v', 'm') and n.nspname = any ($1)
order by n.nspname, c.relname`

/** Domains with such a name are media types. */
const MEDIA_TYPE = '^([A-Za-z0-9.-]+/[A-Za-z0-9.+-]+|[*]/[*])$'

/** $1: exposed schemas. */
export const ROUTINES = `
with recursive domains as (
  select oid, oid as base from pg_type where typtype <> 'd'
  union all
  select t.oid, d.base from pg_type t join domains d on t.typbasetype = d.oid where t.typtype = 'd'
)
select
  n.nspname as schema, p.proname as name, obj_description(p.oid, 'pg_proc') as description,
  coalesce(a.parameters, '[]') as parameters,
  p.proretset as setof,
  t.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false) as composite,
  tn.nspname as type_schema, coalesce(tc.relname, t.typname) as type_name,
  case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
  coalesce(p.proconfig, '{}') as settings,
  (
    select json_build_object('name', lower(m.typname), 'binary', d.base = 'bytea'::regtype)
    from pg_type m
    where m.oid = p.prorettype and m.typtype = 'd' and m.typname ~ '${MEDIA_TYPE}' and not p.proretset
  ) as media
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join domains d on d.oid = p.prorettype
join pg_type t on t.oid = d.base
join pg_namespace tn on tn.oid = t.typnamespace
left join pg_class tc on tc.oid = t.typrelid
left join lateral (
  select
    json_agg(json_build_object(
      'name', coalesce(i.name, ''),
      -- These drop what is longer than one character unless told otherwise.
      'type', case i.type
        when 'bit'::regtype then 'bit varying' when 'bit[]'::regtype then 'bit varying[]'
        when 'character'::regtype then 'character varying' when 'character[]'::regtype then 'character varying[]'
        else format_type(i.type, null) end,
      'required', i.position <= p.pronargs - p.pronargdefaults,
      'variadic', i.mode = 'v'
    ) order by i.position) as parameters,
    count(*) filter (where i.name is null or i.name = '') as unnamed,
    count(*) as inputs,
    min(i.type::regtype::text) as first_type
  from (
    select m.name, m.type, coalesce(m.mode, 'i') as mode, row_number() over (order by m.at) as position
    from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes::text[])
      with ordinality as m (type, name, mode, at)
    where coalesce(m.mode, 'i') in ('i', 'b', 'v')
  ) i
) a on true
where n.nspname = any ($1) and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
  and p.prorettype <> 'event_trigger'::regtype
  and (
    coalesce(a.unnamed, 0) = 0
    or a.inputs = 1 and a.first_type in ('bytea', 'json', 'jsonb', 'text', 'xml')
  )
order by n.nspname, p.proname, p.pronargs, p.oid`

/** Aggregates over rows that give a media type; $1: exposed schemas. */
export const MEDIA_AGGREGATES = `
with recursive domains as (
  select oid, typbasetype as base from pg_type where typtype = 'd'
  union all
  select d.oid, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
)
select
  n.nspname as schema, p.proname as name,
  json_build_object(
    'name', lower(m.typname),
    'binary', exists (select from domains d where d.oid = m.oid and d.base = 'bytea'::regtype)
  ) as media,
  case when r.oid is not null then json_build_object('schema', rn.nspname, 'name', r.relname) end as row
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_type m on m.oid = p.prorettype and m.typtype = 'd' and m.typname ~ '${MEDIA_TYPE}'
left join pg_class r on r.reltype = p.proargtypes[0] and r.relkind in ('v', 'r', 'm', 'f', 'p')
left join pg_namespace rn on rn.oid = r.relnamespace
where p.prokind = 'a' and p.pronargs = 1 and n.nspname = any ($1)
  and (r.oid is not null or p.proargtypes[0] = 'anyelement'::regtype)
order by n.nspname, p.proname`

/** Functions from one row to rows of another table. */
export const COMPUTED = `
select
  pn.nspname as function_schema, p.proname as function_name,
  an.nspname as schema, at.relname as table_name,
  rn.nspname as foreign_schema, rt.relname as foreign_name,
  not p.proretset or p.prorows = 1 as to_one
from pg_proc p
join pg_namespace pn on pn.oid = p.pronamespace
join pg_class at on at.reltype = p.proargtypes[0] and at.relkind in ('v', 'r', 'm', 'f', 'p')
join pg_namespace an on an.oid = at.relnamespace
join pg_class rt on rt.reltype = p.prorettype and rt.relkind in ('v', 'r', 'm', 'f', 'p')
join pg_namespace rn on rn.oid = rt.relnamespace
where p.pronargs = 1 and p.prokind = 'f'
order by pn.nspname, p.proname`

export const POSTGIS = `
select n.nspname as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
where e.extname = 'postgis'`
