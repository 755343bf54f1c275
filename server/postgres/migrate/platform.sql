-- What every Supabase project's database holds before its first migration: roles, schemas, grants,
-- default privileges, the auth.* claim functions, the realtime publication and the schema-reload triggers.
-- Follows the supabase/postgres image's init scripts. Idempotent; run by the database's owner at a start that finds
-- another version of it applied, or none.

-- Roles -----------------------------------------------------------------------------------------------

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('anon', 'nologin noinherit'),
      ('authenticated', 'nologin noinherit'),
      ('service_role', 'nologin noinherit bypassrls'),
      ('authenticator', 'login noinherit'),
      ('supabase_auth_admin', 'login noinherit createrole'),
      ('supabase_storage_admin', 'login noinherit createrole'),
      ('supabase_realtime_admin', 'nologin noinherit'),
      ('supabase_functions_admin', 'nologin noinherit createrole'),
      ('supabase_replication_admin', 'nologin replication'),
      ('supabase_read_only_user', 'nologin bypassrls'),
      ('pgbouncer', 'nologin'),
      ('dashboard_user', 'nologin createrole createdb replication'),
      ('postgres', 'login createrole createdb replication bypassrls'),
      ('supabase_admin', 'login createrole createdb replication bypassrls')
    ) as roles (name, options)
  loop
    if not exists (select from pg_roles where rolname = wanted.name) then
      execute format('create role %I %s', wanted.name, wanted.options);
      -- Where signing in takes a password, the API's role has the owner's, as on a self-hosted Supabase.
      if wanted.name = 'authenticator' and current_setting('platform.password', true) <> '' then
        execute format('alter role authenticator password %L', current_setting('platform.password'));
      end if;
    end if;
  end loop;

  -- Granting again is harmless, but only the owner of the roles may; elsewhere they are granted already.
  if (select rolsuper from pg_roles where rolname = current_user) then
    grant anon, authenticated, service_role to authenticator;
    if not (select rolsuper from pg_roles where rolname = 'postgres') then
      grant anon, authenticated, service_role, authenticator to postgres with admin option;
      grant pg_read_all_data, pg_signal_backend, pg_monitor to postgres;
    end if;
    grant supabase_auth_admin, supabase_storage_admin, anon, authenticated, service_role to supabase_admin;
    -- On Supabase, postgres may make policies on the auth service's tables, own the database (comments on public,
    -- settings of the database) and set what its image allows; PostgreSQL has membership and grants for that.
    if not (select rolsuper from pg_roles where rolname = 'postgres') then
      grant supabase_auth_admin to postgres;
      for wanted in
        select name from unnest(array[
          'session_replication_role', 'log_min_duration_statement', 'log_min_messages', 'log_statement', 'track_functions',
          'pgrst.db_schemas', 'pgrst.db_extra_search_path', 'pgrst.db_max_rows', 'pgrst.db_pre_request',
          'pgrst.db_aggregates_enabled', 'pgrst.db_plan_enabled', 'pgrst.db_tx_end', 'pgrst.openapi_mode',
          'pgrst.server_timing_enabled', 'pgrst.jwt_aud', 'pgrst.db_hoisted_tx_settings'
        ]) as name
      loop
        if not exists (select from pg_parameter_acl where parname = wanted.name) then
          execute format('grant set on parameter %I to postgres', wanted.name);
        end if;
      end loop;
    end if;
    if (select datdba <> 'postgres'::regrole from pg_database where datname = current_database()) then
      execute format('alter database %I owner to postgres', current_database());
    end if;
    -- Roles belong to the whole cluster: what is set already is left alone, since another database may be
    -- prepared at this moment.
    for wanted in
      select * from (values
        ('postgres', 'search_path', '"$user", public, extensions'),
        ('supabase_admin', 'search_path', '"$user", public, auth, extensions'),
        ('supabase_auth_admin', 'search_path', 'auth'),
        ('supabase_storage_admin', 'search_path', 'storage'),
        ('authenticator', 'statement_timeout', '8s'),
        ('authenticator', 'lock_timeout', '8s'),
        ('anon', 'statement_timeout', '3s'),
        ('authenticated', 'statement_timeout', '8s')
      ) as settings (role, name, value)
    loop
      if not exists (
        select from pg_db_role_setting where setrole = wanted.role::regrole and setdatabase = 0
          and exists (select from unnest(setconfig) as one where one like wanted.name || '=%')
      ) then
        if wanted.name = 'search_path' then
          execute format('alter role %I set search_path = %s', wanted.role, wanted.value);
        else
          execute format('alter role %I set %I = %L', wanted.role, wanted.name, wanted.value);
        end if;
      end if;
    end loop;
    execute format('grant all on database %I to postgres with grant option', current_database());
    execute format('grant create on database %I to supabase_auth_admin, supabase_storage_admin', current_database());
  end if;
end
$$;

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
      execute format('create extension %I with schema extensions', wanted);
    end if;
  end loop;
end
$$;

-- What a new Supabase project has besides: made by postgres, who may drop it again.
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
grant all on schema public to postgres with grant option;
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
  maker text;
  target text;
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    return;
  end if;
  foreach maker in array array['postgres', 'supabase_admin'] loop
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

-- Who is asking ---------------------------------------------------------------------------------------

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
    alter publication supabase_realtime owner to postgres;
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

do $$
begin
  if not exists (select from pg_event_trigger where evtname = 'pgrst_ddl_watch') then
    create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'pgrst_drop_watch') then
    create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
  end if;
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
