-- Steps of a booking: which are allowed (private.booking_transitions), what each requires, and what follows from it: the task's
-- status, other applications and notifications.

-- Refuses every step that private.booking_transitions does not list for the person or function that makes it.
create function private.check_booking_step() returns trigger
language plpgsql set search_path = '' as $$
declare
  previous constant public.booking_status := case when tg_op = 'UPDATE' then old.status end;
begin
  if exists (select from private.booking_transitions t
      where t.from_status is not distinct from previous and t.to_status = new.status
        and t.actor = private.booking_actor(new.task_doer_id, new.task_giver_id)) then
    return new;
  end if;
  perform private.require((previous = 'in_progress' and new.status = 'cancelled') is not true,
    'booking.cancel_by_function', 'status');
  perform private.require(previous is not null, 'booking.first_status_invalid', 'status');
  perform private.fail('booking.status_change_invalid', 'status', jsonb_build_object('from', replace(previous::text, '_', ' '),
    'to', replace(new.status::text, '_', ' ')), case when private.is_client()
    and auth.uid() not in (new.task_doer_id, new.task_giver_id) then '42501' else 'P0001' end);
end $$;

create trigger "40_first_step" before insert on public.bookings
for each row execute function private.check_booking_step();

create trigger "40_step" before update on public.bookings for each row
when (new.status is distinct from old.status)
execute function private.check_booking_step();

-- Requires an open task and a free tasker, locks the decision on the task, and sets the period and the time of acceptance.
create function private.check_acceptance() returns trigger
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
begin
  perform private.require(private.reserve_decision(new.task_id),
    'task.being_decided', 'status');
  task := private.lock_task(new.task_id);
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'status');
  new.period := private.task_period(task);
  perform private.require(private.tasker_is_free(new.task_doer_id, new.period),
    'booking.tasker_busy', 'status');
  new.accepted_at := now();
  return new;
end $$;

create trigger "50_accepted" before update on public.bookings for each row
when (new.status = 'accepted' and old.status <> 'accepted')
execute function private.check_acceptance();

-- Requires that the payment is held, and sets the time of the start.
create function private.check_start() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(exists (select from public.payments p
    where p.booking_id = new.id and p.escrow_status = 'held'), 'payment.not_held', 'status');
  new.started_at := now();
  return new;
end $$;

create trigger "51_in_progress" before update on public.bookings for each row
when (new.status = 'in_progress' and old.status <> 'in_progress')
execute function private.check_start();

-- Limits the completion notes and sets the time of completion.
create function private.check_completion() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.completion_notes := nullif(private.trimmed(new.completion_notes), '');
  perform private.require(coalesce(length(new.completion_notes), 0) <= private.rule('limits.completionNotes.max'),
    'booking.notes_too_long', 'completion_notes');
  new.completed_at := now();
  return new;
end $$;

create trigger "52_completed" before update on public.bookings for each row
when (new.status = 'completed' and old.status <> 'completed')
execute function private.check_completion();

-- Refuses to cancel while a PaymentIntent is open, limits the reason, and sets who cancelled and when.
create function private.check_cancellation() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- The provider is asked first, or the card could be charged for a booking that is no more.
  perform private.require(old.status <> 'accepted' or not private.has_open_intent(new.id),
    'booking.payment_started', 'payment');
  new.cancellation_reason := nullif(private.trimmed(new.cancellation_reason), '');
  perform private.require(coalesce(length(new.cancellation_reason), 0) <= private.rule('limits.cancellationReason.max'),
    'booking.cancellation_reason_too_long', 'cancellation_reason');
  new.cancelled_by := coalesce(new.cancelled_by, auth.uid());
  new.cancelled_at := now();
  return new;
end $$;

create trigger "53_cancelled" before update on public.bookings for each row
when (new.status = 'cancelled' and old.status <> 'cancelled')
execute function private.check_cancellation();

-- Sets the times of change and answer, and clears texts that do not belong to the new status.
create function private.stamp_booking() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  if new.status in ('accepted', 'rejected') then
    new.answered_at := now();
  end if;
  if new.status <> 'completed' then
    new.completion_notes := null;
  end if;
  if new.status <> 'cancelled' then
    new.cancellation_reason := null;
  end if;
  return new;
end $$;

