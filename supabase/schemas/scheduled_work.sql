-- Work that is due at a certain time: reminders, automatic release and the deletion of old rows. private.schedule_tick queues the
-- edge function run-scheduled, which calls public.run_scheduled, for the moment at which something may be due.

create table private.work_reminders (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  scheduled_date timestamptz not null,
  reminded_at timestamptz not null default now(),
  hour_before timestamptz
);
alter table private.work_reminders enable row level security;

comment on table private.work_reminders is 'Bookings whose parties were reminded of the work';
comment on column private.work_reminders.scheduled_date is
  'The task''s time of which they were reminded; after a change they are reminded again';

comment on column private.work_reminders.hour_before is
  'The task''s time of which they were reminded an hour before; null for none';

create table private.pay_reminders (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  reminded_at timestamptz not null default now()
);
alter table private.pay_reminders enable row level security;

comment on table private.pay_reminders is 'Bookings whose giver was reminded to pay';

create table private.pending_recounts (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  due_at timestamptz not null
);
alter table private.pending_recounts enable row level security;

comment on table private.pending_recounts is
  'Bookings that ended less than 24 hours after the giver''s unanswered first message';
comment on column private.pending_recounts.due_at is
  'When the message counts for the tasker''s response rate, 24 hours after it was sent';

create index pending_recounts_due on private.pending_recounts (due_at);

