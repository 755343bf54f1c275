-- The search for taskers who are free; functions that others replace are dropped.
set check_function_bodies = off;

create function private.keep_free(taskers uuid[], wanted tstzrange) returns uuid[]
language sql stable set search_path = '' as $$
  with candidate as materialized (
    select listed.nth, s as settings from unnest(taskers) with ordinality listed (id, nth)
    join public.schedule_settings s on s.user_id = listed.id join private.profiles p on p.id = listed.id
    cross join lateral (select lower(wanted) at time zone s.time_zone) here (moment)
    where s.shows_slots and p.availability_status <> 'unavailable'
      and (exists (select from public.working_hours w
          where w.user_id = s.user_id and w.weekday = extract(isodow from here.moment) and w.starts <= here.moment::time
            and extract(epoch from w.ends) + 3600 > extract(epoch from here.moment::time))
        or exists (select from public.hours_exceptions e where e.user_id = s.user_id and e.day = here.moment::date))
  )
  select coalesce(array_agg((settings).user_id order by nth), '{}') from candidate
  where private.open_times(settings, (lower(wanted) at time zone (settings).time_zone)::date,
      (upper(wanted) at time zone (settings).time_zone)::date) @> wanted
    and not private.blocked_times(settings, wanted) && wanted
$$;

create function private.matching_tasker_ids(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null,
  free_at timestamptz default null, free_minutes integer default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
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
  for n in 0 .. 9 loop
    select coalesce(array_agg(p.id order by f.place), '{}'), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or private.search_text(p.city) = home)
        and (matching_tasker_ids.category is null or p.preferred_categories @> array[matching_tasker_ids.category])
        and (matching_tasker_ids.max_rate is null or p.hourly_rate <= matching_tasker_ids.max_rate)
        and (matching_tasker_ids.availability is null or p.availability_status::text = matching_tasker_ids.availability)), '{}')
      into listed, matching
    from (
      select t.id, row_number() over () as place
      from public.find_taskers(query, page, after_rating, after_reviews, after_id) t
    ) f join private.profiles p on p.id = f.id;
    if free_at is not null then
      matching := private.keep_free(matching, tstzrange(free_at, free_at + make_interval(mins => free_minutes)));
    end if;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
  end loop;
  return found_ids[1:wanted];
end $$;

create function public.count_taskers(
  query text default '', city text default null, category text default null, max_rate numeric default null,
  availability text default null, free_at timestamptz default null, free_minutes integer default 60
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.matching_tasker_ids(coalesce(query, ''), 500, city, category, max_rate, availability,
    free_at => free_at, free_minutes => free_minutes))
$$;

create function public.search_taskers(
  query text default '', max_results integer default 100, city text default null, category text default null,
  max_rate numeric default null, availability text default null, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null, free_at timestamptz default null, free_minutes integer default 60
) returns setof public.public_profiles language sql stable security definer set search_path = '' as $$
  select p.* from unnest(private.matching_tasker_ids(coalesce(query, ''), least(greatest(coalesce(max_results, 100), 0), 200),
      city, category, max_rate, availability, after_rating, after_reviews, after_id, free_at, free_minutes)) with ordinality found (id, place)
    join public.public_profiles p on p.id = found.id
  order by found.place
$$;

drop function private.matching_tasker_ids(text,integer,text,text,numeric,text,numeric,integer,uuid);

drop function private.tasker_is_free(uuid,tstzrange);

drop function public.count_taskers(text,text,text,numeric,text);

drop function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid);
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to anon;
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to authenticated;
grant execute on function public.count_taskers(text,text,text,numeric,text,timestamp with time zone,integer) to service_role;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to anon;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to authenticated;
grant execute on function public.search_taskers(text,integer,text,text,numeric,text,numeric,integer,uuid,timestamp with time zone,integer) to service_role;
