-- Profiles as the API shows them. The admins' notes on a person stand in that person's row, and clients read rows whole
-- (select *), so the table moves where the API does not reach and a view of the same name shows everybody all of a row
-- but the notes, which admins see. Policies, column grants and triggers stay on the table and are asked as before,
-- because the view acts with the rights of who uses it.

alter table public.profiles set schema private;

create view public.profiles with (security_invoker = true) as
select id, full_name, email, phone, city, bio, avatar_url, rating, total_reviews, completed_tasks, response_rate,
  on_time_rate, trust_score, skills, preferred_categories, experience_years, hourly_rate, availability_status,
  verification_level, last_active, created_at, updated_at, verified_by_admin,
  case when not private.is_client() or (select private.is_admin()) then verification_notes end as verification_notes,
  verified_at, verified_by, language, verified_name, role, is_verified, id_verified, background_checked, insured, deleted_at
from private.profiles;
comment on view public.profiles is 'People, each row for the person, for admins and for counterparts; the notes for admins';

revoke all on public.profiles from anon, authenticated;
grant select on public.profiles to authenticated;
grant update (full_name, phone, city, bio, avatar_url, last_active, skills, preferred_categories, experience_years,
  hourly_rate, availability_status, language, updated_at,
  verified_by_admin, verification_notes, verified_at, verified_by) on public.profiles to authenticated;

-- Hands an update on to the table: the columns that differ, so that nobody needs a right to those that they leave alone.
-- Not a definer: the table's grants, policies and triggers see the one who asked. What is computed is left out.
create function private.update_profile() returns trigger
language plpgsql set search_path = '' as $$
declare
  before constant jsonb := to_jsonb(old);
  changes text;
begin
  select string_agg(format('%I = ($1).%I', key, key), ', ') into changes
  from jsonb_each(to_jsonb(new) - array['is_verified', 'verification_level']) as wanted (key, value)
  where value is distinct from before -> key;
  execute 'update private.profiles set ' || coalesce(changes, 'updated_at = updated_at') || ' where id = $2 returning id'
    into new.id using new, old.id;
  if new.id is null then
    return null;
  end if;
  select * into new from public.profiles where id = new.id;
  return new;
end $$;

create trigger update_profile instead of update on public.profiles
for each row execute function private.update_profile();
