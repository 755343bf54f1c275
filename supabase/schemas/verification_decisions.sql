-- Decisions on verifications: who can decide, and how a decision, or a later change of name or photo, affects the profile.

-- Lets only admins change somebody else's verification, and nothing that the person declared.
create function private.check_verification_admin() returns trigger
language plpgsql set search_path = '' as $$
declare
  decision_columns constant text[] := array['verification_status', 'id_verified', 'background_check_status',
    'refusal_reason', 'decided_at', 'decided_by', 'updated_at'];
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide verifications"}');
  perform private.allow(to_jsonb(new) - decision_columns = to_jsonb(old) - decision_columns,
    'verification.not_own');
  return new;
end $$;

create trigger "22_admin" before update on public.verifications for each row
when (private.is_client() and new.user_id is distinct from auth.uid())
execute function private.check_verification_admin();

-- Requires a reason for a refusal and a submitted ID for an approval; sets time and admin of the decision.
create function private.check_verification_decision() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(new.verification_status <> 'pending', 'verification.resubmission_not_own', 'verification_status');
  new.refusal_reason := nullif(private.trimmed(new.refusal_reason), '');
  perform private.require(coalesce(length(new.refusal_reason), 0) <= private.rule('limits.decisionReason.max'),
    'verification.reason_too_long', 'refusal_reason');
  perform private.require(new.verification_status <> 'rejected' or new.refusal_reason is not null,
    'verification.reason_required', 'refusal_reason');
  perform private.require(new.verification_status <> 'verified' or private.has_identity_document(new.user_id),
    'verification.id_missing', 'verification_status');
  if new.verification_status <> 'rejected' then
    new.refusal_reason := null;
  end if;
  new.decided_at := now();
  new.decided_by := auth.uid();
  return new;
end $$;

create trigger "31_decision" before update on public.verifications for each row
when (private.is_client() and new.user_id is distinct from auth.uid()
  and new.verification_status is distinct from old.verification_status)
execute function private.check_verification_decision();

-- Sets updated_at, and clears id_verified when an approval ends.
create function private.stamp_verification() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    new.updated_at := now();
  end if;
  if new.verification_status <> 'verified' and old.verification_status = 'verified' then
    new.id_verified := false;
  end if;
  return new;
end $$;

create trigger "33_stamp" before update on public.verifications
for each row execute function private.stamp_verification();

-- Copies a decision to the profile and notifies the person. If an approval is withdrawn, an admin's direct confirmation is, too.
create function private.apply_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(new.user_id, old.user_id);
  approved boolean := coalesce(new.verification_status = 'verified', false);
  taken_back boolean := coalesce(old.verification_status = 'verified' and new.verification_status = 'rejected', false);
begin
  update public.profiles set
    id_verified = approved,
    background_checked = coalesce(approved and new.background_check_status = 'verified', false),
    insured = coalesce(approved and private.is_insured(new), false),
    verified_by_admin = verified_by_admin and not taken_back,
    verified_at = case when not taken_back then verified_at end,
    verified_by = case when not taken_back then verified_by end
  where id = person;
  if tg_op <> 'DELETE' and new.has_insurance then
    perform private.schedule_tick(((new.insurance_expiry_date + 1)::timestamp at time zone private.time_zone()));
  end if;
  if new.verification_status = 'pending' and old.verification_status is distinct from 'pending'
      and old.verification_status is distinct from 'verified' then
    perform private.notify_person(person, 'verification_submitted', '{}', '/dashboard');
    perform private.notify_admins('verification_waiting', jsonb_build_object('person', private.full_name(person)),
      '/admin/verify-users?tab=waiting');
  elsif tg_op = 'UPDATE' and new.verification_status is distinct from old.verification_status then
    if approved then
      perform private.notify_person(person, 'verification_approved', '{}', '/dashboard');
    elsif taken_back then
      perform private.notify_person(person, 'verification_withdrawn',
        jsonb_build_object('reason', new.refusal_reason), '/verification');
    elsif new.verification_status = 'rejected' then
      perform private.notify_person(person, 'verification_refused',
        jsonb_build_object('reason', new.refusal_reason), '/verification');
    end if;
  end if;
  return null;
end $$;

create trigger apply_verification after insert or update or delete on public.verifications
for each row execute function private.apply_verification();

