-- A public picture is never replaced: another picture has another name, and the profile or the task points to it, which
-- admins are notified of where the person is verified. The name of a picture that was shown is not used again, because
-- browsers and caches keep what they read under it.

drop policy "people replace their own photos" on storage.objects;

-- Pictures that a profile or a task has shown, and their small versions. Entries stay until the person's account is deleted.
create table private.shown_pictures (
  bucket_id text not null,
  name text not null,
  primary key (bucket_id, name)
);
alter table private.shown_pictures enable row level security;

-- The name in profile-photos that a profile's address points to; null for any other address.
create function private.profile_photo(address text) returns text
language sql immutable set search_path = '' as $$
  select substring(address from '^(?:https?://[^/?#]+)?/storage/v1/object/public/profile-photos/([0-9a-f-]{36}[/-][A-Za-z0-9._-]+)$')
$$;

create function private.small_photos(names text[]) returns text[]
language sql immutable set search_path = '' as $$
  select array(select regexp_replace(name, '\.jpg$', '.small.jpg') from unnest(names) name)
$$;

insert into private.shown_pictures (bucket_id, name)
select 'profile-photos', private.profile_photo(avatar_url) from private.profiles where private.profile_photo(avatar_url) is not null
union
select 'task-photos', unnest(photos || private.small_photos(photos)) from public.tasks where photos <> '{}';

-- Whether a file may be stored under this name: nothing was shown under it before. While the file itself is there, the
-- storage service answers that, as it does for an upload that is sent again after a lost answer.
create function private.is_new_picture(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from storage.objects o where o.bucket_id = bucket and o.name = is_new_picture.name)
    or not (exists (select from private.shown_pictures s where s.bucket_id = bucket and s.name = is_new_picture.name)
      or (bucket = 'chat-photos' and private.photo_booking(is_new_picture.name) is not null
        and exists (select from public.messages m where m.id = substring(is_new_picture.name from '/(.{36})\.jpg$')::uuid)));
end $$;
grant execute on function private.is_new_picture(text, text) to authenticated;
create policy "names of pictures are used once" on storage.objects as restrictive for insert to authenticated
with check (private.is_new_picture(bucket_id, name));

-- No address is signed for uploading a profile photo, as for the other buckets: it would hold past every policy.
drop policy "people put up their own photos" on storage.objects;
create policy "people put up their own photos" on storage.objects for insert to authenticated
with check (bucket_id = 'profile-photos' and left(name, 36) = (select auth.uid())::text
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

-- An address in our storage is that of a profile photo of this person, as it is written, and the file is there. Addresses
-- elsewhere are not shown: the pages' content security policy loads pictures from here only.
create function private.is_own_profile_photo(person uuid, address text) returns boolean
language sql stable security definer set search_path = '' as $$
  select left(private.profile_photo(address), 36) = person::text and exists (select from storage.objects o
    where o.bucket_id = 'profile-photos' and o.name = private.profile_photo(address) and not private.is_dropped(o.bucket_id, o.name))
$$;
grant execute on function private.is_own_profile_photo(uuid, text) to authenticated;

create function private.check_profile_photo() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.avatar_url is distinct from old.avatar_url and new.avatar_url ~* '/storage/v1/|[%\\]|/\.\.?/'
    and private.is_own_profile_photo(new.id, new.avatar_url) is not true
  then
    raise exception using message = 'A photo is not there any more. Please remove it and add it again.', hint = 'avatar_url';
  end if;
  return new;
end $$;
create trigger "47_photo_file" before update on private.profiles
for each row execute function private.check_profile_photo();

-- The picture that a profile shows is recorded; the one before it is removed, with what was put up and never chosen.
create function private.change_profile_photo() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  shown constant text := private.profile_photo(new.avatar_url);
  before constant text := private.profile_photo(old.avatar_url);
begin
  if shown is not null then
    insert into private.shown_pictures (bucket_id, name) values ('profile-photos', shown) on conflict do nothing;
  end if;
  perform private.drop_files('profile-photos', array(
    select o.name from storage.objects o
    where o.bucket_id = 'profile-photos' and o.name like new.id || '%' and o.name is distinct from shown
      and (o.name = before or o.created_at < now() - interval '1 hour')));
  return null;
end $$;
create trigger change_photo after update of avatar_url on private.profiles
for each row when (new.avatar_url is distinct from old.avatar_url)
execute function private.change_profile_photo();

create function private.record_task_photos() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if new.photos <> '{}' and (tg_op = 'INSERT' or new.photos <> old.photos) then
    insert into private.shown_pictures (bucket_id, name)
    select 'task-photos', photo from unnest(new.photos || private.small_photos(new.photos)) photo on conflict do nothing;
  end if;
  return null;
end $$;
create trigger record_photos after insert or update on public.tasks
for each row execute function private.record_task_photos();

-- Names begin with their owner's id.
create function private.erase_shown_pictures() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.shown_pictures where name like old.id || '%';
  return old;
end $$;
create trigger erase_shown_pictures after delete on auth.users
for each row execute function private.erase_shown_pictures();
