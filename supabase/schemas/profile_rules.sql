-- Rules for changing a profile: what the person can change, what an admin can change, and what the database sets itself. One
-- trigger for each rule; triggers run in the order of the numbers in their names.

-- Lets only another admin change the direct verification of a profile, not while a submitted ID awaits a decision; sets time
-- and admin.
create function private.check_badge_decision() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "change the verification of a profile"}');
  perform private.allow(new.id <> auth.uid(), 'admin.own_case', '{"matter": "on your own verification"}');
  perform private.require(not new.verified_by_admin or old.verified_by_admin or not exists (
      select from public.verifications v where v.user_id = new.id and v.verification_status <> 'verified'),
    'profile.id_handed_in', 'verified_by_admin');
  new.verified_at := case when new.verified_by_admin then
    case when old.verified_by_admin then old.verified_at else now() end end;
  new.verified_by := case when new.verified_by_admin then
    case when old.verified_by_admin then old.verified_by else auth.uid() end end;
  return new;
end $$;

create trigger "20_badge_decision" before update on private.profiles for each row
when (private.is_client() and (new.verified_by_admin, new.verification_notes, new.verified_at, new.verified_by)
  is distinct from (old.verified_by_admin, old.verification_notes, old.verified_at, old.verified_by))
execute function private.check_badge_decision();

-- Lets only the person change their profile, and an admin only its verification; sets updated_at and last_active.
create function private.check_profile_owner() returns trigger
language plpgsql set search_path = '' as $$
declare
  admin_columns constant text[] := array['verified_by_admin', 'verification_notes', 'verified_at', 'verified_by',
    'updated_at', 'is_verified', 'verification_level'];
begin
  perform private.allow(new.id = auth.uid() or to_jsonb(new) - admin_columns = to_jsonb(old) - admin_columns,
    'profile.not_own');
  new.updated_at := now();
  if new.last_active is distinct from old.last_active then
    new.last_active := now();
  end if;
  return new;
end $$;

create trigger "21_owner" before update on private.profiles for each row
when (private.is_client())
execute function private.check_profile_owner();

-- Stores a new name with single spaces and applies the rules for names (private.require_name).
create function private.check_profile_name() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.full_name := private.written_name(new.full_name);
  if new.deleted_at is null then
    perform private.require_name(new.full_name);
  end if;
  return new;
end $$;

create trigger "40_name" before update on private.profiles for each row
when (new.full_name is distinct from old.full_name)
execute function private.check_profile_name();

-- Removes the badge from a new name until an admin has looked again, because it belongs to the verified name.
create function private.take_badge_back() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.id_verified := false;
  new.background_checked := false;
  new.insured := false;
  new.verified_by_admin := false;
  new.verified_at := null;
  new.verified_by := null;
  return new;
end $$;

create trigger "41_badge_of_name" before update on private.profiles for each row
when ((old.id_verified or old.verified_by_admin) and lower(new.full_name) is distinct from lower(old.full_name))
execute function private.take_badge_back();

-- Records the verified name; clears it when the account is deleted.
create function private.sync_verified_name() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.verified_name := case when new.deleted_at is null then new.full_name end;
  return new;
end $$;

create trigger "42_verified_name" before update on private.profiles for each row
when (new.deleted_at is not null or new.id_verified or new.verified_by_admin)
execute function private.sync_verified_name();

-- Trims phone, city, bio and photo address; empty ones become null.
create function private.tidy_profile() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.phone := nullif(private.trimmed(new.phone), '');
  new.city := nullif(private.trimmed(new.city), '');
  new.bio := nullif(private.trimmed(new.bio), '');
  new.avatar_url := nullif(private.trimmed(new.avatar_url), '');
  return new;
end $$;

create trigger "43_tidy" before update on private.profiles
for each row execute function private.tidy_profile();

-- Removes duplicates and limits number and length of the skills.
create function private.check_profile_skills() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.skills := private.distinct_words(new.skills);
  perform private.require(cardinality(new.skills) <= private.rule('limits.skills.count')
    and private.longest(new.skills) <= private.rule('limits.skills.length'),
    'profile.skills_too_many', 'skills');
  return new;
end $$;

create trigger "53_skills" before update on private.profiles for each row
when (new.skills is distinct from old.skills)
execute function private.check_profile_skills();

-- Removes duplicates and refuses unknown categories.
create function private.check_preferred_categories() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.preferred_categories := private.distinct_words(new.preferred_categories);
  perform private.require(new.preferred_categories <@ private.categories(), 'profile.category_unknown', 'preferred_categories');
  return new;
end $$;

create trigger "54_preferred_categories" before update on private.profiles for each row
when (new.preferred_categories is distinct from old.preferred_categories)
execute function private.check_preferred_categories();

-- Rounds to cents.
create function private.round_hourly_rate() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.hourly_rate := round(new.hourly_rate, 2);
  return new;
end $$;

create trigger "90_rate_cents" before update on private.profiles for each row
when (new.hourly_rate is distinct from old.hourly_rate)
execute function private.round_hourly_rate();

-- Copies the language to the metadata of the account, where the templates of sign-in e-mails (supabase/templates) read it.
create function private.carry_language_to_account() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update auth.users u
  set raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('language', new.language)
  where u.id = new.id and u.raw_user_meta_data ->> 'language' is distinct from new.language;
  return null;
end $$;

create trigger "80_language_to_account" after update of language on private.profiles for each row
when (new.language is distinct from old.language)
execute function private.carry_language_to_account();

-- Refuses an address in our storage that is not an existing photo of this person.
create function private.check_profile_photo() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.avatar_url is distinct from old.avatar_url and new.avatar_url ~* '/storage/v1/|[%\\]|/\.\.?/'
    and private.is_own_profile_photo(new.id, new.avatar_url) is not true
  then
    perform private.fail('photo.not_found', 'avatar_url');
  end if;
  return new;
end $$;

create trigger "47_photo_file" before update on private.profiles
for each row execute function private.check_profile_photo();
