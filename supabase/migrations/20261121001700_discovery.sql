-- Discovery: search, recommendation and find-taskers, each a bounded number of index reads whatever the size of
-- the tables. They read only what strangers may read anyway; as definers they may use the trigram index, which
-- row-level security would otherwise keep a text search from.

-- The text as a contains-pattern: %, _ and \ stand for themselves.
create function private.contains_pattern(words text) returns text
language sql immutable set search_path = '' as $$
  select '%' || regexp_replace(private.trimmed(words), '([\\%_])', '\\\1', 'g') || '%'
$$;

-- Open tasks whose title, description, category or location contains the text (case ignored), newest first;
-- all open ones when the text is empty. `category` narrows to one kind. At most 100.
-- What is common is found among the newest tasks; what is not found there is rare, and the trigram index has it.
-- One or two letters have no trigram: for them the newest 20,000 are all that is looked at.
create function public.search_tasks(query text default '', category text default null, max_results integer default 50)
returns setof public.tasks language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant integer := least(greatest(coalesce(max_results, 50), 0), 100);
  words constant text := coalesce(private.trimmed(query), '');
  pattern constant text := private.contains_pattern(words);
  horizon constant integer := case when length(words) < 3 then 20000 else 2000 end;
  found_ids uuid[];
begin
  if words = '' then
    return query select t.* from public.tasks t
      where t.status = 'open' and (search_tasks.category is null or t.category = search_tasks.category)
      order by t.created_at desc, t.id limit wanted;
    return;
  end if;
  select array_agg(near.id) into found_ids from (
    select newest.id from (
      select t.id, t.title, t.description, t.category, t.location, t.created_at from public.tasks t
      where t.status = 'open' and (search_tasks.category is null or t.category = search_tasks.category)
      order by t.created_at desc, t.id limit horizon
    ) newest
    where newest.title ilike pattern or newest.description ilike pattern or newest.category ilike pattern
      or newest.location ilike pattern
    order by newest.created_at desc, newest.id limit wanted
  ) near;
  if coalesce(cardinality(found_ids), 0) < wanted and length(words) >= 3 then
    return query select t.* from public.tasks t
      where t.status = 'open' and (search_tasks.category is null or t.category = search_tasks.category)
        and (t.title ilike pattern or t.description ilike pattern or t.category ilike pattern or t.location ilike pattern)
      order by t.created_at desc, t.id limit wanted;
  else
    return query select t.* from public.tasks t where t.id = any (found_ids) order by t.created_at desc, t.id;
  end if;
end $$;
grant execute on function public.search_tasks(text, text, integer) to anon, authenticated;

-- Open tasks for the caller, best first: +10 when the category is among the preferred ones, +5 for each skill
-- that the title or the description names (case ignored); equal ones newest first. With a text, the newest 100 that
-- contain it are ranked; without, the newest 300, the newest 200 of each preferred category and the newest 100
-- that name each skill. At most 100.
create function public.recommended_tasks(query text default '', category text default null, max_results integer default 50)
returns setof public.tasks language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant integer := least(greatest(coalesce(max_results, 50), 0), 100);
  words constant text := coalesce(private.trimmed(query), '');
  me public.profiles;
begin
  select * into me from public.profiles where id = auth.uid();
  return query
  with candidates as (
    select s.id from public.search_tasks(words, recommended_tasks.category, 100) s where words <> ''
    union
    (select t.id from public.tasks t where words = '' and t.status = 'open'
      and (recommended_tasks.category is null or t.category = recommended_tasks.category)
      order by t.created_at desc, t.id limit 300)
    union
    select best.id from unnest(me.preferred_categories) wish (name) cross join lateral (
      select t.id from public.tasks t where t.status = 'open' and t.category = wish.name
      order by t.created_at desc, t.id limit 200) best
    where words = '' and recommended_tasks.category is null
    union
    select named.id from unnest(me.skills) skill (name) cross join lateral
      public.search_tasks(skill.name, recommended_tasks.category, 100) named
    where words = ''
  ), texts as materialized (
    select t.id, t.category, t.created_at, lower(t.title) as title, lower(t.description) as description
    from candidates c join public.tasks t on t.id = c.id
  ), ranked as (
    select x.id, x.created_at, case when x.category = any (me.preferred_categories) then 10 else 0 end
      + 5 * (select count(*) from unnest(me.skills) skill (name)
          where strpos(x.title, lower(skill.name)) > 0 or strpos(x.description, lower(skill.name)) > 0) as score
    from texts x order by score desc, x.created_at desc, x.id limit wanted
  )
  select t.* from ranked r join public.tasks t on t.id = r.id order by r.score desc, r.created_at desc, r.id;
end $$;
grant execute on function public.recommended_tasks(text, text, integer) to authenticated;

-- Verified taskers with a name, best rated first, whose name, skills or bio contain the text. At most 200.
create function public.find_taskers(query text default '', max_results integer default 100)
returns setof public.public_profiles language sql stable security definer set search_path = '' as $$
  select p.* from public.public_profiles p
  where p.is_verified and p.role = 'task_doer' and p.full_name <> ''
    and (coalesce(private.trimmed(query), '') = '' or p.full_name ilike private.contains_pattern(query)
      or p.bio ilike private.contains_pattern(query)
      or array_to_string(p.skills, E'\n') ilike private.contains_pattern(query))
  order by p.rating desc, p.total_reviews desc, p.id
  limit least(greatest(coalesce(max_results, 100), 0), 200)
$$;
grant execute on function public.find_taskers(text, integer) to anon, authenticated;
