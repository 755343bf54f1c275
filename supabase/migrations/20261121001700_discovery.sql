-- Discovery: search, recommendation and find-taskers, each a bounded number of index reads whatever the size of
-- the tables. They read only what strangers may read anyway; as definers they may use the trigram index, which
-- row-level security would otherwise keep a text search from.

-- The text as a contains-pattern: %, _ and \ stand for themselves.
create function private.contains_pattern(words text) returns text
language sql immutable set search_path = '' as $$
  select '%' || regexp_replace(private.trimmed(words), '([\\%_])', '\\\1', 'g') || '%'
$$;

-- The words of a search: what stands in double quotes is one, else each stands for itself. At most 8 of them, in the
-- first 200 characters.
create function private.search_words(query text) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(word), '{}') from (
    select coalesce(part[1], part[2]) as word
    from regexp_matches(left(private.trimmed(query), 200), '"([^"]+)"|(\S+)', 'g') part limit 8
  ) words where private.trimmed(word) <> ''
$$;

-- Open tasks as a search reads them; `words` is the index tasks_open_text, in which no word reaches across a line.
create view private.open_tasks as
select id, category, location, pay_amount, scheduled_date, created_at,
  title || E'\n' || description || E'\n' || category || E'\n' || location as words
from public.tasks where status = 'open';

-- Open tasks in which each word of the text stands (in title, description, category or location, case ignored); all
-- open ones when it is empty. `category` is one kind, `location` a part of the place, pay is in dollars; `sort` is
-- newest, pay (the best paid first) or soonest. A page of at most 100, after `skip` others (at most 10,000).
-- What is common is found among the first tasks in that order; what is not found there is rare, and the trigram index
-- has it. Words of one or two letters have no trigram: for them alone the first 20,000 are all that is looked at.
create function public.search_tasks(
  query text default '', category text default null, max_results integer default 50, location text default null,
  min_pay numeric default null, max_pay numeric default null, sort text default 'newest', skip integer default 0
) returns setof public.tasks language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant integer := least(greatest(coalesce(max_results, 50), 0), 100);
  skipped constant integer := least(greatest(coalesce(skip, 0), 0), 10000);
  place constant text := nullif(private.trimmed(location), '');
  patterns text[] := (select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
  ordered constant text := case sort when 'newest' then 'created_at desc, id'
    when 'pay' then 'pay_amount desc, created_at desc, id' when 'soonest' then 'scheduled_date, created_at desc, id' end;
  narrowed constant text := concat_ws(' and ', 'true', 'category = ' || quote_literal(category),
    'pay_amount >= ' || quote_literal(min_pay), 'pay_amount <= ' || quote_literal(max_pay));
  named text;
  indexed boolean;
  horizon integer;
  found_ids uuid[];
begin
  perform private.require(ordered is not null, 'Sort must be newest, pay or soonest', 'sort');
  if place is not null then
    patterns := patterns || private.contains_pattern(place);
  end if;
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(p), ' and '),
    'location ilike ' || quote_literal(private.contains_pattern(place))), bool_or(p ~ '[[:alnum:]]{3}')
    into named, indexed from unnest(patterns) p;

  if patterns = '{}' then
    execute format('select array_agg(id) from (select id from private.open_tasks where %s order by %s offset %s limit %s) t',
      narrowed, ordered, skipped, wanted) into found_ids;
  else
    foreach horizon in array case when indexed then array[2000, 10000] else array[20000] end loop
      execute format('select array_agg(id) from (select id from (select * from private.open_tasks where %1$s order by %2$s
        limit %3$s) first where %4$s order by %2$s offset %5$s limit %6$s) t', narrowed, ordered, horizon, named, skipped, wanted)
        into found_ids;
      -- Five times as far only where that is likely to do: the index is quick about what is rarer.
      exit when coalesce(cardinality(found_ids), 0) >= wanted or coalesce(cardinality(found_ids), 0) * 4 < wanted;
    end loop;
    if indexed and coalesce(cardinality(found_ids), 0) < wanted then
      execute format('with named as materialized (
          select id, pay_amount, scheduled_date, created_at from private.open_tasks where %1$s and %2$s)
        select array_agg(id) from (select id from named order by %3$s offset %4$s limit %5$s) t',
        narrowed, named, ordered, skipped, wanted) into found_ids;
    end if;
  end if;
  return query select t.* from unnest(found_ids) with ordinality found (id, place) join public.tasks t using (id)
    order by found.place;
