-- What a hidden profile withholds (private.knows_person) and where it is not listed. What a report hides stays hidden, too.

create or replace view public.public_profiles as
select p.id, p.full_name, case when p.hidden_for is distinct from 'report' then p.avatar_url end as avatar_url,
  case when not v.withheld and p.hidden_for is distinct from 'report' then p.bio end as bio,
  case when not v.withheld then p.city end as city, p.rating, p.total_reviews, p.completed_tasks, p.response_rate,
  p.on_time_rate, p.trust_score,
  case when v.withheld or p.hidden_for = 'report' then '{}' else p.skills end as skills,
  case when not v.withheld then p.experience_years end as experience_years,
  case when not v.withheld then p.hourly_rate end as hourly_rate, p.availability_status, p.verification_level,
  p.created_at, p.role, p.is_verified, p.id_verified, p.background_checked, p.insured, v.withheld as is_hidden
from private.profiles p,
  lateral (select case when p.visibility = 'hidden' then not private.knows_person(p.id) else false end as withheld) v;
comment on column public.public_profiles.is_hidden is
  'The person hides their profile: words, place, skills and rate are withheld from who asks';

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
