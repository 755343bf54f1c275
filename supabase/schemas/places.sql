-- Places where tasks and people are: cities, towns, villages and neighbourhoods of the marketplace, from supabase/places.json.

create table public.places (
  id text primary key,
  name text not null,
  kind text not null check (kind in ('city', 'town', 'village', 'neighbourhood')),
  city text,
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  time_zone text not null,
  population integer,
  postal_prefixes text[] not null default '{}',
  other_names text[] not null default '{}'
);
alter table public.places enable row level security;

comment on table public.places is
  'Cities, towns, villages and neighbourhoods of the marketplace, written by private.load_places from supabase/places.json';
comment on column public.places.id is 'Short name that stays the same, such as saskatoon-nutana';
comment on column public.places.kind is 'city, town, village (also resort and northern villages) or neighbourhood';
comment on column public.places.city is 'Name of the city of a neighbourhood; null for other places';
comment on column public.places.latitude is 'Degrees north of the centre, WGS 84';
comment on column public.places.longitude is 'Degrees east of the centre, WGS 84; negative in the west';
comment on column public.places.time_zone is 'IANA name, such as America/Regina';
comment on column public.places.population is 'Residents by the source of the data; null if not known';
comment on column public.places.postal_prefixes is 'First three characters of its postal codes, such as S4P';
comment on column public.places.other_names is 'Other spellings and former names, which searches find, too';

-- Makes the rows of places equal to private.place_data(), and everything that follows from them.
create function private.load_places() returns void
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

-- How well a place matches a search, 0 best; null if it does not. `words` went through private.search_text; `code` is the start
-- of a postal code, null if the search has none. The steps: postal code or whole name, start of the name, start of one of its
-- words, the same sound, a similar spelling. No step has a subquery, which would double the time.
create function private.place_rank(place public.places, words text, code text) returns integer
language plpgsql stable set search_path = '' as $$
declare
  name constant text := private.search_text(place.name);
  label constant text := private.search_text(concat_ws(', ', place.name, place.city));
begin
  return case
    when words in (name, label) or position(' ' || code in ' ' || array_to_string(place.postal_prefixes, ' ')) > 0 then 0
    when starts_with(label, words)
      or position('|' || words in '|' || private.search_text(array_to_string(place.other_names, '|'))) > 0 then 1
    when position(' ' || words in name) > 0 then 2
    when length(words) >= 3 and extensions.dmetaphone(words) = extensions.dmetaphone(name)
      and extensions.similarity(words, name) >= 0.2 then 3
    when extensions.similarity(words, name) >= 0.4 then 4
  end;
end $$;

-- Places for a term that a person types: a name, its start, how it sounds, or a postal code such as S4P or S4P 1A1. The best match
-- comes first, equal ones by population. Returns at most 20.
create function public.search_places(term text, max_results integer default 8) returns setof public.places
language sql stable set search_path = '' as $$
  select p.* from public.places p
  cross join (select private.search_text(private.trimmed(left(term, 100))) as words,
    left(substring(upper(left(term, 100)) from '^\s*([A-Z][0-9][A-Z]?)(?:\s*[0-9].*)?\s*$'), 3) as code) asked
  cross join lateral private.place_rank(p, asked.words, asked.code) as found (rank)
  where found.rank is not null
  order by found.rank, p.population desc nulls last, p.name, p.id
  limit least(greatest(coalesce(max_results, 8), 0), 20)
$$;

create policy "places are public" on public.places for select to anon, authenticated using (true);

grant select on public.places to anon, authenticated;
grant execute on function private.place_rank(public.places, text, text) to anon, authenticated, service_role;
grant execute on function public.search_places(text, integer) to anon, authenticated;
