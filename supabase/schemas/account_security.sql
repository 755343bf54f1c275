-- Account security: sessions, second factors, recovery codes with their attempts, and checks for a recent sign-in.

create table private.admins_without_second_factor (
  person_id uuid primary key references auth.users (id) on delete cascade
);
alter table private.admins_without_second_factor enable row level security;

comment on table private.admins_without_second_factor is
  'Admins who need no second factor until they set one up: accounts that a seed creates for trying out the product';

-- Codes have 80 random bits, so a plain hash is enough.
create table private.recovery_codes (
  person_id uuid not null references auth.users (id) on delete cascade,
  hash bytea not null,
  used_at timestamptz,
  primary key (person_id, hash)
);
alter table private.recovery_codes enable row level security;

comment on table private.recovery_codes is
  'Recovery codes for people who lost the device with their second factor; a code works once (ADR 0028)';
comment on column private.recovery_codes.hash is
  'SHA-256 of the person''s id and the code; the code itself is shown only when it is created';
comment on column private.recovery_codes.used_at is 'When the code was used; null before';

create table private.recovery_attempts (
  person_id uuid primary key references auth.users (id) on delete cascade,
  began_at timestamptz not null,
  tries integer not null
);
alter table private.recovery_attempts enable row level security;

comment on table private.recovery_attempts is
  'Not in use, but cleared by private.factors_removed: attempts are counted in private.recovery_tries';
comment on column private.recovery_attempts.began_at is 'Time of the first counted attempt';
comment on column private.recovery_attempts.tries is 'Number of attempts since began_at';

create table private.recovery_tries (
  session_id uuid primary key references auth.sessions (id) on delete cascade,
  began_at timestamptz not null,
  tries integer not null
);
alter table private.recovery_tries enable row level security;

comment on table private.recovery_tries is
  'Attempts to enter a recovery code, counted for each session, so that no session uses up those of another';
comment on column private.recovery_tries.began_at is
  'Time of the first counted attempt; counting starts again five minutes later';
comment on column private.recovery_tries.tries is 'Number of attempts since began_at, at most ten';

-- Devices on which the caller is signed in, the current one first. Sessions of third-party applications are not devices; the
-- app lists them separately, with their permissions.
create function public.list_sessions()
returns table (id uuid, user_agent text, created_at timestamptz, last_used_at timestamptz, is_current boolean)
language plpgsql stable security definer set search_path = '' as $$
declare
  this constant text := auth.jwt() ->> 'session_id';
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  return query select s.id, left(s.user_agent, 500), s.created_at,
    greatest(s.created_at, s.refreshed_at at time zone 'utc'), coalesce(s.id::text = this, false)
  from auth.sessions s
  where s.user_id = auth.uid() and s.oauth_client_id is null and (s.not_after is null or s.not_after > now())
  order by 5 desc, 4 desc, 1 limit 100;
end $$;

-- Notifies the person's browsers that sessions have ended; each asks the auth service whether its own session still exists.
create function private.announce_ended_sessions(person uuid) returns void
language sql security definer set search_path = '' as $$
  select realtime.send('{}', 'sessions_ended', 'account:' || person, true)
$$;

