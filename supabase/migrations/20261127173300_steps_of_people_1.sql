-- Named steps of what happens before and after a change of profiles, verifications and accounts (1 of 3).
set check_function_bodies = off;

create function private.after_account_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.create_profile(new);
  elsif tg_op = 'DELETE' then
    perform private.erase_exports(old.id);
    perform private.erase_photos(old.id);
    perform private.erase_shown_pictures(old.id);
  elsif old.email is distinct from new.email then
    perform private.sync_profile_email(new);
  end if;
  return null;
end $$;

create function private.after_profile_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.language is distinct from old.language then
    perform private.copy_language_to_account(new);
  end if;
  if (new.created_at, new.deleted_at) is distinct from (old.created_at, old.deleted_at) then
    perform private.count_sign_up(new, old);
  end if;
  if tg_op = 'UPDATE' then
    if new.avatar_url is distinct from old.avatar_url then
      perform private.change_profile_photo(new, old);
    end if;
    if old.deleted_at is null and new.deleted_at is not null then
      perform private.erase_emails(new.id);
      perform private.erase_push(new.id);
    end if;
    -- A change of the name or of an approval also resets verified_by_admin, and has its own notifications.
    if new.verified_by_admin <> old.verified_by_admin and new.id_verified = old.id_verified
      and new.full_name is not distinct from old.full_name
    then
      perform private.apply_admin_badge(new, old);
    end if;
    if new.deleted_at is null and lower(new.full_name) is distinct from lower(old.full_name) then
      perform private.review_new_name(new, old);
    end if;
    if new.avatar_url is distinct from old.avatar_url and new.is_verified and new.avatar_url is not null then
      perform private.notify_new_photo(new);
    end if;
    if old.deleted_at is null and new.deleted_at is not null then
      perform private.delete_customer(new.id);
      perform private.erase_receipt_names(new.id);
      perform private.withdraw_review_requests(new.id);
    end if;
    if new.avatar_url is not null and (new.hidden_for is distinct from old.hidden_for
      or new.hidden_for = 'report' and new.avatar_url is distinct from old.avatar_url)
    then
      perform private.queue_file_moves();
    end if;
    if (new.is_verified, new.verified_by_admin, new.background_checked, new.insured)
      is distinct from (old.is_verified, old.verified_by_admin, old.background_checked, old.insured)
    then
      perform private.recount_person(new.id);
    end if;
  end if;
  return null;
end $$;

create function private.after_user_role_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.sync_profile_role(coalesce(new.user_id, old.user_id));
  return null;
end $$;

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
    perform private.copy_skills_to_profile(new);
  end if;
  return null;
end $$;

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

create function private.before_account_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.delete_favourites(old.id);
  perform private.end_requests(old.id);
  perform private.erase_person(old.id);
  return old;
end $$;

create function private.before_data_export_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('exports_requested');
  return new;
end $$;

create function private.before_profile_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and (new.verified_by_admin, new.verification_notes, new.verified_at, new.verified_by)
    is distinct from (old.verified_by_admin, old.verification_notes, old.verified_at, old.verified_by)
  then
    new := private.check_badge_decision(new, old);
  end if;
  if new.deleted_at is null and new.id = auth.uid() then
    perform private.refuse_suspended_profile(new, old);
  end if;
  if private.is_client() then
    new := private.check_profile_owner(new, old);
  end if;
  if new.full_name is distinct from old.full_name then
    new := private.check_profile_name(new);
    if (old.id_verified or old.verified_by_admin) and lower(new.full_name) is distinct from lower(old.full_name) then
      new := private.remove_badge(new);
    end if;
  end if;
  if new.deleted_at is not null or new.id_verified or new.verified_by_admin then
    new := private.sync_verified_name(new);
  end if;
  if private.has_new_details(new, old) then
    new := private.tidy_profile(new);
    perform private.require(coalesce(length(new.phone), 0) <= private.rule('limits.phone.max'), 'profile.phone_too_long', 'phone');
    perform private.require(coalesce(length(new.city), 0) <= private.rule('limits.city.max'), 'profile.city_too_long', 'city');
    perform private.require(coalesce(length(new.bio), 0) <= private.rule('limits.bio.max'), 'profile.bio_too_long', 'bio');
    if new.avatar_url is distinct from old.avatar_url then
      perform private.require(private.is_avatar_address(new.avatar_url), 'profile.avatar_invalid', 'avatar_url');
      if private.is_client() then
        perform private.check_profile_photo(new);
      end if;
    end if;
    perform private.require(coalesce(new.experience_years, 0) between 0 and private.rule('limits.experienceYears.max'),
      'profile.experience_invalid', 'experience_years');
    perform private.require(coalesce(new.hourly_rate, 0) >= 0, 'profile.hourly_rate_too_low', 'hourly_rate');
    perform private.require(coalesce(new.hourly_rate, 0) <= private.rule('limits.hourlyRate.max'),
      'profile.hourly_rate_too_high', 'hourly_rate');
    perform private.require(new.availability_status is not null, 'profile.availability_invalid', 'availability_status');
    perform private.require(new.language = any (private.languages()), 'profile.language_unknown', 'language');
    if new.skills is distinct from old.skills then
      new := private.check_profile_skills(new);
    end if;
    if new.preferred_categories is distinct from old.preferred_categories then
      new := private.check_preferred_categories(new);
    end if;
    if new.hourly_rate is distinct from old.hourly_rate then
      new := private.round_hourly_rate(new);
    end if;
  end if;
  return new;
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
    and coalesce(private.longest_word(new.skills || new.certifications), 0) <= private.rule('limits.verificationSkills.length'),
    'verification.skills_too_many', 'skills');
  new := private.confirm_age(new);
  return new;