-- Makes an approved verification pending again; false if there is none. The caller holds the profile, and a decision in progress
-- holds this row and will need the profile. So a locked row raises an error at once instead of waiting.
create function private.review_again(person uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  begin
    perform from public.verifications where user_id = person for no key update nowait;
  exception when lock_not_available then
    perform private.fail('verification.being_decided');
  end;
  update public.verifications set verification_status = 'pending', decided_at = null, decided_by = null, updated_at = now()
  where user_id = person and verification_status = 'verified';
  return found;
end $$;

-- Notifies a person whose badge an admin gave or removed directly. Removing it makes an approved verification pending again.
create function private.follow_admin_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.verified_by_admin then
    if not old.id_verified then
      perform private.notify_person(new.id, 'verification_approved', '{}', '/dashboard');
    end if;
  else
    perform private.review_again(new.id);
    perform private.notify_person(new.id, 'badge_removed', '{}', '/profile');
  end if;
  return null;
end $$;

-- A change of the name or of an approval also resets verified_by_admin, and has its own notifications.
create trigger follow_admin_verification after update of verified_by_admin on private.profiles
for each row when (new.verified_by_admin <> old.verified_by_admin and new.id_verified = old.id_verified
  and new.full_name is not distinct from old.full_name)
execute function private.follow_admin_verification();

-- Makes an approved verification pending again. A pending one gets a new updated_at: decisions name the updated_at that the
-- admin read, so none is made about a name that changed in the meantime.
create function private.follow_name() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  names jsonb := jsonb_build_object('before', coalesce(old.full_name, ''), 'name', new.full_name);
  queue text := '/admin/verify-users';
begin
  if private.review_again(new.id) then
    queue := queue || '?tab=waiting';
  end if;
  if not old.is_verified then
    update public.verifications set updated_at = now() where user_id = new.id and verification_status = 'pending';
    return null;
  end if;
  perform private.notify_admins('verified_name_changed', names, queue);
  perform private.notify_person(new.id, 'name_under_review', names, '/profile');
  return null;
end $$;

create trigger follow_name after update of full_name on private.profiles
for each row when (new.deleted_at is null and lower(new.full_name) is distinct from lower(old.full_name))
execute function private.follow_name();

-- Notifies admins that a verified person changed the photo, once until they have read it. The badge belongs to the name and
-- stays.
create function private.follow_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('person', private.full_name(new.id), 'id', new.id);
begin
  if not exists (select from public.notifications n join public.user_roles r on r.user_id = n.user_id and r.role = 'admin'
      where n.key = 'verified_photo_changed' and not n.read and n.params ->> 'id' = new.id::text) then
    perform private.notify_admins('verified_photo_changed', news, '/profile/' || new.id);
  end if;
  return null;
end $$;

create trigger follow_photo after update of avatar_url on private.profiles
for each row when (new.is_verified and new.avatar_url is distinct from old.avatar_url and new.avatar_url is not null)
execute function private.follow_photo();

-- Removes the insured badge of one person after the last day of the insurance they declared.
create function private.end_insurance() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.verifications v join public.profiles p on p.id = v.user_id
  where v.has_insurance and v.insurance_expiry_date < (now() at time zone private.time_zone())::date and p.insured
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.profiles set insured = false where id = due;
  return 1;
end $$;

-- Adds the skills of a submitted verification to the profile, where searches find them. Approval adds nothing, so a skill
-- removed from the profile in the meantime stays removed.
create function private.share_skills() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update private.profiles p set skills = p.skills || array(
    select entered.skill from unnest(new.skills) with ordinality entered (skill, place)
    where lower(entered.skill) not in (select lower(held) from unnest(p.skills) held) order by entered.place)
  where p.id = new.user_id
    and exists (select from unnest(new.skills) entered where lower(entered) not in (select lower(held) from unnest(p.skills) held));
  return null;
end $$;

-- Only a submission adds skills: a new record, or one that was rejected and is submitted again.
create trigger share_skills_of_new after insert on public.verifications
for each row when (new.verification_status = 'pending' and cardinality(new.skills) > 0)
execute function private.share_skills();

create trigger share_skills_of_resubmitted after update on public.verifications
for each row when (new.verification_status = 'pending' and old.verification_status = 'rejected' and cardinality(new.skills) > 0)
execute function private.share_skills();
