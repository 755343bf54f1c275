-- Resumable uploads under way, and for a day those that are finished. No client may see them: their addresses are
-- what lets a client go on. Idempotent: applied at every start, after the storage schema.

set local role supabase_storage_admin;

create table if not exists storage.resumable_uploads (
  -- The address, and the version that the object will have.
  id uuid primary key,
  bucket_id text not null,
  name text not null,
  -- Subject of the person who may go on; null for nobody's.
  owner_id text,
  upsert boolean not null,
  -- Begun, and to be gone on with, by a signed upload's token.
  signed boolean not null,
  mime_type text not null,
  cache_control text not null,
  user_metadata jsonb,
  -- Sent by the client and returned unchanged.
  given_metadata text not null,
  -- Bytes; null until the client knows.
  size bigint,
  max_size bigint not null,
  -- So many bytes are safe, and where the backend has them.
  received bigint not null default 0,
  progress jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  finished_at timestamptz,
  -- Which request works on it, and until when it has it to itself unless it says otherwise.
  holder uuid,
  held_until timestamptz
);
-- The owner, or the client's address if nobody is signed in; null for the service. Limits count by it.
alter table storage.resumable_uploads add column if not exists opened_by text;
alter table storage.resumable_uploads enable row level security;
revoke all on storage.resumable_uploads from anon, authenticated, service_role, postgres;
create index if not exists resumable_uploads_open on storage.resumable_uploads (opened_by) where finished_at is null;
create index if not exists resumable_uploads_expires_at on storage.resumable_uploads (expires_at);

reset role;
