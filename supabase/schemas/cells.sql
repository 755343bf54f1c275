-- Cells: the areas that strangers see instead of points. Also distances, and the place that a text names.

create table private.cells (
  latitude double precision not null,
  longitude double precision not null,
  position extensions.cube not null,
  primary key (latitude, longitude)
);
alter table private.cells enable row level security;

comment on table private.cells is
  'Centres of cells, written by private.load_cells: 1 km apart in cities, elsewhere the places. A point is in the cell whose centre is '
  'nearest';
comment on column private.cells.latitude is 'Degrees north, WGS 84';
comment on column private.cells.longitude is 'Degrees east, WGS 84; negative in the west';
comment on column private.cells.position is 'The same point in kilometres from the centre of the earth, for the index';

create table private.place_names (
  place_id text not null references public.places (id) on delete cascade,
  words text not null,
  city_words text,
  primary key (place_id, words)
);
alter table private.place_names enable row level security;

comment on table private.place_names is 'Names of places as private.match_place compares them, written by private.load_place_names';
comment on column private.place_names.words is 'The name or another spelling, as private.place_words writes it';
comment on column private.place_names.city_words is 'The city of a neighbourhood; null for other places';

create index cells_position on private.cells using gist (position extensions.gist_cube_ops);

-- Kilometres between two points on a sphere, by the haversine formula; same as shared/distances.ts. LEAST would accept null, and then
-- PostgreSQL would not inline this strict function: a call takes six times as long.
create function private.km_between(
  from_latitude double precision, from_longitude double precision, to_latitude double precision, to_longitude double precision
) returns double precision language sql immutable strict parallel safe
return 2 * 6371 * asin(float8smaller(1, sqrt(sind((to_latitude - from_latitude) / 2) ^ 2
  + cosd(from_latitude) * cosd(to_latitude) * sind((to_longitude - from_longitude) / 2) ^ 2)));

-- A point as kilometres from the centre of the earth, which the index of cells sorts by distance.
create function private.earth_position(latitude double precision, longitude double precision) returns extensions.cube
language sql immutable strict parallel safe set search_path = '' as $$
  select extensions.cube(array[6371 * cosd(latitude) * cosd(longitude), 6371 * cosd(latitude) * sind(longitude), 6371 * sind(latitude)])
$$;

-- Writes private.cells from public.places. The inner part of a city ends at the root of its population, divided by 100, in
-- kilometres: on average, 3,000 people live there on a square kilometre, so each cell contains many addresses. Outside, a cell
-- is the area around a place that is no neighbourhood, which contains all of its addresses.
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

-- The words of a text, each between spaces, so that a name is found only as whole words.
create function private.place_words(value text) returns text
language sql immutable strict parallel safe set search_path = '' as $$
  select ' ' || btrim(regexp_replace(private.search_text(value), '[^[:alnum:]]+', ' ', 'g')) || ' '
$$;

-- Writes private.place_names from public.places.
create function private.load_place_names() returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.place_names;
  insert into private.place_names (place_id, words, city_words)
  select p.id, private.place_words(spelling), private.place_words(p.city)
  from public.places p, unnest(p.name || p.other_names) spelling
  on conflict do nothing;
end $$;

-- The same, with a comma between spaces at each end of a part, and for the province and postal codes: ' , 8 main st , love , , '.
create function private.place_parts(value text) returns text
language sql immutable strict parallel safe set search_path = '' as $$
  select ' , ' || btrim(regexp_replace(regexp_replace(private.search_text(value),
    format('[,;:/()\n]| - |\m(%s|%s|[a-z][0-9][a-z]( ?[0-9][a-z][0-9])?)\M', lower(private.marketplace() #>> '{province,code}'),
      lower(private.marketplace() #>> '{texts,province}')), ' , ', 'g'), '[^[:alnum:],]+', ' ', 'g')) || ' , '
$$;

-- Whether a text names this town or village. Streets and common words have such names ("Assiniboia Ave", "make love not war"), so the
-- name counts only at the beginning or end of a part, and after "near" or "north of".
create function private.names_town(parts text, town text) returns boolean
language sql immutable strict parallel safe set search_path = '' as $$
  select strpos(parts, ' ,' || town) > 0 or strpos(parts, town || ', ') > 0
    or parts ~ (' (near|outside|(outside|north|south|east|west) of)' || town)
$$;

-- The place that a text names, such as "Nutana, Saskatoon"; null for none. Of several towns the last one counts, because an address
-- ends with it. A neighbourhood counts if its city is named or no other place has its name. A postal code counts without a name.
create function private.match_place(location text) returns text
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

-- The places whose name or label a text is, such as "Saskatoon", "Saskatoon SK" or "Nutana, Saskatoon"; null for another text. A
-- neighbourhood needs its city, because "Downtown" and "Cathedral" mean more than one place.
create function private.places_named(location text) returns text[]
language sql stable strict security definer set search_path = '' as $$
  select array_agg(n.place_id) from (select replace(private.place_parts(location), ' ,', '') as words) asked, private.place_names n
  where asked.words = n.words and n.city_words is null
    or asked.words in (n.words || ltrim(n.city_words), n.city_words || ltrim(n.words))
$$;

-- Those places, and the neighbourhoods of the cities among them; null for null.
create function private.places_within(ids text[]) returns text[]
language sql stable strict set search_path = '' as $$
  select array_agg(p.id) from public.places p
  where p.id = any (ids) or p.city in (select c.name from public.places c where c.id = any (ids) and c.city is null)
$$;

-- The labels of those places with and without the province, as private.search_text writes them: 'saskatoon', 'saskatoon, sk'. Comparing
-- them costs a quarter of private.place_parts. Null for another text.
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

-- The place that a text names, such as "Nutana, Saskatoon"; no row for none.
create function public.find_place(location text) returns setof public.places
language sql stable set search_path = '' as $$
  select p.* from public.places p where p.id = private.match_place(left(location, 200))
$$;

-- The centre of the cell that contains a point. Each point of the cell has the same, so reading it often reveals nothing more.
create function private.public_point(exact_latitude double precision, exact_longitude double precision,
  out latitude double precision, out longitude double precision
) language sql stable security definer set search_path = '' as $$
  with exact as materialized (select private.earth_position(exact_latitude, exact_longitude) as position)
  select c.latitude, c.longitude from exact, private.cells c order by c.position operator(extensions.<->) exact.position limit 1
$$;

-- Requires a point of the province, or at most 6 km from a place: a half of Lloydminster is in Alberta.
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

grant execute on function
  private.km_between(double precision, double precision, double precision, double precision),
  private.earth_position(double precision, double precision), private.place_words(text), private.match_place(text),
  private.public_point(double precision, double precision), private.require_point(double precision, double precision),
  private.places_named(text)
to anon, authenticated, service_role;
grant execute on function public.find_place(text) to anon, authenticated;
