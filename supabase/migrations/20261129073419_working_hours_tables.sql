-- Working hours, days that differ and their settings, with their rules.
set check_function_bodies = off;

create table public.hours_exceptions (
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  day date not null,
  starts time,
  ends time,
  primary key (user_id, day)
);

alter table public.hours_exceptions enable row level security;

create table public.schedule_settings (
  user_id uuid primary key references private.profiles (id) on delete cascade,
  time_zone text not null,
  buffer_minutes integer not null default 0,
  closed_on_holidays boolean not null default true,
  shows_slots boolean not null default true,
  updated_at timestamptz not null default now()
);

alter table public.schedule_settings enable row level security;

create table public.working_hours (
  user_id uuid not null references private.profiles (id) on delete cascade,
  weekday smallint not null check (weekday between 1 and 7),
  starts time not null,
  ends time not null,
  primary key (user_id, weekday, starts),
  check (starts < ends)
);

alter table public.working_hours enable row level security;

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

create function private.erase_hours(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.schedule_settings where user_id = person;
  delete from public.working_hours where user_id = person;
  delete from public.hours_exceptions where user_id = person
$$;

create function private.holidays() returns date[] language sql immutable set search_path = '' as $$ select '{
2026-01-01,2026-02-16,2026-04-03,2026-05-18,2026-07-01,2026-08-03,2026-09-07,2026-10-12,2026-11-11,2026-12-25,
2027-01-01,2027-02-15,2027-03-26,2027-05-24,2027-07-01,2027-08-02,2027-09-06,2027-10-11,2027-11-11,2027-12-25,
2028-01-01,2028-02-21,2028-04-14,2028-05-22,2028-07-01,2028-08-07,2028-09-04,2028-10-09,2028-11-11,2028-12-25,
2029-01-01,2029-02-19,2029-03-30,2029-05-21,2029-07-01,2029-07-02,2029-08-06,2029-09-03,2029-10-08,2029-11-11,2029-11-12,2029-12-25,
2030-01-01,2030-02-18,2030-04-19,2030-05-20,2030-07-01,2030-08-05,2030-09-02,2030-10-14,2030-11-11,2030-12-25,
2031-01-01,2031-02-17,2031-04-11,2031-05-19,2031-07-01,2031-08-04,2031-09-01,2031-10-13,2031-11-11,2031-12-25,
2032-01-01,2032-02-16,2032-03-26,2032-05-24,2032-07-01,2032-08-02,2032-09-06,2032-10-11,2032-11-11,2032-12-25,
2033-01-01,2033-02-21,2033-04-15,2033-05-23,2033-07-01,2033-08-01,2033-09-05,2033-10-10,2033-11-11,2033-12-25,2033-12-26,
2034-01-01,2034-01-02,2034-02-20,2034-04-07,2034-05-22,2034-07-01,2034-08-07,2034-09-04,2034-10-09,2034-11-11,2034-12-25,
2035-01-01,2035-02-19,2035-03-23,2035-05-21,2035-07-01,2035-07-02,2035-08-06,2035-09-03,2035-10-08,2035-11-11,2035-11-12,2035-12-25
}'::date[] $$;

create function private.hours_of(hours jsonb) returns table (weekday smallint, starts time, ends time)
language sql immutable set search_path = '' as $$
  select (h ->> 'weekday')::smallint, (h ->> 'starts')::time, (h ->> 'ends')::time from jsonb_array_elements(hours) h
$$;

create function private.time_zones() returns setof text
language sql stable set search_path = '' as $$
  select private.time_zone() union select time_zone from public.places
$$;

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

create trigger before_hours_exception_change before insert or update on public.hours_exceptions
for each row execute function private.before_hours_exception_change();

create policy "deleted accounts cannot add days that differ" on public.hours_exceptions as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people add days that differ for themselves" on public.hours_exceptions for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "people change their own days that differ" on public.hours_exceptions for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people read their own days that differ" on public.hours_exceptions for select to authenticated
using (user_id = (select auth.uid()));

create policy "people remove their own days that differ" on public.hours_exceptions for delete to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own settings" on public.schedule_settings for select to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own hours" on public.working_hours for select to authenticated
using (user_id = (select auth.uid()));
grant delete, select on public.hours_exceptions to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.hours_exceptions to service_role;
grant select on public.schedule_settings to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.schedule_settings to service_role;
grant select on public.working_hours to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.working_hours to service_role;
grant insert (day), update (day) on public.hours_exceptions to authenticated;
grant insert (ends), update (ends) on public.hours_exceptions to authenticated;
grant insert (starts), update (starts) on public.hours_exceptions to authenticated;
grant insert (user_id), update (user_id) on public.hours_exceptions to authenticated;
grant execute on function public.save_hours(jsonb,text,integer,boolean,boolean) to authenticated;
grant execute on function public.save_hours(jsonb,text,integer,boolean,boolean) to service_role;
comment on column public.hours_exceptions.ends is 'Their end; null for a day without work';
comment on column public.hours_exceptions.starts is 'Start of the only hours of that day; null for a day without work';
comment on column public.hours_exceptions.user_id is 'The tasker';
comment on column public.schedule_settings.buffer_minutes is 'Least minutes between two jobs; the way between their places counts if it takes longer';
comment on column public.schedule_settings.closed_on_holidays is 'Whether the weekly hours leave out the province''s holidays';
comment on column public.schedule_settings.shows_slots is 'Whether others see the free times';
comment on column public.schedule_settings.time_zone is 'IANA name of the clock of the hours, such as America/Regina';
comment on column public.schedule_settings.user_id is 'The tasker';
comment on column public.working_hours.ends is 'By the same clock; 24:00 for midnight';
comment on column public.working_hours.starts is 'By the clock of schedule_settings.time_zone';
comment on column public.working_hours.user_id is 'The tasker';
comment on column public.working_hours.weekday is 'Monday is 1, Sunday 7';
comment on table public.hours_exceptions is 'Days on which a tasker''s hours differ from those of the week';
comment on table public.schedule_settings is 'How taskers plan their time; without a row they show no free times, and only overlapping bookings clash';
comment on table public.working_hours is 'The hours of a tasker''s week, written by public.save_hours; those of a day do not overlap';