end $$;

create function private.can_read_everyone() returns boolean
language sql stable set search_path = '' as $$
  select coalesce(auth.role(), '') not in ('anon', 'authenticated') or private.reader() is not null and private.is_admin()
$$;

create function private.can_see_person(person uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select private.can_read_everyone() or coalesce(person = private.reader(), false)
    or exists (select from public.bookings b where b.task_giver_id = person and b.task_doer_id = private.reader())
    or exists (select from public.bookings b where b.task_doer_id = person and b.task_giver_id = private.reader())
$$;

create function private.check_badge_decision(profile private.profiles, before private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "change the verification of a profile"}');
  perform private.allow(profile.id <> auth.uid(), 'admin.own_case', '{"matter": "on your own verification"}');
  perform private.require(not profile.verified_by_admin or before.verified_by_admin or not exists (
      select from public.verifications v where v.user_id = profile.id and v.verification_status <> 'verified'),
    'profile.id_handed_in', 'verified_by_admin');
  profile.verified_at := case when profile.verified_by_admin then
    case when before.verified_by_admin then before.verified_at else now() end end;
  profile.verified_by := case when profile.verified_by_admin then
    case when before.verified_by_admin then before.verified_by else auth.uid() end end;
  return profile;
end $$;

create function private.check_preferred_categories(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.preferred_categories := private.distinct_words(profile.preferred_categories);
  perform private.require(profile.preferred_categories <@ private.categories(), 'profile.category_unknown', 'preferred_categories');
  return profile;
end $$;

create function private.check_profile_name(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.full_name := private.tidy_name(profile.full_name);
  if profile.deleted_at is null then
    perform private.require_name(profile.full_name);
  end if;
  return profile;
end $$;

create function private.check_profile_owner(profile private.profiles, before private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
declare
  admin_columns constant text[] := array['verified_by_admin', 'verification_notes', 'verified_at', 'verified_by',
    'updated_at', 'is_verified', 'verification_level'];
begin
  perform private.allow(profile.id = auth.uid() or to_jsonb(profile) - admin_columns = to_jsonb(before) - admin_columns,
    'profile.not_own');
  profile.updated_at := now();
  if profile.last_active is distinct from before.last_active then
    profile.last_active := now();
  end if;
  return profile;
end $$;

create function private.check_profile_photo(profile private.profiles) returns void
language plpgsql stable set search_path = '' as $$
begin
  if profile.avatar_url ~* '/storage/v1/|[%\\]|/\.\.?/' and private.is_own_profile_photo(profile.id, profile.avatar_url) is not true then
    perform private.fail('photo.not_found', 'avatar_url');
  end if;
end $$;

create function private.check_profile_skills(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.skills := private.distinct_words(profile.skills);
  perform private.require(cardinality(profile.skills) <= private.rule('limits.skills.count')
    and private.longest_word(profile.skills) <= private.rule('limits.skills.length'),
    'profile.skills_too_many', 'skills');
  return profile;
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
