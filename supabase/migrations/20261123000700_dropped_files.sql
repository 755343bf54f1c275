-- Files that nothing shows any more: listed in the transaction that lets go of them, and from then on read by nobody through
-- a policy. The storage service removes them, bytes and row, when the function run-scheduled asks it to, which is repeated
-- until they are gone. Deleting their rows here would leave the bytes behind for good on hosted Supabase, which has no sweep.

create table private.dropped_files (
  bucket_id text not null,
  name text not null,
  dropped_at timestamptz not null default now(),
  primary key (bucket_id, name)
);
alter table private.dropped_files enable row level security;

create function private.is_dropped(bucket text, name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.dropped_files d where d.bucket_id = bucket and d.name = is_dropped.name)
$$;
grant execute on function private.is_dropped(text, text) to authenticated;

-- Their names are not given anew either, before the last trace of them is gone.
create policy "what was dropped is nobody's" on storage.objects as restrictive for all to authenticated
using (not private.is_dropped(bucket_id, name));

-- Answers how many of them there were that had not been dropped yet.
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

-- What the storage service is to remove next; forgets what it has removed.
create function public.files_to_remove() returns table (bucket_id text, name text)
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.dropped_files d
  where not exists (select from storage.objects o where o.bucket_id = d.bucket_id and o.name = d.name);
  return query select d.bucket_id, d.name from private.dropped_files d order by d.bucket_id, d.name limit 500;
end $$;
revoke execute on function public.files_to_remove() from public, anon, authenticated;
grant execute on function public.files_to_remove() to service_role;

-- A photo that was taken off its task or whose task is gone, unless another task of the giver shows it too.
create or replace function private.drop_task_photos() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  dropped text[];
begin
  if old.photos = '{}' or (tg_op = 'UPDATE' and new.photos = old.photos) then
    return null;
  end if;
  select array_agg(photo) into dropped from unnest(old.photos) photo where not private.photo_is_kept('task-photos', photo);
  perform private.drop_files('task-photos',
    dropped || array(select replace(photo, '.jpg', '.small.jpg') from unnest(dropped) photo));
  return null;
end $$;

create or replace function private.drop_booking_photos() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.drop_files('booking-photos', array(
    select name from storage.objects where bucket_id = 'booking-photos' and name like old.id || '/%'));
  return null;
end $$;

-- Whoever leaves takes their files along, of all buckets; what was on its way meanwhile is erase-account's.
create or replace function private.erase_photos() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.tasks set photos = '{}' where task_giver_id = old.id and photos <> '{}';
  update public.bookings set completion_photos = '{}' where task_doer_id = old.id and completion_photos <> '{}';
  update public.complaints set photos = '{}' where giver_id = old.id and photos <> '{}';
  update public.complaints set answer_photos = '{}' where tasker_id = old.id and answer_photos <> '{}';
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.owner_id = old.id::text or o.name like old.id || '/%' group by o.bucket_id;
  return old;
end $$;

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
      and not private.photo_is_kept(bucket, o.name) and not private.is_dropped(bucket, o.name) limit 100))) into swept
  from unnest(array['task-photos', 'booking-photos']) bucket;
  if swept = 0 then
    update private.photo_sweep set swept_at = now();
  end if;
  return swept;
end $$;

drop function private.delete_photos(text, text[]);

-- Old exports as the other files to remove are: by bucket and name.
drop function public.old_export_files();
create function public.old_export_files() returns table (bucket_id text, name text)
language sql stable security definer set search_path = '' as $$
  select o.bucket_id, o.name from storage.objects o where o.bucket_id = 'data-exports' and not exists (
    select from public.data_exports e where e.id::text = split_part(o.name, '/', 2)
      and e.status in ('requested', 'ready') and e.expires_at > now())
  order by o.name limit 500
$$;
revoke execute on function public.old_export_files() from public, anon, authenticated;
grant execute on function public.old_export_files() to service_role;

-- What was dropped neither takes room nor can be handed in, and stands in no data export.
create or replace function private.has_room_for_photo(bucket text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select count(*) from storage.objects o where o.bucket_id = bucket and o.owner_id = (select auth.uid())::text
    and not private.photo_is_kept(bucket, o.name) and not private.is_dropped(bucket, o.name)) < 40;
end $$;

do $$
begin
  execute replace(pg_get_functiondef('private.check_photos'::regproc),
    'and owner_id = person::text', 'and owner_id = person::text and not private.is_dropped(bucket_id, name)');
  execute replace(pg_get_functiondef('private.files_to_export'::regproc),
    'or left(o.name, 36) = person::text)', 'or left(o.name, 36) = person::text) and not private.is_dropped(o.bucket_id, o.name)');
end $$;
