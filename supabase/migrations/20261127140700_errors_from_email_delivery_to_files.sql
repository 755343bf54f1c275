-- Codes of errors, 8: the rules of email delivery to files.
set check_function_bodies = off;

create or replace function public.fail_email(email_id uuid, reason text, message text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  email private.emails;
  again timestamptz;
  admin uuid;
begin
  perform private.require(reason in ('server', 'later', 'refused'), 'email.failure_reason_invalid', 'reason');
  select * into email from private.emails m where m.id = fail_email.email_id and m.status = 'waiting' for update;
  if email.id is null or email.taken_until is null then
    return;
  elsif reason = 'server' then
    update private.emails set attempts = attempts - 1, taken_until = null, last_error = left(message, 500) where id = email.id;
  elsif reason = 'later' and email.attempts < 10 then
    again := now() + least(interval '1 minute' * 2 ^ (email.attempts - 1), interval '4 hours');
    update private.emails set taken_until = null, next_try_at = again, last_error = left(message, 500) where id = email.id;
    perform private.schedule_emails(again);
  else
    update private.emails set status = 'dead', taken_until = null, last_error = left(message, 500) where id = email.id;
    -- No such mailbox, no such domain, or a mailbox that was closed: https://www.rfc-editor.org/rfc/rfc3463#section-3.2
    if reason = 'refused' and message ~ '\m5\.(1\.(1|2|3|6|10)|2\.1)\M' then
      perform public.record_mail_event(email.id::text, 'bounced', a.address, 'address', null, message)
      from private.email_address(email.person_id) a (address) where a.address is not null;
    end if;
    -- At the bell alone, and once until it is read: an e-mail about e-mails that do not arrive might not arrive.
    for admin in select user_id from public.user_roles where role = 'admin' order by user_id loop
      if not exists (select from public.notifications n where n.user_id = admin and not n.read
        and n.key = 'email_undeliverable' and n.link = '/profile/' || email.person_id)
      then
        perform private.notify_person(admin, 'email_undeliverable', jsonb_build_object(
          'person', private.full_name(email.person_id), 'reason', left(message, 200)), '/profile/' || email.person_id);
      end if;
    end loop;
  end if;
end $$;

create or replace function public.record_mail_event(event_id text, type text, address text, cause text default null,
  message_id text default null, detail text default null, must_name_email boolean default false) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  reported constant text := lower(private.trimmed(record_mail_event.address));
  named_email constant uuid := substring(message_id from '^<?([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})@')::uuid;
  person uuid;
  recorded boolean := false;
  suppressed boolean := false;
begin
  perform private.require(length(event_id) between 1 and 500, 'mail_event.id_invalid', 'event_id');
  perform private.require(record_mail_event.type in ('bounced', 'complained'), 'mail_event.type_invalid', 'type');
  perform private.require(record_mail_event.type = 'complained' or record_mail_event.cause in ('address', 'temporary', 'message'),
    'mail_event.cause_invalid', 'cause');
  perform private.require(length(reported) <= 320 and reported ~ '^\S+@\S+$', 'mail_event.address_invalid', 'address');
  delete from private.mail_events where reported_at < now() - interval '90 days';
  update private.emails m set status = record_mail_event.type::private.email_status, last_error = left(record_mail_event.detail, 500)
  where m.id = named_email and m.status = 'sent' and (not must_name_email
    or m.person_id in (select u.id from auth.users u where lower(u.email) = reported));
  for person in select u.id from auth.users u join private.profiles p on p.id = u.id
    where lower(u.email) = reported and p.deleted_at is null
      -- A mail server may report a bounce before the row says that the e-mail was sent.
      and (not must_name_email or exists (select from private.emails m where m.id = named_email and m.person_id = u.id
        and (m.status <> 'waiting' or m.attempts > 0)))
    for no key update of p
  loop
    insert into private.mail_events (id, person_id, address, type, cause, detail) values (md5(event_id || ' ' || person)::uuid, person,
      reported, record_mail_event.type, case when record_mail_event.type = 'bounced' then record_mail_event.cause end,
      left(record_mail_event.detail, 500)) on conflict do nothing;
    if found then
      recorded := true;
      -- Bounds the table, however many reports arrive.
      delete from private.mail_events e where e.id in (select old.id from private.mail_events old
        where old.person_id = person order by old.reported_at desc offset 50);
      if record_mail_event.type = 'complained' or record_mail_event.cause = 'address' or 5 <= (
        select count(*) from private.mail_events e where e.person_id = person and e.address = reported and e.cause = 'temporary'
          and e.reported_at > greatest(now() - interval '14 days',
            (select s.lifted_at from private.suppressed_addresses s where s.id = person)))
      then
        perform private.suppress_address(person, reported, record_mail_event.type, record_mail_event.detail);
      end if;
    end if;
    suppressed := suppressed or private.is_suppressed(person);
  end loop;
  return jsonb_build_object('recorded', recorded, 'suppressed', suppressed);
end $$;

create or replace function public.resume_emails(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(coalesce(person = auth.uid() or private.is_admin(), false), 'admin.required', '{"action": "have others emailed again"}');
  perform private.count_activity('emails_resumed');
  update private.suppressed_addresses s set lifted_at = now() where s.id = person and private.is_suppressed(person);
  if found then
    insert into public.audit_log (actor_id, actor_role, table_name, row_id, action, old_values, new_values, by_admin, subject_ids)
    values (auth.uid(), coalesce(auth.role(), session_user), 'suppressed_addresses', person, 'update',
      '{"suppressed": true}', '{"suppressed": false}', private.is_admin(), array[person]);
    perform private.notify_person(person, 'emails_resumed', '{}', '/notifications/settings');
  end if;
end $$;

create or replace function public.set_email_subscription(token uuid, subscribed boolean) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  known private.unsubscribe_tokens;
begin
  perform private.require(subscribed is not null, 'email.subscribed_required', 'subscribed');
  select * into known from private.unsubscribe_tokens u where u.token = set_email_subscription.token;
  perform private.require(known.token is not null, 'email.unsubscribe_link_invalid', 'token');
  insert into public.notification_preferences (user_id, kind, email)
  select known.person_id, k, subscribed from unnest(known.kinds) k
  on conflict (user_id, kind) do update set email = excluded.email;
  return public.email_subscription(known.token);
end $$;

create or replace function public.suppressed_address(person uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(coalesce(person = auth.uid() or private.is_admin(), false), 'admin.required', '{"action": "see whether others are emailed"}');
  return (select jsonb_build_object('address', s.address, 'reason', s.reason, 'detail', s.detail, 'since', s.since)
    from private.suppressed_addresses s where s.id = person and private.is_suppressed(person));
end $$;

create or replace function private.check_push_endpoint(endpoint text) returns void
language plpgsql immutable set search_path = '' as $$
declare
  -- The whole authority, including user names and backslashes, which parsers treat differently.
  host text := lower(substring(endpoint from '^https://([^/?#]*)'));
begin
  perform private.require(endpoint like 'https://%', 'push.endpoint_not_https', 'endpoint');
  perform private.require(length(endpoint) <= 1000, 'push.endpoint_too_long', 'endpoint');
  perform private.require(endpoint ~ '^[!-~]+$', 'push.endpoint_not_ascii', 'endpoint');
  perform private.require(host !~ ':[0-9]*$' or host ~ ':443$', 'push.endpoint_port_invalid', 'endpoint');
  host := regexp_replace(host, ':443$', '');
  -- No IP address passes, in any spelling (127.1, 0x7f.1, 2130706433, [::1]): the last label must consist of letters.
  perform private.require(length(host) <= 253 and host ~ '^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$'
    and host !~ '(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa|test|example|invalid|onion|alt)$',
    'push.endpoint_host_invalid', 'endpoint');
end $$;

create or replace function public.fail_push(message_id uuid, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  message private.push_messages;
  again timestamptz;
begin
  perform private.require(reason in ('gone', 'later', 'refused'), 'push.failure_reason_invalid', 'reason');
  select * into message from private.push_messages m where m.id = message_id for update;
  if message.id is null then
    return;
  elsif reason = 'gone' then
    delete from public.push_subscriptions where id = message.subscription_id;
  elsif reason = 'later' and message.attempts < 5 then
    again := now() + interval '1 minute' * 2 ^ message.attempts;
    update private.push_messages set taken_until = null, due_at = again where id = message_id;
    perform private.enqueue_function('send-push', '{}', null, again);
  else
    delete from private.push_messages where id = message_id;
  end if;
end $$;

create or replace function public.save_push_subscription(endpoint text, p256dh text, auth_secret text) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform private.allow(auth.uid() is not null and private.has_account(), 'account.not_authenticated');
  perform private.check_push_endpoint(save_push_subscription.endpoint);
  -- 87 characters encode 65 bytes; the first byte is 4 for an uncompressed point (SEC 1, section 2.3.3).
  perform private.require(save_push_subscription.p256dh ~ '^B[A-P][A-Za-z0-9_-]{85}$',
    'push.key_invalid', 'p256dh');
  perform private.require(save_push_subscription.auth_secret ~ '^[A-Za-z0-9_-]{22}$',
    'push.secret_invalid', 'auth_secret');
  insert into public.push_subscriptions as s (user_id, endpoint, p256dh, auth_secret, session_id)
  values (auth.uid(), save_push_subscription.endpoint, save_push_subscription.p256dh, save_push_subscription.auth_secret,
    (auth.jwt() ->> 'session_id')::uuid)
  on conflict (endpoint) do update set user_id = excluded.user_id, p256dh = excluded.p256dh,
    auth_secret = excluded.auth_secret, session_id = excluded.session_id, created_at = now();
  delete from public.push_subscriptions s where s.user_id = auth.uid() and s.id not in (
    select t.id from public.push_subscriptions t where t.user_id = auth.uid() order by t.created_at desc limit 10);
end $$;

drop trigger "20_kept" on public.receipts;
create trigger "20_kept" before delete on public.receipts
for each row execute function private.forbid('receipt.permanent');

drop trigger "20_kept_as_a_whole" on public.receipts;
create trigger "20_kept_as_a_whole" before truncate on public.receipts
for each statement execute function private.forbid('receipt.permanent');

create or replace function private.check_complaint_photos() returns trigger language plpgsql set search_path = '' as $$
begin
  new.photos := coalesce(new.photos, '{}');
  new.answer_photos := coalesce(new.answer_photos, '{}');
  if tg_op = 'INSERT' then
    perform private.check_photos(new.photos, 'booking-photos', new.booking_id, new.giver_id, 'photos');
  elsif private.is_client() and new.answer_photos <> old.answer_photos then
    if old.answer is not null or new.answer is null then
      perform private.fail('photo.not_answering', 'answer_photos');
    end if;
    perform private.check_photos(new.answer_photos, 'booking-photos', new.booking_id, new.tasker_id, 'answer_photos');
  end if;
  return new;
end $$;

create or replace function private.check_completion_photos() returns trigger language plpgsql set search_path = '' as $$
begin
  new.completion_photos := coalesce(new.completion_photos, '{}');
  if private.is_client() and new.completion_photos <> old.completion_photos then
    if new.status <> 'completed' or old.status = 'completed' then
      perform private.fail('photo.not_completing', 'completion_photos');
    end if;
    perform private.check_photos(new.completion_photos, 'booking-photos', new.id, new.task_doer_id, 'completion_photos');
  end if;
  return new;
end $$;

create or replace function private.check_photos(photos text[], bucket text, folder uuid, person uuid, field text) returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if coalesce(array_ndims(photos), 1) <> 1 or array_position(photos, null) is not null then
    perform private.fail('photo.list_invalid', field);
  end if;
  if cardinality(photos) > private.rule('limits.photos.count') then
    perform private.fail('photo.too_many', field, jsonb_build_object('max', private.rule('limits.photos.count')));
  end if;
  if (select count(distinct photo) from unnest(photos) photo) < cardinality(photos) then
    perform private.fail('photo.duplicate', field);
  end if;
  if exists (select from unnest(photos) photo where private.photo_folder(photo) is distinct from folder
      or photo like '%.small.jpg' or not exists (select from storage.objects
        where bucket_id = bucket and name = photo and owner_id = person::text and not private.is_dropped(bucket_id, name)))
  then
    perform private.fail('photo.not_found', field);
  end if;
end $$;

create or replace function private.check_storage_quota() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  quota private.storage_quotas;
  size constant numeric := coalesce((new.metadata ->> 'size')::numeric, 0);
  stored record;
begin
  -- The storage service sets the operation; SQL of an operator does not.
  if new.owner_id is null or coalesce(storage.operation(), '') = ''
    or tg_op = 'UPDATE' and old.bucket_id = 'hidden-' || new.bucket_id then
    return new;
  end if;
  select * into quota from private.storage_quotas q where q.bucket_id = new.bucket_id;
  if quota.bucket_id is null then
    return new;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('files of ' || new.owner_id, 0));
  -- Other issuers may use other subjects than ids of profiles.
  if new.owner_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' or private.is_new_account(new.owner_id::uuid, quota.new_for) then
    quota.files := least(quota.new_files, quota.files);
    quota.bytes := least(quota.new_bytes, quota.bytes);
  end if;
  select count(*) as files, coalesce(sum(o.size), 0) as bytes,
    count(*) filter (where quota.unused_files is not null and o.created_at > now() - interval '2 days'
      and not private.file_is_used(new.bucket_id, o.name)) as unused into stored
  from (select f.name, f.created_at, (f.metadata ->> 'size')::numeric as size from storage.objects f
    where f.owner_id = new.owner_id and f.bucket_id = new.bucket_id and f.id <> new.id and f.name <> new.name
      and not exists (select from private.dropped_files d where d.bucket_id = f.bucket_id and d.name = f.name)
    limit quota.files) o;
  if stored.files >= quota.files then
    perform private.fail('file.too_many', null, jsonb_build_object('count', stored.files), '42501');
  elsif stored.bytes + size > quota.bytes then
    perform private.fail('file.too_large', null, jsonb_build_object('megabytes', quota.bytes / 1024 / 1024), '42501');
  elsif stored.unused >= quota.unused_files then
    perform private.fail('file.too_many_unused', null, jsonb_build_object('count', stored.unused), '42501');
  end if;
  return new;
end $$;
