-- Named steps for the triggers of profiles, which a later migration merges.
set check_function_bodies = off;

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

create function private.apply_admin_badge(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  if profile.verified_by_admin then
    if not before.id_verified then
      perform private.notify_person(profile.id, 'verification_approved', '{}', '/dashboard');
    end if;
  else
    perform private.review_again(profile.id);
    perform private.notify_person(profile.id, 'badge_removed', '{}', '/profile');
  end if;
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

create function private.change_profile_photo(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  shown constant text := private.profile_photo(profile.avatar_url);
  previous constant text := private.profile_photo(before.avatar_url);
begin
  if shown is not null then
    insert into private.shown_pictures (bucket_id, name) values ('profile-photos', shown) on conflict do nothing;
  end if;
  perform private.drop_files('profile-photos', array(
    select o.name from storage.objects o
    where o.bucket_id = 'profile-photos' and o.name like profile.id || '%' and o.name is distinct from shown
      and (o.name = previous or o.created_at < now() - interval '1 hour')));
end $$;

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
  profile.full_name := private.written_name(profile.full_name);
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
    and private.longest(profile.skills) <= private.rule('limits.skills.length'),
    'profile.skills_too_many', 'skills');
  return profile;
end $$;

create function private.copy_language_to_account(profile private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  update auth.users u
  set raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('language', profile.language)
  where u.id = profile.id and u.raw_user_meta_data ->> 'language' is distinct from profile.language;
end $$;

create function private.count_sign_up(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.figure_changes (happened_at, kind, amount)
  select c.moment, 'sign_ups', c.amount from (values (case when before.deleted_at is null then before.created_at end, -1),
    (case when profile.deleted_at is null then profile.created_at end, 1)) c (moment, amount)
  where c.moment is not null;
end $$;

create or replace function private.create_profile() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  meta jsonb := coalesce(new.raw_user_meta_data, '{}');
  -- What a provider says of a person is not the form's, whatever it is called there.
  filled_form boolean := coalesce(new.encrypted_password, '') <> ''
    or (meta ? 'role' and coalesce(new.raw_app_meta_data ->> 'provider', 'email') in ('email', 'phone'));
  person_name text := coalesce(meta ->> 'full_name', meta ->> 'name');
  person_phone text := coalesce(nullif(private.trimmed(meta ->> 'phone'), ''), nullif(new.phone, ''));
  wanted text := meta ->> 'role';
begin
  if filled_form then
    person_name := private.written_name(person_name);
    perform private.require_name(person_name);
    perform private.require(wanted in ('task_giver', 'task_doer'), 'account.role_invalid', 'role');
  else
    person_name := private.provided_name(person_name);
    wanted := 'task_doer';
  end if;
  perform private.require(length(coalesce(new.email, '')) <= private.rule('limits.email.max'), 'account.email_too_long', 'email');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'profile.phone_invalid', 'phone');

  insert into private.profiles (id, full_name, email, phone, language) values (new.id, person_name, new.email, person_phone,
    case when meta ->> 'language' = any (private.languages()) then meta ->> 'language' else 'en' end);
  insert into public.user_roles (user_id, role) values (new.id, wanted::public.app_role);
  if not filled_form then
    insert into private.unfinished_accounts values (new.id);
  end if;
  return new;
end $$;

create function private.delete_customer(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.payment_customers where user_id = person;
end $$;

create function private.erase_emails(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.email_events where person_id = person;
  delete from private.emails where person_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from private.mail_events where person_id = person;
  delete from private.suppressed_addresses where id = person;
  delete from public.notification_preferences where user_id = person;
end $$;

create function private.erase_push(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.push_subscriptions where user_id = person;
  delete from public.quiet_hours where user_id = person;
end $$;

create function private.erase_receipt_names(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.receipts set person_name = null, card_brand = null, card_last4 = null
  where person_id = person and (person_name is not null or card_last4 is not null);
  update public.receipts r set other_name = null from public.payments p
  where p.id = r.payment_id and person in (p.payer_id, p.payee_id) and r.person_id <> person and r.other_name is not null;
end $$;

create function private.has_new_details(profile private.profiles, before private.profiles) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return (profile.phone, profile.city, profile.bio, profile.avatar_url, profile.experience_years, profile.hourly_rate,
      profile.availability_status, profile.language, profile.skills, profile.preferred_categories)
    is distinct from (before.phone, before.city, before.bio, before.avatar_url, before.experience_years, before.hourly_rate,
      before.availability_status, before.language, before.skills, before.preferred_categories);
end $$;

create function private.is_avatar_address(address text) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(address ~* '^(https?://|/)[^\s]+$' and length(address) <= private.rule('limits.avatarAddress.max'), true)
$$;

create or replace function private.limit_profile() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.id = auth.uid() and to_jsonb(new) - '{last_active,updated_at}'::text[]
    <> to_jsonb(old) - '{last_active,updated_at}'::text[]
  then
    perform private.count_activity('profile_changes');
  end if;
  return null;
end $$;

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

create function private.queue_file_moves() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.enqueue_function('run-scheduled', '{}', 'remove-files');
end $$;
