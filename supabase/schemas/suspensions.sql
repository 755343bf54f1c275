-- Suspensions: an admin stops a person from starting anything in the marketplace until the suspension is lifted. Suspended people
-- sign in and finish what is under way, because money is held for it and somebody is waiting (ADR 58). A ban by GoTrue's admin
-- API keeps people out altogether. https://supabase.com/docs/reference/javascript/auth-admin-updateuserbyid

create table public.suspensions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  reason text not null,
  suspended_by uuid, -- no foreign key: it would make embedding a suspended person ambiguous
  created_at timestamptz not null default now(),
  lifted_by uuid,
  lifted_at timestamptz
);
alter table public.suspensions enable row level security;

comment on table public.suspensions is 'Suspensions of people by admins, also past ones';
comment on column public.suspensions.reason is 'The admin''s text, which the person reads';
comment on column public.suspensions.suspended_by is 'The admin who suspended the person';
comment on column public.suspensions.lifted_by is 'The admin who lifted it; null while it is in force';
comment on column public.suspensions.lifted_at is 'When it was lifted; null while it is in force';

create unique index suspensions_one_at_a_time on public.suspensions (user_id) where lifted_at is null;
create index suspensions_of_person on public.suspensions (user_id, created_at desc);
create index suspensions_in_force on public.suspensions (created_at desc, id) where lifted_at is null;

-- Whether the person is suspended here or banned by GoTrue's admin API.
create function private.is_suspended(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.suspensions where user_id = person and lifted_at is null)
    or exists (select from auth.users where id = person and banned_until > now());
end $$;

-- Refuses to let a suspended caller start anything new. A release, a completion, a complaint and its answer concern money on
-- its way and stay possible.
create function private.require_active_account() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended', null, '{}', '42501');
  end if;
end $$;

-- Refuses changes of a task by a suspended giver; withdrawing it stays possible.
create function private.require_active_giver() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended_for_tasks', null, '{}', '42501');
  end if;
end $$;

-- An admin's reason, trimmed, as the person will read it. Raises an error if it is too short or too long.
create function private.admin_reason(reason text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  given constant text := private.trimmed(reason);
begin
  perform private.require(private.visible_length(given) >= 3, 'admin.reason_required', 'reason');
  perform private.require(length(given) <= private.rule('limits.decisionReason.max'), 'admin.reason_too_long', 'reason');
  return given;
end $$;

-- Suspends a person and hides their profile and open tasks. The lock is explained at private.suspension_lock.
create function public.suspend_person(person uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  given text;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "suspend people"}');
  given := private.admin_reason(reason);
  perform pg_advisory_xact_lock(private.suspension_lock(person));
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'account.not_found', 'person');
  perform private.require(not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin'),
    'suspension.admin', 'person');
  perform private.require(not exists (select from public.suspensions s where s.user_id = person and s.lifted_at is null),
    'suspension.already_suspended', 'person');
  insert into public.suspensions (user_id, reason, suspended_by) values (person, given, auth.uid());
  update public.tasks set hidden_for = 'suspension'
  where task_giver_id = person and status in ('open', 'asked') and hidden_for is null;
  update private.profiles set hidden_for = 'suspension' where id = person and hidden_for is null;
  perform private.notify_person(person, 'account_suspended', jsonb_build_object('reason', given), '/profile');
end $$;

-- Lifts a suspension, under the lock of suspend_person. A ban by GoTrue's admin API is not lifted.
create function public.lift_suspension(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "lift a suspension"}');
  perform pg_advisory_xact_lock(private.suspension_lock(person));
  update public.suspensions set lifted_at = now(), lifted_by = auth.uid() where user_id = person and lifted_at is null;
  perform private.require(found, 'suspension.not_suspended', 'person');
  update public.tasks set hidden_for = null where task_giver_id = person and hidden_for = 'suspension';
  update private.profiles set hidden_for = null where id = person and hidden_for = 'suspension';
  perform private.notify_person(person, 'suspension_lifted', '{}', '/dashboard');
end $$;

-- Sets a single role, for older versions of the app.
create function public.set_role(person uuid, role public.app_role) returns void
language sql security definer set search_path = '' as $$
  select public.set_roles(person, array[role])
$$;

