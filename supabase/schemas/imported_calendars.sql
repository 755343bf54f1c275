-- Calendars of other programs that taskers import: their busy times are not offered as free ones (ADR 0070). The function
-- read-calendars reads each of them every hour. Nothing but times is stored.

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

comment on table public.imported_calendars is
  'Calendars of other programs in whose busy times a tasker is not free; only the tasker reads theirs';
comment on column public.imported_calendars.name is 'The tasker''s name for it; the host of the address if none was given';
comment on column public.imported_calendars.address is 'Begins with https://; often a secret of the other program';
comment on column public.imported_calendars.due_at is 'When it is read next';
comment on column public.imported_calendars.tried_at is
  'When reading it last began; null while it waits for the first time, or because its person asked';
comment on column public.imported_calendars.checked_at is
  'When reading it last ended, with or without an error; null before the first time';
comment on column public.imported_calendars.read_at is 'When it was last read without an error, even if nothing had changed; null before';
comment on column public.imported_calendars.parsed_at is 'When its busy times were last stored; null before';
comment on column public.imported_calendars.etag is 'The HTTP entity tag of that content; null if the server gave none';
comment on column public.imported_calendars.error is 'Why it could not be read the last time; null if it could, or before the first time';
comment on column public.imported_calendars.failures is 'How many times in a row it could not be read';
comment on column public.imported_calendars.busy_times is 'Number of its busy times that count';

create table private.calendar_busy (
  calendar_id uuid not null references public.imported_calendars (id) on delete cascade,
  user_id uuid not null references private.profiles (id) on delete cascade,
  period tstzrange not null
);
alter table private.calendar_busy enable row level security;

comment on table private.calendar_busy is 'Busy times of imported calendars, from a day before the reading to 400 days after it';

create index imported_calendars_due on public.imported_calendars (due_at);
create index calendar_busy_of_calendar on private.calendar_busy (calendar_id);
create index calendar_busy_of_user on private.calendar_busy using gist (user_id, period);

-- Before a calendar is imported.
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

create trigger before_imported_calendar_insert before insert on public.imported_calendars
for each row execute function private.before_imported_calendar_insert();

-- After a calendar is imported: it is read at once.
create function private.after_imported_calendar_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.queue_calendar_reads();
  return null;
end $$;

create trigger after_imported_calendar_insert after insert on public.imported_calendars
for each row execute function private.after_imported_calendar_insert();

-- Has the function read-calendars read the calendars that are due. One message in the queue stands for all of them, so that slow
-- calendars do not hold up payments. The clock calls it every minute.
create function private.queue_calendar_reads() returns void
language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from public.imported_calendars where due_at <= now()) then
    perform private.enqueue_function('read-calendars', '{}', 'read-calendars');
  end if;
end $$;

-- Has one of the caller's calendars read now, at most every five minutes.
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

-- Hands out at most `max_calendars` calendars to read now. They are due again in about an hour, not all at the same moment. A
-- calendar that did not change is read in full once a day, because its repeats go on.
create function public.begin_calendar_reads(max_calendars integer) returns table (id uuid, address text, etag text, time_zone text)
language sql security definer set search_path = '' as $$
  with begun as (
    update public.imported_calendars c set tried_at = now(), due_at = now() + interval '50 minutes' + random() * interval '20 minutes'
    where c.id in (select d.id from public.imported_calendars d where d.due_at <= now() order by d.due_at limit max_calendars
      for update skip locked)
    returning c.*)
  select b.id, b.address, case when b.parsed_at > now() - interval '1 day' then b.etag end,
    coalesce(s.time_zone, private.time_zone())
  from begun b left join public.schedule_settings s on s.user_id = b.user_id
$$;

-- Stores the busy times of a calendar in place of those before: [[start, end]], or null if it has not changed. A calendar that was
-- removed meanwhile is left alone.
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

-- Records why a calendar could not be read. Its busy times count for another day. The tasker is notified once, the fifth time in a row.
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

-- Erases the calendars of a deleted account whose profile stays as an anchor.
create function private.erase_calendars(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.calendar_addresses where user_id = person;
  delete from public.imported_calendars where user_id = person
$$;

create policy "people read their own imported calendars" on public.imported_calendars for select to authenticated
using (user_id = (select auth.uid()));

create policy "people import calendars for themselves" on public.imported_calendars for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot import calendars" on public.imported_calendars as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people remove their own imported calendars" on public.imported_calendars for delete to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own busy times" on private.calendar_busy for select to authenticated
using (user_id = (select auth.uid()));

grant select, delete, insert (user_id, name, address) on public.imported_calendars to authenticated;
grant select on private.calendar_busy to authenticated;
grant execute on function
  public.refresh_calendar(uuid)
to authenticated;

insert into private.activity_limits (action, per_hour, per_day) values ('calendars_imported', 20, 60);

select cron.schedule('read-calendars', '* * * * *', 'select private.queue_calendar_reads()');
