-- Suspensions: an admin takes a person out of the marketplace until it is lifted. GoTrue refuses their sign-in and the
-- renewal of their session by auth.users.banned_until (https://supabase.com/docs/reference/javascript/auth-admin-updateuserbyid);
-- a token that is out lives for up to an hour, so the rules below ask the same column. What they had agreed on goes on.

create table public.suspensions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  reason text not null,
  suspended_by uuid, -- no foreign key: it would make embedding a suspended person ambiguous
  created_at timestamptz not null default now(),
  lifted_by uuid,
  lifted_at timestamptz
);
create unique index suspensions_one_at_a_time on public.suspensions (user_id) where lifted_at is null;
create index suspensions_of_person on public.suspensions (user_id, created_at desc);
create index suspensions_in_force on public.suspensions (created_at desc, id) where lifted_at is null;

alter table public.suspensions enable row level security;
revoke all on public.suspensions from anon, authenticated;
grant select on public.suspensions to authenticated;
create policy "people read their own suspensions, admins all" on public.suspensions for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));

-- Whether that person is suspended, however it came about: banned by GoTrue's own admin API counts, too.
create function private.is_suspended(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from auth.users where id = person and banned_until > now());
end $$;
grant execute on function private.is_suspended(uuid) to authenticated, service_role;

-- What a suspended person does not do. A release, a completion, a complaint and its answer are about money that is on its
-- way: they stay possible while the token lives.
create function private.refuse_suspended() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    raise exception using errcode = '42501',
      message = 'Your account is suspended: you cannot post, apply, hire or write until this is lifted';
  end if;
  return new;
end $$;
create trigger "20_account" before insert on public.tasks
for each row execute function private.refuse_suspended();
create trigger "20_account" before insert on public.messages
for each row execute function private.refuse_suspended();
create trigger "20_account" before insert on public.reviews
for each row execute function private.refuse_suspended();
create trigger "20_account" before insert on public.payments
for each row execute function private.refuse_suspended();
create trigger "19_account" before insert on public.bookings
for each row execute function private.refuse_suspended();
create trigger "39_account" before update on public.bookings for each row
when (new.status = 'accepted' and old.status <> 'accepted')
execute function private.refuse_suspended();

create function private.refuse_suspended_edit() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.status = old.status and private.is_suspended((select auth.uid())) then
    raise exception using errcode = '42501',
      message = 'Your account is suspended: you cannot change a task until this is lifted';
  end if;
  return new;
end $$;
create trigger "20_account_edit" before update on public.tasks
for each row execute function private.refuse_suspended_edit();

-- Hidden tasks and people: for a report that an admin found right, or with a suspension. Who wrote a task, who has applied to
-- it and admins go on seeing it; nobody else finds it, opens it or applies.

alter table public.tasks add column hidden_for text check (hidden_for in ('report', 'suspension'));
comment on column public.tasks.hidden_for is 'Why others do not see the task; null while they do';
alter table private.profiles add column hidden_for text check (hidden_for in ('report', 'suspension'));
comment on column private.profiles.hidden_for is 'Why Find Taskers leaves the person out; null while it does not';

create policy "hidden tasks are for those who know of them" on public.tasks as restrictive for select to anon, authenticated
using (hidden_for is null or task_giver_id = (select auth.uid()) or (select private.is_admin()) or private.has_applied(id));

create function private.check_task_is_shown() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.tasks where id = new.task_id and hidden_for is not null) then
    raise exception using message = 'This task is no longer open', hint = 'task_id';
  end if;
  return new;
end $$;
create trigger "29_shown" before insert on public.bookings
for each row execute function private.check_task_is_shown();

create or replace view private.open_tasks as
select id, category, location, pay_amount, scheduled_date, created_at,
  title || E'\n' || description || E'\n' || category || E'\n' || location as words
from public.tasks where status = 'open' and hidden_for is null;

create or replace function public.recommended_tasks(query text default '', category text default null, max_results integer default 50)
returns setof public.tasks language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant integer := least(greatest(coalesce(max_results, 50), 0), 100);
  words constant text := coalesce(private.trimmed(query), '');
  me public.profiles;
begin
  select * into me from public.profiles where id = auth.uid();
  return query
  with candidates as (
    select s.id from public.search_tasks(words, recommended_tasks.category, 100) s where words <> ''
    union
    (select t.id from public.tasks t where words = '' and t.status = 'open' and t.hidden_for is null
      and (recommended_tasks.category is null or t.category = recommended_tasks.category)
      order by t.created_at desc, t.id limit 300)
    union
    select best.id from unnest(me.preferred_categories) preferred (name) cross join lateral (
      select t.id from public.tasks t where t.status = 'open' and t.hidden_for is null and t.category = preferred.name
      order by t.created_at desc, t.id limit 200) best
    where words = '' and recommended_tasks.category is null
    union
    select named.id from unnest(me.skills) skill (name) cross join lateral
      public.search_tasks('"' || replace(skill.name, '"', ' ') || '"', recommended_tasks.category, 100) named
    where words = ''
  ), ranked as (
    select t.id, t.created_at, s.score
    from candidates c join public.tasks t on t.id = c.id
    cross join lateral private.score_of(t.category, t.title, t.description, me.preferred_categories, me.skills) s
    order by s.score desc, t.created_at desc, t.id limit wanted
  )
  select t.* from ranked r join public.tasks t on t.id = r.id order by r.score desc, r.created_at desc, r.id;
