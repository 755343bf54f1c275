-- Bookings: applications and what becomes of them. A booking's life is the rows of
-- private.booking_transitions; check_booking_step lets through nothing else. What follows a step is the next file's.

create type public.booking_status as enum
  ('pending', 'accepted', 'in_progress', 'completed', 'rejected', 'cancelled');

create table public.bookings (
  id uuid primary key default gen_random_uuid(),
  task_id uuid not null references public.tasks (id) on delete cascade,
  task_doer_id uuid not null references public.profiles (id) on delete cascade,
  -- The task's giver, kept by trigger so that policies need no join (the default only says that nobody has
  -- to give it). No foreign key: a second way from bookings to profiles would make embedding ambiguous.
  task_giver_id uuid not null default '00000000-0000-0000-0000-000000000000',
  message text,
  status public.booking_status not null default 'pending',
  -- What the tasker applied for, in dollars: the task's price when the application came. It is what is paid, whatever
  -- becomes of the task's price (the default only says that nobody has to give it).
  agreed_amount numeric not null default 'NaN',
  completion_notes text,
  cancellation_reason text,
  cancelled_by uuid,
  -- Declined because another application was accepted; may apply again if the task opens again.
  passed_over boolean not null default false,
  -- When the tasker is taken by this booking; null while the task has no time or no duration.
  period tstzrange,
  created_at timestamptz not null default now(),
  -- When the application was accepted or declined, by whomever.
  answered_at timestamptz,
  accepted_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  cancelled_at timestamptz,
  updated_at timestamptz not null default now(),
  constraint one_booking_at_a_time exclude using gist (task_doer_id with =, period with &&)
    where (status in ('accepted', 'in_progress'))
);

create unique index bookings_one_active_per_task on public.bookings (task_id)
  where status in ('accepted', 'in_progress', 'completed');
-- One application per tasker and task. Withdrawn and cancelled ones, and those passed over, may apply again;
-- who was declined by the giver may not.
create unique index bookings_one_application on public.bookings (task_id, task_doer_id)
  where status <> 'cancelled' and not passed_over;
create index bookings_of_task on public.bookings (task_id, created_at desc);
create index bookings_of_doer on public.bookings (task_doer_id, created_at desc);
create index bookings_of_giver on public.bookings (task_giver_id, created_at desc);
create index bookings_between on public.bookings (task_doer_id, task_giver_id)
  where status in ('accepted', 'in_progress', 'completed');

-- Who acts: the two people, the payment (a verified webhook), the cancellation (handle-cancellation),
-- the choice (another application was accepted, or the task was withdrawn) and the schedule.
create type private.booking_actor as enum ('tasker', 'giver', 'payment', 'cancellation', 'choice', 'schedule');

create table private.booking_transitions (
  from_status public.booking_status, -- null: the application itself
  to_status public.booking_status not null,
  actor private.booking_actor not null,
  unique nulls not distinct (from_status, to_status, actor)
);
alter table private.booking_transitions enable row level security;
comment on table private.booking_transitions is 'A booking''s whole life: nothing else is possible';

insert into private.booking_transitions (from_status, to_status, actor) values
  (null, 'pending', 'tasker'),
  ('pending', 'accepted', 'giver'),
  ('pending', 'rejected', 'giver'),
  ('pending', 'rejected', 'choice'),
  ('pending', 'cancelled', 'tasker'),
  ('pending', 'cancelled', 'schedule'),
  ('accepted', 'in_progress', 'payment'),
  ('accepted', 'cancelled', 'giver'),
  ('accepted', 'cancelled', 'tasker'),
  ('accepted', 'cancelled', 'schedule'),
  ('in_progress', 'completed', 'tasker'),
  ('in_progress', 'cancelled', 'cancellation');

-- Helpers of policies and guards. Definers, because they look past row-level security.

create function private.task_has_applications(task uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.bookings where task_id = task and status not in ('rejected', 'cancelled'))
$$;

-- The task as it stands, locked so that applications and acceptances of one task happen one after the other.
create function private.lock_task(task uuid) returns public.tasks
language sql security definer set search_path = '' as $$
  select * from public.tasks where id = task for no key update
$$;

-- Reserves the decision on a task. An acceptance already holds its booking and will want the others; a
-- second one must not wait for the task meanwhile, or both would wait for each other.
create function private.reserve_decision(task uuid) returns boolean
language sql security definer set search_path = '' as $$
  select pg_try_advisory_xact_lock(hashtextextended('decision ' || task, 0))
$$;

