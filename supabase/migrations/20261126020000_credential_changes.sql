-- Recovery codes are a way into an account: they are made only shortly after a sign-in, and the owner is notified. Wrong
-- ones are counted per session, so that somebody who has only the password cannot keep the owner from theirs.

insert into private.notification_texts (key, kind, subject, button, title, message) values
  ('recovery_codes_made', 'account', 'New recovery codes were made for your account', 'Check your security settings',
    'New recovery codes',
    'Ten new recovery codes were made for your account, and older ones no longer work. If it was not you, change your password at once.');

-- Raises a refusal whose hint tells apps to ask for the password or a code, unless the caller has signed in recently.
create function private.require_fresh_sign_in() returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  if not private.has_fresh_sign_in() then
    raise exception using errcode = '42501', hint = 'reauthentication_needed',
      message = 'Please enter your password again to confirm that it is you.';
  end if;
end $$;

-- Ten codes such as 7kqm-2v9x-hd3p-w0tz, which replace those that there were.
create or replace function public.make_recovery_codes() returns text[]
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
  perform private.require_fresh_sign_in();
  delete from private.recovery_codes where person_id = person;
  for nth in 1..10 loop
    random := extensions.gen_random_bytes(16);
    -- 256 is a multiple of 32, so every letter is as likely.
    code := (select string_agg(substr(alphabet, get_byte(random, place) % 32 + 1, 1)
      || case when place in (3, 7, 11) then '-' else '' end, '' order by place) from generate_series(0, 15) place);
    insert into private.recovery_codes (person_id, hash) values (person, private.recovery_hash(person, code));
    codes := codes || code;
  end loop;
  perform private.notify_person(person, 'recovery_codes_made', '{}', '/profile?tab=security');
  return codes;
end $$;

-- How many codes a session tried in the five minutes that began then. It replaces private.recovery_attempts, which counts
-- for the whole account.
create table private.recovery_tries (
  session_id uuid primary key references auth.sessions (id) on delete cascade,
  began_at timestamptz not null,
  tries integer not null
);
alter table private.recovery_tries enable row level security;

-- Removes all second factors of the caller, for one of their codes, and ends their other sessions. Answers whether the code
-- is right; a wrong one raises nothing, so that it stays counted. A session tries ten in five minutes. The token is one from
-- before the second step, whose role is anon.
create or replace function public.use_recovery_code(code text) returns boolean
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  session constant text := auth.jwt() ->> 'session_id';
  tried integer;
begin
  perform private.allow(exists (select from auth.sessions where id::text = session and user_id = person),
    'Not authenticated');
  perform private.require(private.has_second_factor(person), 'Your account has no second factor', 'code');
  -- A request that is rolled back would not stay counted.
  perform private.require(coalesce(nullif(current_setting('request.headers', true), '')::json ->> 'prefer', '')
    !~* 'tx *= *rollback', 'A recovery code cannot be tried with Prefer: tx=rollback', 'code');

  -- Codes of one person are tried one after the other, whichever session tries them.
  perform pg_advisory_xact_lock(hashtextextended('recovery code ' || person, 0));
  -- Whoever waited for another code to be accepted finds the factors removed and this sign-in ended: this code stays unused.
  perform private.allow(exists (select from auth.sessions where id::text = session and user_id = person),
    'Not authenticated');
  perform private.require(private.has_second_factor(person), 'Your account has no second factor', 'code');

  -- Counted before it is compared.
  insert into private.recovery_tries as t (session_id, began_at, tries) values (session::uuid, now(), 1)
  on conflict (session_id) do update set
    tries = case when t.began_at > now() - interval '5 minutes' then t.tries + 1 else 1 end,
    began_at = case when t.began_at > now() - interval '5 minutes' then t.began_at else now() end
  returning tries into tried;
  if tried > 10 then
    raise exception using errcode = 'PT429', message = 'Too many attempts. Wait five minutes before you try again.';
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
