-- Free times, clashes of bookings with buffer and way, and the time of a request.
set check_function_bodies = off;

create function private.blocked_times(settings public.schedule_settings, span tstzrange) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(range_agg(tstzrange(lower(b.period) - buffer.time, upper(b.period) + buffer.time)), '{}')
  from (select make_interval(mins => settings.buffer_minutes)) as buffer (time)
  join public.bookings b on b.task_doer_id = settings.user_id and b.status in ('accepted', 'in_progress')
    and b.period && tstzrange(lower(span) - buffer.time, upper(span) + buffer.time)
$$;

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
    select from private.clashing_bookings(tasker, wanted, task.public_latitude, task.public_longitude));
end $$;

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

create function private.is_slot_taken(task public.tasks) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  settings constant public.schedule_settings := private.shown_settings(task.asked_tasker_id);
  wanted constant tstzrange := private.task_period(task);
begin
  return coalesce(private.blocked_times(settings, wanted) && wanted, false);
end $$;

create function private.open_times(settings public.schedule_settings, first_day date, last_day date) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(range_agg(tstzrange(least(hours.starts_at, hours.ends_at), hours.ends_at)), '{}')
  from generate_series(0, last_day - first_day) as nth
  cross join lateral (select first_day + nth) as each (day)
  left join public.hours_exceptions e on e.user_id = settings.user_id and e.day = each.day
  cross join lateral (
    select (each.day + h.starts) at time zone settings.time_zone, (each.day + h.ends) at time zone settings.time_zone from (
      select e.starts, e.ends where e.starts is not null
      union all
      select w.starts, w.ends from public.working_hours w
      where e.day is null and w.user_id = settings.user_id and w.weekday = extract(isodow from each.day)
        and not (settings.closed_on_holidays and each.day = any (private.holidays()))) h
  ) as hours (starts_at, ends_at)
$$;

create function private.shown_settings(tasker uuid) returns public.schedule_settings
language sql stable set search_path = '' as $$
  select s from public.schedule_settings s join public.public_profiles p on p.id = s.user_id
  where s.user_id = tasker and s.shows_slots and not p.is_hidden and p.availability_status <> 'unavailable' and private.is_tasker(tasker)
$$;

create function private.travel_minutes(
  from_latitude double precision, from_longitude double precision, to_latitude double precision, to_longitude double precision
) returns integer language sql immutable set search_path = '' as $$
  select coalesce(ceil(private.km_between(from_latitude, from_longitude, to_latitude, to_longitude) * 1.3), 0)::integer
$$;

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

create function public.own_clash(task_id uuid) returns table (title text, starts_at timestamptz, ends_at timestamptz)
language sql stable set search_path = '' as $$
  select other.title, lower(b.period), upper(b.period) from public.tasks t
  cross join lateral private.clashing_bookings(auth.uid(), private.task_period(t), t.public_latitude, t.public_longitude) clash (id)
  join public.bookings b on b.id = clash.id
  join public.tasks other on other.id = b.task_id
  where t.id = own_clash.task_id
  order by b.period limit 1
$$;
grant execute on function private.can_fit_task(uuid,public.tasks) to authenticated;
grant execute on function private.can_fit_task(uuid,public.tasks) to service_role;
grant execute on function private.clashing_bookings(uuid,tstzrange,double precision,double precision) to authenticated;
grant execute on function private.is_slot_taken(public.tasks) to authenticated;
grant execute on function private.is_slot_taken(public.tasks) to service_role;
grant execute on function private.travel_minutes(double precision,double precision,double precision,double precision) to authenticated;
grant execute on function public.free_slots(uuid,integer,date,integer) to anon;
grant execute on function public.free_slots(uuid,integer,date,integer) to authenticated;
grant execute on function public.free_slots(uuid,integer,date,integer) to service_role;
grant execute on function public.own_clash(uuid) to authenticated;
grant execute on function public.own_clash(uuid) to service_role;
