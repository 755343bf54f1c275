-- Which bookings clash, and when taskers are free: their hours (hours.sql) without their bookings.

set check_function_bodies = off;

-- Minutes of the way between two public points at 60 km/h, a mean of city streets and highways: one minute for a kilometre. Roads here
-- form a grid, whose ways are on average 4/π ≈ 1.3 times as long as the straight line. 0 without both points.
create function private.travel_minutes(
  from_latitude double precision, from_longitude double precision, to_latitude double precision, to_longitude double precision
) returns integer language sql immutable set search_path = '' as $$
  select coalesce(ceil(private.km_between(from_latitude, from_longitude, to_latitude, to_longitude) * 1.3), 0)::integer
$$;

-- Accepted bookings of a tasker that overlap the wanted time, or leave too little time before or after it: less than their buffer, or
-- than the way between the places if that takes longer. Without saved hours, neither counts.
create function private.clashing_bookings(
  tasker uuid, wanted tstzrange, latitude double precision, longitude double precision
) returns setof uuid language sql stable set search_path = '' as $$
  select b.id from public.bookings b join public.tasks t on t.id = b.task_id
    left join public.schedule_settings s on s.user_id = b.task_doer_id
    cross join lateral (select make_interval(mins => case when s.user_id is null then 0 else greatest(s.buffer_minutes,
      private.travel_minutes(t.public_latitude, t.public_longitude, clashing_bookings.latitude, clashing_bookings.longitude)) end)) gap (time)
  where b.task_doer_id = tasker and b.status in ('accepted', 'in_progress')
    -- For the index: no way in the province takes two days.
    and b.period && tstzrange(lower(wanted) - interval '2 days', upper(wanted) + interval '2 days')
    and b.period && tstzrange(lower(wanted) - gap.time, upper(wanted) + gap.time)
$$;

-- Whether the tasker can do the task, without saying why not; a booking of the task itself, which may get another time, does not
-- count. Concurrent acceptances of one tasker wait for each other here, so each sees the bookings of those before.
create function private.can_fit_task(tasker uuid, task public.tasks) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  wanted constant tstzrange := private.task_period(task);
begin
  if wanted is null then
    return true;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('calendar ' || tasker, 0));
  return not exists (
    select from private.clashing_bookings(tasker, wanted, task.public_latitude, task.public_longitude) clash (id)
    join public.bookings b on b.id = clash.id where b.task_id <> task.id);
end $$;

