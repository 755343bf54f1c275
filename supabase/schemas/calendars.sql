-- Calendars: the secret address at which a person's calendar program reads their bookings (ADR 0070).

create table public.calendar_addresses (
  user_id uuid primary key references private.profiles (id) on delete cascade,
  token text not null unique,
  created_at timestamptz not null default now()
);
alter table public.calendar_addresses enable row level security;

comment on table public.calendar_addresses is 'Secret addresses of people''s calendars of bookings; only the person reads theirs';
comment on column public.calendar_addresses.token is
  'The secret part of the address: 32 random bytes as hexadecimal digits. Stored readable, so that the person can copy it again (ADR 0070)';
comment on column public.calendar_addresses.created_at is 'When this address was made; a new one replaces it';

-- Makes an address for the caller and returns its token. The address before it stops working at once.
create function public.create_calendar_address() returns text
language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  made text;
begin
  perform private.allow(me is not null and private.has_account(), 'account.not_authenticated');
  perform private.count_activity('settings_changes');
  insert into public.calendar_addresses as a (user_id, token) values (me, encode(extensions.gen_random_bytes(32), 'hex'))
  on conflict (user_id) do update set token = excluded.token, created_at = now()
  returning a.token into made;
  return made;
end $$;

-- The bookings of a person's calendar: agreed ones with a time, those completed in the last 90 days, and those cancelled after the
-- agreement in the last 30. Address and full name are given while the app shows them: from the agreement until a cancellation.
create function private.calendar_events(person uuid)
returns table (id uuid, title text, role text, other text, status public.booking_status, starts_at timestamptz, ends_at timestamptz,
  place text, address text, changed_at timestamptz)
language sql stable set search_path = '' as $$
  select b.id, t.title, case when b.task_doer_id = person then 'tasker' else 'giver' end,
    case when b.status = 'cancelled' then other.short_name else other.full_name end, b.status,
    times.starts_at, coalesce(upper(b.period), times.starts_at + coalesce(make_interval(mins => t.duration_minutes), interval '1 hour')),
    t.location, case when b.status <> 'cancelled' then a.address end, greatest(b.updated_at, t.updated_at)
  from public.bookings b join public.tasks t on t.id = b.task_id
    -- A cancelled booking keeps its time, while its task may be posted for another.
    cross join lateral (select coalesce(lower(b.period), t.scheduled_date)) times (starts_at)
    left join private.profiles other on other.id = case when b.task_doer_id = person then b.task_giver_id else b.task_doer_id end
    left join public.task_addresses a on a.task_id = t.id
  where (b.task_doer_id = person or b.task_giver_id = person) and times.starts_at is not null
    and (b.status in ('accepted', 'in_progress') or b.status = 'completed' and b.completed_at > now() - interval '90 days'
      or b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_at > now() - interval '30 days')
  order by times.starts_at, b.id limit 2000
$$;

-- The calendar of an address, {language, events}; null for an address that does not exist any more, and while its person is suspended.
create function public.calendar_feed(token text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  person constant uuid := (select a.user_id from public.calendar_addresses a where a.token = calendar_feed.token);
begin
  if person is null or private.is_suspended(person) then
    return null;
  end if;
  return (select jsonb_build_object('language', p.language, 'events', (
      select coalesce(jsonb_agg(to_jsonb(e) || jsonb_build_object('link', private.booking_link(e.id))), '[]')
      from private.calendar_events(person) e))
    from private.profiles p where p.id = person and p.deleted_at is null);
end $$;

create policy "people read their own calendar address" on public.calendar_addresses for select to authenticated
using (user_id = (select auth.uid()));

create policy "people turn off their own calendar address" on public.calendar_addresses for delete to authenticated
using (user_id = (select auth.uid()));

grant select, delete on public.calendar_addresses to authenticated;
grant execute on function
  public.create_calendar_address()
to authenticated;
