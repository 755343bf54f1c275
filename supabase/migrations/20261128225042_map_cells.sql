-- Cells, distances, the place that a text names, and the limits of a radius.
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

create function private.province_boundary() returns polygon language sql immutable set search_path = '' as $$ select polygon '(
(-109.999,48.993),
(-109.999,49.338),
(-109.999,49.682),
(-109.999,50.026),
(-109.999,50.37),
(-110,50.714),
(-110,51.058),
(-110,51.402),
(-110,51.746),
(-110,52.09),
(-110,52.434),
(-110,52.778),
(-110,53.122),
(-110,53.466),
(-110,53.81),
(-110,54.154),
(-110,54.498),
(-110,54.842),
(-110,55.185),
(-110,55.529),
(-110,55.873),
(-110,56.217),
(-110,56.561),
(-110,56.905),
(-110,57.249),
(-110,57.593),
(-110,57.937),
(-110,58.281),
(-110,58.625),
(-110,58.969),
(-110,59.313),
(-110,59.657),
(-110,60.001),
(-109.5,60.001),
(-109,60.001),
(-108.5,60.001),
(-108,60.001),
(-107.501,60.001),
(-107.001,60.001),
(-106.501,60.001),
(-106.001,60.001),
(-105.501,60.001),
(-105.001,60.001),
(-104.501,60.001),
(-104.001,60.001),
(-103.501,60.001),
(-103.001,60.001),
(-102.502,60.001),
(-102.002,60.001),
(-102.002,59.74),
(-102.002,59.478),
(-102.002,59.217),
(-102.002,58.955),
(-102.001,58.694),
(-102.001,58.432),
(-102.001,58.171),
(-102.001,57.909),
(-102.001,57.648),
(-102.001,57.386),
(-102.001,57.125),
(-102.001,56.863),
(-102.001,56.602),
(-102.001,56.34),
(-102.001,56.079),
(-102.001,55.818),
(-101.961,55.391),
(-101.921,54.965),
(-101.882,54.538),
(-101.842,54.112),
(-101.802,53.685),
(-101.762,53.259),
(-101.723,52.832),
(-101.683,52.406),
(-101.643,51.979),
(-101.603,51.553),
(-101.563,51.126),
(-101.524,50.7),
(-101.484,50.273),
(-101.444,49.847),
(-101.404,49.421),
(-101.367,48.993),
(-101.794,48.993),
(-102.22,48.993),
(-102.646,48.993),
(-103.073,48.993),
(-103.499,48.993),
(-103.926,48.993),
(-104.034,48.993),
(-104.352,48.993),
(-104.778,48.993),
(-105.205,48.993),
(-105.631,48.993),
(-106.057,48.993),
(-106.484,48.993),
(-106.91,48.993),
(-107.337,48.993),
(-107.763,48.993),
(-108.189,48.993),
(-108.616,48.993),
(-109.042,48.993),
(-109.469,48.993),
(-109.895,48.993),
(-109.999,48.993)
)' $$;

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
  perform private.require(private.province_boundary() operator(pg_catalog.@>) point(longitude, latitude)
    or exists (select from public.places p
      where private.km_between(require_point.latitude, require_point.longitude, p.latitude, p.longitude) <= 6),
    'point.outside', 'latitude');
end $$;

create or replace function private.rules() returns json language sql immutable set search_path = '' as $$ select json '{
  "recommendation": {"preferredCategory": 10, "skill": 5},
  "categories": ["Snow Removal", "Cleaning", "Moving", "Delivery", "Handyman", "Gardening", "Pet Care", "Other"],
  "languages": ["en", "es", "fr", "de", "hi", "zh", "ru", "ar", "pt", "id"],
  "phonePattern": "^\\+?[1-9][0-9]{1,14}$",
  "limits": {
    "name": {"min": 2, "max": 100},
    "email": {"max": 255},
    "password": {"min": 8},
    "phone": {"max": 50},
    "city": {"max": 100},
    "bio": {"max": 2000},
    "avatarAddress": {"max": 2000},
    "photoFile": {"max": 20971520, "side": 512},
    "photos": {"count": 5},
    "skills": {"count": 50, "length": 60},
    "experienceYears": {"max": 80},
    "hourlyRate": {"max": 100000},
    "title": {"min": 5, "max": 200},
    "description": {"min": 20, "max": 5000},
    "location": {"min": 3, "max": 200},
    "address": {"min": 3, "max": 300},
    "toolsDescription": {"max": 1000},
    "durationMinutes": {"min": 1, "max": 10080},
    "radiusKm": {"min": 5, "max": 200},
    "applicationMessage": {"max": 1000},
    "chatMessage": {"max": 1000},
    "completionNotes": {"max": 2000},
    "cancellationReason": {"max": 1000},
    "reviewStars": {"min": 1, "max": 5},
    "reviewComment": {"max": 2000},
    "reviewDays": 14,
    "complaint": {"min": 10, "max": 2000, "hours": 24, "answerHours": 48},
    "decisionReason": {"max": 2000},
    "releaseAfterDays": 7,
    "minimumAge": 18,
    "identityDocument": {"max": 10485760, "count": 4},
    "insuranceProvider": {"max": 200},
    "insurancePolicyNumber": {"max": 100},
    "verificationSkills": {"count": 50, "length": 100},
    "taxInformationAbove": 500,
    "savedSearches": 20,
    "alertsPerDay": 10,
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

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