-- The caller's accepted booking that clashes with a task, otherwise a busy time of their imported calendars, whose title is null: so that
-- a tasker knows before applying. Neither is refused here. It runs with the rights of the caller, so that nobody else learns of it.
create function public.own_clash(task_id uuid) returns table (title text, starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = '' as $$
  select found.title, lower(found.period), upper(found.period) from public.tasks t
  cross join lateral (
    select other.title, b.period
    from private.clashing_bookings(auth.uid(), private.task_period(t), t.public_latitude, t.public_longitude) clash (id)
    join public.bookings b on b.id = clash.id
    join public.tasks other on other.id = b.task_id
    union all
    select null, c.period from private.calendar_busy c where c.user_id = auth.uid() and c.period && private.task_period(t)
  ) found (title, period)
  where t.id = own_clash.task_id
  order by found.title is null, found.period limit 1
$$;

-- The hours of a tasker on these days as instants. A day that differs replaces the hours of its weekday. A start or end in
-- the hour that daylight saving skips is an hour later, as in web/lib/format.ts; one in the hour that it repeats is in the second.
-- This function and the next have no SET clause, so that PostgreSQL inlines them in a search over many taskers.
create function private.work_spans(settings public.schedule_settings, first_day date, last_day date) returns table (span tstzrange)
language sql stable begin atomic
  select tstzrange(least(hours.starts_at, hours.ends_at), hours.ends_at)
  from generate_series(0, last_day - first_day) as nth
  cross join lateral (select first_day + nth) as each (day)
  left join public.hours_exceptions e on e.user_id = settings.user_id and e.day = each.day
  cross join lateral (
    select (each.day + h.starts) at time zone settings.time_zone, (each.day + h.ends) at time zone settings.time_zone from (
      select e.starts, e.ends where e.starts is not null
      union all
      select w.starts, w.ends from public.working_hours w
      where e.day is null and w.user_id = settings.user_id and w.weekday = extract(isodow from each.day)::smallint
        and not (settings.closed_on_holidays and each.day = any (private.holidays()))) h
  ) as hours (starts_at, ends_at);
end;

-- The tasker's accepted bookings that touch a span of time, each with the buffer before and after it, and the busy times of imported
-- calendars as they are.
create function private.blocking_spans(settings public.schedule_settings, span tstzrange) returns table (blocked tstzrange)
language sql stable begin atomic
  select tstzrange(lower(b.period) - buffer.time, upper(b.period) + buffer.time)
  from (select make_interval(mins => settings.buffer_minutes)) as buffer (time)
  join public.bookings b on b.task_doer_id = settings.user_id and b.status in ('accepted', 'in_progress')
    and b.period && tstzrange(lower(span) - buffer.time, upper(span) + buffer.time)
  union all
  select c.period from private.calendar_busy c where c.user_id = settings.user_id and c.period && span;
end;

-- The hours of private.work_spans, those that meet as one.
create function private.open_times(settings public.schedule_settings, first_day date, last_day date) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(range_agg(span), '{}') from private.work_spans(settings, first_day, last_day)
$$;

create function private.blocked_times(settings public.schedule_settings, span tstzrange) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(range_agg(blocked), '{}') from private.blocking_spans(settings, span)
$$;

-- The settings of a tasker whose free times the caller may see; all null if there are none, or the tasker does not show them.
create function private.shown_settings(tasker uuid) returns public.schedule_settings
language sql stable set search_path = '' as $$
  select s from public.schedule_settings s join public.public_profiles p on p.id = s.user_id
  where s.user_id = tasker and s.shows_slots and not p.is_hidden and p.availability_status <> 'unavailable' and private.is_tasker(tasker)
$$;

-- Times in which a tasker is free for that many minutes, from a day on by the tasker's clock (today or later) and at most 31 days. Each
-- begins on a quarter of an hour, two hours from `at` or later. A way between places is not counted: it would tell where jobs are.
create function private.find_free_slots(
  settings public.schedule_settings, duration_minutes integer, first_day date, days integer, at timestamptz
) returns table (starts_at timestamptz, ends_at timestamptz, time_zone text) language sql stable set search_path = '' as $$
  with span as (
    select day as first, day + least(greatest(days, 1), 31) - 1 as last
    from (select greatest(first_day, (at at time zone settings.time_zone)::date)) start (day)
  ), open as (
    select private.open_times(settings, span.first, span.last)
      - tstzmultirange(tstzrange(null, at + interval '2 hours')) as times from span
  )
  select quarter.starts_at, upper(free), settings.time_zone
  from open cross join lateral unnest(open.times - private.blocked_times(settings, range_merge(open.times))) free
  cross join lateral (select date_bin('15 minutes', lower(free) + interval '15 minutes' - interval '1 microsecond', 'epoch')) quarter (starts_at)
  where quarter.starts_at + make_interval(mins => duration_minutes) <= upper(free)
  order by 1
$$;

-- The free times of a tasker for a task of that length, from a day on (by default today, at most a year from now); see
-- private.find_free_slots. No row if the tasker has no hours, hides the profile or does not show free times.
create function public.free_slots(
  tasker uuid, duration_minutes integer default 60, first_day date default null, days integer default 14
) returns table (starts_at timestamptz, ends_at timestamptz, time_zone text)
language plpgsql stable security definer set search_path = '' as $$
declare
  settings constant public.schedule_settings := private.shown_settings(tasker);
begin
  perform private.require(free_slots.duration_minutes between private.rule('limits.durationMinutes.min')
    and private.rule('limits.durationMinutes.max'), 'task.duration_out_of_range', 'duration_minutes');
  return query select * from private.find_free_slots(settings, free_slots.duration_minutes,
    least(coalesce(free_slots.first_day, current_date), current_date + 366), coalesce(free_slots.days, 14), now());
end $$;

-- Those of these taskers who are free for all of that time, within their hours, in the same order. The plan is kept,
-- because making it takes longer than examining 200 taskers. Hours are read in full only where some are near the start of that time, an
-- hour wider because of daylight saving.
create function private.keep_free(taskers uuid[], wanted tstzrange) returns uuid[]
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan as $$
begin
  return (
    select coalesce(array_agg(s.user_id order by listed.nth), '{}')
    from unnest(taskers) with ordinality listed (id, nth)
    join public.schedule_settings s on s.user_id = listed.id and s.shows_slots
    cross join lateral (select lower(wanted) at time zone s.time_zone) here (moment)
    where case when exists (select from public.working_hours w
          where w.user_id = s.user_id and w.weekday = extract(isodow from here.moment)::smallint and w.starts <= here.moment::time
            and extract(epoch from w.ends) + 3600 > extract(epoch from here.moment::time))
        or exists (select from public.hours_exceptions e where e.user_id = s.user_id and e.day = here.moment::date)
      then (select range_agg(open.span) @> wanted
        from private.work_spans(s, here.moment::date, (upper(wanted) at time zone s.time_zone)::date) open)
        and not exists (select from private.blocking_spans(s, wanted)) end);
end $$;

-- Whether the asked tasker, who shows free times, has a booking then. Those who show none are asked for any time, so that nobody learns
-- when they work.
create function private.is_slot_taken(task public.tasks) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  settings constant public.schedule_settings := private.shown_settings(task.asked_tasker_id);
  wanted constant tstzrange := private.task_period(task);
begin
  return coalesce(private.blocked_times(settings, wanted) && wanted, false);
end $$;

grant execute on function
  private.can_fit_task(uuid, public.tasks), private.is_slot_taken(public.tasks)
to authenticated, service_role;
grant execute on function
  private.travel_minutes(double precision, double precision, double precision, double precision),
  private.clashing_bookings(uuid, tstzrange, double precision, double precision), public.own_clash(uuid)
to authenticated;
grant execute on function
  public.free_slots(uuid, integer, date, integer)
to anon, authenticated;