end $$;

create or replace function public.find_taskers(query text default '', max_results integer default 100, skip integer default 0)
returns setof public.public_profiles language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
begin
  return query
  with found as (
    select p.id, p.rating, p.total_reviews from private.profiles p
    where p.id_verified and p.role = 'task_doer' and p.full_name <> '' and p.hidden_for is null
      and (pattern = '%%' or private.tasker_text(p.full_name, p.skills, p.bio) ilike pattern)
    order by p.rating desc, p.total_reviews desc, p.id
    offset greatest(coalesce(skip, 0), 0) limit least(greatest(coalesce(max_results, 100), 0), 200)
  )
  select p.* from found join public.public_profiles p on p.id = found.id
  order by found.rating desc, found.total_reviews desc, found.id;
end $$;

insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('account_suspended', 'complaints', 'Your Meadowlark account is suspended', 'Open Meadowlark', 'Your account is suspended',
    'You cannot post tasks, apply, hire or write messages until an administrator lifts it. The reason: {reason}'),
  ('suspension_lifted', 'complaints', 'Your Meadowlark account is open again', 'Open Meadowlark', 'Your account is open again',
    'An administrator has lifted the suspension. Everything works as before.'),
  ('role_changed', 'complaints', 'Your role at Meadowlark has changed', 'Open your dashboard', 'Your role has changed',
    'An administrator has made you a {role}.');

-- An admin's reason, as the person will read it. Raises what is wrong with it.
create function private.admin_reason(reason text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  given constant text := private.trimmed(reason);
begin
  perform private.require(private.visible_length(given) >= 3, 'Please give a reason: the person reads it', 'reason');
  perform private.require(length(given) <= private.rule('limits.decisionReason.max'), 'Reason too long', 'reason');
  return given;
end $$;

-- Suspends a person until it is lifted: no admin, and not twice. Their open tasks and their card in Find Taskers are hidden meanwhile.
create function public.suspend_person(person uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  given text;
begin
  perform private.allow(private.is_admin(), 'Only admins can suspend people');
  given := private.admin_reason(reason);
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'There is no such account', 'person');
  perform private.require(not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin'),
    'An admin cannot be suspended: give them another role first', 'person');
  perform private.require(not exists (select from public.suspensions s where s.user_id = person and s.lifted_at is null),
    'This person is suspended already', 'person');
  insert into public.suspensions (user_id, reason, suspended_by) values (person, given, auth.uid());
  -- A hundred years: GoTrue reads a time here, and 'infinity' is none to it.
  update auth.users set banned_until = now() + interval '100 years' where id = person;
  update public.tasks set hidden_for = 'suspension'
  where task_giver_id = person and status in ('open', 'asked') and hidden_for is null;
  update private.profiles set hidden_for = 'suspension' where id = person and hidden_for is null;
  perform private.notify_person(person, 'account_suspended', jsonb_build_object('reason', given), '/profile');
end $$;

create function public.lift_suspension(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can lift a suspension');
  update public.suspensions set lifted_at = now(), lifted_by = auth.uid() where user_id = person and lifted_at is null;
  perform private.require(found, 'This person is not suspended', 'person');
  update auth.users set banned_until = null where id = person;
  update public.tasks set hidden_for = null where task_giver_id = person and hidden_for = 'suspension';
  update private.profiles set hidden_for = null where id = person and hidden_for = 'suspension';
  perform private.notify_person(person, 'suspension_lifted', '{}', '/dashboard');
end $$;

-- One role a person; the last admin stays one. Two changes at once wait for each other.
create function public.set_role(person uuid, role public.app_role) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can change roles');
  perform private.require(set_role.role is not null, 'A role is required', 'role');
  perform pg_advisory_xact_lock(hashtextextended('admins', 0));
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'There is no such account', 'person');
  perform private.require(set_role.role <> 'admin' or not private.is_suspended(person),
    'A suspended person cannot become an admin: lift the suspension first', 'role');
  perform private.require(set_role.role = 'admin'
    or exists (select from public.user_roles r where r.role = 'admin' and r.user_id <> person),
    'This is the last admin: make somebody else an admin first', 'role');
  if (select array_agg(r.role) from public.user_roles r where r.user_id = person) = array[set_role.role] then
    return;
  end if;
  delete from public.user_roles r where r.user_id = person and r.role <> set_role.role;
  insert into public.user_roles (user_id, role) values (person, set_role.role)
  on conflict on constraint user_roles_user_id_role_key do nothing;
  perform private.notify_person(person, 'role_changed', jsonb_build_object('role', case set_role.role
    when 'admin' then 'administrator' when 'task_doer' then 'tasker' else 'task giver' end), '/dashboard');
end $$;

revoke execute on function public.suspend_person(uuid, text), public.lift_suspension(uuid),
  public.set_role(uuid, public.app_role) from public, anon;
grant execute on function public.suspend_person(uuid, text), public.lift_suspension(uuid),
  public.set_role(uuid, public.app_role) to authenticated;

create trigger write_audit after insert or update or delete on public.suspensions
for each row execute function private.write_audit();
