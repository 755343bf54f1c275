-- Taskers narrowed by city, category, rate and availability, and how many there are. Who is listed at all is decided in one
-- place, public.find_taskers; these look through the first 2,000 whom it lists, 200 at a time and no further than needed,
-- so that they cost no more however many there are.

-- The ids of taskers, as public.search_taskers says, the best rated first: at most `wanted`.
create function private.found_taskers(
  query text, wanted integer, city text, category text, max_rate numeric, availability text
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(lower(private.trimmed(city)), '');
  found_ids uuid[] := '{}';
  matching uuid[];
  listed integer;
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'Availability must be available, busy or unavailable', 'availability');
  for n in 0 .. 9 loop
    select count(*), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or lower(p.city) = home)
        and (found_taskers.category is null or p.preferred_categories @> array[found_taskers.category])
        and (found_taskers.max_rate is null or p.hourly_rate <= found_taskers.max_rate)
        and (found_taskers.availability is null or p.availability_status::text = found_taskers.availability)), '{}')
      into listed, matching
    from (select t.id, row_number() over () as place from public.find_taskers(query, page, n * page) t) f
    join private.profiles p on p.id = f.id;
    found_ids := found_ids || matching;
    exit when listed < page or cardinality(found_ids) >= wanted;
  end loop;
  return found_ids[1:wanted];
end $$;

-- Taskers as public.find_taskers lists them. `city` is their own, whatever its case; `category` one that they prefer;
-- `max_rate` in dollars an hour, which leaves out who names none; `availability` is available, busy or unavailable. A page
-- of at most 200, after `skip` others.
create function public.search_taskers(
  query text default '', max_results integer default 100, skip integer default 0, city text default null,
  category text default null, max_rate numeric default null, availability text default null
) returns setof public.public_profiles language plpgsql stable security definer set search_path = '' as $$
declare
  skipped constant integer := least(greatest(coalesce(skip, 0), 0), 2000);
  wanted constant integer := least(greatest(coalesce(max_results, 100), 0), 200);
begin
  return query select p.* from unnest(private.found_taskers(coalesce(query, ''), skipped + wanted, city, category, max_rate,
      availability)) with ordinality found (id, place) join public.public_profiles p on p.id = found.id
  where found.place > skipped order by found.place;
end $$;
grant execute on function public.search_taskers(text, integer, integer, text, text, numeric, text) to anon, authenticated;

-- How many taskers such a search finds; 2000 stands for as many or more.
create function public.count_taskers(
  query text default '', city text default null, category text default null, max_rate numeric default null,
  availability text default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.found_taskers(coalesce(query, ''), 2000, city, category, max_rate, availability))
$$;
grant execute on function public.count_taskers(text, text, text, numeric, text) to anon, authenticated;
