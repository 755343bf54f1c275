-- The storage schema: the tables and functions of Supabase's storage service, column for column, so that dumps move
-- over and migrations which fill storage.buckets or put policies on storage.objects apply. Idempotent: applied at
-- every start, before migrations. Row-level security decides who may do what; the bytes lie elsewhere.

create schema if not exists storage;

do $$
begin
  -- Policies may be made only by a table's owner, and migrations, which make them, run as postgres.
  if (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
    and not pg_has_role('postgres', 'supabase_storage_admin', 'member')
  then
    grant supabase_storage_admin to postgres;
  end if;
end
$$;
grant all on schema storage to supabase_storage_admin;
grant usage on schema storage to postgres, anon, authenticated, service_role;

set local role supabase_storage_admin;

do $$
begin
  if to_regtype('storage.buckettype') is null then
    create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
  end if;
end
$$;

create table if not exists storage.buckets (
  id text primary key,
  name text not null,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD'
);
-- A database that Supabase's image made holds these tables as they once were.
alter table storage.buckets
  add column if not exists public boolean default false,
  add column if not exists avif_autodetection boolean default false,
  add column if not exists file_size_limit bigint,
  add column if not exists allowed_mime_types text[],
  add column if not exists owner_id text,
  add column if not exists type storage.buckettype not null default 'STANDARD';
create unique index if not exists bname on storage.buckets (name);
comment on column storage.buckets.owner is 'Field is deprecated, use owner_id instead';

create table if not exists storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text,
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
);
alter table storage.objects
  add column if not exists path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  add column if not exists version text,
  add column if not exists owner_id text,
  add column if not exists user_metadata jsonb;
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);
create index if not exists name_prefix_search on storage.objects (name text_pattern_ops);
-- Listings walk this one, folder by folder.
create index if not exists idx_objects_bucket_id_name on storage.objects (bucket_id, name collate "C");
-- Ours: the sweep of files that no row points to, and what a leaving person owns.
create index if not exists objects_version_idx on storage.objects (version);
create index if not exists objects_owner_id_idx on storage.objects (owner_id);
comment on column storage.objects.owner is 'Field is deprecated, use owner_id instead';

create table if not exists storage.s3_multipart_uploads (
  id text primary key,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb
);
create index if not exists idx_multipart_uploads_list
  on storage.s3_multipart_uploads (bucket_id, key, created_at asc);

create table if not exists storage.s3_multipart_uploads_parts (
  id uuid primary key default gen_random_uuid(),
  upload_id text not null references storage.s3_multipart_uploads (id) on delete cascade,
  size bigint not null default 0,
  part_number integer not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now()
);
create index if not exists s3_multipart_uploads_parts_upload_id_idx
  on storage.s3_multipart_uploads_parts (upload_id);

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;

grant all on storage.buckets, storage.objects to postgres with grant option;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to postgres, service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to anon, authenticated;

-- Functions for policies ----------------------------------------------------------------------------------

/* 'a/b/c.png' → {a,b} */
create or replace function storage.foldername(name text) returns text[] language sql immutable as $$
  select (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1]
$$;

/* 'a/b/c.png' → 'c.png' */
create or replace function storage.filename(name text) returns text language sql immutable as $$
  select (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]
$$;

/* 'a/b/c.png' → 'png' */
create or replace function storage.extension(name text) returns text language sql immutable as $$
  select reverse(split_part(reverse(storage.filename(name)), '.', 1))
$$;

/* The operation of the service that is running, such as 'storage.object.upload'. */
create or replace function storage.operation() returns text language sql stable as $$
  select current_setting('storage.operation', true)
$$;

create or replace function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable as $$
  select regexp_replace(coalesce(storage.operation(), ''), '^storage\.', '')
    = regexp_replace(expected_operation, '^storage\.', '')
$$;

create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable as $$
  select coalesce(bool_or(storage.allow_only_operation(expected)), false) from unnest(expected_operations) as expected
$$;

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable as $$
  select sum((objects.metadata ->> 'size')::bigint)::bigint, objects.bucket_id
  from storage.objects group by objects.bucket_id
$$;

/* Raises when the caller may not insert this object; inserts nothing. */
create or replace function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb)
returns void language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$$;

-- Triggers ------------------------------------------------------------------------------------------------

create or replace function storage.update_updated_at_column() returns trigger language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end
$$;

create or replace function storage.enforce_bucket_name_length() returns trigger language plpgsql as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name)
      using errcode = '22001';
  end if;
  return new;
end
$$;

/* A row deleted behind the service's back leaves its bytes; Supabase refuses that, and so do we. */
create or replace function storage.protect_delete() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501', hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;

create or replace trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();
create or replace trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();
create or replace trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create or replace trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();

grant execute on all functions in schema storage to postgres, anon, authenticated, service_role;

reset role;
