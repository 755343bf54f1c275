-- Codes of errors, 3: the rules of text rules to verifications.
set check_function_bodies = off;

create or replace function private.require_name(name text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  perform private.require(private.visible_length(name) >= private.rule('limits.name.min'),
    'profile.name_too_short', 'full_name');
  perform private.require(length(name) <= private.rule('limits.name.max'), 'profile.name_too_long', 'full_name');
  perform private.require(name !~ private.forged_badge(),
    'profile.name_check_mark', 'full_name');
  perform private.require(not private.has_hidden_characters(name),
    'profile.name_hidden_characters', 'full_name');
  perform private.require(not private.has_address(name),
    'profile.name_address', 'full_name');
  perform private.require(not private.speaks_officially(name, true),
    'profile.name_official', 'full_name');
end $$;

drop trigger "44_phone" on private.profiles;
create trigger "44_phone" before update on private.profiles for each row
when (length(new.phone) > private.rule('limits.phone.max'))
execute function private.reject('profile.phone_too_long', 'phone');

drop trigger "45_city" on private.profiles;
create trigger "45_city" before update on private.profiles for each row
when (length(new.city) > private.rule('limits.city.max'))
execute function private.reject('profile.city_too_long', 'city');

drop trigger "46_bio" on private.profiles;
create trigger "46_bio" before update on private.profiles for each row
when (length(new.bio) > private.rule('limits.bio.max'))
execute function private.reject('profile.bio_too_long', 'bio');

drop trigger "47_avatar" on private.profiles;
create trigger "47_avatar" before update on private.profiles for each row
when (new.avatar_url !~* '^(https?://|/)[^\s]+$' or length(new.avatar_url) > private.rule('limits.avatarAddress.max'))
execute function private.reject('profile.avatar_invalid', 'avatar_url');

drop trigger "48_experience" on private.profiles;
create trigger "48_experience" before update on private.profiles for each row
when (new.experience_years < 0 or new.experience_years > private.rule('limits.experienceYears.max'))
execute function private.reject('profile.experience_invalid', 'experience_years');

drop trigger "49_rate_min" on private.profiles;
create trigger "49_rate_min" before update on private.profiles for each row
when (new.hourly_rate < 0)
execute function private.reject('profile.hourly_rate_too_low', 'hourly_rate');

drop trigger "50_rate_max" on private.profiles;
create trigger "50_rate_max" before update on private.profiles for each row
when (new.hourly_rate > private.rule('limits.hourlyRate.max'))
execute function private.reject('profile.hourly_rate_too_high', 'hourly_rate');

drop trigger "51_availability" on private.profiles;
create trigger "51_availability" before update on private.profiles for each row
when (new.availability_status is null)
execute function private.reject('profile.availability_invalid', 'availability_status');

drop trigger "52_language" on private.profiles;
create trigger "52_language" before update on private.profiles for each row
when ((new.language = any (private.languages())) is not true)
execute function private.reject('profile.language_unknown', 'language');

create or replace function private.check_badge_decision() returns trigger
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

create or replace function private.check_preferred_categories() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.preferred_categories := private.distinct_words(new.preferred_categories);
  perform private.require(new.preferred_categories <@ private.categories(), 'profile.category_unknown', 'preferred_categories');
  return new;
end $$;

create or replace function private.check_profile_owner() returns trigger
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

create or replace function private.check_profile_photo() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.avatar_url is distinct from old.avatar_url and new.avatar_url ~* '/storage/v1/|[%\\]|/\.\.?/'
    and private.is_own_profile_photo(new.id, new.avatar_url) is not true
  then
    perform private.fail('photo.not_found', 'avatar_url');
  end if;
  return new;
end $$;

create or replace function private.check_profile_skills() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.skills := private.distinct_words(new.skills);
  perform private.require(cardinality(new.skills) <= private.rule('limits.skills.count')
    and private.longest(new.skills) <= private.rule('limits.skills.length'),
    'profile.skills_too_many', 'skills');
  return new;
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

  insert into public.profiles (id, full_name, email, phone) values (new.id, person_name, new.email, person_phone);
  insert into public.user_roles (user_id, role) values (new.id, wanted::public.app_role);
  if not filled_form then
    insert into private.unfinished_accounts values (new.id);
  end if;
  return new;
end $$;

create or replace function public.add_role(role public.app_role) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
begin
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.allow(found, 'account.not_authenticated');
  perform private.require(coalesce(add_role.role in ('task_giver', 'task_doer'), false),
    'account.role_invalid', 'role');
  if not private.has_role(add_role.role) then
    perform private.allow(not private.is_suspended(person),
      'account.suspended_for_roles');
    perform private.require(not exists (select from private.unfinished_accounts where person_id = person),
      'account.not_finished', 'role');
    insert into public.user_roles (user_id, role) values (person, add_role.role);
  end if;
  perform public.switch_role(add_role.role);
end $$;

create or replace function public.finish_account(full_name text, phone text, role text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  person_name constant text := private.written_name(full_name);
  person_phone constant text := nullif(private.trimmed(phone), '');
begin
  perform private.allow(person is not null, 'account.not_authenticated');
  perform private.require_name(person_name);
  perform private.require(coalesce(finish_account.role in ('task_giver', 'task_doer'), false),
    'account.role_invalid', 'role');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'profile.phone_invalid', 'phone');
  delete from private.unfinished_accounts where person_id = person;
  perform private.require(found, 'account.already_finished', 'role');

  update public.profiles p set full_name = person_name, phone = person_phone where p.id = person;
  update public.user_roles r set role = finish_account.role::public.app_role
  where r.user_id = person and r.role in ('task_giver', 'task_doer');
end $$;

create or replace function public.set_roles(person uuid, roles public.app_role[]) returns void
language plpgsql security definer set search_path = '' as $$
declare
  wanted constant public.app_role[] := array(select distinct w from unnest(roles) w where w is not null order by w);
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "change roles"}');
  perform private.require(cardinality(wanted) > 0, 'account.role_required', 'role');
  perform pg_advisory_xact_lock(hashtextextended('admins', 0));
  perform from private.profiles where id = person and deleted_at is null for no key update;
  perform private.require(found, 'account.not_found', 'person');
  perform private.require(not 'admin' = any (wanted) or not private.is_suspended(person),
    'suspension.cannot_become_admin', 'role');
  perform private.require('admin' = any (wanted)
    or exists (select from public.user_roles r where r.role = 'admin' and r.user_id <> person),
    'account.last_admin', 'role');
  if array(select r.role from public.user_roles r where r.user_id = person order by r.role) = wanted then
    return;
  end if;
  delete from public.user_roles r where r.user_id = person and r.role <> all (wanted);
  insert into public.user_roles (user_id, role) select person, w from unnest(wanted) w
  on conflict on constraint user_roles_user_id_role_key do nothing;
  perform private.notify_person(person, 'role_changed', jsonb_build_object('role', case wanted
    when '{task_giver}' then 'task giver' when '{task_doer}' then 'tasker' when '{task_giver,task_doer}' then 'tasker and task giver'
    when '{admin}' then 'administrator' when '{task_giver,admin}' then 'administrator and task giver'
    when '{task_doer,admin}' then 'administrator and tasker' else 'administrator, tasker and task giver' end), '/dashboard');
