-- Recovery codes: for who has lost the device that their second factor is on. Each takes all factors of the account away,
-- once. They have 80 bits, so a plain hash keeps them, and are shown when they are made and never again.

create table private.recovery_codes (
  person_id uuid not null references auth.users (id) on delete cascade,
  hash bytea not null,
  used_at timestamptz,
  primary key (person_id, hash)
);
alter table private.recovery_codes enable row level security;

-- How many codes were tried in the five minutes that began then.
create table private.recovery_attempts (
  person_id uuid primary key references auth.users (id) on delete cascade,
  began_at timestamptz not null,
  tries integer not null
);
alter table private.recovery_attempts enable row level security;

-- Letters that are easily taken for digits are not in a code, and are read as those when they are typed.
create function private.recovery_hash(person uuid, code text) returns bytea
language sql immutable set search_path = '' as $$
  select sha256(convert_to(person || ':' || translate(
    regexp_replace(lower(coalesce(code, '')), '[^0-9a-z]', '', 'g'), 'oil', '011'), 'UTF8'))
$$;

-- Ten codes such as 7kqm-2v9x-hd3p-w0tz, in the place of those that there were.
create function public.make_recovery_codes() returns text[]
language plpgsql security definer set search_path = '' as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  person constant uuid := auth.uid();
  random bytea;
  code text;
  codes text[] := '{}';
begin
  perform private.allow(person is not null, 'Not authenticated');
  perform private.allow(auth.jwt() ->> 'aal' = 'aal2' and private.has_second_factor(person),
    'Set up two-step verification first');
  delete from private.recovery_codes where person_id = person;
  for nth in 1..10 loop
    random := extensions.gen_random_bytes(16);
    -- 256 is a multiple of 32, so every letter is as likely.
    code := (select string_agg(substr(alphabet, get_byte(random, place) % 32 + 1, 1)
      || case when place in (3, 7, 11) then '-' else '' end, '' order by place) from generate_series(0, 15) place);
    insert into private.recovery_codes (person_id, hash) values (person, private.recovery_hash(person, code));
    codes := codes || code;
  end loop;
  return codes;
end $$;

create function public.recovery_codes_left() returns integer
language sql stable security definer set search_path = '' as $$
  select count(*)::integer from private.recovery_codes where person_id = auth.uid() and used_at is null
$$;

insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('recovery_code_used', 'account', 'A recovery code was used on your account', 'Check your security settings',
    'Two-step verification is off',
    'A recovery code was used to sign in to your account, and took your second factors away. If it was not you, change your password at once.');

-- Takes all factors of the caller away, for one of their codes, and ends their other sessions. Answers whether the code is
-- right; a wrong one raises nothing, so that it stays counted. Ten are tried in five minutes. The token is one from before
-- the second step, whose role is anon.
create function public.use_recovery_code(code text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  session constant text := auth.jwt() ->> 'session_id';
  tried integer;
begin
  perform private.allow(exists (select from auth.sessions where id::text = session and user_id = person),
    'Not authenticated');
  perform private.require(private.has_second_factor(person), 'Your account has no second factor', 'code');
  -- What a request may have taken back would not stay counted.
  perform private.require(coalesce(nullif(current_setting('request.headers', true), '')::json ->> 'prefer', '')
    !~* 'tx *= *rollback', 'A recovery code cannot be tried with Prefer: tx=rollback', 'code');

  -- Counted before it is looked at: whoever tries at the same moment waits for this row.
  insert into private.recovery_attempts as a (person_id, began_at, tries) values (person, now(), 1)
  on conflict (person_id) do update set
    tries = case when a.began_at > now() - interval '5 minutes' then a.tries + 1 else 1 end,
    began_at = case when a.began_at > now() - interval '5 minutes' then a.began_at else now() end
  returning tries into tried;
  if tried > 10 then
    raise exception using errcode = 'PT429', message = 'Too many attempts. Wait five minutes before you try again.';
  end if;

  update private.recovery_codes set used_at = now()
  where person_id = person and used_at is null and hash = private.recovery_hash(person, code);
  if not found then
    return false;
  end if;
  delete from private.recovery_attempts where person_id = person;
  delete from auth.mfa_factors where user_id = person;
  delete from auth.sessions where user_id = person and id::text <> session;
  perform private.announce_ended_sessions(person);
  perform private.notify_person(person, 'recovery_code_used', '{}', '/profile?tab=security');
  return true;
end $$;

revoke execute on function public.make_recovery_codes(), public.recovery_codes_left(), public.use_recovery_code(text)
  from public, anon;
grant execute on function public.make_recovery_codes(), public.recovery_codes_left() to authenticated;
grant execute on function public.use_recovery_code(text) to anon, authenticated;
