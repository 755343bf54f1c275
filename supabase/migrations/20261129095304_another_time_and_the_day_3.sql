-- another time and the day: what supabase/schemas define and earlier migrations do not, part 3

set check_function_bodies = off;

create function private.check_no_show(report public.no_shows) returns public.no_shows
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(report.booking_id);
  starts timestamptz;
  by_tasker constant boolean := report.reported_by = booking.task_doer_id;
  wait constant integer := private.rule(case when by_tasker then 'limits.noShow.giverAfterMinutes'
    else 'limits.noShow.taskerAfterMinutes' end);
begin
  perform private.allow(booking.id is not null, 'no_show.not_party');
  perform private.require(booking.status = 'in_progress', 'no_show.not_under_way', 'booking_id');
  perform private.require_movable(booking);
  starts := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(starts is not null, 'no_show.no_time', 'booking_id');
  perform private.require(not by_tasker or booking.arrived_at is not null, 'visit.not_arrived', 'booking_id');
  perform private.require(now() >= greatest(starts, case when by_tasker then booking.arrived_at end) + make_interval(mins => wait),
    'no_show.too_early', 'booking_id', jsonb_build_object('minutes', wait));
  report.photos := coalesce(report.photos, '{}');
  perform private.require(not by_tasker or report.photos <> '{}', 'no_show.photo_required', 'photos');
  perform private.check_photos(report.photos, 'booking-photos', booking.id, report.reported_by, 'photos');
  report.task_giver_id := booking.task_giver_id;
  report.task_doer_id := booking.task_doer_id;
  report.state := 'open';
  report.answer := null;
  report.answer_by := now() + make_interval(hours => private.rule('limits.noShow.answerHours'));
  return report;
end $$;

create function private.check_no_show_answer(report public.no_shows, before public.no_shows) returns public.no_shows
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(before.booking_id);
begin
  perform private.require(before.state = 'open' and before.answer_by > now() and booking.status = 'in_progress', 'no_show.not_open', 'state');
  if before.reported_by = auth.uid() then
    perform private.require(report.state = 'withdrawn' and report.answer is null and report.answer_photos = '{}',
      'no_show.answer_by_other', 'state');
    return report;
  end if;
  perform private.require(report.state in ('confirmed', 'objected'), 'no_show.withdraw_own', 'state');
  perform private.require_held_money(booking.id);
  if report.state = 'confirmed' then
    report.answer := null;
    report.answer_photos := '{}';
    return report;
  end if;
  report.answer := private.trimmed(report.answer);
  perform private.check_no_show_words(report.answer, 'answer');
  perform private.check_photos(report.answer_photos, 'booking-photos', booking.id, auth.uid(), 'answer_photos');
  return report;
end $$;

