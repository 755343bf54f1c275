-- Places of tasks, searches and taskers: a filter finds by place, and towns match only where a text means them.
set check_function_bodies = off;

create or replace function private.after_task_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_kinds(new, old);
  perform private.count_task(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'asked' then
      perform private.notify_asked_tasker(new);
    end if;
    if new.photos <> '{}' then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and new.scheduled_date is not null then
      perform private.schedule_task_expiry(new);
    end if;
    if new.status = 'open' and new.hidden_for is null then
      perform private.alert_searchers(new);
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_task_photos(old);
  elsif tg_op = 'UPDATE' then
    if new.photos <> old.photos then
      perform private.drop_task_photos(old);
    end if;
    if new.status in ('open', 'asked') and new.status = old.status and private.is_edited(new, old) then
      perform private.notify_task_changes(new, old);
    end if;
    if old.status in ('open', 'asked') and new.status = 'cancelled' then
      perform private.decline_waiting_applications(new.id);
    end if;
    if old.status = 'asked' and new.status = 'cancelled' and new.hidden_for is null then
      perform private.notify_withdrawn_request(new, old);
    end if;
    if old.hidden_for is distinct from new.hidden_for and new.hidden_for = 'report' then
      perform private.redact_hidden_task(new);
    end if;
    if new.photos <> '{}' and (new.hidden_for is distinct from old.hidden_for
      or (new.hidden_for is not null and new.photos <> old.photos)) then
      perform private.queue_file_moves();
    end if;
    if new.photos <> old.photos then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and new.hidden_for is null and (old.status = 'asked' or old.status = 'open' and
      (new.title, new.description, new.category, new.location, new.pay_amount, new.scheduled_date) is distinct from
      (old.title, old.description, old.category, old.location, old.pay_amount, old.scheduled_date)) then
      perform private.alert_searchers(new);
    end if;
    if new.status = 'open' and (new.status, new.scheduled_date) is distinct from (old.status, old.scheduled_date) then
      perform private.schedule_task_expiry(new);
    end if;
  end if;
  return null;
end $$;

create or replace function private.load_places() returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.places p where not exists (
    select from jsonb_array_elements(private.place_data()) as place where place ->> 'id' = p.id);
  insert into public.places (id, name, kind, city, latitude, longitude, time_zone, population, postal_prefixes, other_names)
  select id, name, kind, city, latitude, longitude, coalesce("timeZone", private.time_zone()), population,
    coalesce("postalPrefixes", '{}'), coalesce("otherNames", '{}')
  from jsonb_to_recordset(private.place_data()) as place (id text, name text, kind text, city text, latitude double precision,
    longitude double precision, "timeZone" text, population integer, "postalPrefixes" text[], "otherNames" text[])
  on conflict (id) do update set name = excluded.name, kind = excluded.kind, city = excluded.city,
    latitude = excluded.latitude, longitude = excluded.longitude, time_zone = excluded.time_zone,
    population = excluded.population, postal_prefixes = excluded.postal_prefixes, other_names = excluded.other_names;
  perform private.load_cells();
  perform private.load_place_names();
  perform private.locate_all_tasks();
  -- Its trigger reads the place.
  update public.saved_searches set place_id = place_id where place_id is not null or location <> '';
end $$;

create or replace function private.locate_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql stable set search_path = '' as $$
begin
  search.matched_places := coalesce(private.places_named(search.location), '{}');
  if num_nonnulls(search.place_id, search.latitude, search.longitude, search.radius_km) = 0 then
    return search;
  end if;
  perform private.require(search.location = '', 'saved_search.two_places', 'location');
  perform private.require(search.radius_km between private.rule('limits.radiusKm.min') and private.rule('limits.radiusKm.max'),
    'search.radius_out_of_range', 'radius_km');
  if search.place_id is not null then
    select p.latitude, p.longitude into search.latitude, search.longitude from public.places p where p.id = search.place_id;
    perform private.require(found, 'place.unknown', 'place_id');
  else
    perform private.require_point(search.latitude, search.longitude);
    select c.latitude, c.longitude into search.latitude, search.longitude from private.public_point(search.latitude, search.longitude) c;
  end if;
  return search;
end $$;

create or replace function private.marketplace() returns jsonb language sql immutable set search_path = '' as $$ select jsonb '{
  "fees": {"platformPercent":15,"cancellation":[{"underHours":1,"percent":50},{"underHours":24,"percent":25}],"cancellationFlatCents":500},
  "tax": {"percent":5},
  "pay": {"min":25,"max":100000},
  "operator": {"name":"Meadowlark","address":null,"taxNumber":null},
  "province": {"code":"SK"},
  "texts": {"currency":"Canadian dollars","tax":"GST","clock":"Saskatchewan time","province":"Saskatchewan"}
}' $$;

