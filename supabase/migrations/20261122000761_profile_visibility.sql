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
