-- Visits of a series: made when a tasker is accepted, each a booking with its own task, payment and end. visit_payments.sql has when they
-- are paid, series_end.sql how a series ends.

set check_function_bodies = off;

-- Begins the series of an accepted booking: the booking becomes its first visit, and all others are made. The booking of a snowfall task
-- is the agreement itself, visit 0, which is never paid or done.
create function private.begin_series(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
  zone constant text := private.zone_of_task(task);
  times constant timestamptz[] := public.repeat_times(task);
  snow constant boolean := task.repeats ->> 'every' = 'snowfall';
  series public.task_series;
begin
  if task.repeats is null then
    return;
  end if;
  insert into public.task_series (giver_id, tasker_id, repeats, time_zone, starts_at, ends_on, visits)
  values (booking.task_giver_id, booking.task_doer_id, task.repeats, zone, times[1], case when snow then (task.repeats ->> 'until')::date
    else (times[cardinality(times)] at time zone zone)::date end, case when snow then (task.repeats ->> 'count')::integer else cardinality(times) end)
  returning * into series;
  update public.tasks set series_id = series.id where id = task.id;
  update public.bookings set series_id = series.id, visit_number = case when snow then 0 else 1 end,
    pay_from = case when not snow then booking.accepted_at end where id = booking.id;
  for nth in 2 .. coalesce(cardinality(times), 0) loop
    perform private.add_visit(series, booking, nth, times[nth]);
  end loop;
  perform private.schedule_tick((series.ends_on + 1)::timestamp at time zone zone);
end $$;

-- Makes a visit: a task like that of the agreed booking, which is not listed, and its booking. Returns the booking's id.
create function private.add_visit(series public.task_series, agreed public.bookings, nth integer, starts_at timestamptz) returns uuid
language plpgsql set search_path = '' as $$
declare
  visit_task uuid;
  visit uuid;
begin
  insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes,
    tools_provided, tools_description, status, photos, offers_allowed, expense_limit, series_id)
  select t.task_giver_id, t.title, t.description, t.category, t.location, agreed.agreed_amount, add_visit.starts_at, t.duration_minutes,
    t.tools_provided, t.tools_description, 'assigned', t.photos, t.offers_allowed, agreed.expense_limit, series.id
  from public.tasks t where t.id = agreed.task_id returning id into visit_task;
  insert into public.task_addresses (task_id, address) select visit_task, a.address from public.task_addresses a where a.task_id = agreed.task_id;
  insert into public.task_points (task_id, latitude, longitude)
  select visit_task, p.latitude, p.longitude from public.task_points p where p.task_id = agreed.task_id;
  perform private.set_actor('schedule');
  insert into public.bookings (task_id, task_doer_id, task_giver_id, status, agreed_amount, expense_limit, series_id, visit_number)
  values (visit_task, agreed.task_doer_id, agreed.task_giver_id, 'accepted', agreed.agreed_amount, agreed.expense_limit, series.id,
    nth) returning id into visit;
  perform private.set_actor(null);
  perform private.schedule_visit_payment(starts_at);
  return visit;
end $$;

-- Sets what an inserted visit has from its task. The exclusion constraint refuses one that overlaps other work.
create function private.check_visit(visit public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.check_booking_step(visit, null);
  select private.task_period(t) into strict visit.period from public.tasks t where t.id = visit.task_id;
  visit.accepted_at := now();
  visit.pay_from := now();
  return visit;
end $$;

-- Notifies the tasker that a series was agreed, once for all visits.
create function private.notify_series(booking public.bookings, task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, case when task.repeats ->> 'every' = 'snowfall' then 'snow_series_accepted'
      else 'series_accepted' end,
    jsonb_build_object('person', private.named(booking.task_giver_id), 'task', task.title, 'amount', booking.agreed_amount,
      'count', (select s.visits from public.task_series s where s.id = task.series_id)), private.booking_link(booking.id));
end $$;

-- When a visit takes place, as parameters of its notifications.
create function private.visit_facts(booking public.bookings) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce((select jsonb_build_object('at', t.scheduled_date, 'when', private.day_and_time(t.scheduled_date))
    from public.tasks t where t.id = booking.task_id and booking.series_id is not null), '{}')
$$;

-- Skips an unpaid visit more than 48 hours ahead, as its giver or tasker: no fee, and it counts against nobody. A giver skips an
-- unpaid visit for snow at any time.
create function public.skip_visit(booking_id uuid) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  caller constant uuid := auth.uid();
  visit public.bookings;
  starts_at timestamptz;
begin
  perform from public.bookings b where b.id = skip_visit.booking_id for no key update;
  visit := private.cancellable_booking(skip_visit.booking_id, auth.uid());
  perform private.require(visit.visit_number > 0, 'visit.none', 'booking_id');
  perform private.require(visit.status <> 'in_progress', 'visit.paid', 'booking_id');
  select t.scheduled_date into strict starts_at from public.tasks t where t.id = visit.task_id;
  perform private.require(starts_at > now() + interval '48 hours' or (caller = visit.task_giver_id and exists (select
    from public.task_series s where s.id = visit.series_id and s.repeats ->> 'every' = 'snowfall')), 'visit.too_late_to_skip', 'booking_id');
  perform private.set_actor(case when caller = visit.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
  update public.bookings set status = 'cancelled', skipped = true where id = visit.id;
  perform private.set_actor(null);
  return jsonb_build_object('outcome', 'not_paid', 'message', 'No fee applies, because nothing was paid.', 'fee_cents', 0, 'refund_cents', 0,
    'listing', 'closed');
end $$;

grant execute on function
  public.skip_visit(uuid)
to authenticated;
grant execute on function
  private.check_visit(public.bookings)
to authenticated, service_role;
