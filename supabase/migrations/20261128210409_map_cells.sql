-- Cells, distances, and the place that a text names.
set check_function_bodies = off;

create function private.earth_position(latitude double precision, longitude double precision) returns extensions.cube
language sql immutable strict parallel safe set search_path = '' as $$
  select extensions.cube(array[6371 * cosd(latitude) * cosd(longitude), 6371 * cosd(latitude) * sind(longitude), 6371 * sind(latitude)])
$$;

create function private.km_between(
  from_latitude double precision, from_longitude double precision, to_latitude double precision, to_longitude double precision
) returns double precision language sql immutable strict parallel safe
return 2 * 6371 * asin(least(1, sqrt(sind((to_latitude - from_latitude) / 2) ^ 2
  + cosd(from_latitude) * cosd(to_latitude) * sind((to_longitude - from_longitude) / 2) ^ 2)));

create function private.load_cells() returns void
language plpgsql set search_path = '' as $$
declare
  side constant double precision := 0.009; -- degrees of latitude, 1 km
begin
  delete from private.cells;
  insert into private.cells (latitude, longitude, position)
  with cities as (
    select p.latitude, p.longitude, sqrt(p.population) / 100 as radius from public.places p
    where p.kind <> 'neighbourhood' and p.population >= 10000
  ), lines as (
    select c.*, (line + 0.5) * side as north from cities c,
      generate_series(floor((c.latitude - c.radius / 111) / side)::integer, floor((c.latitude + c.radius / 111) / side)::integer) line
  ), squares as (
    select l.*, (step + 0.5) * side / cosd(l.north) as east from lines l,
      generate_series(floor((l.longitude - l.radius / 50) * cosd(l.north) / side)::integer,
        floor((l.longitude + l.radius / 50) * cosd(l.north) / side)::integer) step
  ), centres as (
    select round(s.north::numeric, 4)::double precision as north, round(s.east::numeric, 4)::double precision as east from squares s
    where private.km_between(s.latitude, s.longitude, s.north, s.east) <= s.radius
    union
    select p.latitude, p.longitude from public.places p where p.kind <> 'neighbourhood' and not exists (select from cities c
      where private.km_between(c.latitude, c.longitude, p.latitude, p.longitude) <= c.radius + 1)
  )
  select north, east, private.earth_position(north, east) from centres;
end $$;

create function private.load_place_names() returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.place_names;
  insert into private.place_names (place_id, words, city_words)
  select p.id, private.place_words(spelling), private.place_words(p.city)
  from public.places p, unnest(p.name || p.other_names) spelling
  on conflict do nothing;
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
end $$;

create function private.match_place(location text) returns text
language sql stable security definer set search_path = '' as $$
  with asked as materialized (select private.place_words(location) as words),
  named as (
    select n.place_id, n.words, n.city_words, n.city_words is null or strpos(asked.words, n.city_words) > 0 as certain,
      strpos(reverse(asked.words), reverse(n.words)) as from_end
    from asked, private.place_names n where strpos(asked.words, n.words) > 0
  )
  select coalesce(
    (select place_id from named where city_words is not null and certain order by length(words) desc, place_id limit 1),
    (select place_id from named where city_words is null order by from_end, length(words) desc, place_id limit 1),
    (select min(place_id) from named having count(distinct place_id) = 1),
    (select p.id from public.places p
     where substring(upper(location) from '\m([A-Z][0-9][A-Z])(?:\M| ?[0-9][A-Z][0-9])') = any (p.postal_prefixes)
     order by p.kind = 'neighbourhood', p.population desc nulls last, p.id limit 1))
$$;

create function private.place_words(value text) returns text
language sql immutable strict parallel safe set search_path = '' as $$
  select ' ' || btrim(regexp_replace(private.search_text(value), '[^[:alnum:]]+', ' ', 'g')) || ' '
$$;

create function private.province_boundary() returns polygon language sql immutable set search_path = '' as $$ select polygon '((-109.999,48.993),(-110,60.001),(-102.002,60.001),(-102.002,59.217),(-102.001,55.818),(-101.404,49.421),(-101.367,48.993))' $$;

create function private.public_point(exact_latitude double precision, exact_longitude double precision,
  out latitude double precision, out longitude double precision
) language sql stable security definer set search_path = '' as $$
  with exact as materialized (select private.earth_position(exact_latitude, exact_longitude) as position)
  select c.latitude, c.longitude from exact, private.cells c order by c.position operator(extensions.<->) exact.position limit 1
$$;

create function private.require_point(latitude double precision, longitude double precision) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(latitude between -90 and 90, 'point.invalid', 'latitude');
  perform private.require(longitude between -180 and 180, 'point.invalid', 'longitude');
  perform private.require(coalesce(private.province_boundary() operator(pg_catalog.@>) point(longitude, latitude), true)
    or exists (select from public.places p
      where private.km_between(require_point.latitude, require_point.longitude, p.latitude, p.longitude) <= 6),
    'point.outside', 'latitude');
end $$;

grant execute on function private.earth_position(double precision,double precision) to anon;
grant execute on function private.earth_position(double precision,double precision) to authenticated;
grant execute on function private.earth_position(double precision,double precision) to service_role;
grant execute on function private.km_between(double precision,double precision,double precision,double precision) to anon;
grant execute on function private.km_between(double precision,double precision,double precision,double precision) to authenticated;
grant execute on function private.km_between(double precision,double precision,double precision,double precision) to service_role;
grant execute on function private.match_place(text) to anon;
grant execute on function private.match_place(text) to authenticated;
grant execute on function private.match_place(text) to service_role;
grant execute on function private.place_words(text) to anon;
grant execute on function private.place_words(text) to authenticated;
grant execute on function private.place_words(text) to service_role;
grant execute on function private.province_boundary() to authenticated;
grant execute on function private.province_boundary() to service_role;
grant execute on function private.public_point(double precision,double precision) to anon;
grant execute on function private.public_point(double precision,double precision) to authenticated;
grant execute on function private.public_point(double precision,double precision) to service_role;
grant execute on function private.require_point(double precision,double precision) to anon;
grant execute on function private.require_point(double precision,double precision) to authenticated;
grant execute on function private.require_point(double precision,double precision) to service_role;
