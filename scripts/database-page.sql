-- One row for each table and view of `public` and `private`, and for each table of the platform with triggers of ours, as
-- scripts/database-page.mjs prints them. The search path is empty, so that names are printed with their schema.
with relations as (
  select c.oid, n.nspname || '.' || c.relname as name, c.relkind, c.relacl, obj_description(c.oid, 'pg_class') as comment
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname in ('public', 'private') or c.relkind = 'v' and n.nspname = 'public'
    or n.nspname not in ('public', 'private') and exists (select from pg_catalog.pg_trigger g join pg_catalog.pg_proc p on p.oid = g.tgfoid
      where g.tgrelid = c.oid and not g.tgisinternal and p.pronamespace::regnamespace::text in ('public', 'private'))
),
-- Privileges of each role: on the whole table, or on some columns.
grants as (
  select t.oid, r.rolname as role, a.privilege_type as command, null::text[] as columns
  from relations t cross join lateral pg_catalog.aclexplode(t.relacl) a join pg_catalog.pg_roles r on r.oid = a.grantee
  union all
  select t.oid, r.rolname, a.privilege_type, array_agg(c.attname::text order by c.attnum)
  from relations t join pg_catalog.pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
  cross join lateral pg_catalog.aclexplode(c.attacl) a join pg_catalog.pg_roles r on r.oid = a.grantee
  group by 1, 2, 3
)
select t.name, case when t.relkind = 'v' then 'view' when t.name ~ '^(public|private)\.' then 'table' else 'platform' end as kind,
  t.comment,
  (select json_agg(json_build_object('name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
      'values', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e where e.enumtypid = a.atttypid),
      'required', a.attnotnull, 'default', pg_catalog.pg_get_expr(d.adbin, d.adrelid), 'computed', a.attgenerated <> '',
      'identity', a.attidentity <> '', 'comment', pg_catalog.col_description(t.oid, a.attnum)) order by a.attnum)
    from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped) as columns,
  coalesce((select json_agg(json_build_object('role', g.role, 'command', lower(g.command), 'columns', g.columns, 'policies',
      coalesce((select json_agg(p.polname || case when p.polpermissive then '' else ' (and only these)' end
          order by p.polpermissive desc, p.polname)
        from pg_catalog.pg_policy p where p.polrelid = t.oid
          and p.polcmd in ('*', case g.command when 'SELECT' then 'r' when 'INSERT' then 'a' when 'UPDATE' then 'w' else 'd' end)
          and (p.polroles = '{0}' or g.role::regrole::oid = any (p.polroles))), '[]')) order by g.role, g.command)
    from grants g where g.oid = t.oid and g.role in ('anon', 'authenticated')
      and g.command in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')), '[]') as access,
  -- Bits of tgtype: 1 row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate, 64 instead of.
  coalesce((select json_agg(json_build_object('name', g.tgname, 'timing', case when g.tgtype & 64 = 64 then 'instead'
        when g.tgtype & 2 = 2 then 'before' when g.tgdeferrable then 'at commit' else 'after' end,
      'events', concat_ws(', ', case when g.tgtype & 4 = 4 then 'insert' end, case when g.tgtype & 16 = 16 then 'update'
        || coalesce((select ' of ' || string_agg(c.attname, ', ' order by c.attnum) from pg_catalog.pg_attribute c
          where c.attrelid = t.oid and c.attnum = any (g.tgattr)), '') end, case when g.tgtype & 8 = 8 then 'delete' end,
        case when g.tgtype & 32 = 32 then 'truncate' end),
      'function', g.tgfoid::pg_catalog.regproc::text, 'args', pg_catalog.encode(g.tgargs, 'base64'))
      order by (g.tgtype & 2) desc, g.tgdeferrable, g.tgname)
    from pg_catalog.pg_trigger g join pg_catalog.pg_proc p on p.oid = g.tgfoid
    where g.tgrelid = t.oid and not g.tgisinternal and p.pronamespace::regnamespace::text in ('public', 'private')), '[]') as triggers
from relations t
order by t.name