-- The caller's suspension and hidden content, newest first, at most 20. `kind` is suspension, profile, task, review, message,
-- question or answer. `subject_id` is the task, also of a question, the reviewed person or the booking of the message. `title` is
-- the task's. `reason` is the administrator's text, null if none is stored.
create function public.my_restrictions()
returns table (kind text, id uuid, subject_id uuid, title text, reason text, since timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  perform private.allow(me is not null, 'account.not_authenticated');
  return query
  with hidden (kind, id, subject_id, title) as (
    select 'profile', p.id, p.id, null from private.profiles p where p.id = me and p.hidden_for = 'report'
    union all
    select 'task', t.id, t.id, t.title from public.tasks t where t.task_giver_id = me and t.hidden_for = 'report' and t.status <> 'cancelled'
    union all
    select 'review', r.id, r.reviewee_id, t.title from public.reviews r join public.bookings b on b.id = r.booking_id
      join public.tasks t on t.id = b.task_id where r.reviewer_id = me and r.hidden_at is not null
    union all
    select 'message', m.id, m.booking_id, t.title from public.messages m join public.bookings b on b.id = m.booking_id
      join public.tasks t on t.id = b.task_id where m.sender_id = me and m.hidden_at is not null
    union all
    select 'question', q.id, q.task_id, t.title from public.task_questions q join public.tasks t on t.id = q.task_id
    where q.asker_id = me and q.hidden_at is not null
    union all
    select 'answer', a.question_id, a.task_id, t.title from public.task_answers a join public.tasks t on t.id = a.task_id
    where a.giver_id = me and a.hidden_at is not null
  )
  select h.kind, h.id, h.subject_id, h.title, decided.decision_note, decided.decided_at
  from hidden h left join lateral (select r.decision_note, r.decided_at from public.reports r
    where r.kind = h.kind::public.reported_kind and r.subject_id = h.id and r.status = 'hidden'
    order by r.decided_at desc limit 1) decided on true
  union all
  select 'suspension', me, me, null, s.reason, s.created_at
  from (select 1) one left join public.suspensions s on s.user_id = me and s.lifted_at is null where private.is_suspended(me)
  order by 6 desc nulls last, 2 limit 20;
end $$;

-- Refuses changes by a suspended person of what others read about them.
create function private.refuse_suspended_profile(profile private.profiles, before private.profiles) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended(profile.id) and exists (
    select from unnest(private.public_profile_columns()) field
    where to_jsonb(profile) -> field is distinct from to_jsonb(before) -> field)
  then
    perform private.fail('account.suspended_for_profile', null, '{}', '42501');
  end if;
end $$;

-- The columns that others read (public_profiles) and that the person can update. Taken from the catalogue, so that a new
-- column is covered.
create function private.public_profile_columns() returns text[]
language sql stable security definer set search_path = '' as $$
  select array_agg(shown.attname::text order by shown.attname::text) from pg_catalog.pg_attribute shown
  join pg_catalog.pg_attribute own on own.attname = shown.attname and own.attrelid = 'public.profiles'::regclass
  where shown.attrelid = 'public.public_profiles'::regclass and shown.attnum > 0 and not shown.attisdropped
    and has_column_privilege('authenticated', own.attrelid, own.attnum, 'update')
$$;

-- Whether the caller can upload to this bucket. Suspended people upload nothing public and no chat photos. Photos of the work and
-- documents stay possible: they finish what is under way, and only the people involved and admins see them.
create function private.may_upload(bucket text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return not ((bucket = 'chat-photos' or (select b.public from storage.buckets b where b.id = bucket))
    and private.is_suspended((select auth.uid())));
end $$;

-- Key of an advisory lock: suspending a person and lifting it take it exclusively, listing one of their tasks takes it shared.
-- Otherwise a task listed at the same moment could be missed.
create function private.suspension_lock(person uuid) returns bigint
language sql immutable set search_path = '' as $$
  select hashtextextended('suspension ' || person, 0)
$$;

-- Whether the giver is suspended, so that their tasks are on hold. Waits until a suspension under way is over.
create function private.tasks_are_on_hold(giver uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(private.suspension_lock(giver));
  return exists (select from public.suspensions where user_id = giver and lifted_at is null);
end $$;

-- Puts a task that becomes open or asked on hold if its giver is suspended.
create function private.hold_task(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  if task.status in ('open', 'asked') and task.hidden_for is null and private.tasks_are_on_hold(task.task_giver_id) then
    task.hidden_for := 'suspension';
  end if;
  return task;
end $$;

create policy "people read their own suspensions, admins all" on public.suspensions for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));

create policy "suspended people upload nothing public" on storage.objects as restrictive for insert to authenticated
with check (private.may_upload(bucket_id));

grant select on public.suspensions to authenticated;
grant execute on function
  public.lift_suspension(uuid), public.set_role(uuid, app_role), public.suspend_person(uuid, text),
  public.my_restrictions()
to authenticated;
grant execute on function
  private.public_profile_columns(), private.may_upload(text), private.is_suspended(uuid),
  private.require_active_account(), private.refuse_suspended_profile(private.profiles, private.profiles),
  private.require_active_giver(), private.tasks_are_on_hold(uuid),
  private.hold_task(public.tasks)
to authenticated, service_role;
