-- Stored files that are no longer shown (hidden, dropped or never used), and limits on how much a person can store.

create table private.photo_sweep (
  single boolean primary key default true check (single),
  swept_at timestamptz not null default now()
);
alter table private.photo_sweep enable row level security;

comment on table private.photo_sweep is 'When private.sweep_photos last finished; one row';
comment on column private.photo_sweep.single is 'Always true, so that there is one row';

-- The storage service deletes bytes and row when run-scheduled asks it to, which is repeated until they are gone. Deleting the
-- rows here would leave the bytes behind forever on hosted Supabase, which does not clean up.
create table private.dropped_files (
  bucket_id text not null,
  name text not null,
  dropped_at timestamptz not null default now(),
  primary key (bucket_id, name)
);
alter table private.dropped_files enable row level security;

comment on table private.dropped_files is
  'Files that nothing shows any more; policies hide them until the storage service has deleted them';
comment on column private.dropped_files.name is 'Name of the file in the bucket';

-- Storage quotas for each person and bucket: files, bytes, and files that nothing uses yet. A person's uploads take one lock,
-- so concurrent uploads cannot exceed a quota. Files without an owner, such as the service's, are not limited.

create table private.storage_quotas (
  bucket_id text primary key,
  files integer not null check (files > 0),
  bytes bigint not null check (bytes > 0),
  new_files integer not null check (new_files > 0),
  new_bytes bigint not null check (new_bytes > 0),
  new_for interval not null default '3 days',
  unused_files integer check (unused_files > 0)
);
alter table private.storage_quotas enable row level security;

comment on table private.storage_quotas is
  'How much a person can store in each bucket: change a number here and it holds from the next upload on';
comment on column private.storage_quotas.bucket_id is 'A bucket without a row has no quota';
comment on column private.storage_quotas.files is 'Highest number of files';
comment on column private.storage_quotas.bytes is 'Highest number of bytes of all files together';
comment on column private.storage_quotas.new_files is 'The same as files, for new accounts';
comment on column private.storage_quotas.new_bytes is 'The same as bytes, for new accounts';
comment on column private.storage_quotas.new_for is
  'Age until which an account is new, unless it is verified or has completed a task';
comment on column private.storage_quotas.unused_files is
  'Highest number of files of the last two days that nothing refers to yet; null for no limit';