create function private.check_no_show_words(words text, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(private.visible_length(words) >= private.rule('limits.complaint.min'), 'no_show.words_too_short', field,
    jsonb_build_object('min', private.rule('limits.complaint.min')));
  perform private.require(length(words) <= private.rule('limits.complaint.max'), 'no_show.words_too_long', field,
    jsonb_build_object('max', private.rule('limits.complaint.max')));
end $$;

create function private.check_proposal_answer(proposal public.time_proposals, before public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(before.booking_id);
begin
  perform private.require_active_account();
  perform private.require(proposal.starts_at = before.starts_at, 'time_proposal.time_differs', 'starts_at');
  perform private.require(before.state = 'open' and before.answer_by > now(), 'time_proposal.not_open', 'state');
  if before.proposed_by = auth.uid() then
    perform private.require(proposal.state = 'withdrawn', 'time_proposal.answer_by_other', 'state');
    return;
  end if;
  perform private.require(proposal.state in ('accepted', 'declined'), 'time_proposal.withdraw_own', 'state');
  if proposal.state = 'declined' then
    return;
  end if;
  perform private.require_movable(booking);
  perform private.require(before.starts_at > now(), 'time_proposal.past', 'starts_at');
  perform private.require(private.can_move_booking(booking, before.starts_at),
    case when booking.task_doer_id = auth.uid() then 'time_proposal.own_clash' else 'booking.tasker_busy' end, 'starts_at');
end $$;

create function private.check_time_proposal(proposed public.time_proposals) returns public.time_proposals
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(proposed.booking_id);
  agreed timestamptz;
begin
  perform private.allow(booking.id is not null, 'time_proposal.not_party');
  perform private.require_movable(booking);
  agreed := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(proposed.starts_at > now(), 'time_proposal.past', 'starts_at');
  perform private.require(proposed.starts_at <= now() + make_interval(days => private.rule('limits.timeProposal.daysAhead')),
    'time_proposal.too_late', 'starts_at', jsonb_build_object('days', private.rule('limits.timeProposal.daysAhead')));
  perform private.require(date_trunc('minute', proposed.starts_at) is distinct from date_trunc('minute', agreed),
    'time_proposal.same_time', 'starts_at');
  perform private.require(not exists (select from public.time_proposals p where p.booking_id = booking.id and p.state = 'open'
    and p.answer_by > now()), 'time_proposal.open', 'booking_id');
  perform private.require(proposed.proposed_by <> booking.task_doer_id or private.can_move_booking(booking, proposed.starts_at),
    'time_proposal.own_clash', 'starts_at');
  proposed.task_giver_id := booking.task_giver_id;
  proposed.task_doer_id := booking.task_doer_id;
  proposed.before_starts_at := agreed;
  proposed.state := 'open';
  proposed.answer_by := least(now() + make_interval(hours => private.rule('limits.timeProposal.hours')), proposed.starts_at,
    case when agreed > now() then agreed end);
  perform private.expire_time_proposal(booking.id);
  return proposed;
end $$;

create function private.check_visit(booking public.bookings, before public.bookings) returns public.bookings
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
  perform private.allow(booking.task_doer_id = auth.uid(), 'visit.only_tasker');
  perform private.require(before.status = 'in_progress' and booking.status = 'in_progress', 'visit.not_under_way', 'status');
  perform private.require_held_money(booking.id);
  starts := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(coalesce(now() >= starts - make_interval(hours => private.rule('limits.visit.hoursBefore')), true),
    'visit.too_early', field, jsonb_build_object('hours', private.rule('limits.visit.hoursBefore')));
  perform private.limit_client('visits_changed');
  if (booking.arrives_from, booking.arrives_until) is distinct from (before.arrives_from, before.arrives_until) then
    perform private.require(before.arrived_at is null, 'visit.arrived', 'arrives_until');
    perform private.require(booking.arrives_from >= now() - interval '5 minutes' and booking.arrives_from < booking.arrives_until
      and booking.arrives_until <= booking.arrives_from + make_interval(mins => private.rule('limits.visit.windowMinutes'))
      and booking.arrives_until <= now() + make_interval(hours => private.rule('limits.visit.hoursBefore')), 'visit.window_invalid',
      'arrives_until', jsonb_build_object('minutes', private.rule('limits.visit.windowMinutes')));
  end if;
  if booking.arrived_at is distinct from before.arrived_at then
    perform private.require(before.arrived_at is null, 'visit.arrived', 'arrived_at');
    perform private.require(coalesce(now() >= starts - make_interval(hours => private.rule('limits.visit.arrivalHoursBefore')), true),
      'visit.too_early', field, jsonb_build_object('hours', private.rule('limits.visit.arrivalHoursBefore')));
    booking.arrived_at := now();
  end if;
  if booking.before_photos <> before.before_photos then
    perform private.require(booking.arrived_at is not null, 'visit.not_arrived', 'before_photos');
    perform private.check_photos(booking.before_photos, 'booking-photos', booking.id, booking.task_doer_id, 'before_photos');
  end if;
  return booking;
end $$;

create function private.expire_time_proposal(of_booking uuid default null) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.time_proposals p
  where p.state = 'open' and p.answer_by <= now() and p.booking_id = coalesce(of_booking, p.booking_id)
  order by p.answer_by limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update public.time_proposals set state = 'lapsed' where id = due;
  return 1;
end $$;

create function private.has_open_no_show(booking uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.no_shows where booking_id = booking and state = 'open');
end $$;

create function private.lapse_no_show(booking uuid) returns void
language sql set search_path = '' as $$
  update public.no_shows set state = 'ended' where id in (
    select n.id from public.no_shows n where n.booking_id = booking and n.state = 'open' for no key update skip locked)
$$;

create function private.lapse_time_proposals(booking uuid) returns void
language sql set search_path = '' as $$
  update public.time_proposals set state = 'lapsed' where id in (
    select p.id from public.time_proposals p where p.booking_id = booking and p.state = 'open' for no key update skip locked)
$$;

create function private.lock_own_booking(booking uuid) returns public.bookings
language sql security definer set search_path = '' as $$
  select * from public.bookings b where b.id = booking and auth.uid() in (b.task_giver_id, b.task_doer_id) for no key update
$$;

create function private.missing_person(report public.no_shows) returns uuid
language sql immutable set search_path = '' as $$
  select case report.reported_by when report.task_giver_id then report.task_doer_id else report.task_giver_id end
$$;

create function private.move_booking(accepted public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
  booking public.bookings;
  pay_by timestamptz;
begin
  update public.tasks t set scheduled_date = accepted.starts_at, updated_at = now() from public.bookings b
  where b.id = accepted.booking_id and t.id = b.task_id returning t.* into strict task;
  update public.bookings b set period = private.task_period(task), arrives_from = null, arrives_until = null, arrived_at = null,
    updated_at = now() where b.id = accepted.booking_id
  returning * into strict booking;
  update public.notifications set read = true
  where user_id in (booking.task_giver_id, booking.task_doer_id) and not read and key = 'work_reminder'
    and link like private.booking_link(booking.id) || '%';
  if booking.status = 'in_progress' then
    -- They have just agreed on it: work within a day needs no reminder.
    insert into private.work_reminders (booking_id, scheduled_date, hour_before)
    select booking.id, task.scheduled_date, case when task.scheduled_date <= now() + interval '1 hour' then task.scheduled_date end
    where task.scheduled_date <= now() + interval '24 hours'
    on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, hour_before = excluded.hour_before,
      reminded_at = now();
    perform private.schedule_reminder(booking);
    return;
  end if;
  pay_by := private.pay_by(booking.accepted_at, task.scheduled_date);
  delete from private.pay_reminders r
  where r.booking_id = booking.id and private.pay_reminder_at(booking.accepted_at, pay_by) > now();
  perform private.schedule_tick(private.pay_reminder_at(booking.accepted_at, pay_by));
  perform private.schedule_tick(pay_by);
end $$;

create or replace function private.notify_complaint(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', private.task_title(complaint.booking_id));
begin
  if complaint.answer is null then
    perform private.notify_person(complaint.tasker_id, 'complaint_opened',
      news || jsonb_build_object('person', private.named(complaint.giver_id)), private.booking_link(complaint.booking_id));
  end if;
  perform private.notify_admins('complaint_to_decide',
    news || jsonb_build_object('person', private.full_name(complaint.giver_id)), '/admin/complaints/' || complaint.id);
end $$;

create or replace function private.notify_completion(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  news constant jsonb := jsonb_build_object(
    'person', private.named(booking.task_doer_id), 'task', private.notified_task_title(booking.task_id));
begin
  if exists (select from public.no_shows n where n.booking_id = booking.id and n.state = 'objected') then
    return;
  elsif exists (select from public.payments where booking_id = booking.id and escrow_status = 'frozen') then
    perform private.notify_person(booking.task_giver_id, 'marked_complete_on_hold', news, '/bookings');
  elsif starts > now() then
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete_early',
      news || jsonb_build_object('at', starts, 'when', private.day_and_time(starts)), '/bookings');
  else
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete', news, '/bookings');
  end if;
end $$;
