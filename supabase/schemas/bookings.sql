-- Bookings: applications and what becomes of them. booking_transitions.sql lists the allowed steps; booking_steps.sql has
-- their rules and effects.

create type public.booking_status as enum
  ('pending', 'accepted', 'in_progress', 'completed', 'rejected', 'cancelled');

-- The actor of a step: the tasker, the giver, the payment (a verified webhook), the cancellation
-- (handle-cancellation), the choice (another application was accepted, or the task was withdrawn) or the schedule.
create type private.booking_actor as enum ('tasker', 'giver', 'payment', 'cancellation', 'choice', 'schedule');

create table public.bookings (
  id uuid primary key default gen_random_uuid(),
  task_id uuid not null references public.tasks (id) on delete cascade,
  task_doer_id uuid not null references private.profiles (id) on delete cascade,
  -- The default makes the column optional on insert. No foreign key: a second relationship between bookings and profiles
  -- would make embedding ambiguous.
  task_giver_id uuid not null default '00000000-0000-0000-0000-000000000000',
  message text,
  status public.booking_status not null default 'pending',
  agreed_amount numeric not null default 'NaN',
  completion_notes text,
  cancellation_reason text,
  cancelled_by uuid,
  passed_over boolean not null default false,
  period tstzrange,
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  accepted_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  cancelled_at timestamptz,
  updated_at timestamptz not null default now(),
  completion_photos text[] not null default '{}',
  offer_options jsonb,
  offer_reason text,
  answer_by timestamptz,
  counter_amount numeric,
  counter_starts_at timestamptz,
  counter_message text,
  counter_state text check (counter_state in ('open', 'declined', 'lapsed', 'accepted')),
  accepted_option integer,
  posted_date timestamptz,
  arrives_from timestamptz,
  arrives_until timestamptz,
  arrived_at timestamptz,
  before_photos text[] not null default '{}',
  expense_limit numeric(12, 2) check (expense_limit > 0),
  series_id uuid references public.task_series (id) on delete set null,
  visit_number integer,
  pay_from timestamptz,
  skipped boolean not null default false,
  constraint one_booking_at_a_time exclude using gist (task_doer_id with =, period with &&)
    where (status in ('accepted', 'in_progress'))
);
alter table public.bookings enable row level security;

comment on table public.bookings is 'Applications of taskers and what becomes of them';
comment on column public.bookings.task_doer_id is 'The tasker';
comment on column public.bookings.task_giver_id is
  'The task''s giver, copied from the task so that policies need no join';
comment on column public.bookings.message is 'The application''s text; null if not given';
comment on column public.bookings.status is
  'Where the booking is: '
  'new → pending when the tasker applies; '
  'new → accepted as a further visit when a tasker is accepted for a series; '
  'pending → accepted when the giver accepts the application, or the tasker the giver''s counter-offer; '
  'pending → rejected when the giver declines, accepts another application or withdraws the task; '
  'pending → cancelled when the tasker withdraws, or without an answer after 30 days, an offer at answer_by; '
  'accepted → in_progress when the payment is held; '
  'accepted → cancelled when either person cancels, or when it is not paid in time; '
  'in_progress → completed when the tasker marks the work complete; '
  'in_progress → cancelled when either person cancels, or when the payment is taken back or refunded by an admin; '
  'rejected → pending when the giver takes the decline back within 10 minutes';
comment on column public.bookings.agreed_amount is
  'Dollars before fees: the task''s price when the tasker applied; what the giver pays even if the price changes. Of an offer: '
  'its first option, and once accepted the accepted option or the counter-offer';
comment on column public.bookings.completion_notes is 'The tasker''s text when marking the work complete; null if not given';
comment on column public.bookings.cancellation_reason is 'Null if not given, or not cancelled';
comment on column public.bookings.cancelled_by is 'The person who cancelled; null if nobody did, such as the schedule';
comment on column public.bookings.passed_over is
  'Declined because another application was accepted; the tasker may apply again if the task reopens';
comment on column public.bookings.period is
  'When the booking occupies the tasker, set on acceptance; null while the task has no time or no duration';
