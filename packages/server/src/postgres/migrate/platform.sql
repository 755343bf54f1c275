-- Creates the contents of every Supabase project's database before its first migration, apart from roles: schemas,
-- grants, default privileges, the auth.* claim functions, the realtime publication and the schema-reload triggers.
-- Follows the supabase/postgres image's init scripts. Idempotent. The database's owner runs it at a start that finds
-- another version, or none.

-- Schemas ---------------------------------------------------------------------------------------------

create schema if not exists extensions;
create schema if not exists auth;
create schema if not exists storage;
create schema if not exists realtime;
create schema if not exists graphql_public;
create schema if not exists graphql;
create schema if not exists pgsodium;

-- pgcrypto and uuid-ossp stand ready as on Supabase; migrations create what else they need by themselves.
create extension if not exists pgcrypto with schema extensions;
do $$
declare
  wanted text;
begin
  -- Creating pg_stat_statements takes a superuser, which migrations are not.
  foreach wanted in array array['uuid-ossp', 'pg_stat_statements'] loop
    if exists (select from pg_available_extensions where name = wanted)
      and not exists (select from pg_extension where extname = wanted)
    then
      begin
        execute format('create extension %I with schema extensions', wanted);
      exception when insufficient_privilege then null;
      end;
    end if;
  end loop;
end
$$;

-- The vault's key, which a start provides (vault-key.ts). A materialized view has it, because a dump holds the view's definition
-- and never its row, while a standby and a copy of the whole cluster have the row, too.
create schema if not exists vault;
-- A refresh by hand, or of every view, keeps the key that the view has.
create or replace function vault._next_key() returns text language plpgsql volatile set search_path = '' as $$
begin
  return coalesce(nullif(current_setting('vault.new_key', true), ''), (select key from vault.root_key));
end
$$;
revoke all on function vault._next_key from public;
do $$
begin
  if to_regclass('vault.root_key') is null then
    create materialized view vault.root_key as select vault._next_key() as key with no data;
    revoke all on vault.root_key from public;
  end if;
  -- Earlier versions had it in the extension, which would take it along when it is dropped.
  if exists (
    select from pg_depend where classid = 'pg_proc'::regclass and objid = to_regprocedure('vault._key()') and deptype = 'e'
  ) then
    alter extension supabase_vault drop function vault._key();
  end if;
end
$$;
create or replace function vault._key() returns text language plpgsql stable security definer set search_path = '' as $$
declare
  found_key text := (select key from vault.root_key);
begin
  if found_key is null then
    raise exception using errcode = 'object_not_in_prerequisite_state',
      message = 'the vault has no key yet', hint = 'A start of the server provides it: VAULT_KEY, or vault.key in DATA_DIR.';
  end if;
  return found_key;
end
$$;
revoke all on function vault._key from public;

-- Further objects of a new Supabase project, created by postgres, who may drop them.
do $$
declare
  wanted record;
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null or not pg_has_role(current_user, 'postgres', 'member') then
    return;
  end if;
  execute format('grant create on database %I to postgres', current_database());
  set local role postgres;
  for wanted in select * from (values ('supabase_vault', 'vault'), ('pg_net', 'extensions')) as extensions (name, schema) loop
    if exists (select from pg_available_extensions where name = wanted.name) then
      if wanted.schema = 'extensions' then
        execute format('create extension if not exists %I with schema extensions', wanted.name);
      else
        execute format('create extension if not exists %I', wanted.name);
      end if;
    end if;
  end loop;
  reset role;
end
$$;

grant usage on schema public to postgres, anon, authenticated, service_role;
-- Once: an owner who is no superuser would then grant it as postgres, back to postgres itself, which PostgreSQL refuses.
do $$
begin
  if not exists (
    select from pg_namespace, aclexplode(nspacl) as granted
    where nspname = 'public' and granted.grantee = 'postgres'::regrole
      and granted.privilege_type = 'CREATE' and granted.is_grantable
  ) then
    grant all on schema public to postgres with grant option;
  end if;
end
$$;
grant usage on schema extensions to anon, authenticated, service_role;
grant all on schema extensions to postgres, dashboard_user with grant option;
grant usage on schema auth to anon, authenticated, service_role, postgres;
grant all on schema auth to supabase_auth_admin, dashboard_user;
grant usage on schema storage to anon, authenticated, service_role;
grant all on schema storage to supabase_storage_admin, postgres, dashboard_user with grant option;
grant usage on schema realtime to anon, authenticated, service_role, postgres;
grant usage on schema graphql_public to anon, authenticated, service_role, postgres;

-- Whatever the owner of the schema makes in public is open to the API's roles; row-level security decides.
-- Only for a new database: a project's migrations may have closed these defaults, and that must last.
do $$
declare
  -- Migrations run as the account itself where postgres is somebody else's, as the superuser of most clusters is.
  migrator text := case when pg_has_role(current_user, 'postgres', 'member') then 'postgres' else current_user end;
  maker text;
  target text;
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    return;
  end if;
  foreach maker in array array[migrator, 'supabase_admin'] loop
    if pg_has_role(current_user, maker, 'usage') then
      foreach target in array array['tables', 'sequences', 'functions'] loop
        execute format(
          'alter default privileges for role %I in schema public grant all on %s to postgres, anon, authenticated, service_role',
          maker, target
        );
        execute format(
          'alter default privileges for role %I in schema extensions grant all on %s to postgres with grant option',
          maker, target
        );
      end loop;
    end if;
  end loop;
