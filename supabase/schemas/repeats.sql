-- Repeats: how a task repeats (tasks.repeats), its rules and the times of its visits. The giver posts one task; visits.sql makes the
-- visits once a tasker is accepted.

set check_function_bodies = off;

-- Reads a day as 2027-03-30; null for anything else, such as 31 February.
create function private.day_of(written text) returns date
language plpgsql immutable set search_path = '' as $$
begin
  return case when written ~ '^\d{4}-\d{2}-\d{2}$' then written::date end;
exception when datetime_field_overflow or invalid_datetime_format then
  return null;
end $$;

-- The clock at the place of a task; the marketplace's for a place that is not known.
create function private.zone_of_task(task public.tasks) returns text
language sql stable set search_path = '' as $$
  select coalesce((select p.time_zone from public.places p where p.id = task.place_id), private.time_zone())
$$;

-- The times of the visits of a repeat, in order: the same time of day by the clock at the place. A monthly visit on a day that a
-- month lacks is on its last day. A time in the hour that daylight saving skips is an hour later. None for snowfall. At most 60
-- steps, so that too many can be told apart.
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

-- Whether a value has the form of a repeat: {every, until | count, except?}, for snowfall {every, cm, until, count}.
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

-- Checks how a task repeats and stores it in one form.
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

-- Limits the season of a snowfall task, which has no date, and the depth of snow that counts.
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

-- Limits the number of visits and the days from the first to the last one. Each exception must be the day of a visit.
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

-- The times of the visits of a task that repeats, until a tasker is accepted: a computed column of tasks. Empty for snowfall, null
-- for a task that does not repeat or has a series (public.planned_times), because its first visit can move.
create function public.repeat_times(task public.tasks) returns timestamptz[]
language sql stable set search_path = '' as $$
  select array(select private.visit_times(task.repeats, task.scheduled_date, private.zone_of_task(task)))
  where task.repeats is not null and task.series_id is null
$$;

-- The agreed times of the visits, without those that moved later: a computed column of task_series. Empty for snowfall.
create function public.planned_times(series public.task_series) returns timestamptz[]
language sql stable set search_path = '' as $$
  select array(select private.visit_times(series.repeats, series.starts_at, series.time_zone))
$$;

-- The visits of a repeat before it is posted: {times, time_zone}. Refuses a repeat that the task would be refused for; its date is
-- checked when it is posted.
create function public.preview_repeat(repeats jsonb, scheduled_date timestamptz, duration_minutes integer, location text) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  task public.tasks;
begin
  task.repeats := preview_repeat.repeats;
  task.scheduled_date := preview_repeat.scheduled_date;
  task.duration_minutes := preview_repeat.duration_minutes;
  task.place_id := private.match_place(left(preview_repeat.location, 200));
  task := private.check_repeats(task);
  return jsonb_build_object('times', to_jsonb(coalesce(public.repeat_times(task), '{}')), 'time_zone', private.zone_of_task(task));
end $$;

-- The days on which the tasker has other work at the time of a visit, as 2027-03-30, separated by commas; null if there is none. A
-- definer, because others' bookings are not readable. Call it after private.can_fit_task, which holds the tasker's calendar.
create function private.busy_visit_days(tasker uuid, task public.tasks) returns text
language sql stable security definer set search_path = '' as $$
  select string_agg(to_char(visit at time zone zone.name, 'YYYY-MM-DD'), ', ' order by visit)
  from (select private.zone_of_task(task)) zone (name)
  cross join lateral private.visit_times(task.repeats, task.scheduled_date, zone.name) visit
  where exists (select from private.clashing_bookings(tasker, tstzrange(visit, visit + make_interval(mins => task.duration_minutes)),
    task.public_latitude, task.public_longitude))
$$;

-- The caller's own accepted bookings that clash with visits of a task, so that a tasker knows before applying. It runs with the
-- rights of the caller, so nobody else learns of them.
create function public.own_visit_clashes(task_id uuid) returns table (visit_at timestamptz, title text, starts_at timestamptz)
language sql stable set search_path = '' as $$
  select visit, other.title, lower(b.period) from public.tasks t
  cross join lateral unnest(public.repeat_times(t)) visit
  cross join lateral private.clashing_bookings(auth.uid(), tstzrange(visit, visit + make_interval(mins => t.duration_minutes)),
    t.public_latitude, t.public_longitude) clash (id)
  join public.bookings b on b.id = clash.id
  join public.tasks other on other.id = b.task_id
  where t.id = own_visit_clashes.task_id
  order by 1, 3 limit 60
$$;

grant execute on function
  public.own_visit_clashes(uuid), public.planned_times(public.task_series)
to authenticated;
grant execute on function
  public.repeat_times(public.tasks), public.preview_repeat(jsonb, timestamptz, integer, text)
to anon, authenticated;
grant execute on function
  private.day_of(text), private.zone_of_task(public.tasks), private.visit_times(jsonb, timestamptz, text), private.is_repeat(jsonb),
  private.check_repeats(public.tasks), private.check_season(public.tasks), private.check_visit_times(public.tasks)
to anon, authenticated, service_role;
grant execute on function
  private.busy_visit_days(uuid, public.tasks)
to authenticated, service_role;