create trigger "90_first_stamp" before insert on public.bookings
for each row execute function private.stamp_booking();

create trigger "90_stamp" before update on public.bookings for each row
when (new.status <> old.status)
execute function private.stamp_booking();

-- Applies a step to the task and to the other applications, and notifies the two people.
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
      perform private.notify_completion(new, task_title, doer_name);
    when 'cancelled' then
      update public.tasks set status = 'open', updated_at = now() where id = new.task_id and status = 'assigned';
      perform private.notify_of_cancellation(old.status, new, task_title, by_schedule);
    else null;
  end case;
  return null;
end $$;

-- Notifies a declined applicant of the reason: the giver declined, the giver withdrew the task, or the schedule closed it a day
-- after its date.
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

-- Notifies the people of an unpaid booking that it ended: withdrawn, cancelled or expired. For a paid booking,
-- public.cancel_booking notifies them, because it knows the amounts.
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

-- Declines all pending applications because the task was taken or withdrawn.
create function private.decline_waiting_applications(task uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.set_actor('choice');
  update public.bookings set status = 'rejected', passed_over = true where task_id = task and status = 'pending';
  perform private.set_actor(null);
end $$;

-- Declines all pending applications to a withdrawn task.
create function private.follow_task() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.decline_waiting_applications(new.id);
  return null;
end $$;

-- Cancels one booking that has expired: an application unanswered for 30 days, or an accepted booking not paid in time. Returns
-- how many it cancelled.
create function private.expire_booking() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select b.id into due from public.bookings b join public.tasks t on t.id = b.task_id
  where ((b.status = 'pending' and b.created_at <= now() - interval '30 days')
    or (b.status = 'accepted' and private.pay_by(b.accepted_at, t.scheduled_date) <= now()))
    and not private.has_open_intent(b.id)
  order by b.id limit 1 for no key update of b skip locked;
  if not found then
    return 0;
  end if;
  perform private.set_actor('schedule');
  update public.bookings set status = 'cancelled' where id = due;
  perform private.set_actor(null);
  return 1;
end $$;

create trigger follow_task after update of status on public.tasks
for each row when (old.status in ('open', 'asked') and new.status = 'cancelled') execute function private.follow_task();

-- Lets the giver take a decline back for 10 minutes while the task is open.
create function private.check_undone_decline() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(not old.passed_over and old.answered_at > now() - interval '10 minutes',
    'booking.undo_expired', 'status');
  perform private.require((private.lock_task(new.task_id)).status = 'open', 'task.not_open', 'status');
  new.answered_at := null;
  return new;
end $$;

create trigger "54_undone_decline" before update on public.bookings for each row
when (old.status = 'rejected' and new.status = 'pending')
execute function private.check_undone_decline();

-- Removes the notification of a decline that was neither read nor mailed; otherwise notifies that it was taken back.
create function private.follow_undone_decline() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  task_title constant text := (select title from public.tasks where id = new.task_id);
  decline constant text := concat_ws(' ', 'answer', new.task_id, new.task_doer_id);
  delivered_keys constant text[] := (select n.delivered_keys from public.notifications n
    where n.user_id = new.task_doer_id and n.subject_key = decline and not n.read);
  mailed constant boolean := exists (select from private.email_events e
    where e.person_id = new.task_doer_id and e.subject_key = decline and e.email_id is not null);
begin
  if mailed or cardinality(delivered_keys) > 1 or (delivered_keys is null and exists (select from public.notifications n
      where n.user_id = new.task_doer_id and n.key = 'application_declined' and n.params ->> 'task' = task_title
        and n.created_at >= old.answered_at))
  then
    perform private.notify_person(new.task_doer_id, 'decline_undone', jsonb_build_object('task', task_title),
      private.booking_link(new.id));
    return null;
  end if;
  delete from private.email_events e where e.person_id = new.task_doer_id and e.subject_key = decline and e.email_id is null;
  delete from public.notifications n where n.user_id = new.task_doer_id and n.subject_key = decline and not n.read;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = new.task_doer_id and m.subject_key = decline and m.taken_until is null;
  return null;
end $$;

create trigger follow_undone_decline after update of status on public.bookings
for each row when (old.status = 'rejected' and new.status = 'pending')
execute function private.follow_undone_decline();
