-- Open tasks near a point. Distances are from the point to the centre of the cell of each task, so they reveal no more than the cell.

create index tasks_open_nearest on public.tasks (public_latitude, public_longitude, created_at desc, id) where status = 'open';
create index tasks_open_nearest_pay on public.tasks (public_latitude, public_longitude, pay_amount desc, created_at desc, id)
where status = 'open';

-- Requires a point on earth, a radius within its limits, a known order and all keys of the last task.
create function private.check_near(
  latitude double precision, longitude double precision, radius_km double precision, sort text, after jsonb
) returns void language plpgsql stable set search_path = '' as $$
begin
  perform private.require(latitude between -90 and 90, 'point.invalid', 'latitude');
  perform private.require(longitude between -180 and 180, 'point.invalid', 'longitude');
  perform private.require(radius_km between private.rule('limits.radiusKm.min') and private.rule('limits.radiusKm.max'),
    'search.radius_out_of_range', 'radius_km');
  perform private.require(sort in ('distance', 'newest', 'pay'), 'search.near_sort_unknown', 'sort');
  perform private.require(after is null or after ?& array['id', 'created_at', 'pay_amount', 'public_latitude', 'public_longitude'],
    'search.after_incomplete', 'after');
end $$;

-- Cells whose centres are at most that far from a point, nearest first.
create function private.cells_near(from_latitude double precision, from_longitude double precision, radius_km double precision)
returns table (latitude double precision, longitude double precision, km double precision)
language sql stable set search_path = '' as $$
  select c.latitude, c.longitude, d.km from private.cells c
  cross join lateral (select private.km_between(from_latitude, from_longitude, c.latitude, c.longitude) as km) d
  where c.position operator(extensions.<@) extensions.cube_enlarge(private.earth_position(from_latitude, from_longitude), radius_km, 3)
    and d.km <= radius_km
  order by d.km, c.latitude, c.longitude
$$;

-- The condition that a task comes after the last one of the page before, in the order of a list; null for the first page. The first
-- comparison of each list finds the beginning in its index.
create function private.after_condition(sort text, after jsonb, km double precision) returns text
language plpgsql immutable strict set search_path = '' as $$
declare
  id constant uuid := after ->> 'id';
  created_at constant timestamptz := after ->> 'created_at';
  pay constant numeric := after ->> 'pay_amount';
  latitude constant double precision := after ->> 'public_latitude';
  longitude constant double precision := after ->> 'public_longitude';
  later constant text := format('(t.created_at < %1$L or t.created_at = %1$L and t.id > %2$L)', created_at, id);
