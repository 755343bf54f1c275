-- Booking effects: what follows a step of a booking's life, in the transaction that makes the step.

-- What follows a step: the task's state, the other applications, the notices.
create function private.follow_booking() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  task_title text;
  giver_name text := private.person_name(new.task_giver_id);
  doer_name text := private.person_name(new.task_doer_id);
  by_schedule boolean := current_setting('meadowlark.actor', true) = 'schedule';
begin
  select title into task_title from public.tasks where id = new.task_id;

  if tg_op = 'INSERT' then
    perform private.notify_person(new.task_giver_id, case
        when (select is_verified from public.profiles where id = new.task_doer_id) then 'application_received'
        else 'application_received_unverified' end,
      jsonb_build_object('person', doer_name, 'task', task_title), '/bookings');
    return null;
  end if;

  case new.status
    when 'accepted' then
      update public.tasks set status = 'assigned', updated_at = now() where id = new.task_id;
      perform private.notify_person(new.task_doer_id, 'application_accepted',
        jsonb_build_object('person', giver_name, 'task', task_title), '/bookings');
      perform private.decline_waiting_applications(new.task_id);
    when 'rejected' then
      perform private.notify_not_chosen(new, task_title);
    when 'in_progress' then
      perform private.notify_person(new.task_doer_id, 'task_started',
        jsonb_build_object('task', task_title), '/bookings');
    when 'completed' then
      perform private.notify_person(new.task_giver_id, 'task_marked_complete',
        jsonb_build_object('person', doer_name, 'task', task_title), '/bookings');
    when 'cancelled' then
      update public.tasks set status = 'open', updated_at = now() where id = new.task_id and status = 'assigned';
      perform private.notify_of_cancellation(old.status, new, task_title, by_schedule);
    else null;
  end case;
  return null;
end $$;

-- An application that was declined: by the giver's choice, or because the task is no longer offered, by its giver or by
-- the schedule (which closes a task a day after it was to take place).
create function private.notify_not_chosen(booking public.bookings, task_title text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', task_title);
  gone boolean := booking.passed_over and exists (
    select from public.tasks where id = booking.task_id and status = 'cancelled');
  overdue boolean := exists (
    select from public.tasks where id = booking.task_id and scheduled_date <= now() - interval '24 hours');
begin
  if gone and overdue then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif gone then
    perform private.notify_person(booking.task_doer_id, 'task_withdrawn', news, '/bookings');
  else
    perform private.notify_person(booking.task_doer_id, 'application_declined', news, '/bookings');
  end if;
end $$;

-- A booking that ended: withdrawn, cancelled before it was paid, or by the schedule. Of a paid one cancel_booking
-- tells, because it knows the amounts.
create function private.notify_of_cancellation(
  previous public.booking_status, booking public.bookings, task_title text, by_schedule boolean
) returns void language plpgsql security definer set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', task_title);
  other uuid;
begin
  if previous = 'pending' and by_schedule then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif previous = 'pending' then
    perform private.notify_person(booking.task_giver_id, 'application_withdrawn',
      news || jsonb_build_object('person', private.person_name(booking.task_doer_id)), '/bookings');
  elsif previous = 'accepted' then
    foreach other in array array[booking.task_giver_id, booking.task_doer_id] loop
      if by_schedule then
        perform private.notify_person(other, 'booking_expired', news, '/bookings');
      elsif other is distinct from booking.cancelled_by then
        perform private.notify_person(other, 'booking_cancelled',
          news || jsonb_build_object('person', private.person_name(booking.cancelled_by)), '/bookings');
      end if;
    end loop;
  end if;
end $$;

create trigger follow_application after insert on public.bookings
for each row execute function private.follow_booking();
create trigger follow_booking after update of status on public.bookings
for each row when (old.status <> new.status) execute function private.follow_booking();

-- Declines every application that is still waiting, because the task is taken or withdrawn.
create function private.decline_waiting_applications(task uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.set_actor('choice');
  update public.bookings set status = 'rejected', passed_over = true where task_id = task and status = 'pending';
  perform private.set_actor(null);
end $$;

create function private.follow_task() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.decline_waiting_applications(new.id);
  return null;
end $$;

create trigger follow_task after update of status on public.tasks
for each row when (old.status = 'open' and new.status = 'cancelled') execute function private.follow_task();
