-- Merges the triggers of accounts, roles and files into one function for each moment, which calls the named steps.
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

create function private.after_second_factor_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.status = 'verified' then
    perform private.drop_recovery_codes(old.user_id);
  end if;
  return null;
end $$;

create function private.after_user_role_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.sync_profile_role(coalesce(new.user_id, old.user_id));
  return null;
end $$;

create function private.before_account_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.delete_favourites(old.id);
  perform private.end_requests(old.id);
  perform private.erase_person(old.id);
  return old;
end $$;

create function private.before_file_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' or (new.bucket_id, new.owner_id, new.metadata ->> 'size')
    is distinct from (old.bucket_id, old.owner_id, old.metadata ->> 'size')
  then
    perform private.check_storage_quota(new, old);
  end if;
  return new;
end $$;

create function private.check_storage_quota(file storage.objects, before storage.objects) returns void
language plpgsql set search_path = '' as $$
declare
  quota private.storage_quotas;
  size constant numeric := coalesce((file.metadata ->> 'size')::numeric, 0);
  stored record;
begin
  -- The storage service sets the operation; SQL of an operator does not.
  if file.owner_id is null or coalesce(storage.operation(), '') = ''
    or before.bucket_id = 'hidden-' || file.bucket_id
  then
    return;
  end if;
  select * into quota from private.storage_quotas q where q.bucket_id = file.bucket_id;
  if quota.bucket_id is null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('files of ' || file.owner_id, 0));
  -- Other issuers may use other subjects than ids of profiles.
  if file.owner_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' or private.is_new_account(file.owner_id::uuid, quota.new_for) then
    quota.files := least(quota.new_files, quota.files);
    quota.bytes := least(quota.new_bytes, quota.bytes);
  end if;
  select count(*) as files, coalesce(sum(o.size), 0) as bytes,
    count(*) filter (where quota.unused_files is not null and o.created_at > now() - interval '2 days'
      and not private.file_is_used(file.bucket_id, o.name)) as unused into stored
  from (select f.name, f.created_at, (f.metadata ->> 'size')::numeric as size from storage.objects f
    where f.owner_id = file.owner_id and f.bucket_id = file.bucket_id and f.id <> file.id and f.name <> file.name
      and not exists (select from private.dropped_files d where d.bucket_id = f.bucket_id and d.name = f.name)
    limit quota.files) o;
  if stored.files >= quota.files then
    perform private.fail('file.too_many', null, jsonb_build_object('count', stored.files), '42501');
  elsif stored.bytes + size > quota.bytes then
    perform private.fail('file.too_large', null, jsonb_build_object('megabytes', quota.bytes / 1024 / 1024), '42501');
  elsif stored.unused >= quota.unused_files then
    perform private.fail('file.too_many_unused', null, jsonb_build_object('count', stored.unused), '42501');
  end if;
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
    person_name := private.written_name(person_name);
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

create function private.delete_favourites(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.favourites where person in (user_id, tasker_id);
end $$;

create function private.drop_recovery_codes(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if not private.has_second_factor(person) then
    delete from private.recovery_codes where person_id = person;
  end if;
end $$;

create function private.end_requests(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'asked';
  update public.tasks set status = 'open', updated_at = now() where asked_tasker_id = person and status = 'asked';
end $$;

create function private.erase_exports(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.data_exports where user_id = person;
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

create function private.erase_photos(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set photos = '{}' where task_giver_id = person and photos <> '{}';
  update public.bookings set completion_photos = '{}' where task_doer_id = person and completion_photos <> '{}';
  update public.complaints set photos = '{}' where giver_id = person and photos <> '{}';
  update public.complaints set answer_photos = '{}' where tasker_id = person and answer_photos <> '{}';
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.owner_id = person::text or o.name like person || '/%' group by o.bucket_id;
end $$;

create function private.erase_shown_pictures(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.shown_pictures where name like person || '%';
end $$;

create function private.sync_profile_email(account auth.users) returns void
language plpgsql set search_path = '' as $$
begin
  update private.profiles set email = account.email where id = account.id;
end $$;

create function private.sync_profile_role(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  held constant public.app_role[] := array(select r.role from public.user_roles r where r.user_id = person
    order by array_position(array['admin', 'task_doer', 'task_giver']::public.app_role[], r.role));
begin
  update private.profiles set role = held[1], roles = held where id = person;
end $$;

drop trigger drop_recovery_codes on auth.mfa_factors;

drop trigger create_profile on auth.users;

drop trigger end_favourites on auth.users;

drop trigger end_requests on auth.users;

drop trigger erase_exports on auth.users;

drop trigger erase_person on auth.users;

drop trigger erase_photos on auth.users;

drop trigger erase_shown_pictures on auth.users;

drop trigger sync_profile_email on auth.users;

drop trigger sync_profile_role on public.user_roles;

drop trigger check_storage_quota on storage.objects;

drop trigger check_storage_quota_again on storage.objects;

create trigger after_second_factor_delete after delete on auth.mfa_factors
for each row execute function private.after_second_factor_delete();

create trigger after_account_change after insert or update of email or delete on auth.users
for each row execute function private.after_account_change();

create trigger before_account_delete before delete on auth.users
for each row execute function private.before_account_delete();

create trigger after_user_role_change after insert or update of user_id, role or delete on public.user_roles
for each row execute function private.after_user_role_change();

create trigger before_file_change before insert or update of bucket_id, owner_id, metadata on storage.objects
for each row execute function private.before_file_change();

drop function private.check_storage_quota();

drop function private.create_profile();

drop function private.drop_recovery_codes();

drop function private.end_requests();

drop function private.erase_exports();

drop function private.erase_person();

drop function private.erase_photos();

drop function private.erase_shown_pictures();

drop function private.forget_favourites();

drop function private.sync_profile_email();

drop function private.sync_profile_role();

comment on column private.profiles.email is 'The account''s address, copied by private.sync_profile_email; null for accounts without one';
