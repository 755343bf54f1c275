-- Searching for taskers, and saving them as favourites.

create table public.favourites (
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  tasker_id uuid not null references private.profiles (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, tasker_id)
);
alter table public.favourites enable row level security;

comment on table public.favourites is 'The taskers whom a person has saved; nobody else reads them, and no count includes them';
comment on column public.favourites.user_id is 'The person who saved the tasker';
comment on column public.favourites.tasker_id is 'The saved tasker';

create index favourites_newest on public.favourites (user_id, created_at desc, tasker_id);
create index favourites_of_tasker on public.favourites (tasker_id);

-- The text that a search for taskers matches: name, skills and bio, each on its own line.
create function private.tasker_text(full_name text, skills text[], bio text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select private.search_text(concat_ws(E'\n', full_name, array_to_string(skills, E'\n'), bio))
$$;

-- Listed taskers whose name, skills or bio contain the text, best rated first: at most `wanted` after the tasker with this rating,
-- number of reviews and id (all three or none).
create function private.find_listed(
  query text, wanted integer, after_rating numeric, after_reviews integer, after_id uuid
) returns table (id uuid, rating numeric, total_reviews integer) language plpgsql stable rows 100
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
begin
  perform private.require(num_nulls(after_rating, after_reviews, after_id) in (0, 3),
    'search.position_incomplete', 'after_id');
  return query
  -- Taskers rated as the last one, then taskers rated lower: each is one range of the index.
  (select t.id, t.rating, t.total_reviews from private.listed_taskers t
   where t.rating = after_rating and t.total_reviews = after_reviews and t.id > after_id
     and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
   order by t.rating desc, t.total_reviews desc, t.id limit wanted)
  union all
  (select t.id, t.rating, t.total_reviews from private.listed_taskers t
   where (t.rating, t.total_reviews) < (coalesce(after_rating, 'infinity'), coalesce(after_reviews, 0))
     and (pattern = '%%' or private.tasker_text(t.full_name, t.skills, t.bio) ilike pattern)
   order by t.rating desc, t.total_reviews desc, t.id limit wanted)
  order by 2 desc, 3 desc, 1 limit wanted;
end $$;

-- The taskers of private.find_listed, at most 200.
create function public.find_taskers(
  query text default '', max_results integer default 100, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null
) returns setof public.public_profiles language sql stable security definer set search_path = '' as $$
  select p.* from private.find_listed(query, least(greatest(coalesce(max_results, 100), 0), 200), after_rating, after_reviews, after_id) page
  join public.public_profiles p on p.id = page.id
  order by page.rating desc, page.total_reviews desc, page.id
$$;

-- Before a tasker is saved. At most 500 for each person, so that the list stays quick to read and nobody fills the table. The lock
-- of limit_client makes this hold for concurrent requests, too.
create function private.before_favourite_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'favourite.not_own');
  perform private.limit_client('taskers_saved');
  perform private.require(new.tasker_id <> new.user_id and private.is_tasker(new.tasker_id),
    'favourite.not_tasker', 'tasker_id');
  perform private.require((select count(*) from public.favourites where user_id = new.user_id) < 500,
    'favourite.too_many', 'tasker_id');
  return new;
end $$;

create trigger before_favourite_insert before insert on public.favourites
for each row execute function private.before_favourite_insert();

