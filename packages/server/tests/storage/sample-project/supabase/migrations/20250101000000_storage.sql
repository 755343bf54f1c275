-- Statements from the guides of Supabase, and those that its dashboard writes.
insert into storage.buckets (id, name) values ('avatars', 'avatars');
insert into storage.buckets (id, name, public, avif_autodetection, file_size_limit, allowed_mime_types)
values ('posters', 'posters', true, false, 52428800, '{image/jpeg,image/png}')
on conflict (id) do nothing;
update storage.buckets set public = true where id = 'avatars';

alter table storage.objects enable row level security;

drop policy if exists "Avatar images are publicly accessible." on storage.objects;
create policy "Avatar images are publicly accessible." on storage.objects for select using (bucket_id = 'avatars');
create policy "Anyone can upload an avatar." on storage.objects for insert with check (bucket_id = 'avatars');
create policy "Anyone can update their own avatar." on storage.objects for update
  using ((select auth.uid()) = owner) with check (bucket_id = 'avatars');
create policy "Give users access to own folder 1oj01fe_0" on "storage"."objects" as permissive for insert to public
  with check (((bucket_id = 'posters'::text) AND ((select auth.uid()::text) = (storage.foldername(name))[1])));
create policy "images only" on storage.objects as restrictive for insert to authenticated
  with check (storage.extension(name) <> 'exe' and storage.filename(name) !~ '^\.');
create policy "Individual user Access" on storage.objects for delete to authenticated
  using ((select auth.uid()) = owner_id::uuid);
create policy "everyone sees buckets" on storage.buckets for select to public using (true);

create table public.works (
  id bigint generated always as identity primary key,
  title text not null,
  object_id uuid references storage.objects (id) on delete set null,
  bucket_id text references storage.buckets
);
create function public.note_upload() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.works (title, object_id, bucket_id) values (storage.filename(new.name), new.id, new.bucket_id);
  return new;
end
$$;
create trigger on_upload after insert on storage.objects for each row execute procedure public.note_upload();
create view public.poster_names as select name, metadata ->> 'size' as size, path_tokens[1] as folder
  from storage.objects where bucket_id = 'posters';
create index works_object on public.works (object_id);
select storage.get_size_by_bucket();
