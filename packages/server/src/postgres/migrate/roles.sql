-- The roles that every Supabase project's database has, and who of them may become whom. Follows the supabase/postgres image's
-- init scripts. Idempotent; run by the database's owner, a superuser or an account that may make roles, before platform.sql.

do $$
declare
  wanted record;
  wanted_grant text;
  superuser boolean := (select rolsuper from pg_roles where rolname = current_user);
  own_login text := current_user || '_authenticator';
  shared boolean;
  lacking text;
begin
  -- Another installation of this cluster made authenticator and has its password: this one gets its own login, and
  -- changes nothing of the roles that both use.
  if not superuser and exists (select from pg_roles where rolname = 'authenticator')
    and not pg_has_role(current_user, 'authenticator', 'member')
    and not exists (select from pg_roles where rolname = own_login)
  then
    execute format('create role %I login noinherit', own_login);
    execute format('grant %I to current_user', own_login);
    if current_setting('platform.password', true) <> '' then
      execute format('alter role %I password %L', own_login, current_setting('platform.password'));
    end if;
  end if;
  shared := exists (select from pg_roles where rolname = own_login);

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
      begin
        execute format('create role %I %s', wanted.name, wanted.options);
      exception when insufficient_privilege then
        -- An owner gives away no more than they have; what is needed of it is named at the start (rights.ts).
        execute format('create role %I %s', wanted.name,
          regexp_replace(wanted.options, '\m(createdb|replication|bypassrls)\M', '', 'g'));
      end;
      -- The creator of a role may become it. A superuser may anyway; since PostgreSQL 16 others must say so.
      if not superuser then
        execute format('grant %I to current_user', wanted.name);
      end if;
      -- Where signing in takes a password, the API's role has the owner's, as on a self-hosted Supabase.
      if wanted.name = 'authenticator' and current_setting('platform.password', true) <> '' then
        execute format('alter role authenticator password %L', current_setting('platform.password'));
      end if;
    end if;
  end loop;

  -- Of roles that another installation made, this one becomes a member, since its objects belong to them.
  foreach wanted_grant in array array[
    'anon', 'authenticated', 'service_role', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin'
  ] loop
    if not pg_has_role(current_user, wanted_grant, 'member') then
      begin
        execute format('grant %I to current_user', wanted_grant);
      exception when insufficient_privilege then
        lacking := concat_ws(', ', lacking, wanted_grant);
      end;
    end if;
  end loop;
  if lacking is not null then
    raise exception using errcode = 'insufficient_privilege',
      message = format('the roles %s belong to another installation of this cluster', lacking),
      hint = format('Have a superuser run "grant %s to %I with admin option", and start again.', lacking, current_user);
  end if;

  -- Granting again is harmless. Rights that the account cannot grant are granted already, or are named at the start
  -- (rights.ts).
  if (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) then
    foreach wanted_grant in array array[
      format('anon, authenticated, service_role to %I', case when shared then own_login else 'authenticator' end),
      case when not shared then
        'supabase_auth_admin, supabase_storage_admin, anon, authenticated, service_role to supabase_admin'
      end
    ] loop
      continue when wanted_grant is null;
      begin
        execute 'grant ' || wanted_grant;
      exception when insufficient_privilege then null;
      end;
    end loop;
    -- On Supabase, postgres may make policies on the auth service's tables, own the database (comments on public,
    -- settings of the database) and set what its image allows; PostgreSQL has membership and grants for that.
    if not shared and not (select rolsuper from pg_roles where rolname = 'postgres') then
      foreach wanted_grant in array array[
        'anon, authenticated, service_role, authenticator to postgres with admin option',
        'pg_read_all_data, pg_signal_backend, pg_monitor to postgres',
        'supabase_auth_admin to postgres'
      ] loop
        begin
          execute 'grant ' || wanted_grant;
        exception when insufficient_privilege or invalid_grant_operation then null;
        end;
      end loop;
      for wanted in
        select name from unnest(array[
          'session_replication_role', 'log_min_duration_statement', 'log_min_messages', 'log_statement', 'track_functions',
          'pgrst.jwt_aud', 'pgrst.db_hoisted_tx_settings', 'pgrst.db_schemas', 'pgrst.db_schema',
          'pgrst.db_extra_search_path', 'pgrst.db_max_rows', 'pgrst.db_aggregates_enabled', 'pgrst.db_plan_enabled',
          'pgrst.db_tx_end', 'pgrst.db_pre_request', 'pgrst.db_pre_config', 'pgrst.db_root_spec', 'pgrst.openapi_mode',
          'pgrst.openapi_security_active', 'pgrst.openapi_server_proxy_uri', 'pgrst.server_trace_header',
          'pgrst.server_timing_enabled'
        ]) as name
      loop
        if not exists (select from pg_parameter_acl where parname = wanted.name)
          and superuser
        then
          execute format('grant set on parameter %I to postgres', wanted.name);
        end if;
      end loop;
    end if;
    if (select datdba <> 'postgres'::regrole from pg_database where datname = current_database())
      and superuser
    then
      execute format('alter database %I owner to postgres', current_database());
    end if;
    -- Roles belong to the whole cluster: what is set already is left alone, since another database may be
    -- prepared at this moment. Nothing is set of a superuser postgres: on most clusters it is the administrator's own.
    for wanted in
      select * from (values
        ('postgres', 'search_path', '"$user", public, extensions'),
        ('supabase_admin', 'search_path', '"$user", public, auth, extensions'),
        ('supabase_auth_admin', 'search_path', 'auth'),
        ('supabase_storage_admin', 'search_path', 'storage'),
        (case when shared then own_login else 'authenticator' end, 'statement_timeout', '8s'),
        (case when shared then own_login else 'authenticator' end, 'lock_timeout', '8s'),
        ('anon', 'statement_timeout', '3s'),
        ('authenticated', 'statement_timeout', '8s')
      ) as settings (role, name, value)
    loop
      if not (wanted.role = 'postgres' and (select rolsuper from pg_roles where rolname = 'postgres')) and not exists (
        select from pg_db_role_setting where setrole = quote_ident(wanted.role)::regrole and setdatabase = 0
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
