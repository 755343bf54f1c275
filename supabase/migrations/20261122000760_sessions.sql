-- Where a person is signed in. The auth service keeps sessions in a schema that clients do not reach: these functions show
-- and end the caller's own, and no others. Nothing is shown of where a device is: an address tells little of that.

-- The caller's sessions, the one that asks first, then the last used first. Times are when somebody signed in and when the
-- session was last renewed, which a device that is in use does once an hour.
create function public.list_sessions()
returns table (id uuid, user_agent text, created_at timestamptz, last_used_at timestamptz, is_current boolean)
language plpgsql stable security definer set search_path = '' as $$
declare
  this constant text := auth.jwt() ->> 'session_id';
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  return query select s.id, left(s.user_agent, 500), s.created_at,
    greatest(s.created_at, s.refreshed_at at time zone 'utc'), coalesce(s.id::text = this, false)
  from auth.sessions s where s.user_id = auth.uid() and (s.not_after is null or s.not_after > now())
  order by 5 desc, 4 desc, 1 limit 100;
end $$;

-- Tells the caller's browsers that sessions have ended; each asks the auth service whether its own did.
create function private.announce_ended_sessions(person uuid) returns void
language sql security definer set search_path = '' as $$
  select realtime.send('{}', 'sessions_ended', 'account:' || person, true)
$$;

-- Signs one of the caller's devices out: its refresh token is void at once, its access token when its hour is over.
create function public.end_session(id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  delete from auth.sessions s where s.id = end_session.id and s.user_id = auth.uid();
  perform private.require(found, 'This device is signed out already', 'id');
  perform private.announce_ended_sessions(auth.uid());
end $$;

-- Signs all of the caller's other devices out. Answers how many there were.
create function public.end_other_sessions() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ended integer;
begin
  perform private.allow(auth.uid() is not null, 'Not authenticated');
  perform private.require(auth.jwt() ? 'session_id', 'This token belongs to no session', 'session_id');
  delete from auth.sessions s where s.user_id = auth.uid() and s.id::text <> auth.jwt() ->> 'session_id';
  get diagnostics ended = row_count;
  perform private.announce_ended_sessions(auth.uid());
  return ended;
end $$;

revoke execute on function public.list_sessions(), public.end_session(uuid), public.end_other_sessions() from public, anon;
grant execute on function public.list_sessions(), public.end_session(uuid), public.end_other_sessions() to authenticated;

create policy "people hear of their own account" on realtime.messages for select to authenticated
using (extension = 'broadcast' and (select realtime.topic()) = 'account:' || (select auth.uid()));