-- Deletes the favourites of and for a deleted account, even if its profile stays as an anchor for money records.
create function private.delete_favourites(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.favourites where person in (user_id, tasker_id);
end $$;

-- The ids of taskers for public.search_taskers, best rated first: at most `wanted` of the 2,000 after the given one. Where few of the
-- first 200 match, the others are read in larger pages.
create function private.matching_tasker_ids(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null,
  free_at timestamptz default null, free_minutes integer default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
  homes constant text[] := private.place_spellings(city) || home;
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'search.availability_invalid', 'availability');
  perform private.require(free_at is null or free_minutes between private.rule('limits.durationMinutes.min')
    and private.rule('limits.durationMinutes.max'), 'task.duration_out_of_range', 'free_minutes');
  perform private.require(free_at is null or free_at between now() - interval '1 day' and now() + interval '2 years',
    'task.date_invalid', 'free_at');
  for n in 1 .. 3 loop
    select coalesce(array_agg(p.id order by f.nth), '{}'), coalesce(array_agg(p.id order by f.nth) filter (where
        (home is null or private.search_text(p.city) = any (homes))
        and (matching_tasker_ids.category is null or p.preferred_categories @> array[matching_tasker_ids.category])
        and (matching_tasker_ids.max_rate is null or p.hourly_rate <= matching_tasker_ids.max_rate)
        and (matching_tasker_ids.availability is null or p.availability_status::text = matching_tasker_ids.availability)
        and (free_at is null or p.availability_status <> 'unavailable')), '{}')
      into listed, matching
    from private.find_listed(query, page, after_rating, after_reviews, after_id) with ordinality f (id, rating, total_reviews, nth)
    join private.profiles p on p.id = f.id;
    if free_at is not null then
      matching := private.keep_free(matching, tstzrange(free_at, free_at + make_interval(mins => free_minutes)));
    end if;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
    page := 900;
  end loop;
  return found_ids[1:wanted];
end $$;

-- The taskers that find_taskers finds, filtered. `city` is the tasker's, ignoring case and the province, and includes its
-- neighbourhoods; `category` is one that they prefer; `max_rate` is in dollars an hour and leaves out taskers without a rate;
-- `availability` is available, busy or unavailable. `free_at` leaves taskers who are free from then on for `free_minutes`, within the
-- hours that they show.
create function public.search_taskers(
  query text default '', max_results integer default 100, city text default null, category text default null,
  max_rate numeric default null, availability text default null, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null, free_at timestamptz default null, free_minutes integer default 60
) returns setof public.public_profiles language plpgsql stable security definer set search_path = '' as $$
declare
  -- Inside the query, PostgreSQL would search twice: also to estimate how many there are.
  found_ids constant uuid[] := private.matching_tasker_ids(coalesce(query, ''), least(greatest(coalesce(max_results, 100), 0), 200),
    city, category, max_rate, availability, after_rating, after_reviews, after_id, free_at, free_minutes);
begin
  return query select p.* from unnest(found_ids) with ordinality found (id, place) join public.public_profiles p on p.id = found.id
  order by found.place;
end $$;

-- The number of taskers that search_taskers finds; 500 means 500 or more.
create function public.count_taskers(
  query text default '', city text default null, category text default null, max_rate numeric default null,
  availability text default null, free_at timestamptz default null, free_minutes integer default 60
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.matching_tasker_ids(coalesce(query, ''), 500, city, category, max_rate, availability,
    free_at => free_at, free_minutes => free_minutes))
$$;

-- The taskers in Find Taskers. Searches compare the short name: otherwise a search could spell out a last name letter by letter.
create view private.listed_taskers as
select p.id, p.rating, p.total_reviews, private.public_name(p.full_name) as full_name, p.skills, p.bio from private.profiles p
where p.id_verified and 'task_doer' = any (p.roles) and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public';

create statistics private.profiles_person_text on (private.person_text(full_name, email, phone)) from private.profiles;

create index profiles_taskers_text on private.profiles
  using gin (private.tasker_text(private.public_name(full_name), skills, bio) extensions.gin_trgm_ops)
  where id_verified and 'task_doer' = any (roles);

create statistics private.profiles_tasker_text
  on (private.tasker_text(private.public_name(full_name), skills, bio)) from private.profiles;

create policy "people read their own favourites" on public.favourites for select to authenticated
using (user_id = (select auth.uid()));

create policy "people save taskers for themselves" on public.favourites for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot save taskers" on public.favourites as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people remove their own favourites" on public.favourites for delete to authenticated
using (user_id = (select auth.uid()));

grant select, delete, insert (user_id, tasker_id) on public.favourites to authenticated;
grant execute on function
  private.tasker_text(text, text[], text)
to anon, authenticated, service_role;
grant execute on function
  public.find_taskers(text, integer, numeric, integer, uuid),
  public.search_taskers(text, integer, text, text, numeric, text, numeric, integer, uuid, timestamptz, integer),
  public.count_taskers(text, text, text, numeric, text, timestamptz, integer)
to anon, authenticated;
