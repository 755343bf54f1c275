-- Reports of snow: the tasker of a snowfall task reports how much fell, with a photo, and the visit of that day is made.

set check_function_bodies = off;

create table public.snow_reports (
  id uuid primary key default gen_random_uuid(),
  series_id uuid not null references public.task_series (id) on delete cascade,
  booking_id uuid not null unique references public.bookings (id) on delete cascade,
  day date not null,
  cm integer not null,
  photos text[] not null,
  created_at timestamptz not null default now(),
  unique (series_id, day)
);
alter table public.snow_reports enable row level security;

comment on table public.snow_reports is
  'Snow that taskers reported, at most once a day for a snowfall task, each with the visit that it led to';
comment on column public.snow_reports.booking_id is 'The visit';
comment on column public.snow_reports.day is 'The day by the clock at the place';
comment on column public.snow_reports.cm is 'Centimetres of snow as the tasker measured them';
comment on column public.snow_reports.photos is
  'Names in the bucket booking-photos, in the folder of the agreed booking. Both parties and admins: '
  'storage.from(''booking-photos'').download(name)';

create index snow_reports_with_photo on public.snow_reports using gin (photos);

-- Reports snow for a snowfall task, as its tasker: makes the visit of today, which begins at `starts_at`. `photos` were uploaded by the
-- tasker into the folder of the agreed booking. Returns the visit's booking id.
create function public.report_snow(series_id uuid, cm integer, photos text[], starts_at timestamptz) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  series constant public.task_series := private.own_series(report_snow.series_id);
  agreed public.bookings;
  task public.tasks;
  visit uuid;
begin
  perform private.require_active_account();
  perform private.allow(series.tasker_id = auth.uid(), 'snow.only_tasker');
  perform private.require(series.repeats ->> 'every' = 'snowfall', 'snow.not_snowfall', 'series_id');
  select * into agreed from public.bookings b where b.series_id = series.id and b.visit_number = 0 for no key update;
  perform private.check_snow_report(series, agreed, cm, photos, starts_at);
  select * into strict task from public.tasks t where t.id = agreed.task_id;
  task.scheduled_date := starts_at;
  perform private.require(private.can_fit_task(series.tasker_id, task), 'snow.tasker_busy', 'starts_at');
  visit := private.add_visit(series, agreed, (select coalesce(max(b.visit_number), 0) + 1 from public.bookings b where b.series_id = series.id), starts_at);
  insert into public.snow_reports (series_id, booking_id, day, cm, photos)
  values (series.id, visit, (now() at time zone series.time_zone)::date, report_snow.cm, report_snow.photos);
  perform private.notify_person(series.giver_id, 'snow_reported', jsonb_build_object('person', private.named(series.tasker_id), 'task', task.title,
    'cm', cm, 'amount', (select total from private.fees(agreed.agreed_amount)), 'at', starts_at, 'when', private.day_and_time(starts_at)),
    private.booking_link(visit));
  perform private.schedule_tick(now());
  return visit;
end $$;

-- Requires that snow can be reported now: the series is active, it snowed enough, the first time today, with photos and a time today.
create function private.check_snow_report(series public.task_series, agreed public.bookings, cm integer, photos text[], starts_at timestamptz)
returns void language plpgsql set search_path = '' as $$
declare
  today constant date := (now() at time zone series.time_zone)::date;
begin
  perform private.require(series.status = 'active' and agreed.status = 'accepted' and today <= series.ends_on, 'series.over', 'series_id');
  perform private.require(cm between 1 and private.rule('limits.repeat.snowCm'), 'snow.depth_invalid', 'cm',
    jsonb_build_object('max', private.rule('limits.repeat.snowCm')));
  perform private.require(cm >= (series.repeats ->> 'cm')::integer, 'snow.too_little', 'cm', jsonb_build_object('min', series.repeats -> 'cm'));
  perform private.require(not exists (select from public.snow_reports r where r.series_id = series.id and r.day = today), 'snow.once_a_day', 'series_id');
  perform private.require((select count(*) from public.snow_reports r where r.series_id = series.id) < series.visits, 'snow.too_many', 'series_id',
    jsonb_build_object('count', series.visits));
  perform private.require(starts_at > now() - interval '5 minutes' and (starts_at at time zone series.time_zone)::date = today,
    'snow.time_not_today', 'starts_at');
  perform private.require(cardinality(photos) > 0, 'snow.photo_required', 'photos');
  perform private.check_photos(photos, 'booking-photos', agreed.id, series.tasker_id, 'photos');
end $$;

create policy "both parties read reports of snow, admins all" on public.snow_reports for select to authenticated
using (exists (select from public.task_series s where s.id = series_id));

grant select on public.snow_reports to authenticated;
grant execute on function
  public.report_snow(uuid, integer, text[], timestamptz)
to authenticated;
