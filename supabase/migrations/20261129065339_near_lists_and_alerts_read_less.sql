-- Lists near a point and alerts of saved searches read fewer rows.
set check_function_bodies = off;

create or replace function private.after_condition(sort text, after jsonb, km double precision) returns text
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

create or replace function private.km_between(
  from_latitude double precision, from_longitude double precision, to_latitude double precision, to_longitude double precision
) returns double precision language sql immutable strict parallel safe
return 2 * 6371 * asin(float8smaller(1, sqrt(sind((to_latitude - from_latitude) / 2) ^ 2
  + cosd(from_latitude) * cosd(to_latitude) * sind((to_longitude - from_longitude) / 2) ^ 2)));

create or replace function private.nearby_task_ids(
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

create or replace function private.searches_finding(task public.tasks, person uuid default null) returns setof public.saved_searches
language plpgsql stable security definer set search_path = '' as $$
declare
  kinds constant text[] := private.matching_task_kinds(task) || task.category;
  searched constant text := private.search_text(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  place constant text := private.search_text(task.location);
  -- The place of the task and, if it is a neighbourhood, its city.
  places constant text[] := array(select p.id from public.places own join public.places p
    on p.id = own.id or p.city is null and p.name = own.city where own.id = task.place_id);
  day constant date := task.scheduled_date at time zone private.time_zone();
begin
  return query select * from public.saved_searches s
  where (person is null or s.user_id = person)
    and (s.category is null or s.category = any (kinds))
    and (s.min_pay is null or s.min_pay <= task.pay_amount) and (s.max_pay is null or s.max_pay >= task.pay_amount)
    and (s.first_day is null or s.first_day <= day) and (s.last_day is null or s.last_day >= day)
    and (s.radius_km is null
      or private.km_between(s.latitude, s.longitude, task.public_latitude, task.public_longitude) <= s.radius_km)
    and case when s.matched_places = '{}' then strpos(place, s.matched_location) > 0
      else s.matched_places && places end
    and not exists (select from unnest(s.matched_words) word where strpos(searched, word) = 0);
end $$;

create or replace function private.tidy_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql immutable set search_path = '' as $$
begin
  search.words := coalesce(private.trimmed(search.words), '');
  search.location := coalesce(private.trimmed(search.location), '');
  search.matched_words := array(select private.trimmed(private.search_text(word)) from unnest(private.search_words(search.words)) word);
  search.matched_location := coalesce(private.search_text(search.location), '');
  return search;
end $$;

create or replace function public.nearby_tasks(
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

comment on column public.saved_searches.matched_fragment is 'Not used: a later version removes it';
