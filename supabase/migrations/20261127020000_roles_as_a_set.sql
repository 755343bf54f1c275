-- Rights and lists follow the set of a person's roles. `role` is still the role with the highest priority, for display.

alter table private.profiles add column roles public.app_role[] not null default '{}';
comment on column private.profiles.roles is 'All roles of the person by priority, kept by a trigger from user_roles';

-- The role a person works in at the moment. Until they choose one, the role with the highest priority counts.
alter table public.user_roles add column active boolean not null default false;
create unique index user_roles_active on public.user_roles (user_id) where active;

create or replace function private.sync_profile_role() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(new.user_id, old.user_id);
  held constant public.app_role[] := array(select r.role from public.user_roles r where r.user_id = person
    order by array_position(array['admin', 'task_doer', 'task_giver']::public.app_role[], r.role));
begin
  update private.profiles set role = held[1], roles = held where id = person;
  return null;
end $$;

update private.profiles p set roles = array(select r.role from public.user_roles r where r.user_id = p.id
  order by array_position(array['admin', 'task_doer', 'task_giver']::public.app_role[], r.role));

-- Choosing the active role changes no rights, so it triggers no recount and no audit entry.
create or replace trigger sync_profile_role after insert or update of user_id, role or delete on public.user_roles
for each row execute function private.sync_profile_role();
create or replace trigger write_audit after insert or update or delete on public.user_roles
for each row execute function private.write_audit('user_id', 'role');

-- Everyone who holds the role is a tasker, administrators included.

drop index private.profiles_taskers, private.profiles_of_role;
create index profiles_taskers on private.profiles (rating desc, total_reviews desc, id)
  where id_verified and 'task_doer' = any (roles);
create index profiles_with_task_giver on private.profiles (created_at desc, id desc)
  where deleted_at is null and 'task_giver' = any (roles);
create index profiles_with_task_doer on private.profiles (created_at desc, id desc)
  where deleted_at is null and 'task_doer' = any (roles);
create index profiles_with_admin on private.profiles (created_at desc, id desc)
  where deleted_at is null and 'admin' = any (roles);

create or replace function private.is_tasker(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.public_profiles seen join private.profiles p using (id)
    where seen.id = person and 'task_doer' = any (p.roles));
end $$;

grant execute on function private.is_tasker(uuid) to anon;

-- The same check as a computed column of public_profiles, because `role` names only one role.
create function public.is_tasker(person public.public_profiles) returns boolean
language sql stable set search_path = '' as $$ select private.is_tasker(person.id) $$;
revoke execute on function public.is_tasker(public.public_profiles) from public;
grant execute on function public.is_tasker(public.public_profiles) to anon, authenticated, service_role;

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
    case when filter not in ('everyone', 'suspended') then format('and %L = any (p.roles)', filter) end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

create or replace function public.prepare_payout_account() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person private.profiles;
  known public.payout_accounts;
  declared public.verifications;
begin
  select * into person from private.profiles where id = auth.uid() and deleted_at is null;
  perform private.allow(person.id is not null, 'Not authenticated');
  perform private.allow(private.has_role('task_doer') or not private.has_role('task_giver'), 'Only taskers are paid out');
  select * into declared from public.verifications where user_id = person.id;
  select * into known from public.payout_accounts where user_id = person.id;
  return jsonb_build_object('user_id', person.id, 'account_id', case when known.account_type <> 'manual' then known.stripe_account_id end,
    'idempotency_key', concat_ws('-', 'payout-account', person.id,
      case when known.account_type = 'manual' then substring(known.stripe_account_id from '^acct_.*$') end),
    'email', person.email, 'phone', person.phone,
    'legal_name', declared.legal_name, 'date_of_birth', declared.date_of_birth);
end $$;

-- `other_role` is the other person's side in this booking, whatever their other roles.
create or replace view public.conversations with (security_invoker = true) as
select b.id as booking_id, b.status, t.id as task_id, t.title as task_title,
  p.id as other_id, p.full_name as other_name, p.avatar_url as other_avatar_url,
  case when p.id = b.task_doer_id then 'task_doer' else 'task_giver' end::public.app_role as other_role,
  p.is_verified as other_is_verified,
  last.message as last_message, last.created_at as last_message_at, last.sender_id as last_sender_id,
  (select count(*) from public.messages m where m.receiver_id = (select auth.uid()) and m.booking_id = b.id
    and m.read_at is null)::integer as unread_count,
  last.photo is not null as last_has_photo
from public.bookings b
join public.tasks t on t.id = b.task_id
join public.public_profiles p
  on p.id = case when b.task_giver_id = (select auth.uid()) then b.task_doer_id else b.task_giver_id end
left join lateral (select m.message, m.created_at, m.sender_id, m.photo from public.messages m
  where m.booking_id = b.id order by m.created_at desc limit 1) last on true
where b.status in ('accepted', 'in_progress')
  and (b.task_doer_id = (select auth.uid()) or b.task_giver_id = (select auth.uid()))
order by last.created_at desc nulls last, b.created_at desc, b.id;
