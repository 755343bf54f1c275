-- Recovery codes that are brought at the same moment, in several sign-ins: the first one is used up, and no other.
-- Takes all factors of the caller away, for one of their codes, and ends their other sessions. Answers whether the code is
-- right; a wrong one raises nothing, so that it stays counted. Ten are tried in five minutes. The token is one from before
-- the second step, whose role is anon.
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

  -- Who waited for another code of theirs to be taken finds the factors gone and this sign-in over: this code stays unused.
  perform private.allow(exists (select from auth.sessions where id::text = session and user_id = person),
    'Not authenticated');
  perform private.require(private.has_second_factor(person), 'Your account has no second factor', 'code');

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
