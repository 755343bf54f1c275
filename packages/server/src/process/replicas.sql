-- The servers that run on this database in production, each with the time of its last heartbeat:
-- src/process/replicas.ts.
create table if not exists supabase_migrations.servers (
  id text primary key,
  host text not null,
  facts jsonb not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
grant all on supabase_migrations.servers to postgres;