comment on column public.bookings.answered_at is 'When the application was accepted or declined, by anybody; null while pending';
comment on column public.bookings.accepted_at is 'When the giver accepted; null before';
comment on column public.bookings.started_at is 'When the payment was held; null before';
comment on column public.bookings.completed_at is 'When the tasker marked the work complete; null before';
comment on column public.bookings.cancelled_at is 'When it was cancelled; null before';
comment on column public.bookings.updated_at is 'Time of the last step';
comment on column public.bookings.offer_options is
  'The tasker''s prices instead of the posted one: [{amount, starts_at}], one to three, dollars before fees, starts_at null for '
  'the task''s time; null for an application at the posted price';
comment on column public.bookings.offer_reason is 'Why the tasker offers another price; null without an offer';
comment on column public.bookings.answer_by is 'When the offer, or the open counter-offer, lapses; null without an offer';
comment on column public.bookings.counter_amount is 'The giver''s counter-offer in dollars before fees; null for none';
comment on column public.bookings.counter_starts_at is 'When the work begins by the counter-offer; null for the task''s time';
comment on column public.bookings.counter_message is 'The giver''s text with the counter-offer; null if not given';
comment on column public.bookings.counter_state is
  'Where the counter-offer is: new → open when the giver makes it; open → accepted | declined by the tasker; '
  'open → lapsed at answer_by. Null for none';
comment on column public.bookings.accepted_option is 'The position in offer_options that the giver accepted, from 1; null for none';
comment on column public.bookings.posted_date is
  'The task''s time before an accepted offer changed it, which returns if the booking is cancelled; null for none';
comment on column public.bookings.arrives_from is 'When the tasker, who is on the way, arrives at the earliest; null before that';
comment on column public.bookings.arrives_until is 'When the tasker, who is on the way, arrives at the latest; null before that';
comment on column public.bookings.arrived_at is 'When the tasker stated the arrival; null before, and after the time was moved';
comment on column public.bookings.before_photos is
  'The tasker''s, of the place before the work, in the bucket booking-photos; read like completion_photos';
comment on column public.bookings.series_id is 'The series that the booking is a visit of; null for none';
comment on column public.bookings.visit_number is
  'Position of the visit in its series, from 1; 0 for the agreement on a snowfall task, which is not a visit; null for none';
comment on column public.bookings.pay_from is
  'From when the time to pay a visit counts; null for the agreement on a snowfall task and outside of series';
comment on column public.bookings.skipped is
  'Whether it is a visit that was cancelled without a fee more than 48 hours ahead, which counts against nobody';
comment on column public.bookings.completion_photos is
  'Names in the bucket booking-photos, by the tasker. Both parties and admins: storage.from(''booking-photos'').download(name)';
comment on column public.bookings.expense_limit is
  'Dollars of expenses that the tasker can hand in: the task''s limit when the tasker applied, until the giver raises it; null for none';

create unique index bookings_one_active_per_task on public.bookings (task_id)
  where status in ('accepted', 'in_progress', 'completed');

-- One application per tasker and task. A tasker may apply again after withdrawing, after a cancellation and after being passed
-- over, but not after the giver declined.
create unique index bookings_one_application on public.bookings (task_id, task_doer_id)
  where status <> 'cancelled' and not passed_over;
create index bookings_of_task on public.bookings (task_id, created_at desc);
create index bookings_of_doer on public.bookings (task_doer_id, created_at desc);
create index bookings_of_giver on public.bookings (task_giver_id, created_at desc);
create index bookings_between on public.bookings (task_doer_id, task_giver_id)
  where status in ('accepted', 'in_progress', 'completed');
create index bookings_unpaid on public.bookings (accepted_at) where status = 'accepted';
create index bookings_unanswered on public.bookings (created_at) where status = 'pending';
create index bookings_offers_due on public.bookings (answer_by) where status = 'pending' and answer_by is not null;
create index bookings_open_of_giver on public.bookings (task_giver_id, status)
  where status in ('pending', 'accepted', 'in_progress');