end $$;
grant execute on function public.search_tasks(text, text, integer, text, numeric, numeric, text, integer)
  to anon, authenticated;

-- How well a task suits a tasker: points for a preferred category and for each skill that the title or the description
-- names (case ignored; skills are kept without white space around them). Without settings, so that PostgreSQL puts it
-- into the query that asks.
create function private.score_of(category text, title text, description text, preferred_categories text[], skills text[])
returns table (score integer) language sql immutable begin atomic
  select case when category = any (preferred_categories) then private.rule('recommendation.preferredCategory') else 0 end
    + private.rule('recommendation.skill') * count(*)::integer
  from unnest(skills) skill (name)
  where strpos(lower(title), lower(skill.name)) > 0 or strpos(lower(description), lower(skill.name)) > 0;
end;

-- The score of a task for the caller: a computed column of tasks. 0 for who has named nothing.
create function public.recommendation_score(task public.tasks) returns integer
language sql stable security definer set search_path = '' as $$
  select coalesce((select s.score from public.profiles me
    cross join lateral private.score_of(task.category, task.title, task.description, me.preferred_categories, me.skills) s
    where me.id = (select auth.uid())), 0)
$$;
grant execute on function public.recommendation_score(public.tasks) to authenticated;

-- Open tasks for the caller, best first by their score; equal ones newest first. With a text, the newest 100 that
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
    select best.id from unnest(me.preferred_categories) preferred (name) cross join lateral (
      select t.id from public.tasks t where t.status = 'open' and t.category = preferred.name
      order by t.created_at desc, t.id limit 200) best
    where words = '' and recommended_tasks.category is null
    union
    select named.id from unnest(me.skills) skill (name) cross join lateral
      public.search_tasks('"' || replace(skill.name, '"', ' ') || '"', recommended_tasks.category, 100) named
    where words = ''
  ), ranked as (
    select t.id, t.created_at, s.score
    from candidates c join public.tasks t on t.id = c.id
    cross join lateral private.score_of(t.category, t.title, t.description, me.preferred_categories, me.skills) s
    order by s.score desc, t.created_at desc, t.id limit wanted
  )
  select t.* from ranked r join public.tasks t on t.id = r.id order by r.score desc, r.created_at desc, r.id;
end $$;
grant execute on function public.recommended_tasks(text, text, integer) to authenticated;

-- What a search for a tasker looks into: name, skills and bio, each on lines of its own.
create function private.tasker_text(full_name text, skills text[], bio text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select concat_ws(E'\n', full_name, array_to_string(skills, E'\n'), bio)
$$;
-- Who changes a row with this index runs it.
grant execute on function private.tasker_text(text, text[], text) to anon, authenticated, service_role;
create index profiles_taskers_text on public.profiles
  using gin (private.tasker_text(full_name, skills, bio) extensions.gin_trgm_ops)
  where id_verified and role = 'task_doer';

-- Taskers whose ID was approved, with a name, best rated first, whose name, skills or bio contain the text. At most 200, after
-- `skip` others.
create function public.find_taskers(query text default '', max_results integer default 100, skip integer default 0)
returns setof public.public_profiles language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
begin
  return query select p.* from public.public_profiles p
  where p.id_verified and p.role = 'task_doer' and p.full_name <> ''
    and (pattern = '%%' or private.tasker_text(p.full_name, p.skills, p.bio) ilike pattern)
  order by p.rating desc, p.total_reviews desc, p.id
  offset greatest(coalesce(skip, 0), 0) limit least(greatest(coalesce(max_results, 100), 0), 200);
end $$;
grant execute on function public.find_taskers(text, integer, integer) to anon, authenticated;
