-- Calendars: the secret address of a person's bookings, and imported busy times (ADR 0070).
set check_function_bodies = off;

create table public.calendar_addresses (
  user_id uuid primary key references private.profiles (id) on delete cascade,
  token text not null unique,
  created_at timestamptz not null default now()
);
alter table public.calendar_addresses enable row level security;

create table public.imported_calendars (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  name text not null,
  address text not null,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  tried_at timestamptz,
  checked_at timestamptz,
  read_at timestamptz,
  parsed_at timestamptz,
  etag text,
  error text check (error in
    ('unreachable', 'not_public', 'not_found', 'too_slow', 'too_large', 'not_a_calendar', 'too_many_events')),
  failures integer not null default 0,
  busy_times integer not null default 0,
  unique (user_id, address)
);
alter table public.imported_calendars enable row level security;

create table private.calendar_busy (
  calendar_id uuid not null references public.imported_calendars (id) on delete cascade,
  user_id uuid not null references private.profiles (id) on delete cascade,
  period tstzrange not null
);
alter table private.calendar_busy enable row level security;

create function private.after_imported_calendar_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.queue_calendar_reads();
  return null;
end $$;

create function private.before_imported_calendar_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'calendar.not_own');
  perform private.allow(not private.is_client() or private.has_role('task_doer'), 'calendar.only_taskers');
  perform private.limit_client('calendars_imported');
  new.address := regexp_replace(private.trimmed(new.address), '^webcals?://', 'https://', 'i');
  perform private.require(new.address ~* '^https://[^/?#@\s]+([/?#]\S*)?$', 'calendar.address_invalid', 'address');
  perform private.require(length(new.address) <= private.rule('limits.calendars.address'), 'calendar.address_too_long', 'address',
    jsonb_build_object('max', private.rule('limits.calendars.address')));
  new.name := coalesce(nullif(private.trimmed(new.name), ''), left(substring(new.address from '^https://([^/?#:]+)'),
    private.rule('limits.calendars.name')));
  perform private.require(length(new.name) <= private.rule('limits.calendars.name'), 'calendar.name_too_long', 'name',
    jsonb_build_object('max', private.rule('limits.calendars.name')));
  -- One after the other, so that the number holds.
  perform pg_advisory_xact_lock(hashtextextended('imported calendars ' || new.user_id, 0));
  perform private.require(not exists (select from public.imported_calendars c where c.user_id = new.user_id
    and c.address = new.address), 'calendar.address_exists', 'address');
  perform private.require((select count(*) from public.imported_calendars c where c.user_id = new.user_id)
    < private.rule('limits.calendars.count'), 'calendar.too_many', 'address',
    jsonb_build_object('limit', private.rule('limits.calendars.count')));
  return new;
end $$;

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

create function private.erase_calendars(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.calendar_addresses where user_id = person;
  delete from public.imported_calendars where user_id = person
$$;

create function private.queue_calendar_reads() returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.imported_calendars where due_at <= now()) then
    perform private.enqueue_function('read-calendars', '{}', 'read-calendars');
  end if;
end $$;

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