end $$;

create or replace function public.switch_role(role public.app_role) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
begin
  perform private.allow(coalesce(private.has_role(switch_role.role), false), 'account.role_missing');
  perform from private.profiles where id = person for no key update;
  update public.user_roles r set active = false where r.user_id = person and r.active and r.role <> switch_role.role;
  update public.user_roles r set active = true where r.user_id = person and not r.active and r.role = switch_role.role;
end $$;

create or replace function private.check_at_once(wanted text, present bigint) returns void
language plpgsql security definer set search_path = '' as $$
declare
  limits private.activity_limits;
begin
  select * into limits from private.activity_limits where action = wanted;
  if present < least(limits.at_once, limits.new_at_once) or auth.uid() is null or private.is_admin() then
    return;
  end if;
  if private.is_new_account(auth.uid(), limits.new_for) then
    limits.at_once := least(limits.new_at_once, limits.at_once);
  end if;
  if present >= limits.at_once then
    perform private.fail('activity.too_many_at_once', null, jsonb_build_object('limit', limits.at_once), 'PT429');
  end if;
end $$;

create or replace function private.refuse_activity(allowed integer, is_new boolean, free_at timestamptz, by_day boolean) returns void
language plpgsql set search_path = '' as $$
declare
  minutes constant integer := greatest(1, ceil(extract(epoch from free_at - clock_timestamp()) / 60));
