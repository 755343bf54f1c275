-- searches for free taskers: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.blocked_times(settings public.schedule_settings, span tstzrange) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(range_agg(blocked), '{}') from private.blocking_spans(settings, span)
$$;

create function private.blocking_spans(settings public.schedule_settings, span tstzrange) returns table (blocked tstzrange)
language sql stable begin atomic
  select tstzrange(lower(b.period) - buffer.time, upper(b.period) + buffer.time)
  from (select make_interval(mins => settings.buffer_minutes)) as buffer (time)
  join public.bookings b on b.task_doer_id = settings.user_id and b.status in ('accepted', 'in_progress')
    and b.period && tstzrange(lower(span) - buffer.time, upper(span) + buffer.time);
end;

create function private.find_listed(
  query text, wanted integer, after_rating numeric, after_reviews integer, after_id uuid
) returns table (id uuid, rating numeric, total_reviews integer) language plpgsql stable rows 100
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
begin
  perform private.require(num_nulls(after_rating, after_reviews, after_id) in (0, 3),
    'search.position_incomplete', 'after_id');
  return query
  -- Taskers rated as the last one, then taskers rated lower: each is one range of the index.
  (select t.id, t.rating, t.total_reviews from private.listed_taskers t
   where t.rating = after_rating and t.total_reviews = after_reviews and t.id > after_id
     and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
   order by t.rating desc, t.total_reviews desc, t.id limit wanted)
  union all
  (select t.id, t.rating, t.total_reviews from private.listed_taskers t
   where (t.rating, t.total_reviews) < (coalesce(after_rating, 'infinity'), coalesce(after_reviews, 0))
     and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
   order by t.rating desc, t.total_reviews desc, t.id limit wanted)
  order by 2 desc, 3 desc, 1 limit wanted;
end $$;

create or replace function private.keep_free(taskers uuid[], wanted tstzrange) returns uuid[]
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

create or replace function private.matching_tasker_ids(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null,
  free_at timestamptz default null, free_minutes integer default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
  homes constant text[] := private.place_spellings(city) || home;
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'search.availability_invalid', 'availability');
  perform private.require(free_at is null or free_minutes between private.rule('limits.durationMinutes.min')
    and private.rule('limits.durationMinutes.max'), 'task.duration_out_of_range', 'free_minutes');
  perform private.require(free_at is null or free_at between now() - interval '1 day' and now() + interval '2 years',
    'task.date_invalid', 'free_at');
  for n in 1 .. 3 loop
    select coalesce(array_agg(p.id order by f.nth), '{}'), coalesce(array_agg(p.id order by f.nth) filter (where
        (home is null or private.search_text(p.city) = any (homes))
        and (matching_tasker_ids.category is null or p.preferred_categories @> array[matching_tasker_ids.category])
        and (matching_tasker_ids.max_rate is null or p.hourly_rate <= matching_tasker_ids.max_rate)
        and (matching_tasker_ids.availability is null or p.availability_status::text = matching_tasker_ids.availability)
        and (free_at is null or p.availability_status <> 'unavailable')), '{}')
      into listed, matching
    from private.find_listed(query, page, after_rating, after_reviews, after_id) with ordinality f (id, rating, total_reviews, nth)
    join private.profiles p on p.id = f.id;
    if free_at is not null then
      matching := private.keep_free(matching, tstzrange(free_at, free_at + make_interval(mins => free_minutes)));
    end if;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
    page := 900;
  end loop;
  return found_ids[1:wanted];
end $$;

create or replace function private.open_times(settings public.schedule_settings, first_day date, last_day date) returns tstzmultirange
language sql stable set search_path = '' as $$
  select coalesce(range_agg(span), '{}') from private.work_spans(settings, first_day, last_day)
$$;

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

create or replace function public.find_taskers(
  query text default '', max_results integer default 100, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null
) returns setof public.public_profiles language sql stable security definer set search_path = '' as $$
  select p.* from private.find_listed(query, least(greatest(coalesce(max_results, 100), 0), 200), after_rating, after_reviews, after_id) page
  join public.public_profiles p on p.id = page.id
  order by page.rating desc, page.total_reviews desc, page.id
$$;

create function public.remove_hours() returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null and private.has_account(), 'account.not_authenticated');
  perform private.count_activity('settings_changes');
  perform private.erase_hours(auth.uid());
end $$;

create or replace function public.search_taskers(
  query text default '', max_results integer default 100, city text default null, category text default null,
  max_rate numeric default null, availability text default null, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null, free_at timestamptz default null, free_minutes integer default 60
) returns setof public.public_profiles language plpgsql stable security definer set search_path = '' as $$
declare
  -- Inside the query, PostgreSQL would search twice: also to estimate how many there are.
  found_ids constant uuid[] := private.matching_tasker_ids(coalesce(query, ''), least(greatest(coalesce(max_results, 100), 0), 200),
    city, category, max_rate, availability, after_rating, after_reviews, after_id, free_at, free_minutes);
begin
  return query select p.* from unnest(found_ids) with ordinality found (id, place) join public.public_profiles p on p.id = found.id
  order by found.place;
end $$;

grant execute on function public.remove_hours() to authenticated;
grant execute on function public.remove_hours() to service_role;

select cron.schedule('forget-past-days', '43 3 * * *', 'delete from public.hours_exceptions where day < current_date - 1');