-- Queues a call of run-scheduled for shortly after that moment (null: none). Calls within the same five minutes share one job.
create function private.schedule_tick(at timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
declare
  slot timestamptz := date_bin('5 minutes', greatest(at, now()) + interval '5 minutes', '2020-01-01 00:00:00+00');
begin
  if at is null then
    return;
  end if;
  perform private.enqueue_function('run-scheduled', '{}', 'run-scheduled-' || extract(epoch from slot)::bigint, slot);
end $$;

-- Schedules the reminder to pay an accepted booking, the end of the time to pay, and the end of the task that is open again then.
create function private.schedule_payment_deadline(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  pay_by constant timestamptz := private.pay_by(now(), starts);
begin
  perform private.schedule_tick(private.pay_reminder_at(now(), pay_by));
  perform private.schedule_tick(pay_by);
  perform private.schedule_tick(starts + interval '24 hours');
end $$;

-- Schedules the reminders to confirm a completed booking, and the release of its money.
create function private.schedule_confirmation(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  days integer;
begin
  foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
    perform private.schedule_tick(private.confirmation_from(booking) + make_interval(days => days));
  end loop;
end $$;

-- Schedules the end of an application that stays unanswered for 30 days; notify_offer schedules that of an offer.
create function private.schedule_application_expiry() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(now() + interval '30 days');
end $$;

-- Schedules the end of an open task, 24 hours after its date if it has one.
create function private.schedule_task_expiry(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(task.scheduled_date + interval '24 hours');
end $$;

-- Schedules the recount of the tasker's response rate for when an unanswered first message counts, 24 hours after it.
create function private.schedule_recount(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  due timestamptz;
begin
  select min(created_at) + interval '24 hours' into due from public.messages
  where booking_id = booking.id and receiver_id = booking.task_doer_id;
  if due > now() then
    insert into private.pending_recounts (booking_id, due_at) values (booking.id, due) on conflict do nothing;
    perform private.schedule_tick(due);
  end if;
end $$;

-- Recounts a tasker whose unanswered message counts by now.
create function private.recount_unanswered() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select booking_id into due from private.pending_recounts where due_at <= now()
  order by due_at limit 1 for update skip locked;
  if not found then
    return 0;
  end if;
  delete from private.pending_recounts where booking_id = due;
  perform private.recount_person(b.task_doer_id) from public.bookings b where b.id = due;
  return 1;
end $$;

-- Does at most one item of each kind and returns how many; the edge function repeats the call while work is left.
create function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews() + private.remind_to_pay()
    + private.expire_booking() + private.expire_time_proposal() + private.expire_change() + private.close_overdue_task() + private.end_insurance() + private.remind_before_work()
    + private.remind_hour_before() + private.settle_no_show() + private.sweep_photos() + private.end_data_export() + private.recount_unanswered()
    + private.send_task_alert() + private.send_alert_email() + private.announce_visit() + private.queue_visit_charge() + private.end_series()
    + private.close_season();
end $$;

-- Reminders to confirm, 1, 3 and 6 days after completion; a late run sends one, not all that it missed.
create function private.remind_to_confirm() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select p.id, p.payer_id, t.title, reached.count into due
  from public.payments p join public.bookings b on b.id = p.booking_id join public.tasks t on t.id = p.task_id,
    lateral (select count(*) from unnest(array[1, 3, 6]) d where now() >= private.confirmation_from(b) + make_interval(days => d)) reached
  where p.escrow_status = 'held' and b.status = 'completed'
    and now() < private.confirmation_from(b) + make_interval(days => private.rule('limits.releaseAfterDays'))
    and p.reminders < reached.count
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.payments set reminders = due.count where id = due.id;
  perform private.notify_person(due.payer_id, 'confirm_reminder', jsonb_build_object('task', due.title), '/bookings');
  return 1;
end $$;

-- A giver who has not answered for 7 days is taken to agree.
create function private.release_by_time() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.payments p join public.bookings b on b.id = p.booking_id
  where p.escrow_status = 'held' and b.status = 'completed'
    and now() >= private.confirmation_from(b) + make_interval(days => private.rule('limits.releaseAfterDays'))
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.payments set escrow_status = 'released', released_at = now() where id = due;
  return 1;
end $$;

-- Schedules the reminders of the work, 24 hours and an hour before it begins.
create function private.schedule_reminder(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  at timestamptz;
begin
  foreach at in array array[starts - interval '24 hours', starts - interval '1 hour'] loop
    if at > now() then
      perform private.schedule_tick(at);
    end if;
  end loop;
end $$;

-- Reminds both parties of paid work that begins within a day, once. Work paid less than a day ahead gets no reminder.
create function private.remind_before_work() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
  news jsonb;
begin
  select b.id, b.task_giver_id, b.task_doer_id, t.title, t.scheduled_date into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.payments p on p.booking_id = b.id
  where t.status = 'assigned' and t.scheduled_date > now() and t.scheduled_date <= now() + interval '24 hours'
    and b.status = 'in_progress' and p.escrow_status = 'held' and p.held_at <= t.scheduled_date - interval '24 hours'
    and not exists (select from private.work_reminders r where r.booking_id = b.id and r.scheduled_date = t.scheduled_date)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.work_reminders (booking_id, scheduled_date) values (due.id, due.scheduled_date)
  on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, reminded_at = now();
  news := jsonb_build_object('task', due.title, 'at', due.scheduled_date,
    'when', private.day_and_time(due.scheduled_date));
  perform private.notify_person(due.task_giver_id, 'work_reminder',
    news || jsonb_build_object('person', private.named(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_reminder',
    news || jsonb_build_object('person', private.named(due.task_giver_id)), private.booking_link(due.id));
  return 1;
end $$;

-- When to remind of a payment: a day before the deadline, or at half the time if there are less than two days; null if there are
-- less than four hours in all.
create function private.pay_reminder_at(accepted_at timestamptz, pay_by timestamptz) returns timestamptz
language sql immutable set search_path = '' as $$
  select case when pay_by >= accepted_at + interval '4 hours'
    then pay_by - least(interval '24 hours', (pay_by - accepted_at) / 2) end
$$;

-- In the last hour before the deadline no reminder is sent, even if the schedule runs late.
create function private.remind_to_pay() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select b.id, b.task_giver_id, b.task_doer_id, b.agreed_amount, t.title, pay.until into due
  from public.bookings b join public.tasks t on t.id = b.task_id,
    lateral (select private.payment_deadline(b, t.scheduled_date) as until) pay
  where b.status = 'accepted' and private.is_payment_due(b, t.scheduled_date) and private.pay_reminder_at(b.accepted_at, pay.until) <= now() and pay.until > now() + interval '1 hour'
    and not exists (select from private.pay_reminders r where r.booking_id = b.id)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.pay_reminders (booking_id) values (due.id) on conflict do nothing;
  if found then
    perform private.notify_person(due.task_giver_id, 'pay_reminder', jsonb_build_object('task', due.title,
      'amount', (select total from private.fees(due.agreed_amount)), 'person', private.named(due.task_doer_id),
      'at', due.until, 'when', private.day_and_time(due.until)), private.booking_link(due.id));
  end if;
  return 1;
end $$;

-- Marks the reminder to pay as read once there is nothing left to pay: the booking was paid, or has ended.
create function private.settle_payment_reminder(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = booking.task_giver_id and not read and link like private.booking_link(booking.id) || '%' and key = 'pay_reminder';
end $$;

-- Deletes at most max_rows of each kind and returns how many. Events after 90 days (Stripe resends an event by itself for three
-- days and by hand for thirty), or after two years if they have a note for a person to look at. Notifications after a year if
-- they were read, otherwise after two. Never the ledger, receipts or the audit log.
create function private.forget_old_rows(max_rows integer default 5000) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  events integer;
  notices integer;
begin
  delete from public.stripe_events where id in (
    select e.id from public.stripe_events e where e.received_at < now() - interval '90 days'
      and (e.note is null or e.received_at < now() - interval '2 years') limit max_rows for update skip locked);
  get diagnostics events = row_count;
  delete from public.notifications where id in (
    select n.id from public.notifications n where n.created_at < now() - interval '1 year'
      and (n.read or n.created_at < now() - interval '2 years') limit max_rows for update skip locked);
  get diagnostics notices = row_count;
  return events + notices;
end $$;

-- A batch each minute from 9 to 11 UTC, early in the morning in Canada.
select cron.schedule('forget-old-rows', '* 9-10 * * *', 'select private.forget_old_rows()');