-- When a task takes place, if it says when and for how long.
create function private.task_period(task public.tasks) returns tstzrange
language sql immutable set search_path = '' as $$
  select case when task.duration_minutes is not null then
    tstzrange(task.scheduled_date, task.scheduled_date + make_interval(mins => task.duration_minutes), '[)') end
  where task.scheduled_date is not null
$$;

-- Whether the tasker is free then; acceptances of one tasker wait for each other here.
create function private.tasker_is_free(tasker uuid, wanted tstzrange) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  if wanted is null then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('calendar ' || tasker, 0));
  return not exists (select from public.bookings
    where task_doer_id = tasker and period && wanted and status in ('accepted', 'in_progress'));
end $$;

create function private.has_other_application(task uuid, tasker uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.bookings where task_id = task and task_doer_id = tasker
    and status <> 'cancelled' and not passed_over)
$$;

grant execute on function private.task_has_applications(uuid), private.lock_task(uuid), private.reserve_decision(uuid),
  private.tasker_is_free(uuid, tstzrange), private.has_other_application(uuid, uuid),
  private.task_period(public.tasks) to authenticated, service_role;
grant usage on type private.booking_actor to authenticated, service_role;
grant select on private.booking_transitions to authenticated, service_role;
create policy "anyone reads the rules of a booking" on private.booking_transitions for select
to authenticated, service_role using (true);

-- Names the actor of what a definer of ours does next (null: nobody). Clients are named by who they are.
create function private.set_actor(actor private.booking_actor) returns void
language sql set search_path = '' as $$
  select set_config('meadowlark.actor', actor::text, true)
$$;

-- Who moves this booking: a client is the tasker or the giver of it and nothing else.
create function private.booking_actor(tasker uuid, giver uuid) returns private.booking_actor
language sql stable set search_path = '' as $$
  select case
    when not private.is_client() then nullif(current_setting('meadowlark.actor', true), '')::private.booking_actor
    when tasker = auth.uid() then 'tasker'
    when giver = auth.uid() then 'giver'
  end
$$;
grant execute on function private.booking_actor(uuid, uuid) to authenticated, service_role;

-- An application: who may apply, and for what.

create trigger "11_message" before insert on public.bookings for each row
when (length(new.message) > private.rule('limits.applicationMessage.max'))
execute function private.reject('Message too long (max 1000 characters)', 'message');

create function private.tidy_booking() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.message := nullif(private.trimmed(new.message), '');
  return new;
end $$;
create trigger "12_tidy" before insert on public.bookings
for each row execute function private.tidy_booking();

create trigger "20_own" before insert on public.bookings for each row
when (private.is_client() and (new.task_doer_id = auth.uid()) is not true)
execute function private.forbid('You can only apply for yourself');
create trigger "21_doers" before insert on public.bookings for each row
when (private.is_client() and not private.has_role('task_doer'))
execute function private.forbid('Access Denied: Only task doers can apply to tasks');