begin
  perform private.fail(case when by_day and is_new then 'activity.new_account_daily_limit' when by_day then 'activity.daily_limit'
      when is_new then 'activity.new_account_hourly_limit' else 'activity.hourly_limit' end, null,
    jsonb_build_object('limit', allowed, 'again_at', to_char(free_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
      || case when by_day then jsonb_build_object('hours', ceil(minutes / 60.0)) else jsonb_build_object('minutes', minutes) end,
    'PT429');
end $$;

create or replace function public.find_failed_effects(given_up boolean default true, before_id bigint default null, max_results integer default 50)
returns table (id bigint, function_name text, payment_id uuid, person_id uuid, tries integer, error text, failed_at timestamptz,
  next_try_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through effects"}');
  return query execute concat_ws(' ',
    'select f.id, e.message ->> ''function'', (e.message #>> ''{body,payment_id}'')::uuid,',
    '(select p.id from private.profiles p where p.id = (e.message #>> ''{body,person}'')::uuid), e.read_ct, f.error, f.failed_at, e.vt',
    'from private.failed_effects f cross join lateral (',
    'select q.read_ct, q.message, q.vt from pgmq.q_effects q where q.msg_id = f.id',
    'union all select a.read_ct, a.message, null from pgmq.a_effects a where a.msg_id = f.id) e',
    'where f.given_up_at', case when coalesce(given_up, true) then 'is not null' else 'is null' end,
    case when before_id is not null then format('and f.id < %s', before_id) end,
    'order by f.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

create or replace function public.retry_effect(effect_id bigint) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "try effects again"}');
  delete from pgmq.a_effects a where a.msg_id = effect_id returning a.message into effect;
  if found then
    delete from private.failed_effects f where f.id = effect_id;
    perform private.enqueue_function(effect ->> 'function', effect -> 'body', effect ->> 'key');
  elsif exists (select from private.failed_effects f where f.id = effect_id) then
    perform pgmq.set_vt('effects', effect_id, 0);
    perform private.call_run_effects_once();
  end if;
end $$;

create or replace function private.check_preference() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(not private.is_required(new.kind) or (new.bell and new.email),
    'notification.required_kind', case when new.email then 'bell' else 'email' end);
  new.updated_at := now();
  return new;
end $$;

create or replace function public.notification_settings()
returns table (kind public.notification_kind, bell boolean, email boolean, push boolean, required boolean)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  return query select k.kind, private.wants_bell(auth.uid(), k.kind), private.wants_email(auth.uid(), k.kind),
    private.wants_push(auth.uid(), k.kind), k.required
  from private.notification_kinds k where k.kind <> 'admin' or private.is_admin() order by k.kind;
end $$;

create or replace function private.check_resubmission() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(old.verification_status = 'rejected' or not private.is_admin(),
    'admin.own_case', '{"matter": "on your own verification"}');
  perform private.require(old.verification_status = 'rejected',
    'verification.already_submitted', 'user_id');
  perform private.allow(new.id = old.id and new.created_at = old.created_at, 'verification.identity_fixed');
  return new;
end $$;
