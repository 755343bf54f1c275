-- Decisions on verifications: who can decide, and how a decision, or a later change of name or photo, affects the profile.

-- Lets only admins change somebody else's verification, and nothing that the person declared.
create function private.check_verification_admin(verification public.verifications, before public.verifications) returns void
language plpgsql stable set search_path = '' as $$
declare
  decision_columns constant text[] := array['verification_status', 'id_verified', 'background_check_status',
    'refusal_reason', 'decided_at', 'decided_by', 'updated_at'];
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide verifications"}');
  perform private.allow(to_jsonb(verification) - decision_columns = to_jsonb(before) - decision_columns,
    'verification.not_own');
end $$;

-- Requires a reason for a refusal and a submitted ID for an approval; sets time and admin of the decision.
create function private.check_verification_decision(verification public.verifications) returns public.verifications
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(verification.verification_status <> 'pending',
    'verification.resubmission_not_own', 'verification_status');
  verification.refusal_reason := nullif(private.trimmed(verification.refusal_reason), '');
  perform private.require(coalesce(length(verification.refusal_reason), 0) <= private.rule('limits.decisionReason.max'),
    'verification.reason_too_long', 'refusal_reason');
  perform private.require(verification.verification_status <> 'rejected' or verification.refusal_reason is not null,
    'verification.reason_required', 'refusal_reason');
  perform private.require(verification.verification_status <> 'verified' or private.has_identity_document(verification.user_id),
    'verification.id_missing', 'verification_status');
  if verification.verification_status <> 'rejected' then
    verification.refusal_reason := null;
  end if;
  verification.decided_at := now();
  verification.decided_by := auth.uid();
  return verification;
end $$;

-- Sets updated_at, and clears id_verified when an approval ends.
create function private.stamp_verification(verification public.verifications, before public.verifications)
returns public.verifications
language plpgsql stable set search_path = '' as $$
begin
  if private.is_client() then
    verification.updated_at := now();
  end if;
  if verification.verification_status <> 'verified' and before.verification_status = 'verified' then
    verification.id_verified := false;
  end if;
  return verification;
end $$;

-- Whether an admin's refusal ends an approval.
create function private.is_withdrawn(verification public.verifications, before public.verifications) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(before.verification_status = 'verified' and verification.verification_status = 'rejected', false)
$$;

-- Copies a decision to the profile. If an approval is withdrawn, an admin's direct confirmation is, too.
create function private.apply_verification(verification public.verifications, before public.verifications) returns void
language plpgsql set search_path = '' as $$
declare
  approved constant boolean := coalesce(verification.verification_status = 'verified', false);
  withdrawn constant boolean := private.is_withdrawn(verification, before);
begin
  update private.profiles set
    id_verified = approved,
    background_checked = coalesce(approved and verification.background_check_status = 'verified', false),
    insured = coalesce(approved and private.is_insured(verification), false),
    verified_by_admin = verified_by_admin and not withdrawn,
    verified_at = case when not withdrawn then verified_at end,
    verified_by = case when not withdrawn then verified_by end
  where id = coalesce(verification.user_id, before.user_id);
end $$;

-- Schedules private.end_insurance for the day after the last one of the insurance.
create function private.schedule_insurance_end(verification public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick((verification.insurance_expiry_date + 1)::timestamp at time zone private.time_zone());
end $$;

-- Notifies the person and the admins of a submission, and the person of a decision. A decision marks the notice of the submission
-- as read.
create function private.notify_verification(verification public.verifications, before public.verifications) returns void
language plpgsql set search_path = '' as $$
declare
  person constant uuid := verification.user_id;
begin
  if verification.verification_status = 'pending' and coalesce(before.verification_status not in ('pending', 'verified'), true) then
    perform private.notify_person(person, 'verification_submitted', '{}', '/dashboard');
    perform private.notify_admins('verification_waiting', jsonb_build_object('person', private.full_name(person)),
      '/admin/verify-users?tab=waiting');
  elsif before.verification_status <> verification.verification_status then
    update public.notifications set read = true where user_id = person and not read and key = 'verification_submitted';
    if verification.verification_status = 'verified' then
      perform private.notify_person(person, 'verification_approved', '{}', '/dashboard');
    elsif private.is_withdrawn(verification, before) then
      perform private.notify_person(person, 'verification_withdrawn',
        jsonb_build_object('reason', verification.refusal_reason), '/verification');
    elsif verification.verification_status = 'rejected' then
      perform private.notify_person(person, 'verification_refused',
        jsonb_build_object('reason', verification.refusal_reason), '/verification');
    end if;
  end if;
end $$;

-- Makes an approved verification pending again; false if there is none. The caller holds the profile, and a decision in progress
-- holds this row and will need the profile. So a locked row raises an error at once instead of waiting.
create function private.reopen_verification(person uuid) returns boolean
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
create function private.apply_admin_badge(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  if profile.verified_by_admin then
    if not before.id_verified then
      perform private.notify_person(profile.id, 'verification_approved', '{}', '/dashboard');
    end if;
  else
    perform private.reopen_verification(profile.id);
    perform private.notify_person(profile.id, 'badge_removed', '{}', '/profile');
  end if;
end $$;

-- Makes an approved verification pending again. A pending one gets a new updated_at: decisions name the updated_at that the
-- admin read, so none is made about a name that changed in the meantime.
create function private.review_new_name(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  names constant jsonb := jsonb_build_object('before', coalesce(before.full_name, ''), 'name', profile.full_name);
  queue text := '/admin/verify-users';
begin
  if private.reopen_verification(profile.id) then
    queue := queue || '?tab=waiting';
  end if;
  if not before.is_verified then
    update public.verifications set updated_at = now() where user_id = profile.id and verification_status = 'pending';
    return;
  end if;
  perform private.notify_admins('verified_name_changed', names, queue);
  perform private.notify_person(profile.id, 'name_under_review', names, '/profile');
end $$;

-- Notifies admins that a verified person changed the photo, once until they have read it. The badge belongs to the name and
-- stays.
create function private.notify_new_photo(profile private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  params constant jsonb := jsonb_build_object('person', private.full_name(profile.id), 'id', profile.id);
begin
  if not exists (select from public.notifications n join public.user_roles r on r.user_id = n.user_id and r.role = 'admin'
      where n.key = 'verified_photo_changed' and not n.read and n.params ->> 'id' = profile.id::text) then
    perform private.notify_admins('verified_photo_changed', params, '/profile/' || profile.id);
  end if;
end $$;

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
create function private.copy_skills_to_profile(verification public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  update private.profiles p set skills = p.skills || array(
    select entered.skill from unnest(verification.skills) with ordinality entered (skill, place)
    where lower(entered.skill) not in (select lower(held) from unnest(p.skills) held) order by entered.place)
  where p.id = verification.user_id and exists (select from unnest(verification.skills) entered
    where lower(entered) not in (select lower(held) from unnest(p.skills) held));
end $$;

grant execute on function
  private.check_verification_admin(public.verifications, public.verifications),
  private.check_verification_decision(public.verifications),
  private.stamp_verification(public.verifications, public.verifications)
to authenticated, service_role;
