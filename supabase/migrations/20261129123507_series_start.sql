-- series start: a series has the agreed time of its first visit
set check_function_bodies = off;

alter table public.task_series add column starts_at timestamp with time zone;

-- Series that were agreed before: the first visit's time, or the one that it had before it moved.
update public.task_series s set starts_at = coalesce((select p.before_starts_at from public.time_proposals p
  where p.booking_id = b.id and p.state = 'accepted' order by p.answered_at limit 1), t.scheduled_date)
from public.bookings b join public.tasks t on t.id = b.task_id where b.series_id = s.id and b.visit_number = 1;

create or replace function private.begin_series(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
  zone constant text := private.zone_of_task(task);
  times constant timestamptz[] := public.repeat_times(task);
  snow constant boolean := task.repeats ->> 'every' = 'snowfall';
  series public.task_series;
begin
  if task.repeats is null then
    return;
  end if;
  insert into public.task_series (giver_id, tasker_id, repeats, time_zone, starts_at, ends_on, visits)
  values (booking.task_giver_id, booking.task_doer_id, task.repeats, zone, times[1], case when snow then (task.repeats ->> 'until')::date
    else (times[cardinality(times)] at time zone zone)::date end, case when snow then (task.repeats ->> 'count')::integer else cardinality(times) end)
  returning * into series;
  update public.tasks set series_id = series.id where id = task.id;
  update public.bookings set series_id = series.id, visit_number = case when snow then 0 else 1 end,
    pay_from = case when not snow then booking.accepted_at end where id = booking.id;
  for nth in 2 .. coalesce(cardinality(times), 0) loop
    perform private.add_visit(series, booking, nth, times[nth]);
  end loop;
  perform private.schedule_tick((series.ends_on + 1)::timestamp at time zone zone);
end $$;

create or replace function private.notify_series(booking public.bookings, task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, case when task.repeats ->> 'every' = 'snowfall' then 'snow_series_accepted'
      else 'series_accepted' end,
    jsonb_build_object('person', private.named(booking.task_giver_id), 'task', task.title, 'amount', booking.agreed_amount,
      'count', (select s.visits from public.task_series s where s.id = task.series_id)), private.booking_link(booking.id));
end $$;

create function public.planned_times(series public.task_series) returns timestamptz[]
language sql stable set search_path = '' as $$
  select array(select private.visit_times(series.repeats, series.starts_at, series.time_zone))
$$;

create or replace function public.repeat_times(task public.tasks) returns timestamptz[]
language sql stable set search_path = '' as $$
  select array(select private.visit_times(task.repeats, task.scheduled_date, private.zone_of_task(task)))
  where task.repeats is not null and task.series_id is null
$$;

drop function public.place_zone(public.tasks);

grant execute on function public.planned_times(public.task_series) to authenticated;
grant execute on function public.planned_times(public.task_series) to service_role;

comment on column public.task_series.ends_on is 'Agreed day of the last visit, or last day of the season, by that clock';
comment on column public.task_series.starts_at is 'Agreed time of the first visit, which stays when that visit moves; null for a snowfall task';
