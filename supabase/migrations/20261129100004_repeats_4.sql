-- Repeats, part 4 of 7: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.is_edited(task public.tasks, before public.tasks) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  before.status := task.status;
  before.asked_tasker_id := task.asked_tasker_id;
  before.asked_until := task.asked_until;
  before.hidden_for := task.hidden_for;
  before.place_id := task.place_id;
  before.public_latitude := task.public_latitude;
  before.public_longitude := task.public_longitude;
  before.series_id := task.series_id;
  before.updated_at := task.updated_at;
  return task is distinct from before;
end $$;

create function private.is_payment_due(booking public.bookings, scheduled_date timestamptz) returns boolean
language sql stable set search_path = '' as $$
  select booking.series_id is null or booking.visit_number = 1 or booking.visit_number > 1 and scheduled_date <= now()
    + case when exists (select from public.task_series s where s.id = booking.series_id and s.auto_pay_since is not null)
      then interval '47 hours' else interval '72 hours' end
$$;

create function private.is_repeat(repeats jsonb) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  if jsonb_typeof(repeats) is distinct from 'object' or repeats - '{every,until,count,except,cm}'::text[] <> '{}'
    or (repeats ->> 'every' in ('weekly', 'biweekly', 'monthly', 'snowfall')) is not true
  then
    return false;
  end if;
  return case when repeats ? 'count' then jsonb_typeof(repeats -> 'count') = 'number' and repeats ->> 'count' ~ '^\d{1,9}$' else true end
    and case when repeats ? 'until' then jsonb_typeof(repeats -> 'until') = 'string' else true end
    and case when repeats ->> 'every' = 'snowfall'
      then not repeats ? 'except' and jsonb_typeof(repeats -> 'cm') is not distinct from 'number'
      else not repeats ? 'cm' and coalesce(jsonb_typeof(repeats -> 'except'), 'array') = 'array' end;
end $$;

create or replace function private.listing_after(booking public.bookings, closes boolean) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when booking.status = 'pending' then null
    when closes or booking.series_id is not null or exists (select from public.tasks t where t.id = booking.task_id
      and private.posted_time(booking, t.scheduled_date) <= now()) then 'closed'
    when private.is_suspended(booking.task_giver_id) then 'on_hold'
    else 'listed_again' end;
end $$;

