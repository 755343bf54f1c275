-- Named steps for the triggers of verifications, which the next migration merges.
set check_function_bodies = off;

create function private.after_verification_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_verification(new, old);
  perform private.apply_verification(new, old);
  if new.has_insurance then
    perform private.schedule_insurance_end(new);
  end if;
  perform private.notify_verification(new, old);
  if new.verification_status = 'pending' and (tg_op = 'INSERT' or old.verification_status = 'rejected')
    and cardinality(new.skills) > 0
  then
    perform private.share_skills(new);
  end if;
  return null;
end $$;

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

create function private.before_verification_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and tg_op = 'INSERT' then
    perform private.check_submission(new);
    new := private.stamp_submission(new);
  elsif private.is_client() and new.user_id = auth.uid() then
    perform private.check_resubmission(new, old);
    new := private.stamp_submission(new);
  elsif private.is_client() and new.user_id is distinct from auth.uid() then
    perform private.check_verification_admin(new, old);
    if new.verification_status is distinct from old.verification_status then
      new := private.check_verification_decision(new);
    end if;
  end if;
  perform private.require(new.verification_status <> 'verified' or new.id_verified,
    'verification.confirmation_required', 'id_verified');
  if tg_op = 'UPDATE' then
    new := private.stamp_verification(new, old);
  end if;
  perform private.require(new.terms_accepted, 'verification.terms_required', 'terms_accepted');
  perform private.require(new.privacy_accepted, 'verification.privacy_required', 'privacy_accepted');
  new := private.tidy_verification(new);
  perform private.require(private.visible_length(new.legal_name) >= private.rule('limits.name.min'),
    'verification.legal_name_required', 'legal_name');
  perform private.require(length(new.legal_name) <= private.rule('limits.name.max'),
    'verification.legal_name_too_long', 'legal_name');
  perform private.require(new.date_of_birth is not null, 'verification.birth_date_required', 'date_of_birth');
  perform private.require(private.is_of_age(new.date_of_birth), 'verification.too_young', 'date_of_birth');
  perform private.require(new.background_check_consent is not null,
    'verification.background_check_invalid', 'background_check_consent');
  perform private.require(new.has_insurance is not null, 'verification.insurance_invalid', 'has_insurance');
  perform private.require(new.sin_provided is not null, 'verification.sin_invalid', 'sin_provided');
  perform private.require(new.id_type in ('driver_license', 'passport', 'health_card'),
    'verification.id_type_required', 'id_type');
  perform private.require(coalesce(length(new.insurance_provider), 0) <= private.rule('limits.insuranceProvider.max')
    and coalesce(length(new.insurance_policy_number), 0) <= private.rule('limits.insurancePolicyNumber.max'),
    'verification.insurance_details_too_long', 'insurance_provider');
  perform private.require(
    coalesce(greatest(cardinality(new.skills), cardinality(new.certifications)), 0) <= private.rule('limits.verificationSkills.count')
    and coalesce(private.longest(new.skills || new.certifications), 0) <= private.rule('limits.verificationSkills.length'),
    'verification.skills_too_many', 'skills');
  new := private.confirm_age(new);
  return new;
end $$;

create function private.check_resubmission(verification public.verifications, before public.verifications) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(before.verification_status = 'rejected' or not private.is_admin(),
    'admin.own_case', '{"matter": "on your own verification"}');
  perform private.require(before.verification_status = 'rejected',
    'verification.already_submitted', 'user_id');
  perform private.allow(verification.id = before.id and verification.created_at = before.created_at,
    'verification.identity_fixed');
end $$;

create function private.check_submission(verification public.verifications) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(private.has_role('task_doer'), 'verification.only_taskers');
  perform private.require(not exists (select from public.verifications where user_id = verification.user_id),
    'verification.already_submitted', 'user_id');
  perform private.allow(verification.verification_status = 'pending', 'verification.not_pending');
end $$;

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

create function private.confirm_age(verification public.verifications) returns public.verifications
language plpgsql immutable set search_path = '' as $$
begin
  verification.age_verified := true;
  return verification;
end $$;

create function private.count_verification(verification public.verifications, before public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  if (before.decided_at, before.terms_accepted_at)
    is not distinct from (verification.decided_at, verification.terms_accepted_at)
  then
    return;
  end if;
  insert into private.figure_changes (happened_at, kind, hours, amount)
  select c.decided_at, 'verifications', c.hours, c.amount
  from (values (before.decided_at, private.hours_to_decide(before), -1),
    (verification.decided_at, private.hours_to_decide(verification), 1)) c (decided_at, hours, amount)
  where c.hours is not null;
end $$;

create function private.is_of_age(born date) returns boolean
language sql stable set search_path = '' as $$
  select born > date '1900-01-01'
    and born <= (now() at time zone 'America/Regina')::date - make_interval(years => private.rule('limits.minimumAge'))
$$;

create function private.is_withdrawn(verification public.verifications, before public.verifications) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(before.verification_status = 'verified' and verification.verification_status = 'rejected', false)
$$;

create function private.limit_submissions() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.user_id = auth.uid() then
    perform private.limit_client('verifications_submitted');
  end if;
  return null;
end $$;

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

create function private.schedule_insurance_end(verification public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick((verification.insurance_expiry_date + 1)::timestamp at time zone 'America/Regina');
end $$;

create function private.share_skills(verification public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  update private.profiles p set skills = p.skills || array(
    select entered.skill from unnest(verification.skills) with ordinality entered (skill, place)
    where lower(entered.skill) not in (select lower(held) from unnest(p.skills) held) order by entered.place)
  where p.id = verification.user_id and exists (select from unnest(verification.skills) entered
    where lower(entered) not in (select lower(held) from unnest(p.skills) held));
end $$;

create function private.stamp_submission(verification public.verifications) returns public.verifications
language plpgsql stable set search_path = '' as $$
begin
  verification.updated_at := now();
  verification.verification_status := 'pending';
  verification.id_verified := false;
  verification.background_check_status := 'pending';
  verification.refusal_reason := null;
  verification.decided_at := null;
  verification.decided_by := null;
  verification.terms_accepted_at := now();
  verification.privacy_accepted_at := now();
  return verification;
end $$;

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

create function private.tidy_verification(verification public.verifications) returns public.verifications
language plpgsql immutable set search_path = '' as $$
begin
  verification.legal_name := private.trimmed(verification.legal_name);
  verification.insurance_provider :=
    case when verification.has_insurance then nullif(private.trimmed(verification.insurance_provider), '') end;
  verification.insurance_policy_number :=
    case when verification.has_insurance then nullif(private.trimmed(verification.insurance_policy_number), '') end;
  verification.insurance_expiry_date := case when verification.has_insurance then verification.insurance_expiry_date end;
  verification.skills := private.distinct_words(verification.skills);
  verification.certifications := private.distinct_words(verification.certifications);
  return verification;
end $$;
