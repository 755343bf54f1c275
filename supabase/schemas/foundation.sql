-- Foundation of all other files: extensions, the schema `private` (never exposed by the API), closed default privileges.

create extension if not exists btree_gist with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists fuzzystrmatch with schema extensions;
create extension if not exists cube with schema extensions;
-- Supabase's own extensions. One is skipped if its objects exist: a server whose PostgreSQL lacks the extension has installed a
-- replacement (ADR 0019).
do $$ begin
  if to_regclass('pgmq.meta') is null then
    create extension pgmq;
  end if;
  if to_regclass('net.http_request_queue') is null then
    create extension pg_net with schema extensions;
  end if;
  if to_regclass('cron.job') is null then
    create extension pg_cron with schema pg_catalog;
  end if;
  if to_regclass('vault.secrets') is null then
    create extension supabase_vault;
  end if;
end $$;

-- By default, Supabase grants all privileges on new tables and functions in `public` to the API roles. Here nothing is granted
-- by default; each file grants what a role needs, column by column.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke execute on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;

create schema private;
grant usage on schema private to anon, authenticated, service_role;
comment on schema private is 'Rules and bookkeeping of the marketplace; never exposed by the API';

-- True if the statement comes from an API client: not from a security definer function, the secret key or an operator.
-- Meaningless inside security definer functions. It has no `set` clause, so that PostgreSQL can inline it.
create function private.is_client() returns boolean
language sql stable return current_user in ('anon', 'authenticated');

-- Whether this transaction erases a deleted account, which may change what nobody else may.
create function private.is_erasing() returns boolean
language sql stable return coalesce(current_setting('private.erasing', true), '') = 'yes';

-- Whether the token belongs to a third-party application that the person signed in to with their account here (the auth
-- service's OAuth server). Such a token names the person (`sub`) and the application (`client_id`). It proves who the person is
-- and grants nothing else (ADR 0030).
create function private.is_application() returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return coalesce(auth.jwt() ? 'client_id', false);
end $$;

grant execute on function
  private.is_client(), private.is_erasing(), private.is_application()
to anon, authenticated, service_role;
