-- Photos of profiles, tasks, completed work and complaints: where the files are stored and who can put, read and remove them.

set check_function_bodies = off;

create table private.shown_pictures (
  bucket_id text not null,
  name text not null,
  primary key (bucket_id, name)
);
alter table private.shown_pictures enable row level security;

comment on table private.shown_pictures is
  'Pictures and thumbnails that a profile or task has shown, so that their names are never used again';
comment on column private.shown_pictures.name is 'Name of the file in the bucket';

-- The folder id that a photo's name begins with; null if the name has any other form.
create function private.photo_folder(name text) returns uuid
language sql immutable set search_path = '' as $$
  select case when name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.small)?\.jpg$'
    then left(name, 36)::uuid end
$$;

-- Whether a row lists this photo, or the photo of which it is the thumbnail.
create function private.photo_is_kept(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  photo constant text[] := array[replace(name, '.small.jpg', '.jpg')];
  folder constant uuid := private.photo_folder(name);
begin
  if bucket = 'task-photos' then
    return exists (select from public.tasks where photos @> photo and photos <> '{}');
  end if;
  return exists (select from public.bookings where id = folder and completion_photos || before_photos @> photo)
    or exists (select from public.complaints c where c.booking_id = folder and c.photos || c.answer_photos @> photo)
    or exists (select from public.no_shows n where n.booking_id = folder and n.photos || n.answer_photos @> photo)
    or exists (select from public.booking_changes c where c.booking_id = folder and c.photos @> photo)
    or exists (select from public.snow_reports r where r.photos @> photo);
end $$;

-- Limits the uploaded photos that no row lists. Dropped files do not count: they cannot be submitted and are in no data export.
create function private.has_room_for_photo(bucket text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select count(*) from storage.objects o where o.bucket_id = bucket and o.owner_id = (select auth.uid())::text
    and not private.photo_is_kept(bucket, o.name) and not private.is_dropped_file(bucket, o.name)) < 40;
end $$;

-- Both parties upload photos once the work is paid for: taskers of the work, givers of a problem or of a tasker who did not come.
-- Taskers also upload photos of snow for an agreed snowfall task.
create function private.may_upload_work_photo(booking uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where id = booking
    and ((select auth.uid()) in (task_doer_id, task_giver_id) and status in ('in_progress', 'completed')
      or task_doer_id = (select auth.uid()) and status = 'accepted' and visit_number = 0));
end $$;

-- Drops photos that were removed from a task or whose task was deleted, unless another task of the giver shows them.
create function private.drop_task_photos(task public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  dropped text[];
begin
  if task.photos = '{}' then
    return;
  end if;
  select array_agg(photo) into dropped from unnest(task.photos) photo where not private.photo_is_kept('task-photos', photo);
  perform private.drop_files('task-photos',
    dropped || array(select replace(photo, '.jpg', '.small.jpg') from unnest(dropped) photo));
end $$;

-- Drops all photos of a deleted booking.
create function private.drop_booking_photos(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.drop_files('booking-photos', array(
    select name from storage.objects where bucket_id = 'booking-photos' and name like booking.id || '/%'));
end $$;

-- Photos of tasks, completions, complaints and answers: at most limits.photos.count each, uploaded first by the person who submits them.
-- Everyone who can read the row can read the names of its photos.

-- Raises an error unless these photos can be submitted: in this bucket and folder, uploaded by this person.
create function private.check_photos(photos text[], bucket text, folder uuid, person uuid, field text) returns void
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
        where bucket_id = bucket and name = photo and owner_id = person::text and not private.is_dropped_file(bucket_id, name)))
  then
    perform private.fail('photo.not_found', field);
  end if;
end $$;

-- Requires at most limits.photos.count photos, each uploaded by the giver.
create function private.check_task_photos(task public.tasks, before public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  task.photos := coalesce(task.photos, '{}');
  if private.is_client() and task.photos <> '{}' and task.photos is distinct from before.photos then
    perform private.check_photos(task.photos, 'task-photos', task.task_giver_id, task.task_giver_id, 'photos');
  end if;
  return task;
end $$;

-- Lets photos of the work be added only when it is marked complete, and requires that the tasker uploaded them.
create function private.check_completion_photos(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.completion_photos := coalesce(booking.completion_photos, '{}');
  if private.is_client() and booking.completion_photos <> before.completion_photos then
    if booking.status <> 'completed' or before.status = 'completed' then
      perform private.fail('photo.not_completing', 'completion_photos');
    end if;
    perform private.check_photos(booking.completion_photos, 'booking-photos', booking.id, booking.task_doer_id, 'completion_photos');
  end if;
  return booking;
end $$;

-- Requires that the photos of a complaint were uploaded by its giver.
create function private.check_complaint_photos(complaint public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
begin
  complaint.photos := coalesce(complaint.photos, '{}');
  complaint.answer_photos := coalesce(complaint.answer_photos, '{}');
  perform private.check_photos(complaint.photos, 'booking-photos', complaint.booking_id, complaint.giver_id, 'photos');
  return complaint;
end $$;

-- Lets photos be added only with the answer, and requires that the tasker uploaded them.
create function private.check_answer_photos(complaint public.complaints, before public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
begin
  complaint.photos := coalesce(complaint.photos, '{}');
  complaint.answer_photos := coalesce(complaint.answer_photos, '{}');
  if private.is_client() and complaint.answer_photos <> before.answer_photos then
    if before.answer is not null or complaint.answer is null then
      perform private.fail('photo.not_answering', 'answer_photos');
    end if;
    perform private.check_photos(complaint.answer_photos, 'booking-photos', complaint.booking_id, complaint.tasker_id, 'answer_photos');
  end if;
  return complaint;
end $$;

-- The file name in profile-photos that a profile's avatar address points to; null for any other address.
create function private.profile_photo(address text) returns text
language sql immutable set search_path = '' as $$
  select substring(address from '^(?:https?://[^/?#]+)?/storage/v1/object/public/profile-photos/([0-9a-f-]{36}[/-][A-Za-z0-9._-]+)$')
$$;

create function private.small_photo_names(names text[]) returns text[]
language sql immutable set search_path = '' as $$
  select array(select regexp_replace(name, '\.jpg$', '.small.jpg') from unnest(names) name)
$$;

-- Whether a file can be stored under this name: no picture was shown under it before. While the file itself exists, the storage
-- service reports the conflict, as it does when an upload is repeated after a lost reply.
create function private.is_unused_picture_name(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from storage.objects o where o.bucket_id = bucket and o.name = is_unused_picture_name.name)
    or not (exists (select from private.shown_pictures s where s.bucket_id = bucket and s.name = is_unused_picture_name.name)
      or (bucket = 'chat-photos' and private.photo_booking(is_unused_picture_name.name) is not null
        and exists (select from public.messages m where m.id = substring(is_unused_picture_name.name from '/(.{36})\.jpg$')::uuid)));
end $$;

-- Whether an address is exactly that of an existing profile photo of this person. Addresses elsewhere are not shown: the pages'
-- content security policy loads pictures from this site only.
create function private.is_own_profile_photo(person uuid, address text) returns boolean
language sql stable security definer set search_path = '' as $$
  select left(private.profile_photo(address), 36) = person::text and exists (select from storage.objects o
    where o.bucket_id = 'profile-photos' and o.name = private.profile_photo(address) and not private.is_dropped_file(o.bucket_id, o.name))
$$;

-- Records the picture that a profile shows. Drops the previous one, and uploads older than an hour that were never chosen.
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

-- Records the pictures that a task shows, so that their names are never used again.
create function private.record_task_photos(task public.tasks) returns void
language sql set search_path = '' as $$
  insert into private.shown_pictures (bucket_id, name)
  select 'task-photos', photo from unnest(task.photos || private.small_photo_names(task.photos)) photo on conflict do nothing
$$;

-- Forgets the pictures of a deleted account; their names begin with its id.
create function private.erase_shown_pictures(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.shown_pictures where name like person || '%';
end $$;

-- Profile photos: `<user id>/<random>.jpg` or `<user id>-<random>.jpg`. Anyone can open one by its address; only the person and
-- admins can list them.
create policy "people see their own photos, admins see all" on storage.objects for select to authenticated
using (bucket_id = 'profile-photos'
  and (left(name, 36) = (select auth.uid())::text or (select private.is_admin())));

create policy "people remove their own photos, admins any" on storage.objects for delete to authenticated
using (bucket_id = 'profile-photos'
  and (left(name, 36) = (select auth.uid())::text or (select private.is_admin())));

-- Identity documents: `<user id>/<random>.pdf`. The person cannot replace or delete them once the verification is submitted.
create policy "people and admins see documents" on storage.objects for select to authenticated
using (bucket_id = 'identity-documents'
  and ((storage.foldername(name))[1] = (select auth.uid())::text or (select private.is_admin())));

-- Signed upload URLs are refused: they are valid for two hours, whatever the policies say then, and also after the submission.
create policy "people upload their own documents" on storage.objects for insert to authenticated
with check (bucket_id = 'identity-documents' and (storage.foldername(name))[1] = (select auth.uid())::text
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "people replace their own documents" on storage.objects for update to authenticated
using (bucket_id = 'identity-documents' and (storage.foldername(name))[1] = (select auth.uid())::text
  and not (select private.has_submitted_verification()))
with check (bucket_id = 'identity-documents' and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "people remove their own documents, admins any" on storage.objects for delete to authenticated
using (bucket_id = 'identity-documents' and ((select private.is_admin())
  or ((storage.foldername(name))[1] = (select auth.uid())::text and not (select private.has_submitted_verification()))));

-- Anyone can open a photo of a task by its address; only its giver and admins can list them. Photos are never replaced, and
-- signed upload URLs are refused because they bypass the policies.
create policy "givers see the files of their task photos, admins see all" on storage.objects for select to authenticated
using (bucket_id = 'task-photos'
  and (private.photo_folder(name) = (select auth.uid()) or (select private.is_admin())));

create policy "givers upload photos of their tasks" on storage.objects for insert to authenticated
with check (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and ((select private.has_role('task_giver')) or (select private.is_admin()))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));

create policy "givers remove photos that none of their tasks shows" on storage.objects for delete to authenticated
using (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and not private.photo_is_kept(bucket_id, name));

create policy "both parties see the photos of their booking, admins all" on storage.objects for select to authenticated
using (bucket_id = 'booking-photos' and ((select private.is_admin()) or private.is_party(private.photo_folder(name))));

create policy "both parties upload photos of the work" on storage.objects for insert to authenticated
with check (bucket_id = 'booking-photos' and private.may_upload_work_photo(private.photo_folder(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));

create policy "people remove their photos of the work until they submit them" on storage.objects for delete to authenticated
using (bucket_id = 'booking-photos' and owner_id = (select auth.uid())::text
  and private.is_party(private.photo_folder(name)) and not private.photo_is_kept(bucket_id, name));

create policy "names of pictures are used once" on storage.objects as restrictive for insert to authenticated
with check (private.is_unused_picture_name(bucket_id, name));

create policy "people upload their own photos" on storage.objects for insert to authenticated
with check (bucket_id = 'profile-photos' and left(name, 36) = (select auth.uid())::text
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

-- Authors cannot read their hidden files: a person who can read a file can sign a URL with which everyone can.
create policy "admins see hidden files" on storage.objects for select to authenticated
using (bucket_id in ('hidden-profile-photos', 'hidden-task-photos', 'hidden-chat-photos') and (select private.is_admin()));

grant execute on function
  private.photo_folder(text), private.has_room_for_photo(text), private.photo_is_kept(text, text),
  private.may_upload_work_photo(uuid)
to authenticated;
grant execute on function
  private.is_own_profile_photo(uuid, text), private.check_photos(text[], text, uuid, uuid, text),
  private.is_unused_picture_name(text, text), private.check_complaint_photos(public.complaints),
  private.check_answer_photos(public.complaints, public.complaints),
  private.check_completion_photos(public.bookings, public.bookings), private.check_task_photos(public.tasks, public.tasks)
to authenticated, service_role;

-- Buckets of profile photos, which are public, and of identity documents, which only the person and admins can read. A file's
-- name begins with its owner's id. All ids have the same length, so no name begins with another person's id.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('profile-photos', 'profile-photos', true, 5 * 1024 * 1024,
   array['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']),
  ('identity-documents', 'identity-documents', false, private.rule('limits.identityDocument.max'),
   array['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/pdf'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- Buckets of photos of tasks and of the work. The app converts every picture to JPEG, which removes the place where it was taken.
-- Photos that no row lists for a day are removed.
--   task-photos     `<giver's id>/<random>.jpg`, and its thumbnail `<random>.small.jpg` for cards. Public, like tasks.
--   booking-photos  `<booking's id>/<random>.jpg`: completion, complaint and answer. Private: both parties and admins.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('task-photos', 'task-photos', true, 5 * 1024 * 1024, array['image/jpeg']),
  ('booking-photos', 'booking-photos', false, 5 * 1024 * 1024, array['image/jpeg'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- Private buckets of hidden pictures. When an administrator hides something, the storage service moves its files here (called by
-- the edge function run-scheduled), so their public addresses stop working. It moves them back when they are shown again.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
select 'hidden-' || id, 'hidden-' || id, false, file_size_limit, allowed_mime_types from storage.buckets
where id in ('profile-photos', 'task-photos', 'chat-photos')
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;
