-- Find Taskers lists neither who hides their profile nor who is suspended.
create or replace function public.find_taskers(query text default '', max_results integer default 100, skip integer default 0)
returns setof public.public_profiles language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
begin
  return query
  with found as (
    select p.id, p.rating, p.total_reviews from private.profiles p
    where p.id_verified and p.role = 'task_doer' and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public'
      and (pattern = '%%' or private.tasker_text(p.full_name, p.skills, p.bio) ilike pattern)
    order by p.rating desc, p.total_reviews desc, p.id
    offset greatest(coalesce(skip, 0), 0) limit least(greatest(coalesce(max_results, 100), 0), 200)
  )
  select p.* from found join public.public_profiles p on p.id = found.id
  order by found.rating desc, found.total_reviews desc, found.id;
end $$;
