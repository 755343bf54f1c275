-- Taskers are read on after the last one that was read, instead of after so many: every page costs the same, none is missed
-- when somebody's rating changes meanwhile, and the list goes on past the first 2,000.

drop function public.search_taskers(text, integer, integer, text, text, numeric, text);
drop function public.count_taskers(text, text, text, numeric, text);
drop function private.found_taskers(text, integer, text, text, numeric, text);
drop function public.find_taskers(text, integer, integer);

-- Who is listed at all: not who hides their profile, nor who is suspended.
create view private.listed_taskers as
select p.id, p.rating, p.total_reviews, p.full_name, p.skills, p.bio from private.profiles p
where p.id_verified and p.role = 'task_doer' and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public';

-- Verified taskers whose name, skills or bio contain the text, the best rated first: at most 200 of those who come after
-- the one with this rating, number of reviews and id; all three or none.
create function public.find_taskers(
  query text default '', max_results integer default 100, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null
) returns setof public.public_profiles language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
  wanted constant integer := least(greatest(coalesce(max_results, 100), 0), 200);
begin
  perform private.require(num_nulls(after_rating, after_reviews, after_id) in (0, 3),
    'The last tasker''s rating, number of reviews and id are given together', 'after_id');
  return query
  with found as (
    -- Equals of the last one, and who is rated lower: each is one stretch of the index.
    (select t.id, t.rating, t.total_reviews from private.listed_taskers t
     where t.rating = after_rating and t.total_reviews = after_reviews and t.id > after_id
       and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
     order by t.rating desc, t.total_reviews desc, t.id limit wanted)
    union all
    (select t.id, t.rating, t.total_reviews from private.listed_taskers t
     where (t.rating, t.total_reviews) < (coalesce(after_rating, 'infinity'), coalesce(after_reviews, 0))
       and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
     order by t.rating desc, t.total_reviews desc, t.id limit wanted)
  ), page as (
    select * from found order by rating desc, total_reviews desc, id limit wanted
  )
  select p.* from page join public.public_profiles p on p.id = page.id
  order by page.rating desc, page.total_reviews desc, page.id;
end $$;
grant execute on function public.find_taskers(text, integer, numeric, integer, uuid) to anon, authenticated;

-- The ids of taskers, as public.search_taskers says, the best rated first: at most `wanted` of the 2,000 after that one.
create function private.found_taskers(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(lower(private.trimmed(city)), '');
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'Availability must be available, busy or unavailable', 'availability');
  for n in 0 .. 9 loop
    select coalesce(array_agg(p.id order by f.place), '{}'), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or lower(p.city) = home)
        and (found_taskers.category is null or p.preferred_categories @> array[found_taskers.category])
        and (found_taskers.max_rate is null or p.hourly_rate <= found_taskers.max_rate)
        and (found_taskers.availability is null or p.availability_status::text = found_taskers.availability)), '{}')
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

-- Taskers as public.find_taskers lists them. `city` is their own, whatever its case; `category` one that they prefer;
-- `max_rate` in dollars an hour, which leaves out who names none; `availability` is available, busy or unavailable.
create function public.search_taskers(
  query text default '', max_results integer default 100, city text default null, category text default null,
  max_rate numeric default null, availability text default null, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null
) returns setof public.public_profiles language sql stable security definer set search_path = '' as $$
  select p.* from unnest(private.found_taskers(coalesce(query, ''), least(greatest(coalesce(max_results, 100), 0), 200),
      city, category, max_rate, availability, after_rating, after_reviews, after_id)) with ordinality found (id, place)
    join public.public_profiles p on p.id = found.id
  order by found.place
$$;
grant execute on function
  public.search_taskers(text, integer, text, text, numeric, text, numeric, integer, uuid) to anon, authenticated;

-- How many taskers such a search finds; 500 stands for as many or more.
create function public.count_taskers(
  query text default '', city text default null, category text default null, max_rate numeric default null,
  availability text default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.found_taskers(coalesce(query, ''), 500, city, category, max_rate, availability))
$$;
grant execute on function public.count_taskers(text, text, text, numeric, text) to anon, authenticated;
