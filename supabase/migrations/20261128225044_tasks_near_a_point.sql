-- Searches for open tasks near a point; the points of the tasks that exist.
set check_function_bodies = off;

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
    when 'newest' then later
    when 'pay' then format('(t.pay_amount < %1$L or t.pay_amount = %1$L and %2$s)', pay, later)
    else format('((c.km, c.latitude, c.longitude) > (%1$L, %2$L, %3$L)
      or (c.km, c.latitude, c.longitude) = (%1$L, %2$L, %3$L) and %4$s)', km, latitude, longitude, later)
  end;
end $$;

create function private.cells_near(from_latitude double precision, from_longitude double precision, radius_km double precision)
returns table (latitude double precision, longitude double precision, km double precision)
language sql stable set search_path = '' as $$
  select c.latitude, c.longitude, d.km from private.cells c
  cross join lateral (select private.km_between(from_latitude, from_longitude, c.latitude, c.longitude) as km) d
  where c.position operator(extensions.<@) extensions.cube_enlarge(private.earth_position(from_latitude, from_longitude), radius_km, 3)
    and d.km <= radius_km
  order by d.km, c.latitude, c.longitude
$$;

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

create or replace function private.matching_task_ids(
  query text, category text, wanted integer, location text, min_pay numeric, max_pay numeric, sort text, skipped integer,
  first_day date, last_day date
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := nullif(private.trimmed(location), '');
  patterns text[] := (select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
  ordered constant text := case sort when 'newest' then 'created_at desc, id'
    when 'pay' then 'pay_amount desc, created_at desc, id' when 'soonest' then 'scheduled_date, created_at desc, id' end;
  kind record;
  narrowed text;
  named text;
  indexed boolean;
  horizon integer;
  found_ids uuid[];
begin
  perform private.require(ordered is not null, 'search.sort_unknown', 'sort');
  select * into kind from private.category_condition(category);
  narrowed := concat_ws(' and ', 'true', kind.exact, private.range_conditions(min_pay, max_pay, first_day, last_day));
  if place is not null then
    patterns := patterns || private.contains_pattern(place);
  end if;
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(p), ' and '),
    'location ilike ' || quote_literal(private.contains_pattern(place)), kind.named),
    coalesce(bool_or(p ~ '[[:alnum:]]{3}'), false) or kind.named is not null
    into named, indexed from unnest(patterns) p;

  if named = '' then
    execute format('select array_agg(id) from (select id from private.open_tasks where %s order by %s offset %s limit %s) t',
      narrowed, ordered, skipped, wanted) into found_ids;
  else
    -- Common words are found among the first tasks in that order; rare words are looked up in an index.
    foreach horizon in array case when indexed then array[2000, 10000] else array[20000] end loop
      execute format('select array_agg(id) from (select id from (select * from private.open_tasks where %1$s order by %2$s
        limit %3$s) first where %4$s order by %2$s offset %5$s limit %6$s) t', narrowed, ordered, horizon, named, skipped, wanted)
        into found_ids;
      -- Scan five times as far only where that probably suffices: the index is fast for rarer words.
      exit when coalesce(cardinality(found_ids), 0) >= wanted or coalesce(cardinality(found_ids), 0) * 4 < wanted;
    end loop;
    if indexed and coalesce(cardinality(found_ids), 0) < wanted then
      execute format('with named as materialized (
          select id, pay_amount, scheduled_date, created_at from private.open_tasks where %1$s and %2$s)
        select array_agg(id) from (select id from named order by %3$s offset %4$s limit %5$s) t',
        narrowed, named, ordered, skipped, wanted) into found_ids;
    end if;
  end if;
  return coalesce(found_ids, '{}');
end $$;