create function public.fail_calendar_read(calendar_id uuid, code text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  failed public.imported_calendars;
begin
  update public.imported_calendars c set error = code, checked_at = now(), failures = c.failures + 1 where c.id = fail_calendar_read.calendar_id
  returning c.* into failed;
  if failed.id is null then
    return;
  end if;
  if coalesce(failed.read_at < now() - interval '1 day', true) then
    delete from private.calendar_busy b where b.calendar_id = failed.id;
    update public.imported_calendars c set busy_times = 0, parsed_at = null where c.id = failed.id;
  end if;
  if failed.failures = 5 then
    perform private.notify_person(failed.user_id, 'calendar_unread', jsonb_build_object('calendar', failed.name),
      '/profile?tab=settings');
  end if;
end $$;

create function public.finish_calendar_read(calendar_id uuid, etag text, busy jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  owner uuid;
begin
  update public.imported_calendars c set read_at = now(), checked_at = now(), error = null, failures = 0, etag = finish_calendar_read.etag,
    parsed_at = case when busy is null then c.parsed_at else now() end,
    busy_times = case when busy is null then c.busy_times else jsonb_array_length(busy) end
  where c.id = finish_calendar_read.calendar_id returning c.user_id into owner;
  if owner is null or busy is null then
    return;
  end if;
  -- Mostly the same: only the differences are written.
  with wanted as materialized (
    select tstzrange((span ->> 0)::timestamptz, (span ->> 1)::timestamptz) as period from jsonb_array_elements(busy) span
  ), gone as (
    delete from private.calendar_busy b where b.calendar_id = finish_calendar_read.calendar_id
      and b.period not in (select w.period from wanted w)
  )
  insert into private.calendar_busy (calendar_id, user_id, period)
  select finish_calendar_read.calendar_id, owner, w.period from wanted w
  where w.period not in (select b.period from private.calendar_busy b where b.calendar_id = finish_calendar_read.calendar_id);
end $$;

create function public.refresh_calendar(calendar_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  calendar public.imported_calendars;
begin
  perform private.allow(auth.uid() is not null and private.has_account(), 'account.not_authenticated');
  select * into calendar from public.imported_calendars c where c.id = calendar_id and c.user_id = auth.uid() for update;
  perform private.require(calendar.id is not null, 'calendar.not_found', 'calendar_id');
  perform private.require(coalesce(calendar.tried_at < now() - interval '5 minutes', true), 'calendar.refresh_too_soon', 'calendar_id');
  update public.imported_calendars set due_at = now(), tried_at = null where id = calendar.id;
  perform private.queue_calendar_reads();
end $$;

create index calendar_busy_of_calendar on private.calendar_busy (calendar_id);

create index calendar_busy_of_user on private.calendar_busy using gist (user_id, period);

create index imported_calendars_due on public.imported_calendars (due_at);

create trigger after_imported_calendar_insert after insert on public.imported_calendars
for each row execute function private.after_imported_calendar_insert();

create trigger before_imported_calendar_insert before insert on public.imported_calendars
for each row execute function private.before_imported_calendar_insert();

create policy "people read their own busy times" on private.calendar_busy for select to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own calendar address" on public.calendar_addresses for select to authenticated
using (user_id = (select auth.uid()));

create policy "people turn off their own calendar address" on public.calendar_addresses for delete to authenticated
using (user_id = (select auth.uid()));

create policy "deleted accounts cannot import calendars" on public.imported_calendars as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people import calendars for themselves" on public.imported_calendars for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "people read their own imported calendars" on public.imported_calendars for select to authenticated
using (user_id = (select auth.uid()));

create policy "people remove their own imported calendars" on public.imported_calendars for delete to authenticated
using (user_id = (select auth.uid()));

grant select on private.calendar_busy to authenticated;
grant delete, select on public.calendar_addresses to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.calendar_addresses to service_role;
grant delete, select on public.imported_calendars to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.imported_calendars to service_role;
grant insert (address) on public.imported_calendars to authenticated;
grant insert (name) on public.imported_calendars to authenticated;
grant insert (user_id) on public.imported_calendars to authenticated;
grant execute on function public.begin_calendar_reads(integer) to service_role;
grant execute on function public.calendar_feed(text) to service_role;
grant execute on function public.create_calendar_address() to authenticated;
grant execute on function public.create_calendar_address() to service_role;
grant execute on function public.fail_calendar_read(uuid,text) to service_role;
grant execute on function public.finish_calendar_read(uuid,text,jsonb) to service_role;
grant execute on function public.refresh_calendar(uuid) to authenticated;
grant execute on function public.refresh_calendar(uuid) to service_role;

comment on column public.calendar_addresses.created_at is 'When this address was made; a new one replaces it';
comment on column public.calendar_addresses.token is 'The secret part of the address: 32 random bytes as hexadecimal digits. Stored readable, so that the person can copy it again (ADR 0070)';
comment on column public.imported_calendars.address is 'Begins with https://; often a secret of the other program';
comment on column public.imported_calendars.busy_times is 'Number of its busy times that count';
comment on column public.imported_calendars.checked_at is 'When reading it last ended, with or without an error; null before the first time';
comment on column public.imported_calendars.due_at is 'When it is read next';
comment on column public.imported_calendars.error is 'Why it could not be read the last time; null if it could, or before the first time';
comment on column public.imported_calendars.etag is 'The HTTP entity tag of that content; null if the server gave none';
comment on column public.imported_calendars.failures is 'How many times in a row it could not be read';
comment on column public.imported_calendars.name is 'The tasker''s name for it; the host of the address if none was given';
comment on column public.imported_calendars.parsed_at is 'When its busy times were last stored; null before';
comment on column public.imported_calendars.read_at is 'When it was last read without an error, even if nothing had changed; null before';
comment on column public.imported_calendars.tried_at is 'When reading it last began; null while it waits for the first time, or because its person asked';
comment on table private.calendar_busy is 'Busy times of imported calendars, from a day before the reading to 400 days after it';
comment on table public.calendar_addresses is 'Secret addresses of people''s calendars of bookings; only the person reads theirs';
comment on table public.imported_calendars is 'Calendars of other programs in whose busy times a tasker is not free; only the tasker reads theirs';

insert into private.activity_limits (action, per_hour, per_day) values ('calendars_imported', 20, 60);

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('calendar_unread', 'account', 'A calendar could not be read', '{{calendar}} could not be read five times in a row. Its busy times count for one more day. Your profile says why.', 'A calendar could not be read', 'See your calendars', null, true, null, null);

select cron.schedule('read-calendars', '* * * * *', 'select private.queue_calendar_reads()');
