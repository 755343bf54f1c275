-- Rules for changing a profile, and what follows a change: what the person can change, what an admin can change, and what the
-- database sets itself.

-- Before a profile changes. Most updates change only counts, roles or times, which have few rules.
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

create trigger before_profile_update before update on private.profiles
for each row execute function private.before_profile_update();

-- After a profile is created, changed or deleted.
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

create trigger after_profile_change after insert or update or delete on private.profiles
for each row execute function private.after_profile_change();

-- Lets only another admin change the direct verification of a profile, not while a submitted ID awaits a decision; sets time
-- and admin.
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

-- Lets only the person change their profile, and an admin only its verification; sets updated_at and last_active. Generated
-- columns are null before the row is written.
create function private.check_profile_owner(profile private.profiles, before private.profiles) returns private.profiles
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

-- Stores a new name with single spaces and applies the rules for names (private.require_name).
create function private.check_profile_name(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.full_name := private.tidy_name(profile.full_name);
  if profile.deleted_at is null then
    perform private.require_name(profile.full_name);
  end if;
  return profile;
end $$;

-- Removes the badge from a new name until an admin has looked again, because it belongs to the verified name.
create function private.remove_badge(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.id_verified := false;
  profile.background_checked := false;
  profile.insured := false;
  profile.verified_by_admin := false;
  profile.verified_at := null;
  profile.verified_by := null;
  return profile;
end $$;

-- Records the verified name; clears it when the account is deleted.
create function private.sync_verified_name(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.verified_name := case when profile.deleted_at is null then profile.full_name end;
  return profile;
end $$;

-- Whether a detail that the person enters, other than the name, changes.
create function private.has_new_details(profile private.profiles, before private.profiles) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return (profile.phone, profile.city, profile.bio, profile.avatar_url, profile.experience_years, profile.hourly_rate,
      profile.availability_status, profile.language, profile.skills, profile.preferred_categories)
    is distinct from (before.phone, before.city, before.bio, before.avatar_url, before.experience_years, before.hourly_rate,
      before.availability_status, before.language, before.skills, before.preferred_categories);
end $$;

-- Trims phone, city, bio and photo address; empty ones become null.
create function private.tidy_profile(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.phone := nullif(private.trimmed(profile.phone), '');
  profile.city := nullif(private.trimmed(profile.city), '');
  profile.bio := nullif(private.trimmed(profile.bio), '');
  profile.avatar_url := nullif(private.trimmed(profile.avatar_url), '');
  return profile;
end $$;

-- Whether a profile can refer to this photo: a web address or a path, not too long; null for none.
create function private.is_avatar_address(address text) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(address ~* '^(https?://|/)[^\s]+$' and length(address) <= private.rule('limits.avatarAddress.max'), true)
$$;

-- Refuses an address in our storage that is not an existing photo of this person.
create function private.check_profile_photo(profile private.profiles) returns void
language plpgsql stable set search_path = '' as $$
begin
  if profile.avatar_url ~* '/storage/v1/|[%\\]|/\.\.?/' and private.is_own_profile_photo(profile.id, profile.avatar_url) is not true then
    perform private.fail('photo.not_found', 'avatar_url');
  end if;
end $$;

-- Removes duplicates and limits number and length of the skills.
create function private.check_profile_skills(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.skills := private.distinct_words(profile.skills);
  perform private.require(cardinality(profile.skills) <= private.rule('limits.skills.count')
    and private.longest_word(profile.skills) <= private.rule('limits.skills.length'),
    'profile.skills_too_many', 'skills');
  return profile;
end $$;

-- Removes duplicates and refuses unknown categories.
create function private.check_preferred_categories(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.preferred_categories := private.distinct_words(profile.preferred_categories);
  perform private.require(profile.preferred_categories <@ private.categories(), 'profile.category_unknown', 'preferred_categories');
  return profile;
end $$;

-- Rounds to cents.
create function private.round_hourly_rate(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.hourly_rate := round(profile.hourly_rate, 2);
  return profile;
end $$;

-- Copies the language to the metadata of the account, where the templates of sign-in e-mails (supabase/templates) read it.
create function private.copy_language_to_account(profile private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  update auth.users u
  set raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('language', profile.language)
  where u.id = profile.id and u.raw_user_meta_data ->> 'language' is distinct from profile.language;
end $$;

grant execute on function
  private.check_badge_decision(private.profiles, private.profiles), private.check_profile_owner(private.profiles, private.profiles),
  private.check_profile_name(private.profiles), private.remove_badge(private.profiles),
  private.sync_verified_name(private.profiles), private.has_new_details(private.profiles, private.profiles),
  private.tidy_profile(private.profiles), private.is_avatar_address(text),
  private.check_profile_photo(private.profiles), private.check_profile_skills(private.profiles),
  private.check_preferred_categories(private.profiles), private.round_hourly_rate(private.profiles)
to authenticated, service_role;
