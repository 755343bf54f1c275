-- Who sees a profile. A public one is for everybody. A hidden one is not in Find Taskers, and its words, place, skills and
-- rate are for the person, for admins and for whom they have a booking with; name, photo, rating and reviews stay, so that
-- whoever deals with a person knows with whom.

create type public.profile_visibility as enum ('public', 'hidden');

alter table private.profiles add column visibility public.profile_visibility not null default 'public';
grant update (visibility) on private.profiles to authenticated;

-- Whether the caller sees all of that person's public profile although it is hidden.
create function private.knows_person(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(auth.role(), '') not in ('anon', 'authenticated')
    or coalesce(person = (select auth.uid()), false) or coalesce((select private.is_admin()), false)
    or exists (select from public.bookings b where b.task_giver_id = person and b.task_doer_id = (select auth.uid()))
    or exists (select from public.bookings b where b.task_doer_id = person and b.task_giver_id = (select auth.uid()))
$$;
grant execute on function private.knows_person(uuid) to anon, authenticated, service_role;

create or replace view public.profiles with (security_invoker = true) as
select id, full_name, email, phone, city, bio, avatar_url, rating, total_reviews, completed_tasks, response_rate,
  on_time_rate, trust_score, skills, preferred_categories, experience_years, hourly_rate, availability_status,
  verification_level, last_active, created_at, updated_at, verified_by_admin,
  case when not private.is_client() or (select private.is_admin()) then verification_notes end as verification_notes,
  verified_at, verified_by, language, verified_name, role, is_verified, id_verified, background_checked, insured, deleted_at,
  visibility
from private.profiles;
grant update (visibility) on public.profiles to authenticated;

create or replace view public.public_profiles as
select p.id, p.full_name, p.avatar_url, case when not v.withheld then p.bio end as bio,
  case when not v.withheld then p.city end as city, p.rating, p.total_reviews, p.completed_tasks, p.response_rate,
  p.on_time_rate, p.trust_score, case when v.withheld then '{}' else p.skills end as skills,
  case when not v.withheld then p.experience_years end as experience_years,
  case when not v.withheld then p.hourly_rate end as hourly_rate, p.availability_status, p.verification_level,
  p.created_at, p.role, p.is_verified, p.id_verified, p.background_checked, p.insured, v.withheld as is_hidden
from private.profiles p,
  lateral (select case when p.visibility = 'hidden' then not private.knows_person(p.id) else false end as withheld) v;
comment on column public.public_profiles.is_hidden is
  'The person hides their profile: words, place, skills and rate are withheld from who asks';

create or replace function public.find_taskers(query text default '', max_results integer default 100, skip integer default 0)
returns setof public.public_profiles language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  pattern constant text := private.contains_pattern(left(private.trimmed(query), 200));
begin
  return query select shown.* from private.profiles p join public.public_profiles shown on shown.id = p.id
  where p.id_verified and p.role = 'task_doer' and p.full_name <> '' and p.visibility = 'public'
    and (pattern = '%%' or private.tasker_text(p.full_name, p.skills, p.bio) ilike pattern)
  order by p.rating desc, p.total_reviews desc, p.id
  offset greatest(coalesce(skip, 0), 0) limit least(greatest(coalesce(max_results, 100), 0), 200);
end $$;
