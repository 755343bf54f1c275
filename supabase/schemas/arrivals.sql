-- The day of the work: the tasker is on the way, arrives, and photographs the place before the work. The columns are in bookings.sql;
-- these are their rules. No tables.

set check_function_bodies = off;

-- Checks changes of the arrival window, the arrival and the photos before the work: by the tasker, of work that is paid for and not
-- done, from some hours before its time on. The window can change until the arrival, which is stated once.
create function private.check_arrival(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  starts timestamptz;
  field constant text := case when booking.arrived_at is distinct from before.arrived_at then 'arrived_at'
    when booking.before_photos is distinct from before.before_photos then 'before_photos' else 'arrives_until' end;
begin
  booking.before_photos := coalesce(booking.before_photos, '{}');
  if not private.is_client() or (booking.arrives_from, booking.arrives_until, booking.arrived_at, booking.before_photos)
    is not distinct from (before.arrives_from, before.arrives_until, before.arrived_at, before.before_photos)
  then
    return booking;
  end if;
  perform private.allow(booking.task_doer_id = auth.uid(), 'arrival.only_tasker');
  perform private.require(before.status = 'in_progress' and booking.status = 'in_progress', 'arrival.not_under_way', 'status');
  perform private.require_held_money(booking.id);
  starts := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(coalesce(now() >= starts - make_interval(hours => private.rule('limits.arrival.hoursBefore')), true),
    'arrival.too_early', field, jsonb_build_object('hours', private.rule('limits.arrival.hoursBefore')));
  perform private.limit_client('arrivals_changed');
  if (booking.arrives_from, booking.arrives_until) is distinct from (before.arrives_from, before.arrives_until) then
    perform private.require(before.arrived_at is null, 'arrival.arrived', 'arrives_until');
    perform private.require(booking.arrives_from >= now() - interval '5 minutes' and booking.arrives_from < booking.arrives_until
      and booking.arrives_until <= booking.arrives_from + make_interval(mins => private.rule('limits.arrival.windowMinutes'))
      and booking.arrives_until <= now() + make_interval(hours => private.rule('limits.arrival.hoursBefore')), 'arrival.window_invalid',
      'arrives_until', jsonb_build_object('minutes', private.rule('limits.arrival.windowMinutes')));
  end if;
  if booking.arrived_at is distinct from before.arrived_at then
    perform private.require(before.arrived_at is null, 'arrival.arrived', 'arrived_at');
    perform private.require(coalesce(now() >= starts - make_interval(hours => private.rule('limits.arrival.arrivalHoursBefore')), true),
      'arrival.too_early', field, jsonb_build_object('hours', private.rule('limits.arrival.arrivalHoursBefore')));
    booking.arrived_at := now();
  end if;
  if booking.before_photos <> before.before_photos then
    perform private.require(booking.arrived_at is not null, 'arrival.not_arrived', 'before_photos');
    perform private.check_photos(booking.before_photos, 'booking-photos', booking.id, booking.task_doer_id, 'before_photos');
  end if;
  return booking;
end $$;

-- Notifies the giver that the tasker is on the way, or has arrived.
create function private.notify_arrival(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.named(booking.task_doer_id),
    'task', private.notified_task_title(booking.task_id));
begin
  if booking.arrived_at is not null and before.arrived_at is null then
    perform private.notify_person(booking.task_giver_id, 'tasker_arrived', news, private.booking_link(booking.id));
  elsif booking.arrives_until is not null and booking.arrives_until is distinct from before.arrives_until then
    perform private.notify_person(booking.task_giver_id, 'tasker_on_the_way', news || jsonb_build_object('at', booking.arrives_until,
      'when', private.day_and_time(booking.arrives_until)), private.booking_link(booking.id));
  end if;
end $$;

-- Reminds both parties of paid work that begins within an hour, once for each time. Work paid later than that gets no reminder.
create function private.remind_hour_before() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
  news jsonb;
begin
  select b.id, b.task_giver_id, b.task_doer_id, t.title, t.scheduled_date into due
  from public.tasks t join public.bookings b on b.task_id = t.id join public.payments p on p.booking_id = b.id
  where t.status = 'assigned' and t.scheduled_date > now() and t.scheduled_date <= now() + interval '1 hour'
    and b.status = 'in_progress' and b.arrived_at is null
    and p.escrow_status = 'held' and p.held_at <= t.scheduled_date - interval '1 hour'
    and not exists (select from private.work_reminders r where r.booking_id = b.id and r.hour_before = t.scheduled_date)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  insert into private.work_reminders (booking_id, scheduled_date, hour_before) values (due.id, due.scheduled_date, due.scheduled_date)
  on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, hour_before = excluded.hour_before;
  news := jsonb_build_object('task', due.title, 'at', due.scheduled_date, 'when', private.day_and_time(due.scheduled_date));
  perform private.notify_person(due.task_giver_id, 'work_soon',
    news || jsonb_build_object('person', private.named(due.task_doer_id)), private.booking_link(due.id));
  perform private.notify_person(due.task_doer_id, 'work_soon',
    news || jsonb_build_object('person', private.named(due.task_giver_id)), private.booking_link(due.id));
  return 1;
end $$;

grant execute on function
  private.check_arrival(public.bookings, public.bookings)
to authenticated, service_role;

insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('arrivals_changed', 30, 100, 30, 100);