begin
  return case sort
    when 'newest' then format('t.created_at <= %L and %s', created_at, later)
    when 'pay' then format('t.pay_amount <= %1$L and (t.pay_amount < %1$L or %2$s)', pay, later)
    else format('(c.km, c.latitude, c.longitude) >= (%1$L, %2$L, %3$L)
      and t.created_at <= case when (c.km, c.latitude, c.longitude) = (%1$L, %2$L, %3$L) then %4$L else ''infinity''::timestamptz end
      and ((c.km, c.latitude, c.longitude) > (%1$L, %2$L, %3$L) or %5$s)', km, latitude, longitude, created_at, later)
  end;
end $$;

-- The ids of open tasks for public.nearby_tasks: at most `wanted` after the given one. A sample of the list decides what is read, so
-- that it does not grow with the tasks (docs/decisions/0018).
create function private.nearby_task_ids(
  latitude double precision, longitude double precision, radius_km double precision, query text, category text, wanted integer,
  min_pay numeric, max_pay numeric, first_day date, last_day date, sort text, after jsonb
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  by_distance constant boolean := sort = 'distance';
  keys constant text := case sort when 'pay' then 't.pay_amount desc, t.created_at desc, t.id' else 't.created_at desc, t.id' end;
  ordered constant text := case when by_distance then 'c.km, c.latitude, c.longitude, ' || keys else keys end;
  kind record;
  conditions text;
  later text;
  first text;
  horizon integer;
  near integer;
  matching integer;
  found_ids uuid[];
begin
  perform private.check_near(latitude, longitude, radius_km, sort, after);
  select * into kind from private.category_condition(category);
  select coalesce(nullif(concat_ws(' and ', string_agg('words ilike ' || quote_literal(private.contains_pattern(word)), ' and '),
    kind.named, kind.exact, private.range_conditions(min_pay, max_pay, first_day, last_day)), ''), 'true')
    into conditions from unnest(private.search_words(query)) word;
  later := coalesce(private.after_condition(sort, after, private.km_between(latitude, longitude,
    (after ->> 'public_latitude')::double precision, (after ->> 'public_longitude')::double precision)), 'true');
  first := concat_ws(' and ', case when by_distance then 'true' else later end,
    case sort when 'pay' then private.range_conditions(min_pay, max_pay, null, null) end);

  -- Of the first tasks by date or pay, many are near and meet common conditions. By distance this only shows how many do.
  foreach horizon in array case when conditions = 'true' and by_distance then '{}' when conditions = 'true' then '{200}'
    when by_distance then '{500,2000}' else '{2000,10000}' end::integer[]
  loop
    execute format('select count(*) filter (where is_near), count(*) filter (where is_match),
        coalesce((array_agg(t.id order by %1$s) filter (where is_near and is_match))[:%2$s], ''{}'')
      from (select t.id, t.created_at, t.pay_amount, c.km is not null as is_near, %3$s as is_match
        from (select * from private.open_tasks t where %4$s order by %1$s limit %5$s) t
        left join private.cells_near($1, $2, $3) c on c.latitude = t.public_latitude and c.longitude = t.public_longitude
        offset 0) t', keys, wanted, conditions, first, horizon)
      into near, matching, found_ids using latitude, longitude, radius_km;
    if not by_distance and cardinality(found_ids) >= wanted then
      return found_ids;
    end if;
    -- Sample more only where that probably suffices or decides.
    exit when case when by_distance then cardinality(found_ids) >= 3 or matching < 3 or matching >= near
      else cardinality(found_ids) * 4 < wanted end;
  end loop;
  -- Otherwise the fewer are read: the tasks that meet the conditions, by their indexes, or those that are near. By distance, three in
  -- the sample mean that a page is found in the nearest cells.
  if matching < near and not (by_distance and cardinality(found_ids) >= 3) then
    execute format('with matching as materialized (
        select id, created_at, pay_amount, public_latitude, public_longitude from private.open_tasks where %s)
      select array_agg(id) from (select t.id from private.cells_near($1, $2, $3) c
        join matching t on t.public_latitude = c.latitude and t.public_longitude = c.longitude
        where %s order by %s limit %s) page', conditions, later, ordered, wanted)
      into found_ids using latitude, longitude, radius_km;
  else
    -- The first tasks of each cell; by distance only of as many cells as a page needs.
    execute format('select array_agg(id) from (
        select t.id from (select * from private.cells_near($1, $2, $3) order by km, latitude, longitude) c
        cross join lateral (select t.id, t.created_at, t.pay_amount from private.open_tasks t
          where t.public_latitude = c.latitude and t.public_longitude = c.longitude and %1$s and %2$s order by %3$s limit %4$s) t
        order by %5$s limit %4$s) page', later, conditions, keys, wanted, ordered)
      into found_ids using latitude, longitude, radius_km;
  end if;
  return coalesce(found_ids, '{}');
end $$;

-- Open tasks at most `radius_km` from a point. The other conditions are those of search_tasks. `sort` is distance, newest
-- or pay. `after` is the last task of the page before: {id, created_at, pay_amount, public_latitude, public_longitude}. A page has
-- at most 100 tasks.
create function public.nearby_tasks(
  latitude double precision, longitude double precision, radius_km double precision, query text default '', category text default null,
  min_pay numeric default null, max_pay numeric default null, first_day date default null, last_day date default null,
  sort text default 'distance', after jsonb default null, max_results integer default 24
) returns setof public.tasks language sql stable security definer set search_path = '' as $$
  -- As an argument of unnest, the planner would call it once more to estimate the number of rows.
  with page as materialized (
    select private.nearby_task_ids(latitude, longitude, radius_km, query, category, least(greatest(coalesce(max_results, 24), 0), 100),
      min_pay, max_pay, first_day, last_day, sort, after) as ids
  )
  select t.* from page cross join lateral unnest(page.ids) with ordinality found (id, place) join public.tasks t using (id)
  order by found.place
$$;

-- The number of open tasks that nearby_tasks finds; 100 means 100 or more.
create function public.count_nearby_tasks(
  latitude double precision, longitude double precision, radius_km double precision, query text default '', category text default null,
  min_pay numeric default null, max_pay numeric default null, first_day date default null, last_day date default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.nearby_task_ids(latitude, longitude, radius_km, query, category, 100, min_pay, max_pay,
    first_day, last_day, 'distance', null))
$$;

grant execute on function
  public.nearby_tasks(double precision, double precision, double precision, text, text, numeric, numeric, date, date, text, jsonb, integer),
  public.count_nearby_tasks(double precision, double precision, double precision, text, text, numeric, numeric, date, date)
to anon, authenticated;