end
$$;

-- Tables of the auth service may be referenced, read and given triggers by migrations and seeds.
alter default privileges in schema auth grant all on tables to postgres, supabase_auth_admin, dashboard_user;
alter default privileges in schema auth grant all on sequences to postgres, supabase_auth_admin, dashboard_user;
alter default privileges in schema auth grant all on routines to postgres, supabase_auth_admin, dashboard_user;
alter default privileges in schema storage grant all on tables to postgres, service_role, supabase_storage_admin;
alter default privileges in schema storage grant all on sequences to postgres, service_role, supabase_storage_admin;
alter default privileges in schema storage grant all on routines to postgres, service_role, supabase_storage_admin;

-- Claims of the caller ------------------------------------------------------------------------------------

create or replace function auth.uid() returns uuid language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
  )::uuid
$$;

create or replace function auth.role() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role')
  )::text
$$;

create or replace function auth.email() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email')
  )::text
$$;

create or replace function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

-- Database webhooks: a trigger that posts the row once the transaction has committed
-- (https://supabase.com/docs/guides/database/webhooks) -------------------------------------------------------

create schema if not exists supabase_functions;
create table if not exists supabase_functions.hooks (
  id bigserial primary key,
  hook_table_id integer not null,
  hook_name text not null,
  created_at timestamptz not null default now(),
  request_id bigint
);

create or replace function supabase_functions.http_request() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  url text := tg_argv[0];
  method text := upper(tg_argv[1]);
  headers jsonb := coalesce(nullif(tg_argv[2], 'null'), '{"Content-Type": "application/json"}');
  params jsonb := coalesce(nullif(tg_argv[3], 'null'), '{}');
  timeout_ms integer := coalesce(nullif(tg_argv[4], 'null'), '1000');
  request bigint;
begin
  if url is null or url = 'null' then
    raise exception 'url argument is missing';
  end if;
  if method = 'GET' then
    request := net.http_get(url, params, headers, timeout_ms);
  elsif method = 'POST' then
    request := net.http_post(
      url,
      jsonb_build_object(
        'old_record', to_jsonb(old), 'record', to_jsonb(new), 'type', tg_op, 'table', tg_table_name, 'schema', tg_table_schema
      ),
      params, headers, timeout_ms
    );
  else
    raise exception 'method argument % is invalid', tg_argv[1];
  end if;
  insert into supabase_functions.hooks (hook_table_id, hook_name, request_id) values (tg_relid::integer, tg_name, request);
  return coalesce(new, old);
end
$$;
grant usage on schema supabase_functions to postgres, anon, authenticated, service_role;
grant all on all tables in schema supabase_functions to postgres;
grant execute on function supabase_functions.http_request() to postgres, anon, authenticated, service_role;

-- Realtime and schema reload --------------------------------------------------------------------------

do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
    if pg_has_role(current_user, 'postgres', 'member') then
      alter publication supabase_realtime owner to postgres;
    end if;
  end if;
end
$$;

-- Every change of the schema tells the Data API to read it again, as PostgREST documents it.
create or replace function extensions.pgrst_ddl_watch() returns event_trigger language plpgsql as $$
declare
  command record;
begin
  for command in select * from pg_event_trigger_ddl_commands() loop
    if command.command_tag in (
      'CREATE SCHEMA', 'ALTER SCHEMA', 'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
      'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE', 'CREATE VIEW', 'ALTER VIEW',
      'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW', 'CREATE FUNCTION', 'ALTER FUNCTION',
      'CREATE TRIGGER', 'CREATE TYPE', 'ALTER TYPE', 'CREATE RULE', 'COMMENT', 'GRANT', 'REVOKE'
    ) and command.schema_name is distinct from 'pg_temp' then
      notify pgrst, 'reload schema';
    end if;
  end loop;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger language plpgsql as $$
declare
  dropped record;
begin
  for dropped in select * from pg_event_trigger_dropped_objects() loop
    if dropped.object_type in (
      'schema', 'table', 'foreign table', 'view', 'materialized view', 'function', 'trigger', 'type', 'rule'
    ) and not dropped.is_temporary then
      notify pgrst, 'reload schema';
    end if;
  end loop;
end
$$;

-- PostgreSQL lets superusers alone make them, some providers others as well; rights.ts tells whoever may not.
do $$
begin
  if not exists (select from pg_event_trigger where evtname = 'pgrst_ddl_watch') then
    create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'pgrst_drop_watch') then
    create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
  end if;
exception when insufficient_privilege then null;
end
$$;

-- Migrations, as the Supabase CLI records them ----------------------------------------------------------

create schema if not exists supabase_migrations;
create table if not exists supabase_migrations.schema_migrations (
  version text primary key,
  statements text[],
  name text
);
create table if not exists supabase_migrations.seed_files (
  path text primary key,
  hash text not null
);
-- By the names that the CLI has for them: earlier versions of this file began below supabase/.
update supabase_migrations.seed_files set path = 'supabase/' || path where path not like 'supabase/%';
-- Whom the seed made: production does not start while one of them is there.
create table if not exists supabase_migrations.seed_people (user_id uuid primary key);

-- Which version of the platform is applied: a start that finds its own changes nothing and takes no lock.
create table if not exists supabase_migrations.platform_version (
  version text not null
);
-- The CLI, which comes in as postgres, applies migrations, seeds, and empties all of these to begin anew.
grant all on schema supabase_migrations to postgres;
grant all on all tables in schema supabase_migrations to postgres;
