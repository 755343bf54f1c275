-- Stores the short name of a person, and shows it without calling functions for each row.
set check_function_bodies = off;

create or replace function private.can_read_everyone() returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return case coalesce(auth.role(), '')
    when 'anon' then false
    when 'authenticated' then private.is_admin()
    else true
  end;
end $$;

create or replace function private.check_profile_owner(profile private.profiles, before private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
declare
  admin_columns constant text[] := array['verified_by_admin', 'verification_notes', 'verified_at', 'verified_by',
    'updated_at', 'is_verified', 'verification_level', 'short_name'];
begin
  perform private.allow(profile.id = auth.uid() or to_jsonb(profile) - admin_columns = to_jsonb(before) - admin_columns,
    'profile.not_own');
  profile.updated_at := now();
  if profile.last_active is distinct from before.last_active then
    profile.last_active := now();
  end if;
  return profile;
end $$;

create or replace function private.is_application() returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return coalesce(auth.jwt() ? 'client_id', false);
end $$;

create or replace function private.reader() returns uuid
language plpgsql stable set search_path = '' as $$
begin
  return case when auth.role() = 'authenticated' and not private.is_application() then auth.uid() end;
end $$;

alter table private.profiles add column short_name text generated always as (private.public_name(full_name)) stored;

create or replace view public.public_profiles as
select p.id,
  case when (select private.can_read_everyone()) or p.id = (select private.reader())
      -- As private.is_counterpart, without a call for each person of a list.
      or exists (select from public.bookings b where b.status in ('accepted', 'in_progress', 'completed')
        and b.task_giver_id = p.id and b.task_doer_id = (select private.reader()))
      or exists (select from public.bookings b where b.status in ('accepted', 'in_progress', 'completed')
        and b.task_doer_id = p.id and b.task_giver_id = (select private.reader()))
    then p.full_name else p.short_name end as full_name,
  case when p.hidden_for is distinct from 'report' then p.avatar_url end as avatar_url,
  case when not v.withheld and p.hidden_for is distinct from 'report' then p.bio end as bio,
  case when not v.withheld then p.city end as city, p.rating, p.total_reviews, p.completed_tasks, p.response_rate,
  p.on_time_rate, p.trust_score,
  case when v.withheld or p.hidden_for = 'report' then '{}' else p.skills end as skills,
  case when not v.withheld then p.experience_years end as experience_years,
  case when not v.withheld then p.hourly_rate end as hourly_rate, p.availability_status, p.verification_level,
  p.created_at, p.role, p.is_verified, p.id_verified, p.background_checked, p.insured, v.withheld as is_hidden
from private.profiles p,
  lateral (select case when p.visibility = 'hidden' then not private.can_see_person(p.id) else false end as withheld) v
where (select private.can_read_everyone()) or p.id = (select private.reader())
  -- As private.listed_taskers.
  or p.id_verified and 'task_doer' = any (p.roles) and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public'
  or exists (select from public.tasks t where t.task_giver_id = p.id and t.status = 'open' and t.hidden_for is null)
  or exists (select from public.reviews r where r.reviewer_id = p.id and r.visible_from <= now() and r.hidden_at is null)
  or exists (select from public.bookings b where b.task_giver_id = p.id and b.task_doer_id = (select private.reader()))
  or exists (select from public.bookings b where b.task_doer_id = p.id and b.task_giver_id = (select private.reader()))
  -- Between a giver and the tasker whom they ask first.
  or exists (select from public.tasks t where t.status = 'asked' and t.hidden_for is null
    and t.task_giver_id = p.id and t.asked_tasker_id = (select private.reader()))
  or exists (select from public.tasks t where t.status = 'asked'
    and t.asked_tasker_id = p.id and t.task_giver_id = (select private.reader()));

comment on column private.profiles.short_name is 'First name and initial, as strangers read it; stored because a list of tasks shows it for every giver';
