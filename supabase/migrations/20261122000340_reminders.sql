-- Reminders of work the day before, and what admins hear of when money could not be sent.

insert into private.notification_texts (key, kind, title, message, subject, button) values
  ('work_reminder', 'bookings', 'Work coming up', '"{task}" with {person} is on {when}, Saskatchewan time.',
    'Coming up: "{task}" on {when}', 'Open the booking'),
  ('transfer_failed', 'admin', 'Money could not be sent', 'The {transfer} of ${amount} for "{task}" did not go through.',
    'The {transfer} of ${amount} for "{task}" did not go through', 'Open the back office');

-- Of which time of which booking both were reminded.
create table private.work_reminders (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  scheduled_date timestamptz not null,
  reminded_at timestamptz not null default now()
);
alter table private.work_reminders enable row level security;

create index tasks_coming_up on public.tasks (scheduled_date) where status = 'assigned' and scheduled_date is not null;

create function private.schedule_reminder() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  at constant timestamptz := (select scheduled_date - interval '24 hours' from public.tasks where id = new.task_id);
begin
  if at > now() then
    perform private.schedule_tick(at);
  end if;
  return null;
end $$;
create trigger schedule_reminder after update of status on public.bookings
for each row when (old.status <> new.status and new.status = 'in_progress') execute function private.schedule_reminder();

-- Both parties of work that is paid and begins within a day, once; not of work that was paid for less than a day ahead.
create function private.remind_of_work() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
  at text;
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
  at := to_char(due.scheduled_date at time zone 'America/Regina', 'FMDay, FMMonth FMDD, FMHH12:MI AM');
  perform private.notify_person(due.task_giver_id, 'work_reminder', jsonb_build_object('task', due.title, 'when', at,
    'person', private.person_name(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_reminder', jsonb_build_object('task', due.title, 'when', at,
    'person', private.person_name(due.task_giver_id)), private.booking_link(due.id));
  return 1;
end $$;

-- Does one thing of each kind that is due and answers how many it did; whoever calls goes on until it is none.
-- One at a time, so that each is a transaction of its own and holds no two people's records at once.
create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews()
    + private.expire_booking() + private.close_overdue_task() + private.end_insurance() + private.remind_of_work();
end $$;

create function private.follow_failed_transfer() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  payout constant boolean := new.payout_status = 'failed' and old.payout_status <> 'failed';
begin
  perform private.notify_admins('transfer_failed', jsonb_build_object('transfer', case when payout then 'payout' else 'refund' end,
    'amount', case when payout then new.payout_amount else new.refund_amount end,
    'task', (select title from public.tasks where id = new.task_id)), '/admin/verify-users');
  return null;
end $$;
create trigger follow_failed_transfer after update of payout_status, refund_status on public.payments
for each row when ((new.payout_status = 'failed' and old.payout_status <> 'failed')
  or (new.refund_status = 'failed' and old.refund_status <> 'failed'))
execute function private.follow_failed_transfer();
