-- Files: photos that everyone may look at, and identity documents that only the person and admins see.
-- A file's name begins with its owner's id, which has a fixed length: nobody's begins with another's.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('profile-photos', 'profile-photos', true, 5 * 1024 * 1024,
   array['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']),
  ('identity-documents', 'identity-documents', false, private.rule('limits.identityDocument.max'),
   array['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'application/pdf'])
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- Photos: `<user id>/<random>.jpg` or `<user id>-<random>.jpg`. Anyone opens one by its address; none but the person
-- and admins list them.
create policy "people see their own photos, admins see all" on storage.objects for select to authenticated
using (bucket_id = 'profile-photos'
  and (left(name, 36) = (select auth.uid())::text or (select private.is_admin())));

create policy "people put up their own photos" on storage.objects for insert to authenticated
with check (bucket_id = 'profile-photos' and left(name, 36) = (select auth.uid())::text);

create policy "people replace their own photos" on storage.objects for update to authenticated
using (bucket_id = 'profile-photos' and left(name, 36) = (select auth.uid())::text)
with check (bucket_id = 'profile-photos' and left(name, 36) = (select auth.uid())::text);

create policy "people take down their own photos, admins any" on storage.objects for delete to authenticated
using (bucket_id = 'profile-photos'
  and (left(name, 36) = (select auth.uid())::text or (select private.is_admin())));

-- Documents: `<user id>/<random>.pdf`. What a verification is decided on stays as it was handed in.
create policy "people and admins see documents" on storage.objects for select to authenticated
using (bucket_id = 'identity-documents'
  and ((storage.foldername(name))[1] = (select auth.uid())::text or (select private.is_admin())));

-- No address is signed for uploading one: it would hold for two hours past every policy, and past the handing in.
create policy "people hand in their own documents" on storage.objects for insert to authenticated
with check (bucket_id = 'identity-documents' and (storage.foldername(name))[1] = (select auth.uid())::text
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "people replace their own documents" on storage.objects for update to authenticated
using (bucket_id = 'identity-documents' and (storage.foldername(name))[1] = (select auth.uid())::text
  and not (select private.has_submitted_verification()))
with check (bucket_id = 'identity-documents' and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "people withdraw their own documents, admins any" on storage.objects for delete to authenticated
using (bucket_id = 'identity-documents' and ((select private.is_admin())
  or ((storage.foldername(name))[1] = (select auth.uid())::text and not (select private.has_submitted_verification()))));

-- Whoever leaves takes their files along: without its row a file has no address, and the storage service's sweep
-- removes what no row points to.
create function private.erase_files() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects
  where bucket_id in ('profile-photos', 'identity-documents') and left(name, 36) = old.id::text;
  perform set_config('storage.allow_delete_query', 'false', true);
  return old;
end $$;

create trigger erase_files after delete on auth.users
for each row execute function private.erase_files();