-- Signs out one of the caller's devices. Its refresh token is invalid at once; its access token expires within an hour.
create function public.end_session(id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  delete from auth.sessions s
  where s.id = end_session.id and s.user_id = auth.uid() and s.oauth_client_id is null;
  perform private.require(found, 'session.already_ended', 'id');
  perform private.announce_ended_sessions(auth.uid());
end $$;

-- Signs out all other devices of the caller. Returns how many there were.
create function public.end_other_sessions() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ended integer;
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  perform private.require(auth.jwt() ? 'session_id', 'session.missing', 'session_id');
  delete from auth.sessions s
  where s.user_id = auth.uid() and s.oauth_client_id is null and s.id::text <> auth.jwt() ->> 'session_id';
  get diagnostics ended = row_count;
  perform private.announce_ended_sessions(auth.uid());
  return ended;
end $$;

-- The auth service's access token hook. It gives the role anon to tokens of third-party applications (ADR 0030), and to people
-- with a second factor until they have entered its code (ADR 0027).
create function private.access_token(event jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if event -> 'claims' ? 'client_id' or event #>> '{claims,aal}' = 'aal1' and exists (
    select from auth.mfa_factors where user_id = (event ->> 'user_id')::uuid and status = 'verified')
  then
    return jsonb_set(event, '{claims,role}', '"anon"');
  end if;
  return event;
end $$;

create function private.has_second_factor(person uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from auth.mfa_factors where user_id = person and status = 'verified');
end $$;

-- Whether the caller is an admin who must set up or use a second factor before the back office opens.
create function public.second_factor_demanded() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_role('admin') and not private.is_admin();
end $$;

-- The hash of a code as typed. Codes contain no letters that look like digits, so o, i and l are read as 0 and 1.
create function private.recovery_hash(person uuid, code text) returns bytea
language sql immutable set search_path = '' as $$
  select sha256(convert_to(person || ':' || translate(
    regexp_replace(lower(coalesce(code, '')), '[^0-9a-z]', '', 'g'), 'oil', '011'), 'UTF8'))
$$;

-- Returns ten codes such as 7kqm-2v9x-hd3p-w0tz, which replace all earlier ones.
create function public.make_recovery_codes() returns text[]
language plpgsql security definer set search_path = '' as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  person constant uuid := auth.uid();
  random bytea;
  code text;
  codes text[] := '{}';
  replaced boolean;
begin
  perform private.allow(person is not null, 'account.not_authenticated');
  perform private.allow(auth.jwt() ->> 'aal' = 'aal2' and private.has_second_factor(person),
    'account.second_factor_not_set_up');
  perform private.require_fresh_sign_in();
  replaced := exists (select from private.recovery_codes where person_id = person and used_at is null);
  delete from private.recovery_codes where person_id = person;
  for nth in 1..10 loop
    random := extensions.gen_random_bytes(16);
    -- 256 is a multiple of 32, so every letter is as likely.
    code := (select string_agg(substr(alphabet, get_byte(random, place) % 32 + 1, 1)
      || case when place in (3, 7, 11) then '-' else '' end, '' order by place) from generate_series(0, 15) place);
    insert into private.recovery_codes (person_id, hash) values (person, private.recovery_hash(person, code));
    codes := codes || code;
  end loop;
  perform private.notify_person(person, case when replaced then 'recovery_codes_made' else 'first_recovery_codes_made' end, '{}',
    '/profile?tab=security');
  return codes;
end $$;

-- The number of the caller's unused recovery codes.
create function public.recovery_codes_left() returns integer
language sql stable security definer set search_path = '' as $$
  select count(*)::integer from private.recovery_codes where person_id = auth.uid() and used_at is null
$$;

-- Removes all second factors of the caller and ends their other sessions if the code is right. Returns whether it is right; a
-- wrong code raises no error, so that the attempt remains counted. A session has ten attempts in five minutes. The token was
-- issued before the second step of the sign-in, so its role is anon.
create function public.use_recovery_code(code text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  session constant text := auth.jwt() ->> 'session_id';
  tried integer;
begin
  perform private.allow(exists (select from auth.sessions where id::text = session and user_id = person),
    'account.not_authenticated');
  perform private.require(private.has_second_factor(person), 'account.second_factor_missing', 'code');
  -- A request that is rolled back would not stay counted.
  perform private.require(coalesce(nullif(current_setting('request.headers', true), '')::json ->> 'prefer', '')
    !~* 'tx *= *rollback', 'recovery_code.rollback_forbidden', 'code');

  -- Codes of one person are tried one after the other, whichever session tries them.
  perform pg_advisory_xact_lock(hashtextextended('recovery code ' || person, 0));
  -- Whoever waited for another code to be accepted finds the factors removed and this sign-in ended: this code stays unused.
  perform private.allow(exists (select from auth.sessions where id::text = session and user_id = person),
    'account.not_authenticated');
  perform private.require(private.has_second_factor(person), 'account.second_factor_missing', 'code');

  -- Counted before it is compared.
  insert into private.recovery_tries as t (session_id, began_at, tries) values (session::uuid, now(), 1)
  on conflict (session_id) do update set
    tries = case when t.began_at > now() - interval '5 minutes' then t.tries + 1 else 1 end,
    began_at = case when t.began_at > now() - interval '5 minutes' then t.began_at else now() end
  returning tries into tried;
  if tried > 10 then
    perform private.fail('recovery_code.too_many_attempts', null, '{}', 'PT429');
  end if;

  update private.recovery_codes set used_at = now()
  where person_id = person and used_at is null and hash = private.recovery_hash(person, code);
  if not found then
    return false;
  end if;
  delete from auth.mfa_factors where user_id = person;
  delete from auth.sessions where user_id = person and id::text <> session;
  perform private.announce_ended_sessions(person);
  perform private.notify_person(person, 'recovery_code_used', '{}', '/profile?tab=security');
  return true;
end $$;

-- Whether the caller has a password. People who sign in with another service may have none; they confirm their identity with a
-- code instead (ADR 0038).
create function public.has_password() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from auth.users where id = auth.uid() and coalesce(encrypted_password, '') <> ''
  )
$$;

-- Called by scripts/admin.mjs after it has removed a person's second factors.
create function private.factors_removed(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.recovery_codes where person_id = person;
  delete from private.recovery_attempts where person_id = person;
  perform private.announce_ended_sessions(person);
  perform private.notify_person(person, 'factors_removed', '{}', '/profile?tab=security');
end $$;

-- Raises an error unless the caller has signed in recently. Its hint makes the app ask for the password or a code.
create function private.require_fresh_sign_in() returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  if not private.has_fresh_sign_in() then
    -- Pages of the version before look at the hint.
    perform private.fail('account.reauthentication_needed', 'reauthentication_needed', '{}', '42501');
  end if;
end $$;

-- Deletes the recovery codes with the last second factor of the account. Somebody who added a factor with a stolen token may
-- also have made codes; these must not open the account once its owner has set up a factor. The trigger keeps its name: hosted
-- projects let `postgres` create triggers on this table, and not all let it drop them.
create function private.drop_recovery_codes() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if not private.has_second_factor(old.user_id) then
    delete from private.recovery_codes where person_id = old.user_id;
  end if;
  return null;
end $$;

create trigger drop_recovery_codes after delete on auth.mfa_factors
  for each row when (old.status = 'verified') execute function private.drop_recovery_codes();

create policy "people receive broadcasts about their own account" on realtime.messages for select to authenticated
using (extension = 'broadcast' and (select realtime.topic()) = 'account:' || (select auth.uid()));

grant execute on function
  public.end_session(uuid), public.list_sessions(), public.make_recovery_codes(), public.second_factor_demanded(),
  public.recovery_codes_left(), public.end_other_sessions(), public.has_password()
to authenticated;
grant execute on function
  public.use_recovery_code(text)
to anon, authenticated;

grant usage on schema private to supabase_auth_admin;
grant execute on function private.access_token(jsonb) to supabase_auth_admin;
