-- Storage quotas for each person and bucket: files, bytes, and files that nothing uses yet. A person's uploads take one lock,
-- so concurrent uploads cannot exceed a quota. Files without an owner, such as the service's, are not limited.

-- Operators read and change the quotas here; a bucket without a row has none. `unused_files` limits the files of the last two
-- days that no message, task, booking or complaint refers to.
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

insert into private.storage_quotas (bucket_id, files, bytes, new_files, new_bytes, unused_files) values
  ('profile-photos', 20, 50 * 1024 * 1024, 10, 25 * 1024 * 1024, null),
  ('identity-documents', 24, 150 * 1024 * 1024, 12, 80 * 1024 * 1024, null),
  -- Two files a photo: one is for cards.
  ('task-photos', 3000, 3072 * 1024 * 1024::bigint, 260, 300 * 1024 * 1024, 40),
  ('booking-photos', 2000, 3072 * 1024 * 1024::bigint, 100, 200 * 1024 * 1024, 40),
  ('chat-photos', 2000, 3072 * 1024 * 1024::bigint, 100, 200 * 1024 * 1024, 20);

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

create function private.check_storage_quota() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  quota private.storage_quotas;
  size constant numeric := coalesce((new.metadata ->> 'size')::numeric, 0);
  stored record;
begin
  -- The storage service sets the operation; SQL of an operator does not.
  if new.owner_id is null or coalesce(storage.operation(), '') = '' then
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
    raise exception using errcode = '42501',
      message = format('You have stored %s files here, as many as your account can. Please remove some first.', stored.files);
  elsif stored.bytes + size > quota.bytes then
    raise exception using errcode = '42501',
      message = format('Your files here would take more than %s MB, as much as your account can store. Please remove some first.',
        quota.bytes / 1024 / 1024);
  elsif stored.unused >= quota.unused_files then
    raise exception using errcode = '42501',
      message = format('You have added %s photos that are not used yet. Please use some of them, or try again tomorrow.', stored.unused);
  end if;
  return new;
end $$;
create trigger check_storage_quota before insert on storage.objects
for each row execute function private.check_storage_quota();
create trigger check_storage_quota_again before update of bucket_id, owner_id, metadata on storage.objects for each row
when ((new.bucket_id, new.owner_id, new.metadata ->> 'size') is distinct from (old.bucket_id, old.owner_id, old.metadata ->> 'size'))
execute function private.check_storage_quota();

-- Drops photos that were uploaded more than a day ago and that nothing refers to. Runs once a day.
create or replace function private.sweep_photos() returns integer
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
      and not private.file_is_used(bucket, o.name) and not private.is_dropped(bucket, o.name) limit 100))) into swept
  from unnest(array['task-photos', 'booking-photos', 'chat-photos']) bucket;
  if swept = 0 then
    update private.photo_sweep set swept_at = now();
  end if;
  return swept;
end $$;
