-- The audit log's list names the task that an entry is about: of a payment, a complaint, or the task itself.

drop function public.find_audit_entries(text, uuid, uuid, boolean, bigint, integer);
create function public.find_audit_entries(about_table text default null, actor uuid default null, person uuid default null,
  admins_only boolean default false, before_id bigint default null, max_results integer default 50)
returns table (id bigint, at timestamptz, actor_id uuid, actor_name text, actor_role text, by_admin boolean, table_name text,
  row_id uuid, action text, old_values jsonb, new_values jsonb, subjects jsonb, task_title text)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can read the audit log');
  return query execute concat_ws(' ',
    'select a.id, a.at, a.actor_id, who.full_name, a.actor_role, a.by_admin, a.table_name, a.row_id, a.action, a.old_values,',
    'a.new_values, (select jsonb_agg(jsonb_build_object(''id'', p.id, ''name'', p.full_name) order by p.full_name)',
    'from private.profiles p where p.id = any (a.subject_ids)),',
    'case a.table_name when ''tasks'' then (select t.title from public.tasks t where t.id = a.row_id)',
    'when ''payments'' then (select t.title from public.payments p join public.tasks t on t.id = p.task_id where p.id = a.row_id)',
    'when ''complaints'' then (select t.title from public.complaints c join public.bookings b on b.id = c.booking_id',
    'join public.tasks t on t.id = b.task_id where c.id = a.row_id) end',
    'from public.audit_log a left join private.profiles who on who.id = a.actor_id where true',
    case when about_table is not null then format('and a.table_name = %L', about_table) end,
    case when actor is not null then format('and a.actor_id = %L', actor) end,
    case when person is not null then format('and a.subject_ids @> array[%L::uuid]', person) end,
    case when coalesce(admins_only, false) then 'and a.by_admin' end,
    case when before_id is not null then format('and a.id < %s', before_id) end,
    'order by a.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;
revoke execute on function public.find_audit_entries(text, uuid, uuid, boolean, bigint, integer) from public, anon;
grant execute on function public.find_audit_entries(text, uuid, uuid, boolean, bigint, integer) to authenticated;
