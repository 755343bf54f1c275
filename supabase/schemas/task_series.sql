-- Series of visits: a giver and a tasker have agreed on a task that repeats. repeats.sql has the rules of a repeat, visits.sql what
-- happens to the visits.

create table public.task_series (
  id uuid primary key default gen_random_uuid(),
  giver_id uuid not null references private.profiles (id) on delete cascade,
  tasker_id uuid not null references private.profiles (id) on delete cascade,
  repeats jsonb not null,
  time_zone text not null,
  starts_at timestamptz,
  ends_on date not null,
  visits integer not null,
  status text not null default 'active' check (status in ('active', 'stopped', 'ended')),
  auto_pay_since timestamptz,
  stopped_by uuid,
  stopped_at timestamptz,
  created_at timestamptz not null default now()
);
alter table public.task_series enable row level security;

comment on table public.task_series is 'Agreed repeats: the visits are bookings with this series_id, each with a task';
comment on column public.task_series.giver_id is 'The person who pays each visit';
comment on column public.task_series.tasker_id is 'The tasker of all visits';
comment on column public.task_series.repeats is 'How the task repeats, as in tasks.repeats when it was agreed';
comment on column public.task_series.time_zone is 'IANA name of the clock at the place, by which the visits keep their time of day';
comment on column public.task_series.starts_at is
  'Agreed time of the first visit, which stays when that visit moves; null for a snowfall task';
comment on column public.task_series.ends_on is 'Agreed day of the last visit, or last day of the season, by that clock';
comment on column public.task_series.visits is 'Number of agreed visits; the highest number for a snowfall task';
comment on column public.task_series.status is
  'Where the series is: '
  'new → active when the giver accepts, or the tasker accepts a counter-offer; '
  'active → stopped when either stops it; '
  'active → ended the day after ends_on';
comment on column public.task_series.auto_pay_since is
  'Since when the giver lets their default card be charged two days before each visit; null if they pay themselves';
comment on column public.task_series.stopped_by is 'The person who stopped it; null for none';
comment on column public.task_series.stopped_at is 'When it was stopped; null before';

create index task_series_of_giver on public.task_series (giver_id);
create index task_series_of_tasker on public.task_series (tasker_id);
create index task_series_to_end on public.task_series (ends_on) where status = 'active';

create policy "both parties read their series, admins all" on public.task_series for select to authenticated
using (giver_id = (select auth.uid()) or tasker_id = (select auth.uid()) or (select private.is_admin()));

grant select on public.task_series to authenticated;
