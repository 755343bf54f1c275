-- One row for each table of `public` and `private`, as scripts/database-page.mjs prints them. The search path is empty, so
-- that names are printed with their schema.
with tables as (
  select c.oid, n.nspname || '.' || c.relname as name, c.relacl, obj_description(c.oid, 'pg_class') as comment
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname in ('public', 'private')
),
-- What anon and authenticated may do: on the whole table, else on some columns.
grants as (
  select t.oid, r.rolname as role, a.privilege_type as command, null::text[] as columns
  from tables t cross join lateral pg_catalog.aclexplode(t.relacl) a join pg_catalog.pg_roles r on r.oid = a.grantee
  union all
  select t.oid, r.rolname, a.privilege_type, array_agg(c.attname::text order by c.attnum)
  from tables t join pg_catalog.pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
  cross join lateral pg_catalog.aclexplode(c.attacl) a join pg_catalog.pg_roles r on r.oid = a.grantee
  group by 1, 2, 3
)
select t.name, t.comment,
  (select json_agg(json_build_object('name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
      'required', a.attnotnull, 'default', pg_catalog.pg_get_expr(d.adbin, d.adrelid),
      'comment', pg_catalog.col_description(t.oid, a.attnum)) order by a.attnum)
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
  coalesce((select json_agg(json_build_object('column', a.attname, 'values', (select json_agg(e.enumlabel order by e.enumsortorder)
        from pg_catalog.pg_enum e where e.enumtypid = a.atttypid), 'transitions',
      case when t.name = 'public.bookings' then (
        select json_agg(s order by s."from" nulls first, s."to") from (
          select b.from_status as "from", b.to_status as "to", array_agg(b.actor order by b.actor) as actors
          from private.booking_transitions b group by 1, 2) s)
      else '[]' end) order by a.attnum)
    from pg_catalog.pg_attribute a join pg_catalog.pg_type y on y.oid = a.atttypid
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and y.typtype = 'e' and a.attname ~ 'status|state'),
    '[]') as states,
  coalesce((select json_agg(json_build_object('timing', case when g.tgtype & 2 = 2 then 'before' else 'after' end
        || case when g.tgtype & 1 = 1 then '' else ' statement' end || case when g.tgdeferrable then ', at commit' else '' end,
      'events', concat_ws(', ', case when g.tgtype & 4 = 4 then 'insert' end, case when g.tgtype & 16 = 16 then 'update'
        || coalesce((select ' of ' || string_agg(c.attname, ', ' order by c.attnum) from pg_catalog.pg_attribute c
          where c.attrelid = t.oid and c.attnum = any (g.tgattr)), '') end, case when g.tgtype & 8 = 8 then 'delete' end),
      'function', g.tgfoid::pg_catalog.regproc::text, 'args', pg_catalog.encode(g.tgargs, 'base64'),
      'condition', pg_catalog.substring(pg_catalog.pg_get_triggerdef(g.oid), ' WHEN \((.*)\) EXECUTE FUNCTION '))
      order by (g.tgtype & 2) desc, (g.tgtype & 1) * (1 - (g.tgtype & 2)) desc, g.tgname)
    from pg_catalog.pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal), '[]') as triggers
from tables t
order by t.name
