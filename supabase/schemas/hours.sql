-- Working hours of taskers: the hours of a week, days that differ, and the settings for the times between jobs. Hours advise givers and
-- refuse nothing; free_times.sql has what is free and which bookings clash.

create table public.schedule_settings (
  user_id uuid primary key references private.profiles (id) on delete cascade,
  time_zone text not null,
  buffer_minutes integer not null default 0,
  closed_on_holidays boolean not null default true,
  shows_slots boolean not null default true,
  updated_at timestamptz not null default now()
);
alter table public.schedule_settings enable row level security;

comment on table public.schedule_settings is
  'How taskers plan their time; without a row they show no free times, and only overlapping bookings clash';
comment on column public.schedule_settings.user_id is 'The tasker';
comment on column public.schedule_settings.time_zone is 'IANA name of the clock of the hours, such as America/Regina';
comment on column public.schedule_settings.buffer_minutes is
  'Least minutes between two jobs; the way between their places counts if it takes longer';
comment on column public.schedule_settings.closed_on_holidays is 'Whether the weekly hours leave out the province''s holidays';
comment on column public.schedule_settings.shows_slots is 'Whether others see the free times';

create table public.working_hours (
  user_id uuid not null references private.profiles (id) on delete cascade,
  weekday smallint not null check (weekday between 1 and 7),
  starts time not null,
  ends time not null,
  primary key (user_id, weekday, starts),
  check (starts < ends)
);
alter table public.working_hours enable row level security;

comment on table public.working_hours is 'The hours of a tasker''s week, written by public.save_hours; those of a day do not overlap';
comment on column public.working_hours.user_id is 'The tasker';
comment on column public.working_hours.weekday is 'Monday is 1, Sunday 7';
comment on column public.working_hours.starts is 'By the clock of schedule_settings.time_zone';
comment on column public.working_hours.ends is 'By the same clock; 24:00 for midnight';

create table public.hours_exceptions (
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  day date not null,
  starts time,
  ends time,
  primary key (user_id, day)
);
alter table public.hours_exceptions enable row level security;

comment on table public.hours_exceptions is 'Days on which a tasker''s hours differ from those of the week';
comment on column public.hours_exceptions.user_id is 'The tasker';
comment on column public.hours_exceptions.starts is 'Start of the only hours of that day; null for a day without work';
comment on column public.hours_exceptions.ends is 'Their end; null for a day without work';

-- The clocks of the marketplace's places.
create function private.time_zones() returns setof text
language sql stable set search_path = '' as $$
  select private.time_zone() union select time_zone from public.places
$$;

-- Hours as rows, from [{weekday, starts, ends}] with times such as 09:00.
create function private.hours_of(hours jsonb) returns table (weekday smallint, starts time, ends time)
language sql immutable set search_path = '' as $$
  select (h ->> 'weekday')::smallint, (h ->> 'starts')::time, (h ->> 'ends')::time from jsonb_array_elements(hours) h
$$;

