-- Recommended tasks: how well a task suits a tasker, and why.

set check_function_bodies = off;

-- How well a task suits a tasker: points for a preferred category and for each skill that the title or the description contains.
-- The function has no SET clause, so that PostgreSQL can inline it.
create function private.score_of(
  category text, title text, description text, preferred_categories text[], skills text[]
) returns table (score integer) language sql immutable begin atomic
  select case when category = any (preferred_categories) then private.rule('recommendation.preferredCategory') else 0 end
    + private.rule('recommendation.skill') * count(*)::integer
  from (select private.search_text(title) as title, private.search_text(description) as description) task,
    unnest(skills) skill (name)
  where strpos(task.title, private.search_text(skill.name)) > 0 or strpos(task.description, private.search_text(skill.name)) > 0;
end;

-- The score of a task for the caller: a computed column of tasks. 0 without preferred categories and skills.
create function public.recommendation_score(task public.tasks) returns integer
language sql stable security definer set search_path = '' as $$
  select coalesce((select s.score from public.profiles me
    cross join lateral private.score_of(task.category, task.title, task.description, me.preferred_categories, me.skills) s
    where me.id = (select auth.uid())), 0)
$$;

-- Open tasks for the caller, by score; at most 100. Equal ones come nearest first if the caller has a travel area, then newest first.
-- With a text, the newest 100 that contain it are ranked. Without one, these are: the newest 300, the newest 200 of each preferred
-- category, the newest 100 that contain each skill, and the nearest 100 of the travel area.
create function public.recommended_tasks(query text default '', category text default null, max_results integer default 50)
returns setof public.tasks language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant integer := least(greatest(coalesce(max_results, 50), 0), 100);
  words constant text := coalesce(private.trimmed(query), '');
  me public.profiles;
begin
  perform private.refuse_application();
  select * into me from public.profiles where id = auth.uid();
  return query
  with candidates as (
    select s.id from public.search_tasks(words, recommended_tasks.category, 100) s where words <> ''
    union
    (select t.id from public.tasks t where words = '' and t.status = 'open' and t.hidden_for is null
      and (recommended_tasks.category is null or t.category = recommended_tasks.category)
      order by t.created_at desc, t.id limit 300)
    union
    select best.id from unnest(me.preferred_categories) preferred (name) cross join lateral (
      select t.id from public.tasks t where t.status = 'open' and t.hidden_for is null and t.category = preferred.name
      order by t.created_at desc, t.id limit 200) best
    where words = '' and recommended_tasks.category is null
    union
    select named.id from unnest(me.skills) skill (name) cross join lateral
      public.search_tasks('"' || replace(skill.name, '"', ' ') || '"', recommended_tasks.category, 100) named
    where words = ''
    union
    select near.id from public.travel_areas a cross join lateral unnest(private.nearby_task_ids(a.latitude, a.longitude, a.radius_km,
      '', recommended_tasks.category, 100, null, null, null, null, 'distance', null)) near (id)
    where a.user_id = me.id and words = ''
      and (recommended_tasks.category is null or private.rules()::jsonb -> 'categories' ? recommended_tasks.category)
  ), ranked as (
    select t.id, t.created_at, s.score, private.km_between(a.latitude, a.longitude, t.public_latitude, t.public_longitude) as km
    from candidates c join public.tasks t on t.id = c.id left join public.travel_areas a on a.user_id = me.id
    cross join lateral private.score_of(t.category, t.title, t.description, me.preferred_categories, me.skills) s
    order by s.score desc, km, t.created_at desc, t.id limit wanted
  )
  select t.* from ranked r join public.tasks t on t.id = r.id order by r.score desc, r.km, r.created_at desc, r.id;
end $$;

-- Why a task suits the caller: a computed column of tasks. `category`: the category is a preferred one; `skills`: the caller's
-- skills that the title or the description contains, as private.score_of counts them; `km`: kilometres from the caller's travel area,
-- null beyond its radius. Null if the score is 0.
create function public.recommendation_reasons(task public.tasks) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('category', reasons.category, 'skills', to_jsonb(reasons.skills), 'km',
    (select d.km from public.travel_areas a cross join lateral (
      select private.km_between(a.latitude, a.longitude, task.public_latitude, task.public_longitude) as km) d
     where a.user_id = me.id and d.km <= a.radius_km))
  from public.profiles me
  cross join lateral (select task.category = any (me.preferred_categories) as category, array(
    select skill.name from unnest(me.skills) with ordinality skill (name, place)
    where strpos(private.search_text(task.title), private.search_text(skill.name)) > 0
      or strpos(private.search_text(task.description), private.search_text(skill.name)) > 0
    order by skill.place) as skills) reasons
  where me.id = (select auth.uid()) and (reasons.category or cardinality(reasons.skills) > 0)
$$;

grant execute on function
  public.recommendation_score(tasks), public.recommended_tasks(text, text, integer), public.recommendation_reasons(tasks)
to authenticated;
