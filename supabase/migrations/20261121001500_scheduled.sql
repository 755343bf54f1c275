-- What time alone brings about: reminders to confirm, the release after 7 days, reviews whose time is over,
-- applications and tasks that nobody took up, insurance that ran out. private.schedule_tick queues run-scheduled for the moments at which
-- something may be due; run_scheduled does whatever is due then, and may run at any time and any number of times.

create index payments_to_confirm on public.payments (id) where escrow_status = 'held';
create index tasks_overdue on public.tasks (scheduled_date) where status = 'open' and scheduled_date is not null;
create index bookings_unpaid on public.bookings (accepted_at) where status = 'accepted';
create index bookings_unanswered on public.bookings (created_at) where status = 'pending';

insert into private.notification_texts (key, title, message) values
  ('confirm_reminder', 'Please confirm', '"{task}" was marked complete. Please confirm, or tell us what is wrong. After 7 days the payment is released.'),
  ('payment_released_by_time', 'Payment released', '${amount} for "{task}" was released, 7 days after completion.'),
  ('confirmed_by_time', 'Payment released', 'The payment for "{task}" was released, 7 days after completion.'),
  ('task_expired', 'Task closed', 'Nobody was chosen for "{task}" in time, so it was closed. You can post it again.'),
  ('application_expired', 'Application closed', 'Your application for "{task}" was not answered in time.'),
  ('booking_expired', 'Booking closed', 'The booking for "{task}" was closed, because it was not paid in time.');

create function private.schedule_for_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  days integer;
begin
  if new.status = 'completed' then
    foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
      perform private.schedule_tick(now() + make_interval(days => days));
    end loop;
  elsif new.status = 'accepted' then
    perform private.schedule_tick(now() + interval '14 days');
    perform private.schedule_tick((select scheduled_date + interval '24 hours' from public.tasks where id = new.task_id));
  end if;
  return null;
end $$;

create trigger schedule_for_booking after update of status on public.bookings
for each row when (old.status <> new.status and new.status in ('accepted', 'completed'))
execute function private.schedule_for_booking();

create function private.schedule_for_application() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.schedule_tick(now() + interval '30 days');
  return null;
end $$;

create trigger schedule_for_application after insert on public.bookings
for each row execute function private.schedule_for_application();

create function private.schedule_for_task() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.schedule_tick(new.scheduled_date + interval '24 hours');
  return null;
end $$;

create trigger schedule_for_task after insert or update of scheduled_date, status on public.tasks
for each row when (new.status = 'open' and new.scheduled_date is not null)
execute function private.schedule_for_task();

-- Does one thing of each kind that is due and answers how many it did; whoever calls goes on until it is none.
-- One at a time, so that each is a transaction of its own and holds no two people's records at once.
create function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews()
    + private.expire_booking() + private.close_overdue_task() + private.end_insurance();
end $$;
grant execute on function public.run_scheduled() to service_role;

-- Reminders 1, 3 and 6 days after completion; a late run sends one, not all that it missed.
create function private.remind_to_confirm() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select p.id, p.payer_id, t.title, reached.count into due
  from public.payments p join public.bookings b on b.id = p.booking_id join public.tasks t on t.id = p.task_id,
    lateral (select count(*) from unnest(array[1, 3, 6]) d where now() >= b.completed_at + make_interval(days => d)) reached
  where p.escrow_status = 'held' and b.status = 'completed'
    and now() < b.completed_at + make_interval(days => private.rule('limits.releaseAfterDays'))
    and p.reminders < reached.count
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.payments set reminders = due.count where id = due.id;
  perform private.notify_person(due.payer_id, 'confirm_reminder', jsonb_build_object('task', due.title), '/bookings');
  return 1;
end $$;

-- A giver who was silent for 7 days is taken to agree.
create function private.release_by_time() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.payments p join public.bookings b on b.id = p.booking_id
  where p.escrow_status = 'held' and b.status = 'completed'
    and now() >= b.completed_at + make_interval(days => private.rule('limits.releaseAfterDays'))
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.payments set escrow_status = 'released', released_at = now() where id = due;
  return 1;
end $$;

create function private.announce_old_reviews() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select booking_id into due from public.reviews where not announced and visible_from <= now()
  order by id limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  perform private.announce_reviews(due);
  return 1;
end $$;

-- Payments that were started and never finished, of bookings whose time to be paid is over: run-scheduled closes
-- them at the provider, then the booking can expire. At most 100.
create function public.overdue_intents() returns table (payment_id uuid, payment_intent_id text)
language sql stable security definer set search_path = '' as $$
  select p.id, p.stripe_payment_intent_id
  from public.bookings b join public.tasks t on t.id = b.task_id join public.payments p on p.booking_id = b.id
  where b.status = 'accepted' and private.has_open_intent(b.id)
    and (b.accepted_at <= now() - interval '14 days' or t.scheduled_date <= now() - interval '24 hours')
  order by p.id limit 100
$$;
grant execute on function public.overdue_intents() to service_role;

-- Applications that were not answered for 30 days, and accepted bookings that were not paid for 14 days or until
-- a day after the task was to take place.
create function private.expire_booking() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select b.id into due from public.bookings b join public.tasks t on t.id = b.task_id
  where ((b.status = 'pending' and b.created_at <= now() - interval '30 days')
    or (b.status = 'accepted' and b.accepted_at <= now() - interval '14 days')
    or (b.status = 'accepted' and t.scheduled_date <= now() - interval '24 hours'))
    and not private.has_open_intent(b.id)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  perform private.set_actor('schedule');
  update public.bookings set status = 'cancelled' where id = due;
  perform private.set_actor(null);
  return 1;
end $$;

-- Open tasks a day after they were to take place.
create function private.close_overdue_task() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select t.id, t.task_giver_id, t.title into due from public.tasks t
  where t.status = 'open' and t.scheduled_date <= now() - interval '24 hours'
  order by t.id limit 1 for no key update skip locked;
  if not found or not private.reserve_decision(due.id) then
    return 0;
  end if;
  update public.tasks set status = 'cancelled', updated_at = now() where id = due.id;
  perform private.notify_person(due.task_giver_id, 'task_expired', jsonb_build_object('task', due.title), '/dashboard');
  return 1;
end $$;

-- Nobody is shown as insured after the last day of the insurance they declared.
create function private.end_insurance() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.verifications v join public.profiles p on p.id = v.user_id
  where v.has_insurance and v.insurance_expiry_date < (now() at time zone 'America/Regina')::date and p.insured
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.profiles set insured = false where id = due;
  return 1;
end $$;