-- Checks hours as a client sends them: weekdays from 1, Monday, to 7, and times of a day in order.
create function private.check_hours(hours jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(jsonb_typeof(hours) = 'array', 'hours.invalid', 'hours');
  perform private.require(not exists (select from jsonb_array_elements(hours) h
    where (h ->> 'weekday' ~ '^[1-7]$' and h ->> 'starts' ~ '^([01]\d|2[0-3]):[0-5]\d$'
      and h ->> 'ends' ~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)$') is not true), 'hours.invalid', 'hours');
  perform private.require(not exists (select from private.hours_of(hours) where starts >= ends), 'hours.end_before_start', 'hours');
  perform private.require(not exists (
    select from (select starts, lag(ends) over (partition by weekday order by starts, ends) as before
      from private.hours_of(hours)) in_order where starts < before), 'hours.overlap', 'hours');
  perform private.require(not exists (select from private.hours_of(hours) group by weekday
    having count(*) > 6), 'hours.too_many', 'hours');
end $$;

-- Saves the caller's week and settings in place of those before: `hours` is [{weekday, starts, ends}], Monday 1, times such as
-- 09:00, an end at midnight 24:00. Two requests at once are saved one after the other.
create function public.save_hours(
  hours jsonb, time_zone text, buffer_minutes integer, closed_on_holidays boolean, shows_slots boolean
) returns void language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := auth.uid();
begin
  perform private.allow(me is not null and private.has_account(), 'account.not_authenticated');
  perform private.allow(private.has_role('task_doer'), 'hours.only_taskers');
  perform private.count_activity('settings_changes');
  perform private.check_hours(hours);
  perform private.require(time_zone in (select private.time_zones()), 'hours.time_zone_unknown', 'time_zone');
  perform private.require(buffer_minutes between 0 and 240, 'hours.buffer_out_of_range', 'buffer_minutes');
  insert into public.schedule_settings as s (user_id, time_zone, buffer_minutes, closed_on_holidays, shows_slots)
  values (me, save_hours.time_zone, save_hours.buffer_minutes, coalesce(save_hours.closed_on_holidays, true),
    coalesce(save_hours.shows_slots, true))
  on conflict (user_id) do update set time_zone = excluded.time_zone, buffer_minutes = excluded.buffer_minutes,
    closed_on_holidays = excluded.closed_on_holidays, shows_slots = excluded.shows_slots, updated_at = now();
  delete from public.working_hours where user_id = me;
  insert into public.working_hours (user_id, weekday, starts, ends)
  select me, h.weekday, h.starts, h.ends from private.hours_of(hours) h;
end $$;

-- Removes the caller's hours, settings and days that differ, as if none had been saved. Bookings stay.
create function public.remove_hours() returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null and private.has_account(), 'account.not_authenticated');
  perform private.count_activity('settings_changes');
  perform private.erase_hours(auth.uid());
end $$;

-- Before a day that differs is saved. The lock of limit_client makes the number hold for concurrent requests, too.
create function private.before_hours_exception_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('settings_changes');
  perform private.require(new.day between current_date - 1 and current_date + 731, 'hours_exception.day_out_of_range', 'day');
  perform private.require(num_nulls(new.starts, new.ends) = 2 or new.starts < new.ends, 'hours.end_before_start', 'ends');
  if tg_op = 'INSERT' then
    perform private.require((select count(*) from public.hours_exceptions where user_id = new.user_id) < 200,
      'hours_exception.too_many', 'day');
  end if;
  return new;
end $$;

create trigger before_hours_exception_change before insert or update on public.hours_exceptions
for each row execute function private.before_hours_exception_change();

-- Erases the hours of a deleted account whose profile stays as an anchor.
create function private.erase_hours(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.schedule_settings where user_id = person;
  delete from public.working_hours where user_id = person;
  delete from public.hours_exceptions where user_id = person
$$;

create policy "people read their own settings" on public.schedule_settings for select to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own hours" on public.working_hours for select to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own days that differ" on public.hours_exceptions for select to authenticated
using (user_id = (select auth.uid()));

create policy "people add days that differ for themselves" on public.hours_exceptions for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot add days that differ" on public.hours_exceptions as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people change their own days that differ" on public.hours_exceptions for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people remove their own days that differ" on public.hours_exceptions for delete to authenticated
using (user_id = (select auth.uid()));

grant select on public.schedule_settings, public.working_hours to authenticated;
-- An upsert of the Data API also writes user_id.
grant select, delete, insert (user_id, day, starts, ends), update (user_id, day, starts, ends) on public.hours_exceptions to authenticated;
grant execute on function
  public.save_hours(jsonb, text, integer, boolean, boolean), public.remove_hours()
to authenticated;

-- A day is over once it is by each clock of the world.
select cron.schedule('forget-past-days', '43 3 * * *', 'delete from public.hours_exceptions where day < current_date - 1');