create index bookings_open_of_doer on public.bookings (task_doer_id, status) where status in ('accepted', 'in_progress');
create index bookings_finished_of_giver on public.bookings (task_giver_id, completed_at) where status = 'completed';
create index bookings_finished_of_doer on public.bookings (task_doer_id, completed_at) where status = 'completed';
create index bookings_of_series on public.bookings (series_id, visit_number) where series_id is not null;
create index bookings_of_pair on public.bookings (task_giver_id, task_doer_id);

-- Functions for policies and rules. Most are security definers, because they need rows that row-level security hides.

-- Returns the task and locks it, so that applications to it and acceptances happen one after the other.
create function private.lock_task(task uuid) returns public.tasks
language sql security definer set search_path = '' as $$
  select * from public.tasks where id = task for no key update
$$;

-- Returns the booking and locks it for one of its two people, so that proposals, changes, answers and cancellations of a booking
-- happen one after the other; no row for anybody else.
create function private.lock_own_booking(booking uuid) returns public.bookings
language sql security definer set search_path = '' as $$
  select * from public.bookings b where b.id = booking and auth.uid() in (b.task_giver_id, b.task_doer_id) for no key update
$$;

-- Reserves the decision on a task; false if another transaction has it. An acceptance has locked its booking and will lock the
-- other applications. A second acceptance must not wait for the task meanwhile, or the two would deadlock.
create function private.try_lock_decision(task uuid) returns boolean
language sql security definer set search_path = '' as $$
  select pg_try_advisory_xact_lock(hashtextextended('decision ' || task, 0))
$$;

-- When the task takes place; null without a time or a duration.
create function private.task_period(task public.tasks) returns tstzrange
language sql immutable set search_path = '' as $$
  select case when task.duration_minutes is not null then
    tstzrange(task.scheduled_date, task.scheduled_date + make_interval(mins => task.duration_minutes), '[)') end
  where task.scheduled_date is not null
$$;

create function private.has_other_application(task uuid, tasker uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.bookings where task_id = task and task_doer_id = tasker
    and status <> 'cancelled' and not passed_over)
$$;

-- Before an application, or a visit of a series, is added.
create function private.before_booking_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.series_id is not null then
    return private.check_visit(new);
  end if;
  perform private.require(coalesce(length(new.message), 0) <= private.rule('limits.applicationMessage.max'),
    'booking.message_too_long', 'message');
  new := private.tidy_booking(new);
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.task_doer_id = auth.uid(), 'booking.not_own');
  perform private.allow(not private.is_client() or private.has_role('task_doer'), 'booking.only_taskers');
  perform private.limit_applications(new.task_id);
  new := private.check_application(new);
  perform private.check_booking_step(new, old);
  new := private.stamp_booking(new);
  return new;
end $$;

create trigger before_booking_insert before insert on public.bookings
for each row execute function private.before_booking_insert();

-- Before a booking is changed: some columns never change, or change only with a step.
create function private.before_booking_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if new.status = old.status and not private.is_erasing() then
    perform private.require(new.completion_notes is not distinct from old.completion_notes,
      'booking.notes_not_allowed', 'completion_notes');
    perform private.require(new.cancellation_reason is not distinct from old.cancellation_reason,
      'booking.cancellation_reason_not_allowed', 'cancellation_reason');
  end if;
  if new.status is distinct from old.status then
    if new.status = 'accepted' then
      perform private.require_active_account();
    end if;
    perform private.check_booking_step(new, old);
  end if;
  new := private.check_offer_step(new, old);
  if new.status is distinct from old.status then
    if new.status = 'accepted' then
      new := private.check_acceptance(new);
    elsif new.status = 'in_progress' then
      new := private.check_start(new);
    elsif new.status = 'completed' then
      new := private.check_completion(new);
    end if;
  end if;
  new := private.check_completion_photos(new, old);
  new := private.check_arrival(new, old);
  if new.status is distinct from old.status then
    if new.status = 'cancelled' then
      new := private.check_cancellation(new, old);
    elsif new.status = 'pending' then
      new := private.check_undone_decline(new, old);
    end if;
    new := private.stamp_booking(new);
  end if;
  return new;