create function private.nearby_task_ids(
  latitude double precision, longitude double precision, radius_km double precision, query text, category text, wanted integer,
  min_pay numeric, max_pay numeric, first_day date, last_day date, sort text, after jsonb
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  common constant integer := 20000; -- matches from which on walking the list is quicker than looking up words
  keys constant text := case sort when 'pay' then 't.pay_amount desc, t.created_at desc, t.id' else 't.created_at desc, t.id' end;
  ordered constant text := case sort when 'distance' then 'c.km, c.latitude, c.longitude, ' || keys else keys end;
  kind record;
  named text;
  conditions text;
  is_common boolean;
  found_ids uuid[];
begin
  perform private.check_near(latitude, longitude, radius_km, sort, after);
  select * into kind from private.category_condition(category);
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(private.contains_pattern(word)), ' and '), kind.named)
    into named from unnest(private.search_words(query)) word;
  conditions := concat_ws(' and ', 'true', kind.exact,
    private.range_conditions(min_pay, max_pay, first_day, last_day),
    private.after_condition(sort, after, private.km_between(latitude, longitude,
      (after ->> 'public_latitude')::double precision, (after ->> 'public_longitude')::double precision)));
  if named <> '' then
    execute format('select count(*) >= %1$s from (select from private.open_tasks where %2$s limit %1$s) t', common, named) into is_common;
  end if;
  if is_common is false then
    execute format('with named as materialized (select * from private.open_tasks where %s)
      select array_agg(id) from (select t.id from private.cells_near($1, $2, $3) c
        join named t on t.public_latitude = c.latitude and t.public_longitude = c.longitude
        where %s order by %s limit %s) page', named, conditions, ordered, wanted)
      into found_ids using latitude, longitude, radius_km;
  else
    execute format('select array_agg(id) from (select t.id from private.cells_near($1, $2, $3) c
        cross join lateral (select * from private.open_tasks t where t.public_latitude = c.latitude
          and t.public_longitude = c.longitude and %1$s order by %2$s limit %3$s) t
        order by %4$s limit %3$s) page', concat_ws(' and ', conditions, nullif(named, '')), keys, wanted, ordered)
      into found_ids using latitude, longitude, radius_km;
  end if;
  return coalesce(found_ids, '{}');
end $$;

create function private.range_conditions(min_pay numeric, max_pay numeric, first_day date, last_day date) returns text
language sql stable set search_path = '' as $$
  select string_agg(condition, ' and ') from unnest(array[
    'pay_amount >= ' || quote_literal(min_pay), 'pay_amount <= ' || quote_literal(max_pay),
    'scheduled_date >= ' || quote_literal(first_day::timestamp at time zone private.time_zone()),
    'scheduled_date < ' || quote_literal((last_day + 1)::timestamp at time zone private.time_zone())]) condition
$$;

create function public.count_nearby_tasks(
  latitude double precision, longitude double precision, radius_km double precision, query text default '', category text default null,
  min_pay numeric default null, max_pay numeric default null, first_day date default null, last_day date default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.nearby_task_ids(latitude, longitude, radius_km, query, category, 100, min_pay, max_pay,
    first_day, last_day, 'distance', null))
$$;

create function public.nearby_tasks(
  latitude double precision, longitude double precision, radius_km double precision, query text default '', category text default null,
  min_pay numeric default null, max_pay numeric default null, first_day date default null, last_day date default null,
  sort text default 'distance', after jsonb default null, max_results integer default 24
) returns setof public.tasks language sql stable security definer set search_path = '' as $$
  select t.* from unnest(private.nearby_task_ids(latitude, longitude, radius_km, query, category,
      least(greatest(coalesce(max_results, 24), 0), 100), min_pay, max_pay, first_day, last_day, sort, after))
    with ordinality found (id, place) join public.tasks t using (id)
  order by found.place
$$;

create or replace function public.recommended_tasks(query text default '', category text default null, max_results integer default 50)
returns setof public.tasks language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant integer := least(greatest(coalesce(max_results, 50), 0), 100);
  words constant text := coalesce(private.trimmed(query), '');
  me public.profiles;
begin
  perform private.refuse_application();
  select * into me from public.profiles where id = auth.uid();
  return query
  with candidates as (
    select s.id from public.search_tasks(words, recommended_tasks.category, 100) s where words <> ''
    union
    (select t.id from public.tasks t where words = '' and t.status = 'open' and t.hidden_for is null
      and (recommended_tasks.category is null or t.category = recommended_tasks.category)
      order by t.created_at desc, t.id limit 300)
    union
    select best.id from unnest(me.preferred_categories) preferred (name) cross join lateral (
      select t.id from public.tasks t where t.status = 'open' and t.hidden_for is null and t.category = preferred.name
      order by t.created_at desc, t.id limit 200) best
    where words = '' and recommended_tasks.category is null
    union
    select named.id from unnest(me.skills) skill (name) cross join lateral
      public.search_tasks('"' || replace(skill.name, '"', ' ') || '"', recommended_tasks.category, 100) named
    where words = ''
    union
    select near.id from public.travel_areas a cross join lateral unnest(private.nearby_task_ids(a.latitude, a.longitude, a.radius_km,
      '', recommended_tasks.category, 100, null, null, null, null, 'distance', null)) near (id)
    where a.user_id = me.id and words = ''
      and (recommended_tasks.category is null or private.rules()::jsonb -> 'categories' ? recommended_tasks.category)
  ), ranked as (
    select t.id, t.created_at, s.score, private.km_between(a.latitude, a.longitude, t.public_latitude, t.public_longitude) as km
    from candidates c join public.tasks t on t.id = c.id left join public.travel_areas a on a.user_id = me.id
    cross join lateral private.score_of(t.category, t.title, t.description, me.preferred_categories, me.skills) s
    order by s.score desc, km, t.created_at desc, t.id limit wanted
  )
  select t.* from ranked r join public.tasks t on t.id = r.id order by r.score desc, r.km, r.created_at desc, r.id;
end $$;

create index tasks_open_nearest on public.tasks (public_latitude, public_longitude, created_at desc, id) where status = 'open';

create index tasks_open_nearest_pay on public.tasks (public_latitude, public_longitude, pay_amount desc, created_at desc, id)
where status = 'open';

grant execute on function public.count_nearby_tasks(double precision,double precision,double precision,text,text,numeric,numeric,date,date) to anon;
grant execute on function public.count_nearby_tasks(double precision,double precision,double precision,text,text,numeric,numeric,date,date) to authenticated;
grant execute on function public.count_nearby_tasks(double precision,double precision,double precision,text,text,numeric,numeric,date,date) to service_role;
grant execute on function public.nearby_tasks(double precision,double precision,double precision,text,text,numeric,numeric,date,date,text,jsonb,integer) to anon;
grant execute on function public.nearby_tasks(double precision,double precision,double precision,text,text,numeric,numeric,date,date,text,jsonb,integer) to authenticated;
grant execute on function public.nearby_tasks(double precision,double precision,double precision,text,text,numeric,numeric,date,date,text,jsonb,integer) to service_role;

select private.load_places();
