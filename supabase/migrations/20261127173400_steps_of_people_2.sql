-- Named steps of what happens before and after a change of profiles, verifications and accounts (2 of 3).
set check_function_bodies = off;

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

create function private.copy_language_to_account(profile private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  update auth.users u
  set raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('language', profile.language)
  where u.id = profile.id and u.raw_user_meta_data ->> 'language' is distinct from profile.language;
end $$;

create function private.copy_skills_to_profile(verification public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  update private.profiles p set skills = p.skills || array(
    select entered.skill from unnest(verification.skills) with ordinality entered (skill, place)
    where lower(entered.skill) not in (select lower(held) from unnest(p.skills) held) order by entered.place)
  where p.id = verification.user_id and exists (select from unnest(verification.skills) entered
    where lower(entered) not in (select lower(held) from unnest(p.skills) held));
end $$;

create function private.create_profile(account auth.users) returns void
language plpgsql set search_path = '' as $$
declare
  meta jsonb := coalesce(account.raw_user_meta_data, '{}');
  -- A provider's metadata does not come from the form, whatever its keys are called.
  filled_form boolean := coalesce(account.encrypted_password, '') <> ''
    or (meta ? 'role' and coalesce(account.raw_app_meta_data ->> 'provider', 'email') in ('email', 'phone'));
  person_name text := coalesce(meta ->> 'full_name', meta ->> 'name');
  person_phone text := coalesce(nullif(private.trimmed(meta ->> 'phone'), ''), nullif(account.phone, ''));
  wanted text := meta ->> 'role';
begin
  if filled_form then
    person_name := private.tidy_name(person_name);
    perform private.require_name(person_name);
    perform private.require(wanted in ('task_giver', 'task_doer'), 'account.role_invalid', 'role');
  else
    person_name := private.provided_name(person_name);
    wanted := 'task_doer';
  end if;
  perform private.require(length(coalesce(account.email, '')) <= private.rule('limits.email.max'), 'account.email_too_long', 'email');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'profile.phone_invalid', 'phone');

  insert into private.profiles (id, full_name, email, phone, language) values (account.id, person_name, account.email, person_phone,
    case when meta ->> 'language' = any (private.languages()) then meta ->> 'language' else 'en' end);
  insert into public.user_roles (user_id, role) values (account.id, wanted::public.app_role);
  if not filled_form then
    insert into private.unfinished_accounts values (account.id);
  end if;
end $$;

create or replace function private.end_insurance() returns integer
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

create function private.erase_exports(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.data_exports where user_id = person;
end $$;

create or replace function private.erase_name(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  names constant text[] := (select array_remove(array[p.full_name, private.public_name(p.full_name), p.verified_name,
    private.public_name(p.verified_name), (select v.legal_name from public.verifications v where v.user_id = p.id)], null) from private.profiles p where p.id = person);
  nobody constant text := 'Deleted user';
  others constant uuid[] := array(
    select task_giver_id from public.bookings where task_doer_id = person
    union select task_doer_id from public.bookings where task_giver_id = person
    union select asked_tasker_id from public.tasks where task_giver_id = person
    union select task_giver_id from public.tasks where asked_tasker_id = person
    union select user_id from public.user_roles where role = 'admin');
  texts private.notification_texts;
  notice record;
  cleaned jsonb;
begin
  -- A message's words stand in the notification of it, too.
  delete from public.notifications n where n.key = 'message_received' and n.user_id = any (others) and n.params ->> 'booking' in (
    select b.id::text from public.bookings b where person in (b.task_giver_id, b.task_doer_id));
  for notice in select n.id, n.key, n.params from public.notifications n
    where n.user_id = any (others) and n.user_id <> person and exists (
      select from jsonb_each_text(n.params) p where p.value = any (names)
        or (p.key in ('person', 'name', 'before') and n.link = '/profile/' || person))
  loop
    select jsonb_object_agg(p.key, case when p.value #>> '{}' = any (names) or p.key in ('person', 'name', 'before', 'reason')
      then to_jsonb(nobody) else p.value end) into cleaned from jsonb_each(notice.params) p;
    select * into texts from private.notification_texts where key = notice.key;
    update public.notifications set params = cleaned, title = private.filled_text(texts.title, cleaned),
      message = private.filled_text(texts.message, cleaned) where id = notice.id;
  end loop;
  update private.email_events e set params = (select jsonb_object_agg(p.key,
      case when p.value #>> '{}' = any (names) then to_jsonb(nobody) else p.value end) from jsonb_each(e.params) p)
  where e.person_id = any (others) and exists (select from jsonb_each_text(e.params) p where p.value = any (names));
end $$;

create function private.erase_person(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  booking uuid;
  gone constant text := 'Removed together with the account.';
  obstacle constant text := private.deletion_obstacle(person);
begin
  perform private.require(obstacle is null, obstacle, 'id');

  -- Open work is cancelled first, so that the other parties are notified.
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';
  perform private.set_actor('schedule');
  for booking in select id from public.bookings
    where person in (task_doer_id, task_giver_id) and status in ('pending', 'accepted') order by id
  loop
    perform private.set_actor('schedule');
    update public.bookings set status = 'cancelled' where id = booking;
  end loop;
  perform private.set_actor(null);
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';

  perform private.erase_name(person);
  perform private.erase_audit(person);
  delete from public.reports where person in (author_id, reporter_id);
  -- Cards first: deleting a card detaches it at the provider.
  delete from public.payment_methods where user_id = person;
  perform private.enqueue_function('erase-account', jsonb_build_object('person', person,
    'account', (select stripe_account_id from public.payout_accounts where user_id = person and account_type <> 'manual')));

  if not exists (select from public.payments p where person in (p.payer_id, p.payee_id)) then
    delete from public.profiles where id = person;
    return;
  end if;
  delete from public.verifications where user_id = person;
  delete from public.user_roles where user_id = person;
  delete from public.suspensions where user_id = person;
  delete from public.notifications where user_id = person;
  delete from public.payment_failures where person_id = person;
  delete from public.payout_accounts where user_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from public.messages m where m.sender_id = person;
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null
  where task_doer_id = person and (message is not null or completion_notes is not null);
  update public.bookings set cancellation_reason = null where cancelled_by = person and cancellation_reason is not null;
  update public.complaints set reason = gone where giver_id = person;
  update public.complaints set answer = gone where tasker_id = person and answer is not null;
  update public.profiles set deleted_at = now(), full_name = null, email = null, phone = null, city = null, bio = null,
    avatar_url = null, skills = '{}', preferred_categories = '{}', experience_years = null, hourly_rate = null,
    availability_status = 'unavailable', verified_by_admin = false, verification_notes = null, verified_at = null,
    verified_by = null, last_active = null
  where id = person;
  -- Also the log entries of the changes above.
  perform private.erase_audit(person);
end $$;

create or replace function private.files_to_export(person uuid) returns table (bucket_id text, name text, size bigint)
language sql stable security definer set search_path = '' as $$
  select o.bucket_id, o.name, coalesce((o.metadata ->> 'size')::bigint, 0) from storage.objects o
  where o.bucket_id in ('profile-photos', 'identity-documents', 'task-photos', 'chat-photos', 'booking-photos', 'hidden-profile-photos', 'hidden-task-photos', 'hidden-chat-photos')
    and (o.owner_id = person::text or left(o.name, 36) = person::text) and not private.is_dropped_file(o.bucket_id, o.name)
  union
  select o.bucket_id, o.name, coalesce((o.metadata ->> 'size')::bigint, 0)
  from (
    select 'chat-photos' as bucket, m.photo from public.messages m where m.receiver_id = person and m.hidden_at is null
    union all
    select 'booking-photos', unnest(b.completion_photos) from public.bookings b where person in (b.task_giver_id, b.task_doer_id)
    union all
    select 'booking-photos', unnest(c.photos || c.answer_photos) from public.complaints c where person in (c.giver_id, c.tasker_id)
  ) shown join storage.objects o on o.bucket_id = shown.bucket and o.name = shown.photo
  where not private.is_dropped_file(o.bucket_id, o.name)
$$;

create function private.has_new_details(profile private.profiles, before private.profiles) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return (profile.phone, profile.city, profile.bio, profile.avatar_url, profile.experience_years, profile.hourly_rate,
      profile.availability_status, profile.language, profile.skills, profile.preferred_categories)
    is distinct from (before.phone, before.city, before.bio, before.avatar_url, before.experience_years, before.hourly_rate,
      before.availability_status, before.language, before.skills, before.preferred_categories);
end $$;

create function private.hold_task(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  if task.status in ('open', 'asked') and task.hidden_for is null and private.tasks_are_on_hold(task.task_giver_id) then
    task.hidden_for := 'suspension';
  end if;
  return task;
end $$;

create function private.is_avatar_address(address text) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(address ~* '^(https?://|/)[^\s]+$' and length(address) <= private.rule('limits.avatarAddress.max'), true)
$$;

create or replace function private.is_insured(verification public.verifications) returns boolean
language sql stable set search_path = '' as $$
  select verification.has_insurance
    and coalesce(verification.insurance_expiry_date >= (now() at time zone private.time_zone())::date, true)
$$;

create function private.is_of_age(born date) returns boolean
language sql stable set search_path = '' as $$
  select born > date '1900-01-01'
    and born <= (now() at time zone private.time_zone())::date - make_interval(years => private.rule('limits.minimumAge'))
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