end $$;

create trigger before_booking_update before update on public.bookings
for each row execute function private.before_booking_update();

-- After a booking is added, changed or deleted.
create function private.after_booking_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_booking(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'pending' then
      perform private.notify_application(new);
      perform private.schedule_application_expiry();
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_booking_photos(old);
  elsif new.status <> old.status then
    if new.status = 'accepted' then
      perform private.assign_task(new);
      perform private.begin_series(new);
      perform private.notify_acceptance(new);
      perform private.decline_waiting_applications(new.task_id);
    elsif new.status = 'rejected' then
      perform private.notify_not_chosen(new);
    elsif new.status = 'in_progress' then
      perform private.notify_start(new);
    elsif new.status = 'completed' then
      perform private.notify_completion(new);
    elsif new.status = 'cancelled' then
      perform private.reopen_task(new);
      perform private.notify_cancellation(new, old);
    elsif new.status = 'pending' then
      perform private.retract_decline_notice(new, old);
    end if;
    if old.status = 'pending' and new.status in ('rejected', 'cancelled') then
      perform private.open_request_to_everyone(new);
    end if;
    if new.status <> 'in_progress' then
      perform private.recount_party(new, old);
    end if;
    if new.status = 'accepted' then
      perform private.schedule_payment_deadline(new);
    elsif new.status = 'completed' then
      perform private.schedule_confirmation(new);
    end if;
    if new.status in ('completed', 'cancelled') then
      perform private.lapse_time_proposals(new.id);
      perform private.lapse_no_show(new.id);
      perform private.schedule_recount(new);
    elsif new.status = 'in_progress' then
      perform private.schedule_reminder(new);
    end if;
    if old.status = 'accepted' then
      perform private.settle_payment_reminder(new);
    end if;
    -- Applications that are declined because another was accepted do not count.
    if old.status in ('pending', 'rejected') and new.status in ('accepted', 'rejected', 'pending') and not new.passed_over then
      perform private.limit_answers(new.id, new.task_giver_id);
    end if;
  elsif new.counter_state is distinct from old.counter_state then
    perform private.notify_counter(new);
  else
    perform private.notify_arrival(new, old);
  end if;
  return null;
end $$;

create trigger after_booking_change after insert or update or delete on public.bookings
for each row execute function private.after_booking_change();

-- Number of pending applications to an open task: a computed column of tasks that everybody can read, so that taskers see where
-- they have a chance. It reveals no names. The function reads the task again and does not trust the row that a caller passes;
-- it returns 0 for a task that is not open to everybody.
create function public.applications_count(task public.tasks) returns integer
language sql stable security definer set search_path = '' as $$
  select count(*)::integer from public.tasks t join public.bookings b on b.task_id = t.id and b.status = 'pending'
  where t.id = task.id and t.status = 'open' and t.hidden_for is null
$$;

create policy "participants read their bookings, admins all" on public.bookings for select to authenticated
using (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()) or (select private.is_admin()));

create policy "taskers apply for themselves" on public.bookings for insert to authenticated
with check (task_doer_id = (select auth.uid()));

create policy "participants change their bookings" on public.bookings for update to authenticated
using (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()))
with check (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()));

grant select, insert (id, task_id, task_doer_id, message, status, agreed_amount, offer_options, offer_reason, expense_limit), update (status, completion_notes, cancellation_reason, completion_photos, arrives_from, arrives_until, arrived_at, before_photos, agreed_amount, accepted_option, counter_amount, counter_starts_at, counter_message, counter_state) on public.bookings to authenticated;
grant execute on function
  private.lock_task(uuid), private.try_lock_decision(uuid),
  private.lock_own_booking(uuid), private.has_other_application(uuid, uuid), private.task_period(tasks)
to authenticated, service_role;
grant execute on function
  public.applications_count(tasks)
to anon, authenticated;

grant usage on type private.booking_actor to authenticated, service_role;
