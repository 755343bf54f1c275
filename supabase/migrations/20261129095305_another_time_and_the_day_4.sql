-- another time and the day: what supabase/schemas define and earlier migrations do not, part 4

set check_function_bodies = off;

create function private.notify_no_show(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
declare
  missing constant uuid := private.missing_person(report);
  page constant text := private.booking_link(report.booking_id);
  news constant jsonb := jsonb_build_object('task', private.task_title(report.booking_id));
begin
  if report.state = 'open' then
    perform private.notify_person(missing, case when missing = report.task_doer_id then 'tasker_missed' else 'giver_missed' end,
      news || jsonb_build_object('person', private.named(report.reported_by), 'at', report.answer_by,
        'when', private.day_and_time(report.answer_by)), page);
    return;
  end if;
  update public.notifications n set read = true
  where n.user_id = missing and not n.read and n.key in ('tasker_missed', 'giver_missed') and n.link like page || '%';
  if report.state = 'objected' then
    perform private.notify_person(report.reported_by, 'no_show_objected', news || jsonb_build_object('person', private.named(missing)), page);
  elsif report.state = 'lapsed' then
    perform private.notify_person(missing, 'no_show_lapsed', news, page);
  end if;
end $$;

create function private.notify_time_proposal(proposal public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  other constant uuid := case proposal.proposed_by when proposal.task_giver_id then proposal.task_doer_id else proposal.task_giver_id end;
  page constant text := private.booking_link(proposal.booking_id);
  news constant jsonb := jsonb_build_object('task', private.task_title(proposal.booking_id), 'at', proposal.starts_at,
    'when', private.day_and_time(proposal.starts_at));
begin
  if proposal.state = 'open' then
    perform private.notify_person(other, 'time_proposed', news || jsonb_build_object('person', private.named(proposal.proposed_by)), page);
    return;
  end if;
  update public.notifications n set read = true
  where n.user_id = other and not n.read and n.key = 'time_proposed' and n.link like page || '%';
  if proposal.state in ('accepted', 'declined') or (proposal.state = 'lapsed' and proposal.answer_by <= now() and exists (
    select from public.bookings b where b.id = proposal.booking_id and b.status in ('accepted', 'in_progress')))
  then
    perform private.notify_person(proposal.proposed_by, case proposal.state when 'accepted' then 'time_accepted'
      when 'declined' then 'time_declined' else 'time_lapsed' end, news || jsonb_build_object('person', private.named(other)), page);
  else
    delete from private.email_events e where e.person_id = other and e.key = 'time_proposed' and e.email_id is null
      and e.link like page || '%';
  end if;
end $$;

create function private.notify_visit(booking public.bookings, before public.bookings) returns void
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

create function private.open_no_show_complaint(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
declare
  by_giver constant boolean := report.reported_by = report.task_giver_id;
begin
  perform private.set_actor('tasker');
  update public.bookings set status = 'completed' where id = report.booking_id;
  perform private.set_actor(null);
  insert into public.complaints (booking_id, reason, photos, answer, answer_photos, answered_at)
  values (report.booking_id, case when by_giver then report.words else report.answer end,
    case when by_giver then report.photos else report.answer_photos end,
    case when by_giver then report.answer else report.words end,
    case when by_giver then report.answer_photos else report.photos end, now());
end $$;

create or replace function private.posted_time(booking public.bookings, scheduled timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when private.offered_time(booking) is null then private.time_before_proposals(booking.id, scheduled)
    else booking.posted_date end
$$;

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

create function private.require_held_money(booking uuid) returns void
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  select * into payment from public.payments p where p.booking_id = booking;
  if payment.escrow_status is distinct from 'held' then
    perform private.fail(private.freeze_reason_code(payment), 'booking_id');
  end if;
end $$;

create function private.require_movable(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  perform private.require(booking.status in ('accepted', 'in_progress'), 'time_proposal.not_agreed', 'booking_id');
  select * into payment from public.payments p where p.booking_id = booking.id;
  if payment.escrow_status = 'frozen' then
    perform private.fail(private.freeze_reason_code(payment), 'booking_id');
  end if;
  perform private.require(not private.has_open_no_show(booking.id), 'no_show.open', 'booking_id');
end $$;

create or replace function private.schedule_reminder(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  at timestamptz;
begin
  foreach at in array array[starts - interval '24 hours', starts - interval '1 hour'] loop
    if at > now() then
      perform private.schedule_tick(at);
    end if;
  end loop;
end $$;

create function private.settle_no_show() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select n.id into due from public.no_shows n join public.bookings b on b.id = n.booking_id
    join public.payments p on p.booking_id = n.booking_id
  where n.state = 'open' and n.answer_by <= now() and (b.status <> 'in_progress' or p.escrow_status = 'held')
  order by n.answer_by limit 1 for no key update of n skip locked;
  if not found then
    return 0;
  end if;
  update public.no_shows n set state = case b.status when 'in_progress' then 'lapsed' else 'ended' end
  from public.bookings b where n.id = due and b.id = n.booking_id;
  return 1;
end $$;

create function private.time_before_proposals(booking uuid, scheduled timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when first.id is null then scheduled else first.before_starts_at end
  from (select) as one left join lateral (select p.id, p.before_starts_at from public.time_proposals p
    where p.booking_id = booking and p.state = 'accepted' order by p.answered_at, p.created_at limit 1) first on true
$$;

create or replace function public.cancel_booking(booking_id uuid, reason text default null, list_again boolean default true) returns jsonb
language plpgsql security definer set search_path = '' as $$
begin
  return private.cancel_booking_for(auth.uid(), cancel_booking.booking_id, cancel_booking.reason, cancel_booking.list_again);
end $$;
