-- Where photos of tasks and of the work lie, and who may put, read and remove them. The app makes a JPEG of every picture,
-- which leaves out where it was taken. Rows say which photos belong to them (the next file); what belongs to no row for
-- a day is removed.
--   task-photos     `<giver's id>/<random>.jpg`, and beside it `<random>.small.jpg` for cards. Public, like tasks.
--   booking-photos  `<booking's id>/<random>.jpg`: completion, complaint and answer. Private: both parties and admins.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('task-photos', 'task-photos', true, 5 * 1024 * 1024, array['image/jpeg']),
  ('booking-photos', 'booking-photos', false, 5 * 1024 * 1024, array['image/jpeg'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- How many photos a task, a completion, a complaint or an answer can have. The rest of the rules stays as it is.
do $$
begin
  execute replace(pg_get_functiondef('private.rules()'::regprocedure),
    '"skills": {"count"', E'"photos": {"count": 5},\n    "skills": {"count"');
end $$;

alter table public.tasks add column photos text[] not null default '{}';
alter table public.bookings add column completion_photos text[] not null default '{}';
alter table public.complaints add column photos text[] not null default '{}',
  add column answer_photos text[] not null default '{}';
create index tasks_with_photo on public.tasks using gin (photos) where photos <> '{}';
comment on column public.tasks.photos is
  'Names in the bucket task-photos, the first one for cards: storage.from(''task-photos'').getPublicUrl(name)';
comment on column public.bookings.completion_photos is
  'Names in the bucket booking-photos, by the tasker. Both parties and admins: storage.from(''booking-photos'').download(name)';
comment on column public.complaints.photos is 'The giver''s, in the bucket booking-photos; read like bookings.completion_photos';
comment on column public.complaints.answer_photos is 'The tasker''s, in the bucket booking-photos; read like bookings.completion_photos';

-- Whose folder a photo's name begins with; null for a name of any other form.
create function private.photo_folder(name text) returns uuid
language sql immutable set search_path = '' as $$
  select case when name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.small)?\.jpg$'
    then left(name, 36)::uuid end
$$;

-- Whether a row has this photo, or the one that it is the small one of.
create function private.photo_is_kept(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  photo constant text[] := array[replace(name, '.small.jpg', '.jpg')];
  folder constant uuid := private.photo_folder(name);
begin
  if bucket = 'task-photos' then
    return exists (select from public.tasks where photos @> photo and photos <> '{}');
  end if;
  return exists (select from public.bookings where id = folder and completion_photos @> photo)
    or exists (select from public.complaints c where c.booking_id = folder and c.photos || c.answer_photos @> photo);
end $$;

-- Whether the caller has room for one more file that no row has yet, so that nobody fills the disk.
create function private.has_room_for_photo(bucket text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select count(*) from storage.objects o where o.bucket_id = bucket and o.owner_id = (select auth.uid())::text
    and not private.photo_is_kept(bucket, o.name)) < 40;
end $$;

-- Taskers show the work once it is paid for, givers what is wrong with it once it is done.
create function private.may_show_work(booking uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where id = booking
    and ((task_doer_id = (select auth.uid()) and status in ('in_progress', 'completed'))
      or (task_giver_id = (select auth.uid()) and status = 'completed')));
end $$;
grant execute on function private.photo_folder(text), private.photo_is_kept(text, text), private.has_room_for_photo(text),
  private.may_show_work(uuid) to authenticated;

-- Anyone opens a photo of a task by its address; none but its giver and admins list them. Nothing is replaced, and no
-- address is signed for uploading, which would hold past every policy.
create policy "givers see the files of their task photos, admins see all" on storage.objects for select to authenticated
using (bucket_id = 'task-photos'
  and (private.photo_folder(name) = (select auth.uid()) or (select private.is_admin())));
create policy "givers put up photos of their tasks" on storage.objects for insert to authenticated
with check (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and ((select private.has_role('task_giver')) or (select private.is_admin()))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));
create policy "givers take down what no task of theirs shows" on storage.objects for delete to authenticated
using (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and not private.photo_is_kept(bucket_id, name));

create policy "both parties see the photos of their booking, admins all" on storage.objects for select to authenticated
using (bucket_id = 'booking-photos' and ((select private.is_admin()) or private.is_party(private.photo_folder(name))));
create policy "both parties put up photos of the work" on storage.objects for insert to authenticated
with check (bucket_id = 'booking-photos' and private.may_show_work(private.photo_folder(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));
create policy "people take down their photos of the work until they are handed in" on storage.objects for delete to authenticated
using (bucket_id = 'booking-photos' and owner_id = (select auth.uid())::text
  and private.is_party(private.photo_folder(name)) and not private.photo_is_kept(bucket_id, name));

-- Removing. Without its row a file has no address, and the storage service's sweep removes what no row points to.

create function private.delete_photos(bucket text, names text[]) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  deleted integer;
begin
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects where bucket_id = bucket and name = any (names);
  get diagnostics deleted = row_count;
  perform set_config('storage.allow_delete_query', 'false', true);
  return deleted;
end $$;

-- A photo that was taken off its task or whose task is gone, unless another task of the giver shows it too.
create function private.drop_task_photos() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  dropped text[];
begin
  if old.photos = '{}' or (tg_op = 'UPDATE' and new.photos = old.photos) then
    return null;
  end if;
  select array_agg(photo) into dropped from unnest(old.photos) photo where not private.photo_is_kept('task-photos', photo);
  perform private.delete_photos('task-photos',
    dropped || array(select replace(photo, '.jpg', '.small.jpg') from unnest(dropped) photo));
  return null;
end $$;
create trigger drop_photos after update or delete on public.tasks
for each row execute function private.drop_task_photos();

create function private.drop_booking_photos() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.delete_photos('booking-photos', array(
    select name from storage.objects where bucket_id = 'booking-photos' and name like old.id || '/%'));
  return null;
end $$;
create trigger drop_photos after delete on public.bookings
for each row execute function private.drop_booking_photos();

-- Whoever leaves takes their photos along. Runs after erase_person, which may have left rows as empty anchors.
create function private.erase_photos() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update public.tasks set photos = '{}' where task_giver_id = old.id and photos <> '{}';
  update public.bookings set completion_photos = '{}' where task_doer_id = old.id and completion_photos <> '{}';
  update public.complaints set photos = '{}' where giver_id = old.id and photos <> '{}';
  update public.complaints set answer_photos = '{}' where tasker_id = old.id and answer_photos <> '{}';
  perform private.delete_photos(bucket, array(
    select name from storage.objects where bucket_id = bucket and owner_id = old.id::text))
  from unnest(array['task-photos', 'booking-photos']) bucket;
  return old;
end $$;
create trigger erase_photos after delete on auth.users
for each row execute function private.erase_photos();

-- Photos that were put up and never handed in, once a day.
create table private.photo_sweep (
  single boolean primary key default true check (single),
  swept_at timestamptz not null default now()
);
alter table private.photo_sweep enable row level security;
insert into private.photo_sweep default values;

create function private.sweep_photos() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  swept integer;
begin
  perform from private.photo_sweep where swept_at <= now() - interval '1 day' for update skip locked;
  if not found then
    return 0;
  end if;
  select sum(private.delete_photos(bucket, array(
    select o.name from storage.objects o where o.bucket_id = bucket and o.created_at <= now() - interval '1 day'
      and not private.photo_is_kept(bucket, o.name) limit 100))) into swept
  from unnest(array['task-photos', 'booking-photos']) bucket;
  if swept = 0 then
    update private.photo_sweep set swept_at = now();
  end if;
  return swept;
end $$;

create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews()
    + private.expire_booking() + private.close_overdue_task() + private.end_insurance() + private.sweep_photos();
end $$;