-- Drops the files of a deleted account, in all buckets. erase-account removes those whose upload was still in progress.
create function private.erase_photos(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set photos = '{}' where task_giver_id = person and photos <> '{}';
  update public.bookings set completion_photos = '{}' where task_doer_id = person and completion_photos <> '{}';
  update public.snow_reports r set photos = '{}' from public.task_series s where s.id = r.series_id and s.tasker_id = person and r.photos <> '{}';
  update public.complaints set photos = '{}' where giver_id = person and photos <> '{}';
  update public.booking_changes set photos = '{}' where proposed_by = person and photos <> '{}';
  update public.complaints set answer_photos = '{}' where tasker_id = person and answer_photos <> '{}';
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.owner_id = person::text or o.name like person || '/%' group by o.bucket_id;
end $$;

-- Drops photos that were uploaded more than a day ago and that nothing refers to. Runs once a day.
create function private.sweep_photos() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  swept integer;
begin
  perform from private.photo_sweep where swept_at <= now() - interval '1 day' for update skip locked;
  if not found then
    return 0;
  end if;
  select sum(private.drop_files(bucket, array(
    select o.name from storage.objects o where o.bucket_id = bucket and o.created_at <= now() - interval '1 day'
      and not private.file_is_used(bucket, o.name) and not private.is_dropped_file(bucket, o.name) limit 100))) into swept
  from unnest(array['task-photos', 'booking-photos', 'chat-photos']) bucket;
  if swept = 0 then
    update private.photo_sweep set swept_at = now();
  end if;
  return swept;
end $$;

create function private.is_dropped_file(bucket text, name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.dropped_files d where d.bucket_id = bucket and d.name = is_dropped_file.name)
$$;

-- Marks files as dropped. Returns how many had not been dropped yet.
create function private.drop_files(bucket text, names text[]) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  dropped integer;
begin
  insert into private.dropped_files (bucket_id, name)
  select o.bucket_id, o.name from storage.objects o where o.bucket_id = bucket and o.name = any (names)
  on conflict do nothing;
  get diagnostics dropped = row_count;
  if dropped > 0 then
    perform private.enqueue_function('run-scheduled', '{}', 'remove-files');
  end if;
  return dropped;
end $$;

-- Up to 500 files that the storage service must delete next. Forgets those that it has deleted.
create function public.files_to_remove() returns table (bucket_id text, name text)
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.dropped_files d
  where not exists (select from storage.objects o where o.bucket_id = d.bucket_id and o.name = d.name);
  return query select d.bucket_id, d.name from private.dropped_files d order by d.bucket_id, d.name limit 500;
end $$;

-- Up to 500 files that the storage service must move next: pictures of hidden content to the `hidden-` buckets, others back. A
-- hidden file that nothing shows any more is dropped instead.
create function public.files_to_move() returns table (name text, from_bucket text, to_bucket text)
language plpgsql security definer set search_path = '' as $$
begin
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.bucket_id in ('hidden-profile-photos', 'hidden-task-photos') and not exists (
    select from private.profiles p where p.id::text = left(o.name, 36) and o.bucket_id = 'hidden-profile-photos'
      and private.profile_photo(p.avatar_url) = o.name)
    and not (o.bucket_id = 'hidden-task-photos' and private.photo_is_kept('task-photos', o.name))
    and not private.is_dropped_file(o.bucket_id, o.name)
  group by o.bucket_id;
  return query
  select o.name, o.bucket_id, 'hidden-' || o.bucket_id from private.hidden_pictures h
  join storage.objects o on o.bucket_id = h.bucket_id and o.name = h.name
  where not private.is_dropped_file(o.bucket_id, o.name)
  union all
  select o.name, o.bucket_id, substring(o.bucket_id from '^hidden-(.*)$') from storage.objects o
  where o.bucket_id in ('hidden-profile-photos', 'hidden-task-photos', 'hidden-chat-photos')
    and not private.is_dropped_file(o.bucket_id, o.name)
    and not exists (select from private.hidden_pictures h where 'hidden-' || h.bucket_id = o.bucket_id and h.name = o.name)
  limit 500;
end $$;

-- Makes run-scheduled move the files of content that was hidden or shown again, to a private bucket or back.
create function private.queue_file_moves() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.enqueue_function('run-scheduled', '{}', 'remove-files');
end $$;

-- Removes the text of a hidden message from notifications and pending pushes. E-mails read it when they are sent
-- (private.unread_messages).
create function private.redact_hidden_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
declare
  words constant text := coalesce(nullif(left(message.message, 120), ''), private.notification_values() #>> '{text,photo}');
begin
  perform private.refill_notification(n.id, '{"text": {"code": "removed_message"}}') from public.notifications n
  where n.user_id = message.receiver_id and n.key = 'message_received' and n.params ->> 'booking' = message.booking_id::text
    and n.params ->> 'text' = words;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = message.receiver_id and m.key = 'message_received'
    and m.params ->> 'booking' = message.booking_id::text and m.params ->> 'text' = words;
end $$;

-- Whether a notification, e-mail or push about a task goes to somebody who was only offered the task. The giver, applicants and
-- admins can still see the task.
create function private.is_only_offered(person uuid, link text, params jsonb, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select person <> task.task_giver_id
    and (split_part(link, '?', 1) = '/task/' || task.id
      or (params ->> 'task' = task.title
        and params ->> 'person' in (private.person_name(task.task_giver_id), private.full_name(task.task_giver_id))))
    and not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin')
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
$$;

-- For people who were only offered a hidden task, removes its title from notifications and deletes e-mails and pushes.
create function private.redact_hidden_task(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": {"code": "removed_task"}}') from public.notifications n
  where n.params ? 'task' and (split_part(n.link, '?', 1) = '/task/' || task.id or n.params ->> 'task' = task.title)
    and private.is_only_offered(n.user_id, n.link, n.params, task);
  delete from private.email_events e
  where e.params ? 'task' and private.is_only_offered(e.person_id, e.link, e.params, task);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.is_only_offered(s.user_id, m.link, m.params, task);
end $$;

-- Whether a message or another row refers to this file. The name of a chat photo contains the id of its message.
create function private.file_is_used(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  if bucket = 'chat-photos' then
    return exists (select from public.messages m
      where private.photo_booking(name) is not null and m.id = substr(name, 38, 36)::uuid and m.photo = name);
  end if;
  return private.photo_is_kept(bucket, name);
end $$;

-- Before a file is stored, replaced or moved. It runs as its owner, because clients cannot read quotas and other files.
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

create trigger before_file_change before insert or update of bucket_id, owner_id, metadata on storage.objects
for each row execute function private.before_file_change();

-- Refuses uploads beyond the quota of the person and bucket (private.storage_quotas).
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

-- Pictures of hidden profiles, tasks and messages.
create view private.hidden_pictures as
select 'profile-photos' as bucket_id, private.profile_photo(p.avatar_url) as name from private.profiles p
where p.hidden_for = 'report' and private.profile_photo(p.avatar_url) is not null
union
select 'task-photos', unnest(t.photos || private.small_photo_names(t.photos)) from public.tasks t
where t.hidden_for is not null and t.photos <> '{}'
union
select 'chat-photos', m.photo from public.messages m where m.hidden_at is not null and m.photo is not null;

-- Also for inserts: the name of a dropped file cannot be reused until the file is gone.
create policy "dropped files are not accessible" on storage.objects as restrictive for all to authenticated
using (not private.is_dropped_file(bucket_id, name));

grant execute on function
  private.is_dropped_file(text, text)
to authenticated;

insert into private.photo_sweep default values;

insert into private.storage_quotas (bucket_id, files, bytes, new_files, new_bytes, unused_files) values
  ('profile-photos', 20, 50 * 1024 * 1024, 10, 25 * 1024 * 1024, null),
  ('identity-documents', 24, 150 * 1024 * 1024, 12, 80 * 1024 * 1024, null),
  -- Two files a photo: one is for cards.
  ('task-photos', 3000, 3072 * 1024 * 1024::bigint, 260, 300 * 1024 * 1024, 40),
  ('booking-photos', 2000, 3072 * 1024 * 1024::bigint, 100, 200 * 1024 * 1024, 40),
  ('chat-photos', 2000, 3072 * 1024 * 1024::bigint, 100, 200 * 1024 * 1024, 20);