create or replace function private.match_place(location text) returns text
language sql stable security definer set search_path = '' as $$
  with parted as materialized (select private.place_parts(location) as parts),
  asked as materialized (select parts, replace(parts, ' ,', '') as words from parted),
  named as (
    select n.place_id, n.words, n.city_words, n.city_words is null or strpos(asked.words, n.city_words) > 0 as certain,
      strpos(reverse(asked.words), reverse(n.words)) as from_end
    from asked, private.place_names n join public.places p on p.id = n.place_id
    where strpos(asked.words, n.words) > 0
      and (p.kind in ('city', 'neighbourhood') or private.names_town(asked.parts, n.words))
  )
  select coalesce(
    (select place_id from named where city_words is not null and certain order by length(words) desc, place_id limit 1),
    (select place_id from named where city_words is null order by from_end, length(words) desc, place_id limit 1),
    (select min(place_id) from named having count(distinct place_id) = 1),
    (select p.id from public.places p
     where substring(upper(location) from '\m([A-Z][0-9][A-Z])(?:\M| ?[0-9][A-Z][0-9])') = any (p.postal_prefixes)
     order by p.kind = 'neighbourhood', p.population desc nulls last, p.id limit 1))
$$;

create or replace function private.matching_task_ids(
  query text, category text, wanted integer, location text, min_pay numeric, max_pay numeric, sort text, skipped integer,
  first_day date, last_day date
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := nullif(private.trimmed(location), '');
  places constant text[] := private.places_within(private.places_named(place));
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
  if length(place) > private.rule('limits.location.max') then
    perform private.fail('task.location_too_long', 'location');
  end if;
  select * into kind from private.category_condition(category);
  narrowed := concat_ws(' and ', 'true', kind.exact, private.range_conditions(min_pay, max_pay, first_day, last_day));
  if place is not null and places is null then
    patterns := patterns || private.contains_pattern(place);
  end if;
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(p), ' and '),
    case when places is null then 'location ilike ' || quote_literal(private.contains_pattern(place))
      else format('place_id = any (%L::text[])', places) end, kind.named),
    coalesce(bool_or(p ~ '[[:alnum:]]{3}'), false) or kind.named is not null or places is not null
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

create or replace function private.matching_tasker_ids(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
  homes constant text[] := private.place_spellings(city) || home;
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'search.availability_invalid', 'availability');
  for n in 0 .. 9 loop
    select coalesce(array_agg(p.id order by f.place), '{}'), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or private.search_text(p.city) = any (homes))
        and (matching_tasker_ids.category is null or p.preferred_categories @> array[matching_tasker_ids.category])
        and (matching_tasker_ids.max_rate is null or p.hourly_rate <= matching_tasker_ids.max_rate)
        and (matching_tasker_ids.availability is null or p.availability_status::text = matching_tasker_ids.availability)), '{}')
      into listed, matching
    from (
      select t.id, row_number() over () as place
      from public.find_taskers(query, page, after_rating, after_reviews, after_id) t
    ) f join private.profiles p on p.id = f.id;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
  end loop;
  return found_ids[1:wanted];
end $$;

create function private.names_town(parts text, town text) returns boolean
language sql immutable strict parallel safe set search_path = '' as $$
  select strpos(parts, ' ,' || town) > 0 or strpos(parts, town || ', ') > 0
    or parts ~ (' (near|outside|(outside|north|south|east|west) of)' || town)
$$;

