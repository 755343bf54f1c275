-- Effects that failed, page by page, at the same cost however many failed before: each list walks its own index and looks up the
-- messages of one page.

create index failed_effects_over on private.failed_effects (id) where given_up_at is not null;
create index failed_effects_waiting on private.failed_effects (id) where given_up_at is null;

create or replace function public.find_failed_effects(given_up boolean default true, before_id bigint default null, max_results integer default 50)
returns table (id bigint, function_name text, payment_id uuid, person_id uuid, tries integer, error text, failed_at timestamptz,
  next_try_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can look through effects');
  return query execute concat_ws(' ',
    'select f.id, e.message ->> ''function'', (e.message #>> ''{body,payment_id}'')::uuid,',
    '(select p.id from private.profiles p where p.id = (e.message #>> ''{body,person}'')::uuid), e.read_ct, f.error, f.failed_at, e.vt',
    'from private.failed_effects f cross join lateral (',
    'select q.read_ct, q.message, q.vt from pgmq.q_effects q where q.msg_id = f.id',
    'union all select a.read_ct, a.message, null from pgmq.a_effects a where a.msg_id = f.id) e',
    'where f.given_up_at', case when coalesce(given_up, true) then 'is not null' else 'is null' end,
    case when before_id is not null then format('and f.id < %s', before_id) end,
    'order by f.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;