create function private.check_application() returns trigger
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(new.task_id);
begin
  perform private.require(task.id is not null, 'Task not found', 'task_id');
  perform private.allow(task.task_giver_id <> new.task_doer_id, 'You cannot apply to your own task');
  perform private.require(not private.has_other_application(new.task_id, new.task_doer_id),
    'You have already applied to this task', 'task_id');
  perform private.require(task.status = 'open', 'This task is no longer open', 'task_id');
  -- A client may say which price its person saw; one that says nothing applies for the price as it stands.
  perform private.require(coalesce(new.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    format('The price of this task is now $%s. Please look at it again before you apply.',
      to_char(task.pay_amount, 'FM999999990.00')), 'agreed_amount');
  new.task_giver_id := task.task_giver_id;
  new.agreed_amount := task.pay_amount;
  return new;
end $$;
create trigger "30_application" before insert on public.bookings
for each row execute function private.check_application();

-- A step: which there are, who makes them, and what each needs.

create trigger "31_price_agreed" before update on public.bookings for each row
when ((new.agreed_amount = old.agreed_amount) is not true)
execute function private.reject('The price of a booking stays as it was agreed', 'agreed_amount');
create trigger "32_notes_on_completion" before update on public.bookings for each row
when ((new.status <> old.status or new.completion_notes is not distinct from old.completion_notes) is not true)
execute function private.reject('Completion notes are given when the task is marked complete', 'completion_notes');
create trigger "33_reason_on_cancellation" before update on public.bookings for each row
when ((new.status <> old.status or new.cancellation_reason is not distinct from old.cancellation_reason) is not true)
execute function private.reject('A reason is given when the booking is cancelled', 'cancellation_reason');

create function private.check_booking_step() returns trigger
language plpgsql set search_path = '' as $$
declare
  previous constant public.booking_status := case when tg_op = 'UPDATE' then old.status end;
begin
  if exists (select from private.booking_transitions t
      where t.from_status is not distinct from previous and t.to_status = new.status
        and t.actor = private.booking_actor(new.task_doer_id, new.task_giver_id)) then
    return new;
  end if;
  perform private.require((previous = 'in_progress' and new.status = 'cancelled') is not true,
    'A paid booking is cancelled through handle-cancellation', 'status');
  raise exception using errcode = case when private.is_client() and auth.uid() not in (new.task_doer_id,
      new.task_giver_id) then '42501' else 'P0001' end,
    message = case when previous is null then 'An application starts as pending'
      else format('You cannot change this booking from %s to %s', replace(previous::text, '_', ' '),
        replace(new.status::text, '_', ' ')) end,
    hint = 'status';
end $$;
create trigger "40_first_step" before insert on public.bookings
for each row execute function private.check_booking_step();
create trigger "40_step" before update on public.bookings for each row
when (new.status is distinct from old.status)
execute function private.check_booking_step();

create function private.check_acceptance() returns trigger
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
begin
  perform private.require(private.reserve_decision(new.task_id),
    'This task is being decided right now. Please try again.', 'status');
  task := private.lock_task(new.task_id);
  perform private.require(task.status = 'open', 'This task is no longer open', 'status');
  new.period := private.task_period(task);
  perform private.require(private.tasker_is_free(new.task_doer_id, new.period),
    'This tasker already has a booking at that time', 'status');
  new.accepted_at := now();
  return new;
end $$;
create trigger "50_accepted" before update on public.bookings for each row
when (new.status = 'accepted' and old.status <> 'accepted')
execute function private.check_acceptance();

create function private.check_start() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(exists (select from public.payments p
    where p.booking_id = new.id and p.escrow_status = 'held'), 'The payment is not held yet', 'status');
  new.started_at := now();
  return new;
end $$;
create trigger "51_in_progress" before update on public.bookings for each row
when (new.status = 'in_progress' and old.status <> 'in_progress')
execute function private.check_start();

create function private.check_completion() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.completion_notes := nullif(private.trimmed(new.completion_notes), '');
  perform private.require(coalesce(length(new.completion_notes), 0) <= private.rule('limits.completionNotes.max'),
    'Completion notes too long', 'completion_notes');
  new.completed_at := now();
  return new;
end $$;
create trigger "52_completed" before update on public.bookings for each row
when (new.status = 'completed' and old.status <> 'completed')
execute function private.check_completion();

create function private.check_cancellation() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- The provider is asked first, or the card could be charged for a booking that is no more.
  perform private.require(old.status <> 'accepted' or not private.has_open_intent(new.id),
    'The payment of this booking was started: it is cancelled through handle-cancellation', 'payment');
  new.cancellation_reason := nullif(private.trimmed(new.cancellation_reason), '');
  perform private.require(coalesce(length(new.cancellation_reason), 0) <= private.rule('limits.cancellationReason.max'),
    'Reason too long', 'cancellation_reason');
  new.cancelled_by := coalesce(new.cancelled_by, auth.uid());
  new.cancelled_at := now();
  return new;
end $$;
create trigger "53_cancelled" before update on public.bookings for each row
when (new.status = 'cancelled' and old.status <> 'cancelled')
execute function private.check_cancellation();

create function private.stamp_booking() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  if new.status in ('accepted', 'rejected') then
    new.answered_at := now();
  end if;
  if new.status <> 'completed' then
    new.completion_notes := null;
  end if;
  if new.status <> 'cancelled' then
    new.cancellation_reason := null;
  end if;
  return new;
end $$;
create trigger "90_first_stamp" before insert on public.bookings
for each row execute function private.stamp_booking();
create trigger "90_stamp" before update on public.bookings for each row
when (new.status <> old.status)
execute function private.stamp_booking();

alter table public.bookings enable row level security;
revoke all on public.bookings from anon, authenticated;
grant select on public.bookings to authenticated;
grant insert (task_id, task_doer_id, message, status, agreed_amount) on public.bookings to authenticated;
grant update (status, completion_notes, cancellation_reason) on public.bookings to authenticated;

create policy "participants read their bookings, admins all" on public.bookings for select to authenticated
using (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()) or (select private.is_admin()));
create policy "taskers apply for themselves" on public.bookings for insert to authenticated
with check (task_doer_id = (select auth.uid()));
create policy "participants move their bookings" on public.bookings for update to authenticated
using (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()))
with check (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()));
