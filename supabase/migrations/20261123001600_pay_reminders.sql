-- The giver of an accepted booking that is not paid is reminded once, before the time by which it is to be paid.

insert into private.notification_texts (key, kind, title, message, subject, button, part) values
  ('pay_reminder', 'payments', 'Payment due',
    'Pay ${amount} for "{task}" by {when}, Saskatchewan time. Otherwise the booking with {person} is closed.',
    'Please pay for "{task}" by {when}', 'Pay', 'next');

-- Of which bookings the giver was reminded.
create table private.pay_reminders (
  booking_id uuid primary key references public.bookings (id) on delete cascade,
  reminded_at timestamptz not null default now()
);
alter table private.pay_reminders enable row level security;

-- A day before, or at half the time where there are less than two days; null where there are less than four hours in all.
create function private.pay_reminder_at(accepted_at timestamptz, pay_by timestamptz) returns timestamptz
language sql immutable set search_path = '' as $$
  select case when pay_by >= accepted_at + interval '4 hours'
    then pay_by - least(interval '24 hours', (pay_by - accepted_at) / 2) end
$$;

-- Not in the last hour either, when the schedule ran late.
create function private.remind_to_pay() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select b.id, b.task_giver_id, b.task_doer_id, b.agreed_amount, t.title, pay.until into due
  from public.bookings b join public.tasks t on t.id = b.task_id,
    lateral (select private.pay_by(b.accepted_at, t.scheduled_date) as until) pay
  where b.status = 'accepted' and private.pay_reminder_at(b.accepted_at, pay.until) <= now() and pay.until > now() + interval '1 hour'
    and not exists (select from private.pay_reminders r where r.booking_id = b.id)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.pay_reminders (booking_id) values (due.id) on conflict do nothing;
  if found then
    perform private.notify_person(due.task_giver_id, 'pay_reminder', jsonb_build_object('task', due.title,
      'amount', (select total from private.fees(due.agreed_amount)), 'person', private.person_name(due.task_doer_id),
      'at', due.until, 'when', private.day_and_time(due.until)), private.booking_link(due.id));
  end if;
  return 1;
end $$;

create or replace function private.schedule_for_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  days integer;
  starts timestamptz;
  pay_by timestamptz;
begin
  if new.status = 'completed' then
    foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
      perform private.schedule_tick(now() + make_interval(days => days));
    end loop;
  elsif new.status = 'accepted' then
    select scheduled_date into starts from public.tasks where id = new.task_id;
    pay_by := private.pay_by(now(), starts);
    perform private.schedule_tick(private.pay_reminder_at(now(), pay_by));
    perform private.schedule_tick(pay_by);
    -- The task is open again when it was not paid.
    perform private.schedule_tick(starts + interval '24 hours');
  end if;
  return null;
end $$;

-- Of those that were accepted before.
select private.schedule_tick(private.pay_reminder_at(b.accepted_at, private.pay_by(b.accepted_at, t.scheduled_date)))
from public.bookings b join public.tasks t on t.id = b.task_id where b.status = 'accepted';

create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews() + private.remind_to_pay()
    + private.expire_booking() + private.close_overdue_task() + private.end_insurance() + private.remind_of_work()
    + private.sweep_photos() + private.end_data_export();
end $$;
