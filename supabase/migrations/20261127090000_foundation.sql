-- Foundation of all other files: extensions, the schema `private` (never exposed by the API), closed default privileges, and
-- the functions with which rules raise errors.

create extension if not exists btree_gist with schema extensions;
create extension if not exists pg_trgm with schema extensions;
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

-- Raises `message` unless `holds` is true. The hint is the form field concerned; null if the rule concerns the whole call.
-- `raise` rejects a null hint, hence the two statements.
create function private.require(holds boolean, message text, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if holds is true then
    return;
  elsif field is null then
    raise exception using errcode = 'P0001', message = message;
  end if;
  raise exception using errcode = 'P0001', message = message, hint = field;
end $$;

-- Raises `message` with SQLSTATE 42501 (HTTP 403) unless `allowed` is true.
create function private.allow(allowed boolean, message text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if allowed is not true then
    raise exception using errcode = '42501', message = message;
  end if;
end $$;

-- Convention for table rules: each rule is one trigger. It calls one of the two functions below, or its own function if the
-- message depends on the row or the rule reads another table. The WHEN clause is true if the rule is broken (null counts as
-- broken); the arguments are the message for the person and the form field. PostgreSQL fires triggers in the order of their
-- names, so only the first broken rule is reported. The number at the start of a name sets its place:
--   10_ to 19_  normalise values: white space, empty texts
--   20_ to 29_  who may change the row
--   30_ to 39_  which changes the row's current state allows
--   40_ to 89_  the columns, in the order of the form
--   90_ to 99_  values that the database fills in
-- To add a rule, add a trigger; the others stay as they are.

-- Arguments: the message and the field, which becomes the hint as in private.require.
create function private.reject() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = 'P0001', message = tg_argv[0], hint = tg_argv[1];
end $$;

-- Argument: the message. Raises SQLSTATE 42501 (HTTP 403).
create function private.forbid() returns trigger language plpgsql set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = tg_argv[0];
end $$;

-- True if the statement comes from an API client: not from a security definer function, the secret key or an operator.
-- Meaningless inside security definer functions. It has no `set` clause, so that PostgreSQL can inline it.
create function private.is_client() returns boolean
language sql stable return current_user in ('anon', 'authenticated');

-- Whether the token belongs to a third-party application that the person signed in to with their account here (the auth
-- service's OAuth server). Such a token names the person (`sub`) and the application (`client_id`). It proves who the person is
-- and grants nothing else (ADR 0030).
create function private.is_application() returns boolean
language sql stable set search_path = '' as $$
  select coalesce(auth.jwt() ? 'client_id', false)
$$;

-- Usually private.access_token gives applications the role anon. If that hook is off, private.require and private.allow call
-- this function, so applications cannot use functions that act for their caller. private.is_admin() is false for them.
create function private.refuse_application() returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_application() then
    raise exception using errcode = '42501', message = 'An application may not do this for a person';
  end if;
end $$;

grant execute on function
  private.is_client(), private.allow(boolean, text), private.require(boolean, text, text), private.is_application(),
  private.refuse_application()
to anon, authenticated, service_role;
