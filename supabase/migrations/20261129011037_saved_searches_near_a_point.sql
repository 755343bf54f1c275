-- Saved searches near a point, with the highest pay and days.
set check_function_bodies = off;

create or replace function private.alert_searchers(task public.tasks) returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.task_alerts (person_id, task_id, pace)
  select s.user_id, task.id, min(s.pace) from private.searches_finding(task) s
  where s.user_id <> task.task_giver_id
  group by s.user_id
  on conflict do nothing;
  if found then
    perform private.enqueue_function('run-scheduled', '{}');
    perform private.schedule_tick(private.next_alert_email(now()));
  end if;
end $$;

create or replace function private.before_saved_search_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'saved_search.not_own');
  perform private.limit_client('searches_saved');
  new := private.tidy_saved_search(new);
  perform private.check_saved_search(new);
  new := private.locate_saved_search(new);
  if tg_op = 'INSERT' then
    perform private.require(not exists (select from public.saved_searches s where s.user_id = new.user_id
      and (s.matched_words, s.matched_location, s.category, s.min_pay, s.max_pay, s.first_day, s.last_day, s.place_id, s.latitude,
        s.longitude, s.radius_km) is not distinct from (new.matched_words, new.matched_location, new.category, new.min_pay, new.max_pay,
        new.first_day, new.last_day, new.place_id, new.latitude, new.longitude, new.radius_km)),
      'saved_search.exists', 'words');
    perform private.require((select count(*) from public.saved_searches where user_id = new.user_id) < private.rule('limits.savedSearches'),
      'saved_search.too_many', 'user_id', jsonb_build_object('limit', private.rule('limits.savedSearches')));
  end if;
  return new;
end $$;

create or replace function private.check_saved_search(search public.saved_searches) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.require(length(search.words) <= 200, 'saved_search.words_too_long', 'words');
  perform private.require(length(search.location) <= 100, 'saved_search.location_too_long', 'location');
  perform private.require(search.category is null or private.rules()::jsonb -> 'categories' ? search.category
    or exists (select from private.task_kinds() k where k.name = search.category), 'saved_search.category_unknown', 'category');
  perform private.require(search.min_pay is null or search.min_pay between 0 and private.marketplace_number('pay.max'),
    'saved_search.pay_out_of_range', 'min_pay');
  perform private.require(search.max_pay is null or search.max_pay between 0 and private.marketplace_number('pay.max'),
    'saved_search.highest_pay_out_of_range', 'max_pay');
  perform private.require(coalesce(search.min_pay <= search.max_pay, true), 'saved_search.pay_order', 'max_pay');
  perform private.require(search.first_day is null or search.first_day between '2000-01-01' and '9999-12-31',
    'saved_search.day_out_of_range', 'first_day');
  perform private.require(search.last_day is null or search.last_day between '2000-01-01' and '9999-12-31',
    'saved_search.day_out_of_range', 'last_day');
  perform private.require(coalesce(search.first_day <= search.last_day, true), 'saved_search.day_order', 'last_day');
  perform private.require(search.words <> '' or search.location <> '' or num_nonnulls(search.category, search.min_pay, search.max_pay,
    search.first_day, search.last_day, search.place_id, search.latitude, search.longitude, search.radius_km) > 0,
    'saved_search.empty', 'words');
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
  -- Its trigger reads the point of the place.
  update public.saved_searches set place_id = place_id where place_id is not null;
end $$;

create function private.locate_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql stable set search_path = '' as $$
begin
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

create function private.searches_finding(task public.tasks, person uuid default null) returns setof public.saved_searches
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  kinds constant text[] := private.matching_task_kinds(task) || task.category;
  searched constant text := private.search_text(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  fragments constant text[] := array_append(extensions.show_trgm(searched), '');
  place constant text := private.search_text(task.location);
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
    and strpos(place, s.matched_location) > 0
    and not exists (select from unnest(s.matched_words) word where strpos(searched, word) = 0);
end $$;

create or replace function private.tidy_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql immutable set search_path = '' as $$
begin
  search.words := coalesce(private.trimmed(search.words), '');
  search.location := coalesce(private.trimmed(search.location), '');
  search.matched_words := array(select private.trimmed(private.search_text(word)) from unnest(private.search_words(search.words)) word);
  search.matched_location := coalesce(private.search_text(search.location), '');
  search.matched_fragment := coalesce((select substring(word from '[a-z0-9]{3}') from unnest(search.matched_words) word
    order by substring(word from '[a-z0-9]{3}') is null, length(word) desc, word limit 1), '');
  return search;
end $$;

create function public.place_name(search public.saved_searches) returns text
language sql stable set search_path = '' as $$
  select concat_ws(', ', p.name, p.city) from public.places p
  where search.latitude is not null
  order by p.id = search.place_id desc nulls last, private.km_between(search.latitude, search.longitude, p.latitude, p.longitude), p.id limit 1
$$;

alter table public.saved_searches add column first_day date;

alter table public.saved_searches add column last_day date;

alter table public.saved_searches add column latitude double precision;

alter table public.saved_searches add column longitude double precision;

alter table public.saved_searches add column matched_fragment text default ''::text not null;

alter table public.saved_searches add column max_pay numeric(12,2);

alter table public.saved_searches add column place_id text;

alter table public.saved_searches add column radius_km integer;

alter table public.saved_searches add constraint saved_searches_place_id_fkey FOREIGN KEY (place_id) REFERENCES public.places(id) ON DELETE SET NULL;

create index saved_searches_of_place on public.saved_searches (place_id) where place_id is not null;

grant insert (first_day) on public.saved_searches to authenticated;
grant insert (last_day) on public.saved_searches to authenticated;
grant insert (latitude) on public.saved_searches to authenticated;
grant insert (longitude) on public.saved_searches to authenticated;
grant insert (max_pay) on public.saved_searches to authenticated;
grant insert (place_id) on public.saved_searches to authenticated;
grant insert (radius_km) on public.saved_searches to authenticated;
grant execute on function private.locate_saved_search(public.saved_searches) to authenticated;
grant execute on function private.locate_saved_search(public.saved_searches) to service_role;
grant execute on function public.place_name(public.saved_searches) to authenticated;
grant execute on function public.place_name(public.saved_searches) to service_role;

comment on column public.saved_searches.first_day is 'First day of the work, by the marketplace''s clock; null for any';
comment on column public.saved_searches.last_day is 'Last day of the work, by the marketplace''s clock; null for any';
comment on column public.saved_searches.latitude is 'Degrees north of the place, or of the centre of the cell of a device''s position; null for everywhere';
comment on column public.saved_searches.longitude is 'Degrees east of the place, or of the centre of the cell of a device''s position; null for everywhere';
comment on column public.saved_searches.matched_fragment is 'Three characters of the longest word, which a matching text contains; empty if it has no three Latin letters or digits in a row';
comment on column public.saved_searches.max_pay is 'Dollars that the task pays at most; null for any';
comment on column public.saved_searches.place_id is 'The place around which tasks are; null without one, for a point, and once the place is gone';
comment on column public.saved_searches.radius_km is 'Kilometres from the point as the crow flies; null for everywhere';