create function private.place_parts(value text) returns text
language sql immutable strict parallel safe set search_path = '' as $$
  select ' , ' || btrim(regexp_replace(regexp_replace(private.search_text(value),
    format('[,;:/()\n]| - |\m(%s|%s|[a-z][0-9][a-z]( ?[0-9][a-z][0-9])?)\M', lower(private.marketplace() #>> '{province,code}'),
      lower(private.marketplace() #>> '{texts,province}')), ' , ', 'g'), '[^[:alnum:],]+', ' ', 'g')) || ' , '
$$;

create function private.place_spellings(location text) returns text[]
language sql stable strict set search_path = '' as $$
  with labels as materialized (
    select private.search_text(concat_ws(', ', p.name, p.city)) as label from public.places p
    -- Called once, not for each place.
    where p.id = any ((select private.places_within(private.places_named(location)))::text[])
  )
  select array_agg(label || ending)
  from labels, private.marketplace() market, lower(market #>> '{province,code}') code, lower(market #>> '{texts,province}') province,
    unnest(array['', ' ' || code, ', ' || code, ' ' || province, ', ' || province]) ending
$$;

create function private.places_named(location text) returns text[]
language sql stable strict security definer set search_path = '' as $$
  select array_agg(n.place_id) from (select replace(private.place_parts(location), ' ,', '') as words) asked, private.place_names n
  where asked.words = n.words and n.city_words is null
    or asked.words in (n.words || ltrim(n.city_words), n.city_words || ltrim(n.words))
$$;

create function private.places_within(ids text[]) returns text[]
language sql stable strict set search_path = '' as $$
  select array_agg(p.id) from public.places p
  where p.id = any (ids) or p.city in (select c.name from public.places c where c.id = any (ids) and c.city is null)
$$;

create or replace function private.searches_finding(task public.tasks, person uuid default null) returns setof public.saved_searches
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  kinds constant text[] := private.matching_task_kinds(task) || task.category;
  searched constant text := private.search_text(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  fragments constant text[] := array_append(extensions.show_trgm(searched), '');
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
    and s.matched_fragment = any (fragments)
    -- A degree of latitude is more than 111 km.
    and (s.radius_km is null or abs(s.latitude - task.public_latitude) * 111 <= s.radius_km
      and private.km_between(s.latitude, s.longitude, task.public_latitude, task.public_longitude) <= s.radius_km)
    and case when s.matched_places = '{}' then strpos(place, s.matched_location) > 0
      else s.matched_places && places end
    and not exists (select from unnest(s.matched_words) word where strpos(searched, word) = 0);
end $$;

create or replace function private.set_public_point(task uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  moved public.tasks;
begin
  update public.tasks t set public_latitude = c.latitude, public_longitude = c.longitude
  from private.public_point_of(task, (select place_id from public.tasks where id = task)) c
  where t.id = task and (t.public_latitude, t.public_longitude) is distinct from (c.latitude, c.longitude)
  returning t.* into moved;
  if moved.status = 'open' and moved.hidden_for is null then
    perform private.alert_searchers(moved);
  end if;
end $$;

alter table public.saved_searches add column matched_places text[] default '{}'::text[] not null;

create or replace view private.open_tasks as
select id, category, private.search_text(location) as location, pay_amount, scheduled_date, created_at,
  private.search_text(title || E'\n' || description || E'\n' || category || E'\n' || location) as words,
  public_latitude, public_longitude, place_id
from public.tasks where status = 'open' and hidden_for is null;

create index tasks_open_of_place on public.tasks (place_id) where status = 'open';

grant execute on function private.places_named(text) to anon;
grant execute on function private.places_named(text) to authenticated;
grant execute on function private.places_named(text) to service_role;

comment on column public.saved_searches.location is 'The name of a place, or a part of the text that says where the task is; empty for any';
comment on column public.saved_searches.matched_places is 'The places that location names (private.places_named); empty if it is another text';
comment on table public.saved_searches is 'Searches for tasks that people saved; new and changed tasks that match alert them';

-- Texts that name a town by chance lose their place.
select private.locate_all_tasks();

-- The trigger sets matched_places.
update public.saved_searches set location = location where location <> '';