create or replace function private.notify_acceptance(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
begin
  if booking.counter_state = 'accepted' then
    perform private.notify_counter(booking);
    return;
  elsif task.repeats is not null then
    perform private.notify_series(booking, task);
    return;
  end if;
  perform private.notify_person(booking.task_doer_id, 'application_accepted', jsonb_build_object(
    'person', private.named(booking.task_giver_id), 'task', task.title), '/bookings');
end $$;

create or replace function private.notify_cancellation(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.notified_task_title(booking.task_id));
  by_schedule boolean := current_setting('meadowlark.actor', true) = 'schedule';
  other uuid;
begin
  -- Whoever stops a series, or its end, is announced once for all visits.
  if exists (select from public.task_series s where s.id = booking.series_id and s.status <> 'active') and before.status = 'accepted' then
    return;
  end if;
  if before.status = 'pending' and by_schedule and booking.answer_by <= now() then
    perform private.notify_person(booking.task_doer_id, 'offer_lapsed', news, '/task/' || booking.task_id);
  elsif before.status = 'pending' and by_schedule then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif before.status = 'pending' then
    perform private.notify_person(booking.task_giver_id, 'application_withdrawn',
      news || jsonb_build_object('person', private.named(booking.task_doer_id)), '/bookings');
  elsif before.status = 'accepted' then
    foreach other in array array[booking.task_giver_id, booking.task_doer_id] loop
      if by_schedule then
        perform private.notify_person(other, 'booking_expired', news, '/bookings');
      elsif other is distinct from booking.cancelled_by then
        perform private.notify_person(other, case when booking.series_id is null then 'booking_cancelled' when booking.skipped
            then 'visit_skipped' else 'visit_cancelled' end,
          news || jsonb_build_object('person', private.named(booking.cancelled_by)) || private.visit_facts(booking), '/bookings');
      end if;
    end loop;
  end if;
end $$;

create function private.notify_series(booking public.bookings, task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, case when task.repeats ->> 'every' = 'snowfall' then 'snow_series_accepted'
      else 'series_accepted' end,
    jsonb_build_object('person', private.named(booking.task_giver_id), 'task', task.title, 'amount', booking.agreed_amount,
      'count', coalesce(nullif(cardinality(public.repeat_times(task)), 0), (task.repeats ->> 'count')::integer)), private.booking_link(booking.id));
end $$;

create function private.notify_stopped_series(series public.task_series, person uuid, dropped integer) returns void
language plpgsql set search_path = '' as $$
declare
  first public.bookings;
begin
  select * into first from public.bookings b where b.series_id = series.id order by b.visit_number limit 1;
  perform private.notify_person(case when person = series.giver_id then series.tasker_id else series.giver_id end, 'series_stopped',
    jsonb_build_object('person', private.named(person), 'task', private.notified_task_title(first.task_id), 'count', dropped), private.booking_link(first.id));
end $$;

create function private.own_series(series_id uuid) returns public.task_series
language plpgsql set search_path = '' as $$
declare
  series public.task_series;
begin
  select * into series from public.task_series s where s.id = own_series.series_id and auth.uid() in (s.giver_id, s.tasker_id)
  for no key update;
  perform private.require(series.id is not null, 'series.not_found', 'series_id');
  return series;
end $$;

create function private.payment_deadline(booking public.bookings, scheduled_date timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when booking.series_id is null then private.pay_by(booking.accepted_at, scheduled_date)
    when booking.visit_number = 1 then private.pay_by(booking.pay_from, scheduled_date)
    when booking.visit_number > 1 or booking.pay_from is not null then greatest(scheduled_date - interval '12 hours',
      least(scheduled_date, booking.pay_from + interval '12 hours'), booking.pay_from + interval '2 hours') end
$$;

create function private.payment_of_booking(booking public.bookings) returns jsonb
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
  select booking.id, booking.task_id, booking.task_giver_id, booking.task_doer_id, booking.agreed_amount,
    f.platform_fee, f.gst, f.total, f.payout_amount
  from private.fees(booking.agreed_amount) f
  on conflict on constraint payments_booking_id_key do nothing;
  select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
  perform private.require(payment.escrow_status = 'pending', 'payment.already_paid', 'booking_id');

  return jsonb_build_object('payment_id', payment.id, 'amount_cents', (payment.amount * 100)::bigint,
    'total_cents', (payment.total * 100)::bigint, 'currency', payment.currency,
    'payment_intent_id', payment.stripe_payment_intent_id, 'payee_id', payment.payee_id,
    'idempotency_key', private.next_idempotency_key('payment', payment.id, cardinality(payment.closed_intents)),
    'booking_id', payment.booking_id, 'task_id', payment.task_id);
end $$;

create function private.queue_visit_charge() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select b.id into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.task_series s on s.id = b.series_id
  where t.status = 'assigned' and t.scheduled_date between now() and now() + interval '48 hours' and b.status = 'accepted' and s.auto_pay_since is not null
    and (b.visit_number > 1 or b.visit_number = 1 and s.repeats ->> 'every' = 'snowfall')
    and not exists (select from private.visit_charges c where c.booking_id = b.id and c.queued_at is not null)
  order by t.scheduled_date, b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.visit_charges as c (booking_id, queued_at) values (due, now())
  on conflict (booking_id) do update set queued_at = excluded.queued_at;
  perform private.enqueue_function('charge-visit', jsonb_build_object('booking_id', due));
  return 1;
end $$;

create function private.refuse_visit_charge(visit public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(visit.task_id);
  until constant timestamptz := private.payment_deadline(visit, task.scheduled_date);
begin
  insert into private.visit_charges as c (booking_id, refused_at) values (visit.id, now())
  on conflict on constraint visit_charges_pkey do update set refused_at = excluded.refused_at where c.refused_at is null;
  if found and visit.status = 'accepted' then
    perform private.notify_person(visit.task_giver_id, 'visit_charge_failed', jsonb_build_object('task', task.title,
      'amount', (select total from private.fees(visit.agreed_amount)), 'at', until, 'when', private.day_and_time(until)), private.booking_link(visit.id));
  end if;
end $$;

create or replace function private.remind_to_pay() returns integer
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

create or replace function private.reopen_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = case when booking.series_id is null then 'open' else 'cancelled' end::public.task_status, updated_at = now(),
    scheduled_date = private.posted_time(booking, scheduled_date)
  where id = booking.task_id and status = 'assigned'
$$;

create or replace function private.request_reviews(booking uuid) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.review_requests (booking_id)
  select b.id from public.bookings b where b.id = booking and b.status = 'completed' and not exists (
    select from public.bookings o join private.review_requests r on r.booking_id = o.id where o.series_id = b.series_id)
  on conflict do nothing;
  if found then
    perform private.schedule_tick(now() + interval '1 hour');
  end if;
end $$;
