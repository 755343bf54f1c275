-- Repeats, part 5 of 7: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create function private.schedule_season_end(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.repeats ->> 'every' = 'snowfall' then
    perform private.schedule_tick(((task.repeats ->> 'until')::date + 2)::timestamptz);
  end if;
end $$;

create function private.schedule_visit_payment(starts_at timestamptz) returns void
language plpgsql set search_path = '' as $$
declare
  hours integer;
begin
  foreach hours in array array[72, 48, 36, 12] loop
    if starts_at - make_interval(hours => hours) > now() then
      perform private.schedule_tick(starts_at - make_interval(hours => hours));
    end if;
  end loop;
  perform private.schedule_tick(starts_at);
end $$;

create function private.stop_series_of(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  series public.task_series;
begin
  for series in update public.task_series set status = 'stopped', stopped_by = person, stopped_at = now(), auto_pay_since = null
    where status = 'active' and person in (giver_id, tasker_id) returning *
  loop
    perform private.notify_stopped_series(series, person, (select count(*)::integer from public.bookings b
      where b.series_id = series.id and b.status = 'accepted' and b.visit_number > 0));
  end loop;
end $$;

create or replace function private.task_changes() returns table (what text, columns text[])
language sql immutable set search_path = '' as $$
  values
    ('price', '{pay_amount}'::text[]),
    ('stays', '{pay_amount}'),
    ('time', '{scheduled_date}'),
    ('anytime', '{scheduled_date}'),
    ('place', '{location}'),
    ('duration', '{duration_minutes}'),
    ('work', '{title,description,category}'),
    ('tools', '{tools_provided,tools_description}'),
    ('offers', '{offers_allowed}'),
    ('repeats', '{repeats}')
$$;

create function private.visit_facts(booking public.bookings) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce((select jsonb_build_object('at', t.scheduled_date, 'when', private.day_and_time(t.scheduled_date))
    from public.tasks t where t.id = booking.task_id and booking.series_id is not null), '{}')
$$;

create function private.visit_times(repeats jsonb, first_visit timestamptz, time_zone text) returns setof timestamptz
language sql stable set search_path = '' as $$
  select (first.local + nth * step.length) at time zone visit_times.time_zone
  from (select first_visit at time zone visit_times.time_zone) first (local)
  join (values ('weekly', interval '1 week'), ('biweekly', interval '2 weeks'), ('monthly', interval '1 month')) step (name, length)
    on step.name = repeats ->> 'every'
  cross join generate_series(0, least((repeats ->> 'count')::integer, 60) - 1) nth
  where coalesce((first.local + nth * step.length)::date <= (repeats ->> 'until')::date, true)
    and not coalesce(repeats -> 'except', '[]') ? (first.local + nth * step.length)::date::text
  order by nth
$$;

create function private.visits_to_end(series public.task_series)
returns table (booking_id uuid, visit_number integer, starts_at timestamptz, paid boolean, fee_cents bigint, refund_cents bigint)
language sql stable security definer set search_path = '' as $$
  select b.id, b.visit_number, t.scheduled_date, b.status = 'in_progress', (coalesce(cost.fee, 0) * 100)::bigint,
    (coalesce(greatest(p.total - cost.fee - p.lost_amount, 0), 0) * 100)::bigint
  from public.bookings b join public.tasks t on t.id = b.task_id left join public.payments p on p.booking_id = b.id and b.status = 'in_progress'
  cross join lateral (select case when p.id is not null then case when auth.uid() = series.giver_id
    then private.cancellation_fee(p.amount, p.total, t.scheduled_date, now()) else 0 end end) cost (fee)
  where b.series_id = series.id and (b.status = 'accepted'
    or b.status = 'in_progress' and p.escrow_status = 'held' and t.scheduled_date > now())
  order by b.visit_number
$$;

create function private.zone_of_task(task public.tasks) returns text
language sql stable set search_path = '' as $$
  select coalesce((select p.time_zone from public.places p where p.id = task.place_id), private.time_zone())
$$;

create function public.begin_visit_charge(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  visit public.bookings;
  series public.task_series;
  card record;
begin
  select * into visit from public.bookings b where b.id = begin_visit_charge.booking_id for no key update;
  select * into series from public.task_series s where s.id = visit.series_id;
  if visit.status is distinct from 'accepted' then
    return jsonb_build_object('action', 'none', 'reason', 'the visit is paid or has ended');
  elsif series.auto_pay_since is null or private.is_suspended(visit.task_giver_id) then
    return jsonb_build_object('action', 'none', 'reason', 'the giver pays');
  elsif exists (select from private.visit_charges c where c.booking_id = visit.id and c.refused_at is not null) then
    return jsonb_build_object('action', 'none', 'reason', 'the card was refused');
  end if;
  select m.stripe_payment_method_id as payment_method, c.stripe_customer_id as customer into card
  from public.payment_methods m join private.payment_customers c on c.user_id = m.user_id
  where m.user_id = visit.task_giver_id and m.is_default;
  if not found then
    perform private.refuse_visit_charge(visit);
    return jsonb_build_object('action', 'none', 'reason', 'there is no card');
  end if;
  return private.payment_of_booking(visit) || jsonb_build_object('action', 'charge', 'customer', card.customer, 'payment_method', card.payment_method);
end $$;

create function public.fail_visit_charge(booking_id uuid, message text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  visit public.bookings;
begin
  select * into visit from public.bookings b where b.id = fail_visit_charge.booking_id for no key update;
  perform private.require(visit.id is not null, 'booking.not_found', 'booking_id');
  perform private.record_failure(p.id, 'charge', coalesce(message, 'the card was refused'), code) from public.payments p where p.booking_id = visit.id;
  perform private.refuse_visit_charge(visit);
end $$;
