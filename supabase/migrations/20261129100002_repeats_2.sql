-- Repeats, part 2 of 7: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.check_acceptance(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
  busy text;
begin
  perform private.require(private.try_lock_decision(booking.task_id),
    'task.being_decided', 'status');
  task := private.lock_task(booking.task_id);
  -- A tasker cannot accept a counter-offer while the task is hidden or its giver suspended.
  perform private.require(task.status in ('open', 'asked') and (task.hidden_for is null or booking.counter_state is distinct from 'accepted'),
    'task.not_open', 'status');
  if private.offered_time(booking) is not null then
    booking.posted_date := task.scheduled_date;
    task.scheduled_date := private.offered_time(booking);
  end if;
  booking.period := private.task_period(task);
  perform private.require(private.can_fit_task(booking.task_doer_id, task), 'booking.tasker_busy', 'status');
  if task.repeats is not null then
    busy := private.busy_visit_days(booking.task_doer_id, task);
    perform private.require(busy is null, 'series.tasker_busy', 'status', jsonb_build_object('days', busy));
  end if;
  booking.accepted_at := now();
  return booking;
end $$;

create or replace function private.check_application(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
  busy text;
begin
  perform private.require(task.hidden_for is null, 'task.not_open', 'task_id');
  -- To everybody else a task that one tasker is asked to do is not there.
  perform private.require(task.id is not null
    and (task.status <> 'asked' or booking.task_doer_id in (task.asked_tasker_id, task.task_giver_id)), 'task.not_found', 'task_id');
  perform private.allow(task.task_giver_id <> booking.task_doer_id, 'booking.own_task');
  perform private.require(not private.has_other_application(booking.task_id, booking.task_doer_id),
    'booking.already_applied', 'task_id');
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'task_id');
  booking.task_giver_id := task.task_giver_id;
  if task.repeats is not null then
    busy := private.busy_visit_days(booking.task_doer_id, task);
    perform private.require(busy is null, 'series.own_clash', 'task_id', jsonb_build_object('days', busy));
  end if;
  if booking.offer_options is not null or booking.offer_reason is not null then
    return private.check_offer(booking, task);
  end if;
  -- A client may send the price that its person saw; without one, the current price counts.
  perform private.require(coalesce(booking.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    'booking.price_changed', 'agreed_amount', jsonb_build_object('price', round(task.pay_amount, 2)));
  booking.agreed_amount := task.pay_amount;
  return booking;
end $$;

create or replace function private.check_counter(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require_active_account();
  perform private.require(private.booking_actor(booking.task_doer_id, booking.task_giver_id) = 'giver',
    'offer.counter_not_giver', 'counter_amount');
  perform private.require(before.offer_options is not null, 'offer.none', 'counter_amount');
  perform private.require(before.status = 'pending' and booking.status = 'pending', 'offer.not_waiting', 'status');
  perform private.require(before.counter_state is null, 'offer.counter_once', 'counter_amount');
  perform private.require(before.answer_by > now(), 'offer.lapsed', 'status');
  perform private.require(booking.agreed_amount = before.agreed_amount, 'booking.price_fixed', 'agreed_amount');
  perform private.require(booking.accepted_option is null, 'offer.option_not_allowed', 'accepted_option');
  perform private.check_offered_amount(booking.counter_amount, 'counter_amount');
  perform private.check_offered_time(booking.counter_starts_at, 'counter_starts_at');
  perform private.require(booking.counter_starts_at is null or not exists (select from public.tasks
    where id = booking.task_id and repeats is not null), 'offer.repeat_keeps_times', 'counter_starts_at');
  booking.counter_message := nullif(private.masked_contacts(private.trimmed(booking.counter_message)), '');
  perform private.require(coalesce(length(booking.counter_message), 0) <= private.rule('limits.counterMessage.max'),
    'offer.message_too_long', 'counter_message', jsonb_build_object('max', private.rule('limits.counterMessage.max')));
  booking.counter_amount := round(booking.counter_amount, 2);
  booking.counter_state := 'open';
  booking.answer_by := now() + make_interval(hours => private.rule('limits.offer.counterHours'));
  booking.updated_at := now();
  return booking;
end $$;

create or replace function private.check_offer(booking public.bookings, task public.tasks) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  option jsonb;
  starts_at timestamptz;
  options jsonb := '[]';
begin
  perform private.require(jsonb_typeof(booking.offer_options) is not distinct from 'array'
    and jsonb_array_length(booking.offer_options) between 1 and private.rule('limits.offer.options'),
    'offer.options_invalid', 'offer_options', jsonb_build_object('max', private.rule('limits.offer.options')));
  perform private.require(task.offers_allowed, 'offer.not_allowed', 'offer_options');
  for option in select value from jsonb_array_elements(booking.offer_options) loop
    perform private.require(private.is_offer_option(option), 'offer.options_invalid', 'offer_options',
      jsonb_build_object('max', private.rule('limits.offer.options')));
    starts_at := private.moment_of(option ->> 'starts_at');
    perform private.check_offered_amount((option ->> 'amount')::numeric, 'offer_options');
    perform private.check_offered_time(starts_at, 'offer_options');
    perform private.require(starts_at is null or task.repeats is null, 'offer.repeat_keeps_times', 'offer_options');
    option := jsonb_build_object('amount', round((option ->> 'amount')::numeric, 2), 'starts_at',
      to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
    perform private.require(not options @> jsonb_build_array(option), 'offer.options_equal', 'offer_options');
    options := options || option;
  end loop;
  booking.offer_reason := nullif(private.masked_contacts(private.trimmed(booking.offer_reason)), '');
  perform private.require(booking.offer_reason is not null, 'offer.reason_required', 'offer_reason');
  perform private.require(length(booking.offer_reason) <= private.rule('limits.offerReason.max'), 'offer.reason_too_long',
    'offer_reason', jsonb_build_object('max', private.rule('limits.offerReason.max')));
  perform private.require(coalesce(booking.agreed_amount, 'NaN') in ('NaN', (options #>> '{0,amount}')::numeric),
    'offer.amount_differs', 'agreed_amount', jsonb_build_object('price', (options #>> '{0,amount}')::numeric));
  booking.offer_options := options;
  booking.agreed_amount := options #>> '{0,amount}';
  booking.answer_by := now() + make_interval(hours => private.rule('limits.offer.hours'));
  return booking;
end $$;

create function private.check_repeats(task public.tasks) returns public.tasks
language plpgsql stable set search_path = '' as $$
declare
  wanted jsonb := nullif(task.repeats, 'null');
  written text;
begin
  task.repeats := wanted;
  if wanted is null then
    return task;
  end if;
  perform private.require(private.is_repeat(wanted), 'repeat.invalid', 'repeats');
  -- A snowfall task has both: the end of its season and the most visits.
  perform private.require(case when wanted ->> 'every' = 'snowfall' then wanted ?& '{until,count}'
    else wanted ? 'until' <> wanted ? 'count' end, 'repeat.no_end', 'repeats');
  foreach written in array array_remove(wanted ->> 'until' || array(select jsonb_array_elements_text(wanted -> 'except')), null) loop
    perform private.require(private.day_of(written) is not null, 'repeat.day_unknown', 'repeats', jsonb_build_object('day', left(written, 40)));
  end loop;
  perform private.require(not wanted ? 'count' or (wanted ->> 'count')::integer >= 2, 'repeat.too_few', 'repeats');
  perform private.require(not wanted ? 'count' or (wanted ->> 'count')::integer <= private.rule('limits.repeat.visits'), 'repeat.too_many',
    'repeats', jsonb_build_object('max', private.rule('limits.repeat.visits')));
  perform private.require(task.duration_minutes is not null, 'repeat.duration_required', 'duration_minutes');
  perform private.require(task.duration_minutes <= 1440, 'repeat.duration_too_long', 'duration_minutes');
  if wanted ->> 'every' = 'snowfall' then
    perform private.check_season(task);
  else
    perform private.check_visit_times(task);
  end if;
  if wanted ? 'except' then
    task.repeats := wanted || jsonb_build_object('except', (select jsonb_agg(distinct day order by day)
      from jsonb_array_elements_text(wanted -> 'except') day));
    task.repeats := case when task.repeats -> 'except' = 'null' then wanted - 'except' else task.repeats end;
  end if;
  return task;
end $$;

create function private.check_season(task public.tasks) returns void
language plpgsql stable set search_path = '' as $$
declare
  today constant date := (now() at time zone private.zone_of_task(task))::date;
begin
  perform private.require(task.scheduled_date is null, 'repeat.snow_has_no_date', 'scheduled_date');
  perform private.require((task.repeats ->> 'cm')::numeric between 1 and private.rule('limits.repeat.snowCm')
    and (task.repeats ->> 'cm')::numeric % 1 = 0, 'repeat.snow_depth', 'repeats',
    jsonb_build_object('max', private.rule('limits.repeat.snowCm')));
  perform private.require((task.repeats ->> 'until')::date >= today or not private.is_client(), 'repeat.season_over', 'repeats');
  perform private.require((task.repeats ->> 'until')::date <= today + private.rule('limits.repeat.days'), 'repeat.too_far', 'repeats',
    jsonb_build_object('days', private.rule('limits.repeat.days')));
end $$;

create function private.check_snow_report(series public.task_series, agreed public.bookings, cm integer, photos text[], starts_at timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  today constant date := (now() at time zone series.time_zone)::date;
begin
  perform private.require(series.status = 'active' and agreed.status = 'accepted' and today <= series.ends_on, 'series.over', 'series_id');
  perform private.require(cm between 1 and private.rule('limits.repeat.snowCm'), 'snow.depth_invalid', 'cm',
    jsonb_build_object('max', private.rule('limits.repeat.snowCm')));
  perform private.require(cm >= (series.repeats ->> 'cm')::integer, 'snow.too_little', 'cm', jsonb_build_object('min', series.repeats -> 'cm'));
  perform private.require(not exists (select from public.snow_reports r where r.series_id = series.id and r.day = today), 'snow.once_a_day', 'series_id');
  perform private.require((select count(*) from public.snow_reports r where r.series_id = series.id) < series.visits, 'snow.too_many', 'series_id',
    jsonb_build_object('count', series.visits));
  perform private.require(starts_at > now() - interval '5 minutes' and (starts_at at time zone series.time_zone)::date = today,
    'snow.time_not_today', 'starts_at');
  perform private.require(cardinality(photos) > 0, 'snow.photo_required', 'photos');
  perform private.check_photos(photos, 'booking-photos', agreed.id, series.tasker_id, 'photos');
end $$;

create function private.check_visit(visit public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.check_booking_step(visit, null);
  select private.task_period(t) into strict visit.period from public.tasks t where t.id = visit.task_id;
  visit.accepted_at := now();
  visit.pay_from := now();
  return visit;
end $$;

create function private.check_visit_times(task public.tasks) returns void
language plpgsql stable set search_path = '' as $$
declare
  zone constant text := private.zone_of_task(task);
  first_day constant date := (task.scheduled_date at time zone zone)::date;
  times timestamptz[];
  except_day text;
begin
  perform private.require(task.scheduled_date is not null, 'repeat.date_required', 'scheduled_date');
  times := array(select private.visit_times(task.repeats - 'except', task.scheduled_date, zone));
  for except_day in select jsonb_array_elements_text(task.repeats -> 'except') loop
    perform private.require(except_day <> first_day::text and exists (select from unnest(times) visit
      where (visit at time zone zone)::date::text = except_day), 'repeat.exception_unknown', 'repeats', jsonb_build_object('day', except_day));
  end loop;
  perform private.require(coalesce((task.repeats ->> 'until')::date, (times[cardinality(times)] at time zone zone)::date)
    <= first_day + private.rule('limits.repeat.days'), 'repeat.too_far', 'repeats', jsonb_build_object('days', private.rule('limits.repeat.days')));
  times := array(select private.visit_times(task.repeats, task.scheduled_date, zone));
  perform private.require(cardinality(times) >= 2, 'repeat.too_few', 'repeats');
  perform private.require(cardinality(times) <= private.rule('limits.repeat.visits'), 'repeat.too_many', 'repeats',
    jsonb_build_object('max', private.rule('limits.repeat.visits')));
end $$;

create function private.close_season() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select t.id, t.task_giver_id, t.title into due from public.tasks t
  where t.status = 'open' and t.repeats ->> 'every' = 'snowfall' and t.repeats ->> 'until' < (current_date - 1)::text
  order by t.repeats ->> 'until', t.id limit 1 for no key update skip locked;
  if not found or not private.try_lock_decision(due.id) then
    return 0;
  end if;
  update public.tasks set status = 'cancelled', updated_at = now() where id = due.id;
  perform private.notify_person(due.task_giver_id, 'task_expired', jsonb_build_object('task', due.title), '/dashboard');
  return 1;
end $$;

create or replace function private.count_task(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  -- The further visits of a series were posted once.
  if coalesce(task.series_id, before.series_id) is not null and coalesce(task.repeats, before.repeats) is null then
    return;
  end if;
  if before.created_at is distinct from task.created_at then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'tasks', c.amount from (values (before.created_at, -1), (task.created_at, 1)) c (moment, amount)
    where c.moment is not null;
  end if;
end $$;

create function private.day_of(written text) returns date
language plpgsql immutable set search_path = '' as $$
begin
  return case when written ~ '^\d{4}-\d{2}-\d{2}$' then written::date end;
exception when datetime_field_overflow or invalid_datetime_format then
  return null;
end $$;

create function private.end_series() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due public.task_series;
begin
  select * into due from public.task_series s
  where s.status = 'active' and s.ends_on <= current_date and (s.ends_on + 1)::timestamp at time zone s.time_zone <= now()
  order by s.ends_on, s.id limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update public.task_series set status = 'ended' where id = due.id;
  perform private.set_actor('schedule');
  update public.bookings set status = 'cancelled', skipped = true where series_id = due.id and visit_number = 0 and status = 'accepted';
  perform private.set_actor(null);
  return 1;
end $$;

