-- The back office finds a whole e-mail address by the index of addresses: its parts ("example", "com") stand in most, and a search
-- for them reads more the more people there are.

-- That every word of a search stands in a person `p`, as SQL; null without words. A word that is somebody's whole address means
-- that person.
create or replace function private.person_search(query text) returns text
language sql stable set search_path = '' as $$
  select string_agg(coalesce(
    (select format('p.id = %L', owner.id) from private.profiles owner
      where lower(owner.email) = lower(w) and owner.deleted_at is null limit 1),
    'private.person_text(p.full_name, p.email, p.phone) ilike ' || quote_literal(private.contains_pattern(w))), ' and ')
  from unnest(private.search_words(query)) w
$$;

create or replace function public.find_people(query text default '', filter text default 'everyone',
  before_at timestamptz default null, before_id uuid default null, max_results integer default 50)
returns table (id uuid, full_name text, email text, phone text, avatar_url text, city text, role public.app_role,
  is_verified boolean, suspended boolean, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can look through people');
  perform private.require(filter in ('everyone', 'task_giver', 'task_doer', 'admin', 'suspended'),
    'Filter must be everyone, task_giver, task_doer, admin or suspended', 'filter');
  return query execute concat_ws(' ',
    'select p.id, p.full_name, p.email, p.phone, p.avatar_url, p.city, p.role, p.is_verified, s.id is not null, p.created_at',
    'from private.profiles p', case when filter <> 'suspended' then 'left' end,
    'join public.suspensions s on s.user_id = p.id and s.lifted_at is null where p.deleted_at is null',
    'and ' || private.person_search(query),
    case when filter not in ('everyone', 'suspended') then format('and p.role = %L', filter) end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;
