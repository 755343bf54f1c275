-- Applications of others that people sign in to with their account here (the auth service's OAuth server). Their tokens
-- say whom they are given leave by (`sub`) and to whom (`client_id`): they show who somebody is, and open nothing else.

create function private.is_application() returns boolean
language sql stable set search_path = '' as $$
  select coalesce(auth.jwt() ? 'client_id', false)
$$;
grant execute on function private.is_application() to anon, authenticated, service_role;

-- The hook of access tokens gives such a token the role of strangers, as it does before the second step of a sign-in.
create or replace function private.access_token(event jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  if event -> 'claims' ? 'client_id' or event #>> '{claims,aal}' = 'aal1' and exists (
    select from auth.mfa_factors where user_id = (event ->> 'user_id')::uuid and status = 'verified')
  then
    return jsonb_set(event, '{claims,role}', '"anon"');
  end if;
  return event;
end $$;

-- And where no hook is switched on: none is an admin, and the two functions by which all others that do something for
-- their caller refuse it, refuse applications.
create function private.refuse_application() returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_application() then
    raise exception using errcode = '42501', message = 'An application may not do this for a person';
  end if;
end $$;
grant execute on function private.refuse_application() to anon, authenticated, service_role;

create or replace function private.require(holds boolean, message text, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if holds is not true then
    raise exception using errcode = 'P0001', message = message, hint = field;
  end if;
end $$;

create or replace function private.allow(allowed boolean, message text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if allowed is not true then
    raise exception using errcode = '42501', message = message;
  end if;
end $$;

create or replace function private.is_admin() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  if private.is_application() or not private.has_role('admin') then
    return false;
  end if;
  return coalesce(auth.jwt() ->> 'aal' = 'aal2', false) or (
    exists (select from private.admins_without_second_factor where person_id = auth.uid())
    and not private.has_second_factor(auth.uid()));
end $$;

-- These two are shown to strangers, too, and to people what is theirs of them.
create policy "applications see no tasks" on public.tasks as restrictive for select to anon, authenticated
using (not (select private.is_application()));
create policy "applications see no reviews" on public.reviews as restrictive for select to anon, authenticated
using (not (select private.is_application()));

-- Applications have a list of their own, with what they may see: they are no devices that somebody signed in on.
create or replace function public.list_sessions()
returns table (id uuid, user_agent text, created_at timestamptz, last_used_at timestamptz, is_current boolean)
language plpgsql stable security definer set search_path = '' as $$
declare
  this constant text := auth.jwt() ->> 'session_id';
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  return query select s.id, left(s.user_agent, 500), s.created_at,
    greatest(s.created_at, s.refreshed_at at time zone 'utc'), coalesce(s.id::text = this, false)
  from auth.sessions s
  where s.user_id = auth.uid() and s.oauth_client_id is null and (s.not_after is null or s.not_after > now())
  order by 5 desc, 4 desc, 1 limit 100;
end $$;

create or replace function public.end_session(id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  delete from auth.sessions s
  where s.id = end_session.id and s.user_id = auth.uid() and s.oauth_client_id is null;
  perform private.require(found, 'This device is signed out already', 'id');
  perform private.announce_ended_sessions(auth.uid());
end $$;

create or replace function public.end_other_sessions() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ended integer;
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  perform private.require(auth.jwt() ? 'session_id', 'This token belongs to no session', 'session_id');
  delete from auth.sessions s
  where s.user_id = auth.uid() and s.oauth_client_id is null and s.id::text <> auth.jwt() ->> 'session_id';
  get diagnostics ended = row_count;
  perform private.announce_ended_sessions(auth.uid());
  return ended;
end $$;
